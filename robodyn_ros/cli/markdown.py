"""Tables in documents that a command makes anew: what stands between a marker and the next end."""

END = '<!-- end -->'


def table(head, rows):
    """A Markdown table whose columns but the first are numbers. head : texts; rows : of texts."""
    rule = ['---'] + ['---:'] * (len(head) - 1)
    return '\n'.join(f'| {" | ".join(cells)} |' for cells in (head, rule, *rows))


def renewed(text, marker, content):
    """The text with other content between a marker and the END after it.

    Raises ValueError where there are none.
    """
    before, found, rest = text.partition(marker)
    if not found or END not in rest:
        raise ValueError(f'no {marker} followed by {END} in the text')
    return f'{before}{marker}\n{content.rstrip()}\n{END}{rest.partition(END)[2]}'
