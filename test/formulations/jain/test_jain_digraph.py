# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Chapters 8 and 9 of Jain: digraphs, adjacency, resolvents, and equations over them."""

import numpy as np
import pytest

from robodyn_ros.formulations.jain import (
    composite_bodies,
    digraph,
    forward_dynamics,
    inverse_dynamics,
    tree_kinematics,
)
from robodyn_ros.formulations.jain.body_tree import bodies_of, tree_of
from robodyn_ros.formulations.jain.operators import sweeps
from robodyn_ros.formulations.jain.operators.spatial_operators import SpatialOperators
from robodyn_ros.formulations.jain.spatial_algebra import phi
from support.compare import agree
from support.robots.jain_trees import (
    BODIES,
    KINDS,
    ROBOTS,
    TREES,
    any_tree,
    coordinates,
    random_bodies,
)

#: The tree of figure 8.2: 1 -> 3, 2 -> 4, 3 -> 6, 4 -> 6, 5 -> 6, 6 -> 7 (child -> parent).
FIGURE_8_2 = [2, 3, 5, 5, 5, 6, 7]


def pattern(text):
    """Rows of X and dots as bool."""
    return np.array([[c == 'X' for c in row.split()] for row in text.strip().splitlines()])


def random_parents(rng, n, roots=1):
    """A canonical tree: every parent has a larger number."""
    return [n if k >= n - roots else int(rng.integers(k + 1, n)) for k in range(n)]


def random_weights(rng, parent):
    """(sizes, weights): blocks of sizes 1 to 4, weights of full matrices."""
    sizes = rng.integers(1, 5, len(parent))
    return sizes, [
        rng.normal(size=(sizes[up], sizes[k])) if up < len(parent) else None
        for k, up in enumerate(parent)
    ]


@pytest.fixture(params=range(4))
def weighted(request):
    """(parent, sizes, weights, E, A) of a random tree, the last a forest."""
    rng = np.random.default_rng(request.param)
    parent = random_parents(rng, 8, roots=2 if request.param == 3 else 1)
    sizes, weights = random_weights(rng, parent)
    E = digraph.weighted(parent, weights, sizes)
    return parent, sizes, weights, E, digraph.resolvent(E, sizes, parent)


def blocks(matrix, sizes):
    """Entry (i, j) of the result is block (i, j)."""
    cuts = np.cumsum(sizes)[:-1]
    return [np.split(row, cuts, axis=1) for row in np.split(matrix, cuts)]


def test_structure_of_remark_8_1():
    """A chain of four: E and its powers on the sub-diagonals, A full below."""
    parent = [1, 2, 3, 4]
    S = digraph.adjacency(4, digraph.edges_of(parent))
    for power in range(1, 5):
        np.testing.assert_array_equal(np.linalg.matrix_power(S, power), np.eye(4, k=-power))
    np.testing.assert_array_equal(digraph.power_series(S), np.tril(np.ones((4, 4))))


def test_structure_of_remark_8_2():
    """A of the tree in figure 8.2, and the mass matrix over it (section 9.3.2)."""
    S = digraph.adjacency(7, digraph.edges_of(FIGURE_8_2))
    A = digraph.power_series(S)
    np.testing.assert_array_equal(
        A.astype(bool),
        pattern("""
        X . . . . . .
        . X . . . . .
        X . X . . . .
        . X . X . . .
        . . . . X . .
        X X X X X X .
        X X X X X X X"""),
    )
    mass = pattern("""
        X . X . . X X
        . X . X . X X
        X . X . . X X
        . X . X . X X
        . . . . X X X
        X X X X X X X
        X X X X X X X""")
    np.testing.assert_array_equal(A.astype(bool) | A.T.astype(bool), mass)
    rng = np.random.default_rng(1)
    # From base to tip, body0 .. body6 are 7, 6, 5, 4, 3, 2, 1 of the figure.
    bodies = random_bodies(rng, [6 - FIGURE_8_2[6 - i] for i in range(7)], [KINDS[0]] * 7)
    tree = tree_of(bodies, rng.uniform(0.3, 1.2, 7))
    np.testing.assert_array_equal(tree.parent, FIGURE_8_2)
    np.testing.assert_array_equal(composite_bodies.mass_matrix(tree).astype(bool), mass)


def test_printed_a_of_remark_8_2_has_lost_columns():
    """As printed, its rows have two and eight entries for seven bodies; seven of eight are A's."""
    printed = [
        row.split()
        for row in (
            'I .',
            '. I . . . . . .',
            'X . I . . . . .',
            '. X . I . . . .',
            '. . . . I . . .',
            'X X X X X I . .',
            'X X X X X X I .',
        )
    ]
    A = digraph.power_series(digraph.adjacency(7, digraph.edges_of(FIGURE_8_2)))
    assert A.shape == (7, 7) and {len(row) for row in printed} == {2, 8}
    for row, ours in zip(printed[1:], A[1:]):
        assert [entry != '.' for entry in row[:7]] == list(ours != 0)


def test_adjacency_shows_roots_tips_and_paths():
    rng = np.random.default_rng(2)
    parent = random_parents(rng, 9)
    S = digraph.adjacency(9, digraph.edges_of(parent))
    for k in range(9):
        assert (not S[:, k].any()) == (parent[k] == 9)  # S e_p = 0
        assert (not S[k].any()) == (k not in parent)  # e_t' S = 0
    assert not np.triu(S).any() and digraph.is_nilpotent(S)
    for length in range(1, 9):
        power = np.linalg.matrix_power(S, length)
        for i in range(9):
            for j in range(9):
                above = digraph.ancestors(parent, j)
                assert bool(power[i, j]) == (i in above and above.index(i) == length - 1)
    T = np.eye(9)[rng.permutation(9)]
    order = T.argmax(axis=1)
    renumbered = {
        (int(np.flatnonzero(order == up)[0]), int(np.flatnonzero(order == k)[0]))
        for up, k in digraph.edges_of(parent)
    }
    np.testing.assert_array_equal(T @ S @ T.T, digraph.adjacency(9, renumbered))


def test_any_tree_can_be_numbered_canonically():
    rng = np.random.default_rng(3)
    shuffled = rng.permutation(10)
    straight = random_parents(rng, 10, roots=2)
    parent = [0] * 10
    for k, up in enumerate(straight):
        parent[shuffled[k]] = int(shuffled[up]) if up < 10 else -1
    order, renumbered = digraph.canonical(parent)
    assert sorted(order) == list(range(10))
    assert all(up > k for k, up in enumerate(renumbered))
    for k, up in enumerate(renumbered):
        assert parent[order[k]] == (order[up] if up < 10 else -1)
    with pytest.raises(ValueError, match='among its own ancestors'):
        digraph.canonical([1, 2, 0])


def test_closest_common_ancestor_is_the_nearest_shared_body():
    for i in range(7):
        for j in range(7):
            c = digraph.closest_common_ancestor(FIGURE_8_2, i, j)
            above = [{k, *digraph.ancestors(FIGURE_8_2, k)} for k in (i, j)]
            assert c == min(above[0] & above[1])  # of canonical numbers, the smallest is nearest
    assert digraph.closest_common_ancestor([2, 3, 4, 4], 0, 1) is None
    assert digraph.closest_common_ancestor(FIGURE_8_2, 0, 5) == 5


def test_digraphs_are_classified_and_cut_to_trees():
    chain = [(2, 1), (1, 0)]
    assert digraph.kind(3, chain) == 'serial chain'
    assert digraph.kind(3, [(2, 0), (2, 1)]) == 'tree'
    assert digraph.kind(4, chain) == 'forest'
    assert digraph.kind(3, [(2, 0), (1, 0)]) == 'polytree'
    assert digraph.kind(3, [*chain, (2, 0)]) == 'DAG'
    assert digraph.kind(3, [*chain, (0, 2)]) == 'cyclic'
    parent, cut = digraph.spanning_tree(3, [*chain, (2, 0), (0, 2)])
    assert (parent, cut) == ([1, 2, 3], [(2, 0), (0, 2)])
    assert digraph.kind(3, digraph.edges_of(parent)) == 'serial chain'


def test_resolvent_of_block_weights_is_the_power_series(weighted):
    parent, sizes, weights, E, A = weighted
    n = len(parent)
    agree(A, digraph.power_series(E))  # (8.14)
    agree(A @ (np.eye(len(E)) - E), np.eye(len(E)), np.abs(A).max())
    agree(E @ A, A @ E, np.abs(A).max())  # (8.19)
    agree(E @ A, A - np.eye(len(E)), np.abs(A).max())
    part = blocks(A, sizes)
    for j in range(n):
        product, i = np.eye(sizes[j]), j
        path = {j}
        while i < n:
            agree(part[i][j], product, np.abs(A).max())  # (8.16)
            if parent[i] < n:
                product = weights[i] @ product
            i = parent[i]
            path.add(i)
        assert not any(part[i][j].any() for i in range(n) if i not in path)
        above = digraph.ancestors(parent, j)
        for k in above[:-1]:
            agree(
                part[above[-1]][j],
                part[above[-1]][k] @ part[k][j],  # (8.17)
                np.abs(A).max(),
            )


def test_roots_and_tips_of_a_resolvent(weighted):
    """(8.20), (8.21): A e_r = e_r where nothing is above, A' e_t = e_t where nothing is below."""
    parent, sizes, _, _, A = weighted
    at = np.concatenate(([0], np.cumsum(sizes)))
    one = np.eye(len(A))
    for k, up in enumerate(parent):
        own = one[:, at[k] : at[k + 1]]
        assert np.array_equal(A @ own, own) == (up == len(parent))
        assert np.array_equal(A.T @ own, own) == (k not in parent)


def test_similar_adjacencies_have_similar_resolvents(weighted):
    """Lemma 8.7."""
    _, sizes, _, E, A = weighted
    T = np.random.default_rng(7).normal(size=E.shape) + 4 * np.eye(len(E))
    inverse = np.linalg.inv(T)
    agree(np.linalg.inv(np.eye(len(E)) - T @ E @ inverse), T @ A @ inverse, tolerance=1e-10)


def test_circles_have_no_resolvent():
    """Section 9.6.2: I + E + E^2 + ... never ends."""
    S = digraph.adjacency(3, [(0, 1), (1, 2), (2, 0)])
    assert not digraph.is_nilpotent(S)
    with pytest.raises(ValueError, match='without directed cycles'):
        digraph.power_series(S)


def test_two_parents_make_hinges_depend_on_each_other():
    """Section 9.6.2: a body that two hinges carry has one velocity by each, which must agree.

    Of four hinges around a circle, three equations leave one free; and E_A' V adds both ways.
    """
    edges = [(2, 0), (1, 0), (2, 1)]
    assert digraph.kind(3, edges) == 'DAG'
    _, cut = digraph.spanning_tree(3, edges)
    assert cut == [(1, 0)]
    rng = np.random.default_rng(8)
    direct, first = phi(rng.normal(size=3)), phi(rng.normal(size=3))  # (2, 0) and (2, 1)
    second = np.linalg.solve(first, direct)  # (1, 0)
    base, over, left, right = rng.normal(size=(4, 6, 1))  # H' of the hinges
    none = np.zeros((6, 1))
    one_way = np.hstack((direct.T @ base, none, left, none))
    other_way = np.hstack((direct.T @ base, second.T @ over, none, right))
    disagreement = one_way - other_way
    assert np.linalg.matrix_rank(disagreement) == 3
    base_alone = np.array((1.0, 0.0, 0.0, 0.0))  # which is admissible
    agree(disagreement @ base_alone, np.zeros(6), 1.0)
    E = np.zeros((18, 18))
    E[12:, :6], E[6:12, :6], E[12:, 6:12] = direct, second, first
    V = digraph.power_series(E).T @ np.concatenate((np.zeros(12), base[:, 0]))
    agree(V[:6], 2.0 * one_way @ base_alone)


@pytest.mark.parametrize('name', TREES)
def test_equations_of_motion_by_operators(name):
    """(8.35) to (8.45), chapter 9: V = A'H'thd, alpha = A'(H'thdd + a), f = A(M alpha + b)."""
    tree, thd, thdd, _ = any_tree(name)
    ops = SpatialOperators(tree)
    V = tree_kinematics.velocities(tree, thd)
    a = inverse_dynamics.coriolis_accelerations(tree, V, thd).ravel()
    b = inverse_dynamics.gyroscopic_forces(tree, V).ravel()
    agree((ops.phi.T @ ops.H.T) @ thd, V.ravel())
    alpha = ops.phi.array.T @ (ops.H.array.T @ thdd + a)
    f = ops.phi.array @ (ops.M.array @ alpha + b)
    T, f_swept, alpha_swept = inverse_dynamics.newton_euler(tree, thd, thdd, gravity=False)
    agree(f, f_swept.ravel())
    agree(alpha, alpha_swept.ravel())
    agree(ops.H.array @ f + tree.rotor * thdd, T)
    C = ops.H.array @ ops.phi.array @ (ops.M.array @ ops.phi.array.T @ a + b)  # (5.25)
    agree(ops.mass_matrix.array @ thdd + C, T)
    lift = inverse_dynamics.base_acceleration(tree).ravel()  # (5.41)
    everywhere = inverse_dynamics.gravity_accelerations(tree)
    agree(ops.phi.array.T @ lift, everywhere.ravel())
    agree(
        ops.H.array @ ops.phi.array @ ops.M.array @ everywhere.ravel(),
        inverse_dynamics.gravity_torque(tree),
    )


@pytest.mark.parametrize('name', ['tree of 20', 'sliding_tree', 'permuted'])
def test_numbering_does_not_matter(name):
    """(8.24): bodies in another canonical order, the same mass matrix and motion."""
    robot = ROBOTS[name]
    rng = np.random.default_rng(4)
    q, qd, tau = rng.uniform(0.2, 1.2, (3, robot.nv))
    bodies = bodies_of(robot)
    depth = {None: 0}
    for body in bodies:
        depth[body.name] = depth[body.parent] + 1
    other = sorted(bodies, key=lambda body: (depth[body.name], body.name[::-1]))
    trees = [tree_of(order, q, robot.model.gravity) for order in (bodies, other)]
    assert trees[0].names != trees[1].names
    one, two = (
        (
            tree.to_ours(composite_bodies.mass_matrix(tree)),
            tree.to_ours(
                forward_dynamics.articulated_body(tree, tree.to_jain(qd), tree.to_jain(tau))[0]
            ),
        )
        for tree in trees
    )
    agree(one[0], two[0])
    agree(one[1], two[1], tolerance=1e-9)
    T = trees[1].permutation().T @ trees[0].permutation()
    agree(
        T @ SpatialOperators(trees[0]).mass_matrix.array @ T.T,
        SpatialOperators(trees[1]).mass_matrix.array,
    )


def test_a_forest_is_two_trees():
    """Several base bodies (8.6): no coupling between them, as if each were alone."""
    bodies = BODIES['mixed forest']
    q = coordinates(np.random.default_rng(5), bodies)
    tree = tree_of(bodies, q)
    base = {}
    for body in bodies:
        base[body.name] = base.get(body.parent, body.name)
    roots = sorted(set(base.values()))
    assert len(roots) == 2
    M = composite_bodies.mass_matrix(tree)
    for root in roots:
        own = [body for body in bodies if base[body.name] == root]
        alone = tree_of(own, q)
        rows = [int(np.flatnonzero(tree.dofs == dof)[0]) for dof in alone.dofs]
        agree(M[np.ix_(rows, rows)], composite_bodies.mass_matrix(alone))
        others = [k for k in range(tree.N) if k not in rows]
        assert not M[np.ix_(rows, others)].any()


def diagonal(X):
    """Blocks (n, 6, 6) as a block-diagonal matrix."""
    return sweeps.dense(np.einsum('ij,jab->ijab', np.eye(len(X)), X))


@pytest.mark.parametrize('name', TREES)
def test_forward_lyapunov_equation_is_solved_by_the_gather(name):
    """Lemma 9.3 for A = phi, B = psi: X = Y - E_A Y E_B', Z = A X B' = Y + A~ Y + Y B~' (9.15)."""
    tree, *_ = any_tree(name)
    ops, X = SpatialOperators(tree), np.random.default_rng(5).normal(size=(tree.n, 6, 6))
    psi = ops.articulated.psi
    Z = sweeps.forward_lyapunov(tree, X, tree.phi, psi)
    expected = ops.phi.array @ diagonal(X) @ ops.psi.array.T
    agree(sweeps.dense(Z), expected)
    Y = diagonal(sweeps.forward_diagonal(tree, X, tree.phi, psi))
    size = np.abs(expected).max()
    agree(Y - ops.E_phi.array @ Y @ ops.E_psi.array.T, diagonal(X), size)
    agree(Y + ops.phi_tilde.array @ Y + Y @ ops.psi_tilde.array.T, expected, size)
    for i in range(tree.n):
        for j in range(tree.n):
            assert Z[i, j].any() == (i in tree.path(j) or j in tree.path(i))


@pytest.mark.parametrize('name', TREES)
def test_backward_lyapunov_equation_is_solved_by_the_scatter(name):
    """Lemma 9.5 for A = phi, B = psi: X = Y - diagOf(E_A' Y E_B) (9.22), Z = A' X B (9.21).

    Z = Y + A~' Y + Y B~ + R, with R of unrelated bodies. R is zero for a serial chain (lemma 9.6),
    and full for a tree with one base.
    """
    tree, *_ = any_tree(name)
    ops, X = SpatialOperators(tree), np.random.default_rng(6).normal(size=(tree.n, 6, 6))
    psi = ops.articulated.psi
    Z = sweeps.backward_lyapunov(tree, X, tree.phi, psi)
    expected = ops.phi.array.T @ diagonal(X) @ ops.psi.array
    agree(sweeps.dense(Z), expected)
    Y = sweeps.backward_diagonal(tree, X, tree.phi, psi)
    size = np.abs(expected).max()
    whole = diagonal(Y)
    R = (
        (expected - whole - ops.phi_tilde.array.T @ whole - whole @ ops.psi_tilde.array)
        .reshape(tree.n, 6, tree.n, 6)
        .transpose(0, 2, 1, 3)
    )
    for k, up in enumerate(tree.parent):
        rest = tree.phi[k].T @ Y[up] @ psi[k] if up < tree.n else 0.0
        agree(Y[k] - rest, X[k], size)
        for i in range(tree.n):
            c = digraph.closest_common_ancestor(tree.parent, i, k)
            assert Z[i, k].any() == (c is not None)
            alone = c is None or c in (i, k)
            agree(
                R[i, k],
                np.zeros((6, 6))
                if alone
                else product(tree, tree.phi, c, i).T @ Y[c] @ product(tree, psi, c, k),
                size,
            )


def product(tree, weights, above, k):
    """A(above, k) by (8.16)."""
    found = np.eye(6)
    while k != above:
        found, k = weights[k] @ found, tree.parent[k]
    return found


def test_scatter_of_9_29_starts_at_the_base():
    """Printed for k = 1 .. n, every Y(k + 1) is still zero when it is used."""
    tree, *_ = any_tree('skew_chain')
    X = np.random.default_rng(7).normal(size=(tree.n, 6, 6))
    Y = sweeps.backward_diagonal(tree, X, tree.phi, tree.phi)
    printed = np.zeros((tree.n + 1, 6, 6))
    for k in range(tree.n):
        printed[k] = tree.phi[k].T @ printed[k + 1] @ tree.phi[k] + X[k]
    agree(printed[:-1], X)
    assert np.abs(printed[:-1] - Y).max() > 1e-2 * np.abs(Y).max()
