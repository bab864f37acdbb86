# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Write doc/nodes/messages.md from robodyn_msgs: python -m tools.pages.message_page."""

import re
from pathlib import Path

from tools.pages.markdown import table

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / 'robodyn_msgs'
PAGE = ROOT / 'doc' / 'nodes' / 'messages.md'
HEAD = """# Messages and services

Written by `python -m tools.pages.message_page` from the files in `robodyn_msgs/`. Units are in
square brackets. Which node has which topic or service stands on the pages of the
[controller](controller.md#topics-and-services) and of the
[simulated robot](simulator.md#topics-and-services). On the command line
`ros2 interface show robodyn_msgs/msg/ControllerStatus` prints the same text.
"""
FIELD = re.compile(
    r'(?P<type>[\w/]+(?:\[[\d<=]*\])?)\s+(?P<name>\w+(?:=-?\w+)?)\s*(?:# *(?P<text>.*))?$'
)
PARTS = {'msg': ('',), 'srv': ('Request', 'Response')}


def described(text):
    """Return the sentences at the head of a definition, and its fields as [type, name, text].

    An indented comment continues the text of the field before. One at the margin is a row of its
    own, without type and name: it is about the fields after it.

    Raises
    ------
    ValueError
        For a line that is neither a field nor a comment.
    """
    sentences, fields = [], []
    for line in text.splitlines():
        bare = line.strip()
        if not bare or 'Copyright' in bare or 'SPDX' in bare:
            continue
        if bare.startswith('#'):
            words = bare.lstrip('# ')
            if not fields:
                sentences.append(words)
            elif line.startswith('#'):
                fields.append(['', '', words])
            else:
                fields[-1][2] = f'{fields[-1][2]} {words}'.strip()
            continue
        found = FIELD.match(bare)
        if not found:
            raise ValueError(f'{bare!r} is neither a field nor a comment')
        fields.append([found['type'], found['name'], found['text'] or ''])
    return ' '.join(sentences), fields


def section(path):
    """Return the section of one file."""
    kind = path.suffix[1:]
    lines = [f'## {path.stem}', '', f'`robodyn_msgs/{kind}/{path.stem}`', '']
    for title, text in zip(PARTS[kind], path.read_text().split('\n---\n')):
        sentences, fields = described(text)
        lines += [sentences, ''] if sentences else []
        lines += [f'{title}:', ''] if title else []
        rows = [
            (*(f'`{code}`' if code else '' for code in names), words.replace('|', r'\|'))
            for *names, words in fields
        ]
        columns = 'type', 'field', 'meaning'
        lines += [table(columns, rows, numbers=False) if rows else 'Empty.', '']
    return '\n'.join(lines)


def page():
    """Return the page."""
    paths = [*sorted(FOLDER.glob('msg/*.msg')), *sorted(FOLDER.glob('srv/*.srv'))]
    return '\n'.join((HEAD, *map(section, paths))).rstrip() + '\n'


if __name__ == '__main__':
    PAGE.write_text(page())
