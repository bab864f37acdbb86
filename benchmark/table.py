# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A table on the terminal."""

from rich.console import Console
from rich.markup import escape
from rich.table import Table

WIDEST = 10_000  # columns of a terminal


def show(title, columns, rows):
    """Print rows of cells under their columns, in full width even on a narrow terminal.

    Every column but the first is right-aligned. A missing number is shown as '-'.
    """
    table = Table(title=escape(title))
    for k, column in enumerate(columns):
        table.add_column(escape(column), justify='left' if k == 0 else 'right', no_wrap=True)
    for row in rows:
        table.add_row(*(escape(_text(cell)) for cell in row))
    console = Console()
    unbounded = console.options.update(max_width=WIDEST)
    console.width = max(console.width, console.measure(table, options=unbounded).maximum)
    console.print(table)


def _text(cell):
    text = str(cell)
    return '-' if text in ('nan', 'None') else text
