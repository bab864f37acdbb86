# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sentences about the common mistakes of XML written by hand: what, which line, what to change."""

import re
from xml.parsers.expat import errors

_NAME = rb'[^\s=<>"\'/]+'
_CLOSING = re.compile(rb'(' + _NAME + rb')\s*>')
_ATTRIBUTE = re.compile(_NAME)


def line_of(content: bytes, at: int) -> int:
    """Return the number of the line of an index, from 1.

    `content`: text.
    `at`: the index.
    """
    return content.count(b'\n', 0, at) + 1


def explained(error, content: bytes, at: int, open_tags) -> str:
    """Return what is wrong with XML, in which line, and what to change.

    `error` (ExpatError): refusal of the parser.
    `content`: UTF-8 text that was parsed.
    `at`: index where the parser stopped.
    `open_tags` (list of tuple): name and line of the elements that were open there.
    """
    kind, line = errors.messages[error.code], f'line {line_of(content, max(at, 0))}'
    if kind == errors.XML_ERROR_TAG_MISMATCH:
        closing = _CLOSING.match(content, at)
        name, opened = open_tags[-1]
        return (
            f'{line} has </{_shown(closing[1]) if closing else ""}> where <{name}> of line '
            f'{opened} is open; expected </{name}> before it'
        )
    if kind == errors.XML_ERROR_NO_ELEMENTS and not open_tags:
        return 'it has no element; expected <robot>'
    if kind == errors.XML_ERROR_NO_ELEMENTS:
        name, opened = open_tags[-1]
        return f'it ends where <{name}> of line {opened} is open; expected </{name}>'
    if kind == errors.XML_ERROR_UNCLOSED_TOKEN:
        what = 'a comment' if content.startswith(b'<!--', at) else 'a tag'
        end = '-->' if what == 'a comment' else '>'
        return f'{line} begins {what} that does not end; expected {end}'
    if kind == errors.XML_ERROR_DUPLICATE_ATTRIBUTE:
        found = _ATTRIBUTE.match(content, at)
        name = f' {_shown(found[0])!r}' if found else ''
        return f'{line} has the attribute{name} of an element twice; remove one'
    if kind == errors.XML_ERROR_MISPLACED_XML_PI:
        return f'{line} has <?xml; expected it nowhere but at the beginning of the file'
    return _of_token(error, content, at, line)


def _of_token(error, content, at, line):
    """Return the sentence about an invalid token."""
    sign = content[at : at + 1]
    if sign == b'/' and content[at - 1 : at] == b'<':
        closing = _CLOSING.match(content, at + 1)
        name = _shown(closing[1]) if closing else ''
        return f'{line} has </{name}> where no element is open; remove it'
    before = content[:at].rstrip()
    begin = content.rfind(b'<', 0, at)
    if sign == b'<':
        return (
            f'{line} has < within the tag that begins in line {line_of(content, begin)}; expected '
            'its > or its closing quote before'
        )
    if before.endswith(b'='):
        return f'{line} has an attribute without quotes; write name="value"'
    if before.endswith(b'<') and at > 0:
        return f'{line} has < that begins no tag; write &lt; for the sign itself'
    if sign and begin > content.rfind(b'>', 0, at):
        shown = _shown(content[at : at + 4].decode(errors='ignore')[:1].encode())
        return (
            f'{line} has {shown!r} within the tag that begins in line {line_of(content, begin)}; '
            'expected name="value" after a blank, >, or the closing quote of the value before'
        )
    return f'{error}'


def _shown(name):
    """Return bytes as text for a message."""
    return name[:60].decode(errors='replace')
