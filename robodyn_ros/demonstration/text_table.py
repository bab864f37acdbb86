# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Tables of text for the terminal."""


def aligned(rows):
    """Return a table with the first column aligned left, the others right.

    `rows` (sequence of sequence of str): cells, as many in each row.
    """
    widths = [max(map(len, column)) for column in zip(*rows)]
    return '\n'.join(
        '  '.join(
            cell.rjust(width) if k else cell.ljust(width)
            for k, (cell, width) in enumerate(zip(row, widths))
        )
        for row in rows
    )
