# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Markdown tables, and text between two markers that a command writes."""

END = '<!-- end -->'


def table(head, rows, numbers=True):
    """Return a Markdown table.

    Parameters
    ----------
    head : sequence of str
        Titles of the columns.
    rows : iterable of sequence of str
        Cells.
    numbers : bool
        Whether all columns but the first are numbers, and so aligned right.

    Returns
    -------
    str
        The lines, joined.
    """
    rule = ['---'] + ['---:' if numbers else '---'] * (len(head) - 1)
    return '\n'.join(f'| {" | ".join(cells)} |' for cells in (head, rule, *rows))


def renewed(text, marker, content):
    """Return a text with new content between a marker and the END after it.

    Raises
    ------
    ValueError
        If the text has no marker followed by END.
    """
    before, found, rest = text.partition(marker)
    if not found or END not in rest:
        raise ValueError(f'no {marker} followed by {END} in the text')
    return f'{before}{marker}\n{content.rstrip()}\n{END}{rest.partition(END)[2]}'
