# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Markdown tables, and text between a marker and the next end that a command makes anew."""

END = '<!-- end -->'


def table(head, rows, numbers=True):
    """Return a Markdown table.

    Parameters
    ----------
    head : sequence of str
    rows : iterable of sequence of str
    numbers : bool
        Whether all columns but the first are numbers, and so aligned right.
    """
    rule = ['---'] + ['---:' if numbers else '---'] * (len(head) - 1)
    return '\n'.join(f'| {" | ".join(cells)} |' for cells in (head, rule, *rows))


def renewed(text, marker, content):
    """Return the text with other content between a marker and the END after it.

    Raises
    ------
    ValueError
        If the text has no marker followed by END.
    """
    before, found, rest = text.partition(marker)
    if not found or END not in rest:
        raise ValueError(f'no {marker} followed by {END} in the text')
    return f'{before}{marker}\n{content.rstrip()}\n{END}{rest.partition(END)[2]}'
