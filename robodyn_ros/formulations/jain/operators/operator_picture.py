# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The digraph of a robot and the block patterns of its operators in one picture.

Each body is a dot, with an arrow from its parent. The base is below. Then each operator has a
patch per block, in proportion to its size. A body has six rows, a pin one, a ball joint three.
Zero blocks are blank. Needs matplotlib.
"""

import numpy as np

from robodyn_ros.errors import UnknownNameError
from robodyn_ros.formulations.jain.operators.block_matrix import BlockMatrix
from robodyn_ros.formulations.jain.operators.operator_table import OPERATORS

DEFAULT = ('E_phi', 'phi', 'K', 'innovations_factor', 'mass_matrix', 'mass_matrix_inverse')
DEFINITIONS = {name: definition for name, definition, _ in OPERATORS}
DARK = '#1f5f8b'


def draw(ops, names=DEFAULT):
    """Draw the digraph, then the block pattern of each named operator.

    `ops` (SpatialOperators): operators of a robot.
    `names` (str or sequence of str): names of the operators.
    Returns the picture.
    Raises UnknownNameError: if a name is not that of an operator.
    """
    from matplotlib.figure import Figure

    names = (names,) if isinstance(names, str) else tuple(names)
    chosen = {name: operator(ops, name) for name in names}
    columns = 3
    rows = -(-len(names) // columns) or 1
    width = max(3.2, 1.1 * len(tips(ops.tree)))
    figure = Figure(
        figsize=(width + 2.6 * columns, max(2.9 * rows, 0.6 * depth(ops.tree))),
        layout='constrained',
    )
    left, right = figure.subfigures(1, 2, width_ratios=(width, 2.6 * columns))
    draw_digraph(ops, left.subplots())
    grid = np.atleast_1d(right.subplots(rows, columns, squeeze=False)).ravel()
    for axes, name in zip(grid, chosen):
        draw_pattern(chosen[name], name, axes)
    for axes in grid[len(chosen) :]:
        axes.set_axis_off()
    return figure


def operator(ops, name):
    """Return the operator of a name.

    `ops` (SpatialOperators): operators of a robot.
    `name`: attribute of SpatialOperators.
    Raises UnknownNameError: if there is no such operator; the message lists those of the table.
    """
    found = getattr(ops, name, None) if isinstance(name, str) else None
    if not isinstance(found, BlockMatrix):
        raise UnknownNameError(
            f'got {name!r} to draw; expected the name of an operator: {", ".join(DEFINITIONS)}'
        )
    return found


def tips(tree):
    """Return the bodies without children.

    `tree` (Tree): bodies at one configuration.
    """
    return [k for k in range(tree.n) if not tree.children[k]]


def depth(tree):
    """Return the number of bodies on the longest path to the base.

    `tree` (Tree): bodies at one configuration.
    """
    return max(len(list(tree.path(k))) for k in range(tree.n))


def draw_digraph(ops, axes):
    """Draw the tree: each body at the height of its depth, its children side by side above it.

    `ops` (SpatialOperators): operators of a robot.
    `axes` (matplotlib.axes.Axes): axes to draw in.
    """
    tree = ops.tree
    place = positions(tree)
    between, size = ('\n', 7) if tree.n <= 12 else (', ', 5.5)
    for k, (x, y) in enumerate(place):
        up = tree.parent[k]
        below = place[up] if up < tree.n else (x, 0.0)
        axes.annotate(
            '', (x, y), below, arrowprops={'arrowstyle': '->', 'shrinkA': 9, 'shrinkB': 9}
        )
        axes.plot(x, y, 'o', ms=17, color=DARK)
        axes.text(x, y, str(k + 1), color='white', ha='center', va='center')
        hinge = tree.bodies[k].hinge
        axes.annotate(
            f'{tree.names[k]}{between}{hinge.name} {hinge.nv}',
            (x, y),
            (11, 0),
            textcoords='offset points',
            fontsize=size,
            va='center',
            linespacing=1.15,
        )
    axes.axhline(0.0, color='0.6')
    axes.annotate(
        'inertial frame',
        (0.0, 0.0),
        (0, -3),
        xycoords=('axes fraction', 'data'),
        textcoords='offset points',
        fontsize=7,
        va='top',
    )
    axes.set_title('digraph: body, hinge and its freedoms', fontsize=9)
    right = max(x for x, _ in place)
    axes.set_xlim(0.6, right + 0.9)
    axes.set_ylim(-0.3, max(y for _, y in place) + 0.4)
    axes.set_axis_off()


def positions(tree):
    """Return where to draw each body.

    y is the depth. Tips have consecutive x; other bodies are in the middle of their children.

    `tree` (Tree): bodies at one configuration.
    """
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


def draw_pattern(matrix, name, axes):
    """Draw the blocks of one operator: dark where a block is not zero.

    `matrix` (BlockMatrix): the operator.
    `name`: its name, for the title.
    `axes` (matplotlib.axes.Axes): axes to draw in.
    """
    pattern = matrix.pattern()
    columns, rows = matrix.columns.edges, matrix.rows.edges
    axes.pcolormesh(
        columns, rows, pattern, cmap='Blues', vmin=0, vmax=1.3, edgecolors='white', linewidth=1.0
    )
    axes.set_title(
        f'{name}: {pattern.sum()} of {pattern.size} blocks\n{DEFINITIONS.get(name, "")}',
        fontsize=8,
    )
    step = max(1, len(pattern) // 8)
    for axis, edges in ((axes.xaxis, columns), (axes.yaxis, rows)):
        middles = 0.5 * (edges[1:] + edges[:-1])
        axis.set_ticks(
            middles[::step], [str(k + 1) for k in range(0, len(middles), step)], fontsize=7
        )
    axes.invert_yaxis()
    axes.set_box_aspect(1)
    axes.tick_params(length=0)
