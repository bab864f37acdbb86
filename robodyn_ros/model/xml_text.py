# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parse all XML of the package: text or a file to a bounded element tree.

XML may refer to files, multiply entities and nest without bound, which no robot description needs.
A document type is refused before parsing, since only it can declare entities. Also refused are
more than 10 MB, 200 000 attributes, 100 000 elements or 500 nested ones. If possible, they are
refused while reading.
"""

import os
import re
from typing import NamedTuple
from xml.etree.ElementTree import Element, TreeBuilder, XMLParser

from robodyn_ros.errors import ModelError
from robodyn_ros.model.model_report import Finding

MOST_BYTES = 10_000_000
MOST_DEPTH = 500
MOST_ELEMENTS = 100_000
MOST_ATTRIBUTES = 200_000

#: Constructs before the root element other than a document type.
_PROLOG = re.compile(rb'\s+|<\?.*?\?>|<!--.*?-->', re.DOTALL)
_BYTE_ORDER_MARK = b'\xef\xbb\xbf'


class Document(NamedTuple):
    """XML that has been read.

    Parameters
    ----------
    text : str
        The XML.
    root : Element
        Its root element.
    findings : tuple of Finding
        What was doubtful.
    """

    text: str
    root: Element
    findings: tuple[Finding, ...]


def document(source):
    """Read XML.

    Parameters
    ----------
    source : str, bytes or path
        Text, UTF-8 bytes or the path of a file. A string with a '<' in it is text.

    Returns
    -------
    Document
        The XML and its root element.

    Raises
    ------
    ModelError
        For XML that is malformed or too large; with the file, and if possible the line.
    """
    content, origin = _content(source)
    try:
        return Document(content.decode(errors='replace'), _parsed(content), ())
    except ModelError as error:
        raise ModelError(f'{origin}{error}') from None


def root_element(source):
    """Return the root element of XML.

    Parameters
    ----------
    source : str, bytes or path
        As of `document`.

    Returns
    -------
    Element
        Root element.

    Raises
    ------
    ModelError
        As by `document`.
    """
    return document(source).root


def _parsed(content):
    """Return the root element of bytes."""
    _check_size(content)
    if content.startswith((b'\xff\xfe', b'\xfe\xff')) or b'\x00' in content:
        raise ModelError('the description is UTF-16 or binary; expected UTF-8 text')
    try:
        content.decode('utf-8')
    except UnicodeDecodeError as error:
        line = content.count(b'\n', 0, error.start) + 1
        raise ModelError(
            f'the description is not UTF-8 text: line {line} has byte 0x{content[error.start]:02x}'
        ) from None
    if content.startswith(b'<!', _end_of_prolog(content)):
        raise ModelError(
            'the description has a <!DOCTYPE declaration; expected plain URDF '
            'without document type or entities'
        )
    if content.count(b'=') > MOST_ATTRIBUTES:
        raise ModelError(
            f'the description has more than {MOST_ATTRIBUTES} attributes; expected a URDF'
        )
    # In one piece: expat restarts a token with every piece, so pieces of one long token take
    # quadratic time. Always UTF-8, regardless of the declaration.
    parser = XMLParser(target=_BoundedBuilder(), encoding='utf-8')
    try:
        parser.feed(content)
        return parser.close()
    except ModelError:
        raise
    except SyntaxError as error:
        raise ModelError(f'the description is not well-formed XML: {error}') from None
    except ValueError as error:
        raise ModelError(f'the description is refused as XML: {error}') from None


def _end_of_prolog(content):
    """Return where the document type or the root element begins, after any comments."""
    place = len(_BYTE_ORDER_MARK) if content.startswith(_BYTE_ORDER_MARK) else 0
    while match := _PROLOG.match(content, place):
        place = match.end()
    return place


def _content(source):
    """Return the bytes of a text or of a file, and how an error begins that is about the file."""
    if isinstance(source, bytes):
        return source, ''
    if not isinstance(source, (str, os.PathLike)):
        raise ModelError(
            f'the description is of type {type(source).__name__}; expected URDF text '
            'or the path of a file'
        )
    if isinstance(source, str) and ('<' in source or not source.strip()):
        _check_size(source)
        # Indented text in a program starts with a line break, which must not precede a
        # declaration.
        return source.lstrip().encode('utf-8', errors='surrogatepass'), ''
    if not os.path.isfile(source):
        raise ModelError(f'{repr(os.fspath(source))[:120]} is neither URDF text nor a file')
    try:
        with open(source, 'rb') as file:
            return file.read(MOST_BYTES + 1), f'file {os.fspath(source)!r}: '
    except OSError as error:
        raise ModelError(f'{os.fspath(source)!r} cannot be read: {error.strerror}') from None


def _check_size(content):
    """Refuse a description of more than MOST_BYTES."""
    if len(content) > MOST_BYTES:
        raise ModelError(
            f'the description is larger than {MOST_BYTES // 1_000_000} MB; expected '
            'a URDF without embedded meshes'
        )


class _BoundedBuilder(TreeBuilder):
    """Tree builder with counters that refuse oversized documents before they fill the memory."""

    def __init__(self):
        super().__init__()
        self.depth = 0
        self.count = 0

    def start(self, tag, attributes):
        """Open an element."""
        self.depth += 1
        self.count += 1
        if self.depth > MOST_DEPTH or self.count > MOST_ELEMENTS:
            raise ModelError(
                f'the description nests deeper than {MOST_DEPTH} elements or has '
                f'more than {MOST_ELEMENTS}; expected a URDF'
            )
        return super().start(tag, attributes)

    def end(self, tag):
        """Close an element."""
        self.depth -= 1
        return super().end(tag)
