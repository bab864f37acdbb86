"""The only door for XML: text or a file in, a bounded element tree out, and no surprises.

XML can ask its reader to fetch files, to multiply entities, to nest without end. None of that has
a place in a robot description, so a document type, an entity, more than 10 MB, nesting beyond 500
elements or more than 100 000 elements is refused while reading.
"""

import os
from io import BytesIO
from pathlib import Path

try:
    from defusedxml.ElementTree import iterparse as _iterparse
    _REFUSALS = {'forbid_dtd': True, 'forbid_entities': True, 'forbid_external': True}
except ImportError:
    from xml.etree.ElementTree import iterparse as _iterparse
    _REFUSALS = {}

from robodyn_ros.errors import ModelError

MOST_BYTES = 10_000_000
MOST_DEPTH = 500
MOST_ELEMENTS = 100_000


def read(source):
    """Root element of XML given as text, as UTF-8 bytes or as the path of a file.

    A string with a '<' in it is text, any other string is a path. Raises ModelError, with the line
    where the parser gives one.
    """
    content = _content(source)
    if len(content) > MOST_BYTES:
        raise ModelError(f'the description is larger than {MOST_BYTES // 1_000_000} MB; expected '
                         'a URDF without embedded meshes')
    if content.startswith((b'\xff\xfe', b'\xfe\xff')) or b'\x00' in content:
        raise ModelError('the description is UTF-16 or binary; expected UTF-8 text')
    try:
        content.decode('utf-8')
    except UnicodeDecodeError as error:
        line = content[:error.start].count(b'\n') + 1
        raise ModelError(f'the description is not UTF-8 text: line {line} has byte '
                         f'0x{content[error.start]:02x}') from None
    for construct in (b'<!DOCTYPE', b'<!ENTITY'):
        if construct in content:
            raise ModelError(f'the description has a {construct.decode()} declaration; expected '
                             'plain URDF without document type or entities')
    return _bounded_tree(content)


def _content(source):
    if isinstance(source, bytes):
        return source
    if isinstance(source, str) and ('<' in source or not source.strip()):
        try:
            return source.encode('utf-8')
        except UnicodeEncodeError:
            raise ModelError('the description has characters that are not valid text') from None
    if not isinstance(source, (str, os.PathLike)):
        raise ModelError(f'the description is a {type(source).__name__}; expected URDF text or '
                         'the path of a file')
    try:
        with open(source, 'rb') as file:
            return file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        shown = repr(str(Path(source)))[:120]
        reason = getattr(error, 'strerror', None) or error
        raise ModelError(f'{shown} is neither URDF text nor a readable file: {reason}') from None


def _bounded_tree(content):
    """Parse while counting, so that a bomb is refused before it is in memory."""
    root, depth, count = None, 0, 0
    try:
        for event, element in _iterparse(BytesIO(content), ('start', 'end'), **_REFUSALS):
            if event == 'end':
                depth -= 1
                continue
            root = element if root is None else root
            depth += 1
            count += 1
            if depth > MOST_DEPTH or count > MOST_ELEMENTS:
                raise ModelError(f'the description nests deeper than {MOST_DEPTH} elements or has '
                                 f'more than {MOST_ELEMENTS}; expected a URDF')
    except SyntaxError as error:
        raise ModelError(f'the description is not well-formed XML: {error}') from None
    except ValueError as error:
        raise ModelError(f'the description is refused: {error!r}') from None
    return root
