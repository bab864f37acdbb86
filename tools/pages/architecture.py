# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Draw the picture of the package's imports into doc/: python -m tools.pages.architecture."""

import ast
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / 'robodyn_ros'
PICTURE = ROOT / 'doc' / 'pictures' / 'architecture.svg'

#: Data flows down the page: a unit imports itself and the rows above it, not its own row.
FLOOR_PLAN = (
    ('errors',),
    ('spatial',),
    ('model',),
    ('algorithms',),
    ('compile', 'realtime'),
    ('codegen',),
    ('robot',),
    ('middleware',),
    ('formulations', 'identification', 'control', 'simulation'),
    ('ros', 'view', 'console'),
    ('nodes', 'demonstration'),
    ('testing',),
    ('cli',),
)
WIDTH, HEIGHT, GAP, MARGIN = 1080, 46, 14, 16
STYLE = (
    '<style>text{font-family:sans-serif;fill:#1b1f24}.name{font-weight:600;font-size:15px}'
    '.what{font-size:12px}.note{font-size:12px;fill:#57606a}'
    'rect{fill:#eef4fb;stroke:#8aa9cc}.ros{fill:#fdf3e1;stroke:#d5a94f}</style>'
)
#: Units that import ROS.
WITH_ROS = ('ros', 'nodes', 'demonstration', 'cli', 'testing')


def purpose(unit):
    """Return the first sentence of a unit's docstring."""
    folder = PACKAGE / unit
    file = folder / '__init__.py' if folder.is_dir() else folder.with_suffix('.py')
    text = ast.get_docstring(ast.parse(file.read_text())) or ''
    return ' '.join(text.split('\n\n')[0].split())


def picture():
    """Return the picture as SVG: one row for each level; imports point up the page."""
    height = MARGIN * 2 + len(FLOOR_PLAN) * (HEIGHT + GAP) + 20
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" role="img" aria-label="Folders of robodyn_ros by level">',
        STYLE,
        f'<text class="note" x="{MARGIN}" y="{MARGIN + 4}">A folder imports what stands above '
        'it. Blue works without ROS.</text>',
    ]
    for level, row in enumerate(FLOOR_PLAN):
        y = MARGIN + 20 + level * (HEIGHT + GAP)
        share = (WIDTH - 2 * MARGIN - GAP * (len(row) - 1)) / len(row)
        for k, unit in enumerate(row):
            parts.append(_box(unit, MARGIN + k * (share + GAP), y, share))
    return '\n'.join([*parts, '</svg>', ''])


def _box(unit, x, y, width):
    text = purpose(unit).split(':')[0] if width < 400 else purpose(unit)
    room = int((width - 20) / 6.1)
    text = text if len(text) <= room else text[: text.rfind(' ', 0, room - 2)] + ' ...'
    kind = ' class="ros"' if unit in WITH_ROS else ''
    return (
        f'<rect{kind} x="{x:g}" y="{y}" width="{width:g}" height="{HEIGHT}" rx="6"/>'
        f'<text class="name" x="{x + 10:g}" y="{y + 19}">{unit}</text>'
        f'<text class="what" x="{x + 10:g}" y="{y + 37}">{escape(text)}</text>'
    )


if __name__ == '__main__':
    PICTURE.write_text(picture())
    print(f'wrote {PICTURE}')
