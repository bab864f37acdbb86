# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A table on the terminal."""

from rich.console import Console
from rich.markup import escape
from rich.table import Table


def show(title, columns, rows):
    """Print rows of cells under their columns; every column but the first is right-aligned."""
    table = Table(title=escape(title))
    for k, column in enumerate(columns):
        table.add_column(escape(column), justify='left' if k == 0 else 'right', no_wrap=k == 0)
    for row in rows:
        table.add_row(*(escape(str(cell)) for cell in row))
    Console().print(table)
