# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parse all XML of the package: text or a file to a bounded element tree.

XML may refer to files, multiply entities and nest without bound, which no robot description needs.
A document type with declarations is refused before parsing, since only it can declare entities.
Also refused are more than 10 MB, 200 000 attributes, 100 000 elements or 500 nested ones. If
possible, they are refused while reading. What tinyxml2, the parser of urdfdom, tolerates is a
finding.
"""

import codecs
import os
import re
from typing import NamedTuple
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from robodyn_ros.errors import ModelError, shorten
from robodyn_ros.model.model_report import WARNING, Finding
from robodyn_ros.model.sources.xml_mistakes import explained, line_of
from robodyn_ros.model.sources.xml_tolerance import mended

MOST_BYTES = 10_000_000
MOST_DEPTH = 500
MOST_ELEMENTS = 100_000
MOST_ATTRIBUTES = 200_000
LFS = b'version https://git-lfs.github.com/'
UTF_8_MARK, UTF_16_MARKS = codecs.BOM_UTF8, (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

_DECLARATION = re.compile(rb'\s*<\?xml\s[^>]*>')
_ENCODING = re.compile(rb'encoding\s*=\s*["\']([A-Za-z0-9._-]+)["\']')


class Document(NamedTuple):
    """XML that has been read.

    `text`: the XML.
    `root`: its root element.
    `findings`: what was doubtful.
    """

    text: str
    root: Element
    findings: tuple[Finding, ...]


def document(source):
    """Read XML.

    `source` (str, bytes or path): text, UTF-8 bytes or the path of a file. A string with a '<' in
      it is text.
    Returns the XML and its root element.
    Raises ModelError: for XML that is malformed or too large; with the file, and if possible the
      line.
    """
    content, origin = _content(source)
    try:
        text, findings = _decoded(content, isinstance(source, str) and not origin)
        root, more = _parsed(text.encode())
        return Document(text, root, (*findings, *more))
    except ModelError as error:
        raise ModelError(f'{origin}{error}') from None


def root_element(source):
    """Return the root element of XML.

    Raises ModelError: as by `document`.
    """
    return document(source).root


def _decoded(content, is_text):
    """Return bytes as text, and findings; bytes of a text have no other encoding than UTF-8."""
    _check_size(content)
    if content.startswith(LFS):
        raise ModelError(
            'the description is a pointer of Git LFS; expected the file itself, as `git lfs pull` '
            'brings it'
        )
    if content.startswith(UTF_16_MARKS):
        content = content.decode('utf-16', errors='replace').encode()
    if (text := content.rstrip(b'\x00')).rstrip().endswith(b'>'):
        content = text  # a string of C ends with 0
    if b'\x00' in content:
        raise ModelError('the description is UTF-16 or binary; expected UTF-8 text')
    content = content.removeprefix(UTF_8_MARK)
    try:
        return content.decode('utf-8'), ()
    except UnicodeDecodeError as error:
        octet = f'line {line_of(content, error.start)} has byte 0x{content[error.start]:02x}'
    declared = _declared_encoding(content)
    if declared:
        return content.decode(declared, errors='replace'), ()
    text = content.decode('latin-1')
    try:
        if is_text:
            raise ModelError('it is a text')
        _parsed(text.encode())
    except ModelError:
        raise ModelError(f'the description is not UTF-8 text: {octet}') from None
    sentence = f'is not UTF-8 text: {octet}; read as Latin-1, so that names may be wrong'
    return text, (Finding(WARNING, 'the description', sentence),)


def _declared_encoding(content):
    """Return the encoding of the XML declaration, or None.

    It must be one that leaves the letters of the declaration as they are. In any other a document
    type could hide.
    """
    head = _DECLARATION.match(content)
    found = head and _ENCODING.search(head[0])
    if not found:
        return None
    name, every = found[1].decode(), bytes(range(32, 127))
    try:
        return name if every.decode(name) == every.decode('ascii') else None
    except (LookupError, UnicodeDecodeError):
        return None


def _parsed(content):
    """Return the root element of UTF-8 bytes, and findings."""
    if content.count(b'=') > MOST_ATTRIBUTES:
        raise ModelError(
            f'the description has more than {MOST_ATTRIBUTES} attributes; expected a URDF'
        )
    if b'<!DOCTYPE' not in content:
        try:
            return _tree(content), ()
        except expat.ExpatError:
            pass
    well_formed, doubts = mended(content)
    findings = tuple(
        Finding(WARNING, 'the description', f'{what} (line {line_of(content, at)})')
        for what, at in doubts.items()
    )
    builder = _BoundedBuilder()
    try:
        return _tree(well_formed, builder), findings
    except expat.ExpatError as error:
        sentence = explained(error, well_formed, builder.parser.ErrorByteIndex, builder.open)
        raise ModelError(f'the description is not well-formed XML: {sentence}') from None


def _tree(content, builder=None):
    """Return the root element of UTF-8 bytes."""
    builder = builder or _BoundedBuilder()
    # In one piece: expat restarts a token with every piece, so pieces of one long token take
    # quadratic time. Without namespaces, as urdfdom reads: a prefix is a part of the name.
    parser = builder.parser = expat.ParserCreate('utf-8')
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = builder.start, builder.end
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = _refuse_document_type
    try:
        parser.Parse(content, True)
    except ModelError:
        raise
    except ValueError as error:
        raise ModelError(f'the description is refused as XML: {error}') from None
    return builder.close()


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
        name = os.fspath(source)
        is_name = isinstance(name, str) and len(name) < 60 and name.isidentifier()
        hint = f'; Robot.from_description({name!r}) looks for an example robot' if is_name else ''
        raise ModelError(
            f'{repr(name)[:120]} is neither URDF text nor a file; '
            f'expected the path of a URDF, xacro or MJCF{hint}'
        )
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


def _refuse_document_type(*_):
    raise ModelError('the description has a <!DOCTYPE declaration; expected none')


class _BoundedBuilder(TreeBuilder):
    """Tree builder with counters that refuse oversized documents before they fill the memory.

    `open` (list of tuple): name and line of each element that is open.
    """

    def __init__(self):
        super().__init__()
        self.open, self.count, self.parser = [], 0, None

    def start(self, tag, attributes):
        """Open an element."""
        self.open.append((shorten(tag, 60)[1:-1], self.parser.CurrentLineNumber))
        self.count += 1
        if len(self.open) > MOST_DEPTH or self.count > MOST_ELEMENTS:
            raise ModelError(
                f'the description nests deeper than {MOST_DEPTH} elements or has '
                f'more than {MOST_ELEMENTS}; expected a URDF'
            )
        return super().start(tag, attributes)

    def end(self, tag):
        """Close an element."""
        self.open.pop()
        return super().end(tag)
