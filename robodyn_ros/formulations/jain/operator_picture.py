"""The digraph of a robot and the block patterns of its operators in one picture.

One dot a body and an arrow from each parent to its children, the base below; then, for each
operator, one square a block: blank where it is zero. Needs matplotlib.
"""

import numpy as np

DEFAULT = ('E_phi', 'phi', 'K', 'innovations_factor', 'mass_matrix', 'mass_matrix_inverse')
DARK = '#1f5f8b'


def draw(ops, names=DEFAULT):
    """A Figure: the digraph, then the block pattern of every operator named."""
    from matplotlib.figure import Figure
    columns = 3
    rows = -(-len(names) // columns)
    figure = Figure(figsize=(3.2 + 2.6 * columns, 2.8 * rows), layout='constrained')
    left, right = figure.subfigures(1, 2, width_ratios=(3.2, 2.6 * columns))
    draw_digraph(ops, left.subplots())
    grid = np.atleast_1d(right.subplots(rows, columns, squeeze=False)).ravel()
    for axes, name in zip(grid, names):
        draw_pattern(ops, name, axes)
    for axes in grid[len(names):]:
        axes.set_axis_off()
    return figure


def draw_digraph(ops, axes):
    """The tree: body k at the height of its depth, its children side by side above it."""
    tree = ops.tree
    place = positions(tree)
    for k, (x, y) in enumerate(place):
        up = tree.parent[k]
        below = place[up] if up < tree.n else (x, y - 1)
        axes.annotate('', (x, y), below, arrowprops={'arrowstyle': '->', 'shrinkA': 9,
                                                     'shrinkB': 9})
        axes.plot(x, y, 'o', ms=17, color=DARK)
        axes.text(x, y, str(k + 1), color='white', ha='center', va='center')
        if tree.n <= 12:
            axes.text(x + 0.12, y - 0.28, tree.names[k], fontsize=7)
    axes.set_title('digraph: from the base (below) to the tips', fontsize=9)
    axes.margins(0.15)
    axes.set_axis_off()


def positions(tree):
    """(x, y) of every body: y its depth, x the middle of its children, tips one after another."""
    found, next_tip = {}, [0.0]

    def place(k, depth):
        above = [place(j, depth + 1) for j in reversed(tree.children[k])]
        if not above:
            next_tip[0] += 1.0
            above = [next_tip[0]]
        if k < tree.n:
            found[k] = (sum(above) / len(above), depth)
        return sum(above) / len(above)
    place(tree.n, 0)
    return [found[k] for k in range(tree.n)]


def draw_pattern(ops, name, axes):
    """Blocks of one operator: dark where anything stands."""
    pattern = getattr(ops, name).pattern()
    axes.imshow(pattern, cmap='Blues', vmin=0, vmax=1.3)
    axes.set_title(f'{name}: {pattern.sum()} of {pattern.size} blocks', fontsize=9)
    n, m = pattern.shape
    axes.set_xticks(np.arange(m) - 0.5, minor=True)
    axes.set_yticks(np.arange(n) - 0.5, minor=True)
    axes.grid(which='minor', color='white', linewidth=1)
    step = max(1, n // 8)
    axes.set_xticks(range(0, m, step), [str(k + 1) for k in range(0, m, step)], fontsize=7)
    axes.set_yticks(range(0, n, step), [str(k + 1) for k in range(0, n, step)], fontsize=7)
    axes.tick_params(which='both', length=0)
