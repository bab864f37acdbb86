# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Make XML well-formed that urdfdom reads although it is not.

The tokens are those of tinyxml2, the parser of urdfdom. Ends of lines stay where they are.
"""

import re

from robodyn_ros.errors import ModelError

_NAME = rb'[A-Za-z_:\x80-\xff][\w:.\x80-\xff-]*'
_TAG = re.compile(rb'<(\s*)(/?)(' + _NAME + rb')')
_ATTRIBUTE = re.compile(rb'(\s*)(' + _NAME + rb')\s*=\s*("[^"]*"|\'[^\']*\')')
_TAG_END = re.compile(rb'\s*(/?)>')
_DECLARATION = re.compile(rb'<\?xml\s[^>]*>', re.IGNORECASE)
_MARK = re.compile(rb'<!([\w-]*)')
#: What may follow the root element.
_PASSED_OVER = re.compile(rb'\s+|<\?.*?\?>|<!--.*?-->', re.DOTALL)
_REFERENCE = re.compile(rb'&(?:(amp|lt|gt|quot|apos);|#([0-9]{1,7});|#x([0-9a-fA-F]{1,6});)?')
_NO_CHARACTER = re.compile(rb'[\x00-\x08\x0b\x0c\x0e-\x1f]|\xef\xbf[\xbe\xbf]')
_NOT_A_BREAK = re.compile(rb'[^\r\n]')
#: Codes that a reference of XML 1.0 may have.
_CODES = ((0x9, 0xA), (0xD, 0xD), (0x20, 0xD7FF), (0xE000, 0xFFFD), (0x10000, 0x10FFFF))
MOST_REFERENCES = 100_000  # each is judged in Python


def mended(content: bytes) -> tuple[bytes, dict[str, int]]:
    """Return XML that is well-formed as far as tinyxml2 reads it, and what has been changed.

    `content`: UTF-8 text.
    Returns the text; from the first token that tinyxml2 refuses, too, as it was.
    Returns what is doubtful, with the index in `content` where it first occurs.
    Raises ModelError: for a document type that declares anything, and for too many references.
    """
    if content.count(b'&') > MOST_REFERENCES:
        raise ModelError(
            f'the description has more than {MOST_REFERENCES} signs &, and is not well-formed; '
            'expected a URDF'
        )
    mender = _Mender(content)
    return mender.all(), mender.doubts


class _UnreadableError(Exception):
    """A token that tinyxml2 refuses, too."""


class _Mender:
    """One pass over the tokens of a text."""

    def __init__(self, content):
        self.doubts = {}
        self._depth, self._at = 0, 0
        self._content = _NO_CHARACTER.sub(self._blank_for_no_character, content)

    def all(self):
        """Return the whole text."""
        parts, content, begin = [], self._content, 0
        try:
            while self._at < len(content):
                begin = self._at
                parts.append(self._token())
                if self._depth == 0 and self._is_tag(begin):
                    self._check_rest()
                    break
        except _UnreadableError:
            parts.append(content[begin:])
        return b''.join(parts)

    def _is_tag(self, at):
        """Return whether the tag of an element begins at an index."""
        return self._content.startswith(b'<', at) and self._content[at + 1 : at + 2] not in b'!?'

    def _token(self):
        """Return the next token, and move behind it."""
        content, at = self._content, self._at
        if not content.startswith(b'<', at):
            return self._text()
        if content.startswith(b'<!--', at):
            return self._comment()
        if content.startswith(b'<![CDATA[', at):
            whole = self._until(b']]>')
            return whole if self._depth else self._outside(whole, at)
        if content.startswith(b'<!', at):
            return self._mark()
        if content.startswith(b'<?', at):
            return self._instruction()
        return self._tag()

    def _doubt(self, sentence, at):
        """Remember what is doubtful, and where it first occurs."""
        self.doubts.setdefault(sentence, at)

    def _blank_for_no_character(self, match):
        code = int.from_bytes(match[0].decode().encode('utf-16-be'), 'big')
        self._doubt(f'has the control character 0x{code:02x}; read as a blank', match.start())
        return b' ' * len(match[0])

    def _until(self, end):
        """Return what ends with a sign, and move behind it."""
        begin, found = self._at, self._content.find(end, self._at)
        if found < 0:
            raise _UnreadableError
        self._at = found + len(end)
        return self._content[begin : self._at]

    def _text(self):
        begin = self._at
        end = self._content.find(b'<', begin)
        self._at = len(self._content) if end < 0 else end
        text = self._content[begin : self._at]
        if self._depth == 0:
            return self._outside(text, begin)
        if b']]>' in text:
            self._doubt('has ]]> within a text; read as ]]&gt;', begin + text.index(b']]>'))
        return self._escaped(text, begin).replace(b']]>', b']]&gt;')

    def _outside(self, text, at):
        """Return blanks in place of text before the root element."""
        if found := text.strip():
            shown = found[:60].decode(errors='replace')
            sentence = f'has text before its root element, which is not read: {shown!r}'
            self._doubt(sentence, at + text.index(found))
        return _blanked(text)

    def _comment(self):
        begin = self._at
        self._at += 4
        whole = b'<!--' + self._until(b'-->')
        dashes = whole.find(b'--', 4)
        if dashes == len(whole) - 3:
            return whole
        sentence = "has '--' within a comment, which XML does not allow; write '- -' there"
        self._doubt(sentence, begin + dashes)
        return _blanked(whole)

    def _mark(self):
        """Return blanks in place of a document type or the like."""
        begin = self._at
        whole = self._until(b'>')
        kind = _MARK.match(whole)[1].decode()
        if kind == 'ENTITY' or b'[' in whole:
            raise ModelError(
                'the description has a <!DOCTYPE declaration; expected plain URDF '
                'without document type or entities'
            )
        self._doubt(f'has a <!{kind} declaration, which is not read', begin)
        return _blanked(whole)

    def _instruction(self):
        """Return an instruction; blanks in place of the declaration of XML."""
        begin = self._at
        declaration = None if self._depth else _DECLARATION.match(self._content, begin)
        if declaration is None:
            return self._until(b'?>')
        self._at = declaration.end()
        if self._content[:begin].strip():
            self._doubt('has <?xml elsewhere than at its beginning', begin)
        return _blanked(declaration[0])

    def _tag(self):
        """Return a tag."""
        content, begin = self._content, self._at
        head = _TAG.match(content, begin)
        if not head:
            raise _UnreadableError
        blank, slash, name = head.groups()
        if blank:
            self._doubt('has < with a blank between it and the name of its element', begin)
        parts, at, names = [b'<', slash, name, blank], head.end(), set()
        while attribute := _ATTRIBUTE.match(content, at):
            gap, key, value = attribute.groups()
            if key in names:
                raise _UnreadableError
            names.add(key)
            if not gap:
                self._doubt('lacks a blank between two attributes', at)
            if b'<' in value:
                place = attribute.start(3) + value.index(b'<')
                self._doubt('has < within the value of an attribute; read as &lt;', place)
            value = self._escaped(value, attribute.start(3)).replace(b'<', b'&lt;')
            whole = gap or b' ', key, b'=', value
            if slash:
                whole = (_blanked(attribute[0]),)
                shown = name[:60].decode(errors='replace')
                self._doubt(f'has attributes in </{shown}>, which are not read', at)
            parts += whole
            at = attribute.end()
        end = _TAG_END.match(content, at)
        if not end or (slash and end[1]) or (slash and not self._depth):
            raise _UnreadableError
        self._at = end.end()
        self._depth += 0 if end[1] else -1 if slash else 1
        return b''.join((*parts, end[0]))

    def _escaped(self, text, at):
        """Return text with each `&` escaped that begins no reference."""

        def checked(match):
            name, decimal, hexadecimal = match.groups()
            code = int(decimal) if decimal else int(hexadecimal or b'0', 16)
            if name or any(least <= code <= most for least, most in _CODES):
                return match[0]
            self._doubt('has & that begins no reference; read as &amp;', at + match.start())
            return b'&amp;' + match[0][1:]

        return _REFERENCE.sub(checked, text)

    def _check_rest(self):
        """Doubt what follows the root element, but for comments and instructions."""
        content, at = self._content, self._at
        while match := _PASSED_OVER.match(content, at):
            at = match.end()
        if rest := content[at : at + 60].decode(errors='replace').strip():
            self._doubt(f'goes on after its root element, which is not read: {rest!r}', at)


def _blanked(content):
    """Return bytes with blanks, but for ends of lines."""
    return _NOT_A_BREAK.sub(b' ', content)
