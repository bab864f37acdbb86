# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Chapter 14 of Jain: sub-graphs, partitioned operators, branches, aggregated bodies."""

import itertools

import numpy as np
import pytest

from robodyn_ros.formulations.jain import composite_bodies, digraph, inverse_dynamics
from robodyn_ros.formulations.jain.embedding import branches, partitioned, subgraphs
from robodyn_ros.formulations.jain.embedding.aggregation import aggregate, resolvent_of
from robodyn_ros.formulations.jain.operators.spatial_operators import SpatialOperators
from robodyn_ros.formulations.jain.sko import dynamics, formulation
from support.compare import agree
from support.robots.jain_trees import SOLVED, any_tree, unlike

TREES = ('mixed tree', 'mixed forest', 'tree of 20', 'rotors')


def random_parents(rng, n, roots=1):
    """A canonical tree, or forest, as parents."""
    return [n if k >= n - roots else int(rng.integers(k + 1, n)) for k in range(n)]


def subsets(n):
    """All sets of one to all of n nodes."""
    return (
        set(nodes) for size in range(1, n + 1) for nodes in itertools.combinations(range(n), size)
    )


@pytest.fixture(params=range(6))
def parent(request):
    """A random tree or forest of six nodes."""
    return random_parents(np.random.default_rng(request.param), 6, 1 + request.param % 2)


def test_subgraphs_contain_each_other(parent):
    """(14.1), (14.11): S in S_P in S_A, each the smallest of its kind, by all subsets."""
    for nodes in subsets(6):
        path, whole = subgraphs.path_induced(parent, nodes), subgraphs.aggregation(parent, nodes)
        assert nodes <= path <= whole
        assert subgraphs.is_path_induced(parent, path)
        assert subgraphs.is_path_induced(parent, whole)  # lemma 14.6
        larger = [other for other in subsets(6) if nodes <= other]
        assert path == min(
            (other for other in larger if subgraphs.is_path_induced(parent, other)), key=len
        )
        assert whole == min(
            (other for other in larger if subgraphs.may_aggregate(parent, other)), key=len
        )


def test_induced_subgraphs_keep_the_edges(parent):
    for nodes in subsets(6):
        edges = subgraphs.induced_edges(parent, nodes)
        expected = [(up, k) for up, k in digraph.edges_of(parent) if {up, k} <= nodes]
        assert edges == expected


def test_path_induced_subgraphs_part_the_tree(parent):
    """Lemma 14.1: C, S and P are disjoint, cover all, and are path-induced."""
    for nodes in subsets(6):
        if not subgraphs.is_path_induced(parent, nodes):
            with pytest.raises(ValueError, match='paths between them'):
                subgraphs.partition(parent, nodes)
            continue
        C, S, P = subgraphs.partition(parent, nodes)
        assert sorted((*C, *S, *P)) == list(range(6)) and set(S) == nodes
        assert all(subgraphs.is_path_induced(parent, set(part)) for part in (C, P) if part)
        assert all(any(i in nodes for i in subgraphs.above(parent, k)) for k in C)


def test_aggregates_leave_a_tree_just_where_they_have_one_parent(parent):
    """Lemmas 14.3 to 14.5: the digraph after contraction is a tree iff the condition holds."""
    for nodes in subsets(6):
        edges = subgraphs.aggregated_edges(parent, nodes)
        names = sorted({k for edge in edges for k in edge})
        row = {k: i for i, k in enumerate(names)}
        kind = digraph.kind(len(names), [(row[up], row[k]) for up, k in edges])
        assert (kind in ('tree', 'serial chain')) == subgraphs.may_aggregate(parent, nodes)
        if subgraphs.may_aggregate(parent, nodes):
            assert subgraphs.is_path_induced(parent, nodes)


def test_root_of_lemma_14_6_stays_where_it_belongs_to_s():
    """Printed, the root of the smallest sub-tree is deleted: of {0, 1, 2} under 2, S itself is."""
    parent = [2, 2, 3]
    assert subgraphs.aggregation(parent, {0, 2}) == {0, 2}
    printed = {0, 2} - {2}
    assert not {0, 2} <= printed
    assert subgraphs.loop(parent, 0, 2) == {0}  # of a cut edge it is deleted, (15.1)
    assert subgraphs.loop(parent, 0, 1) == {0, 1}
    assert subgraphs.loop(parent, 0, 3) == {0, 2}


def test_cut_edges_of_a_digraph_make_their_subgraphs():
    """15.1, steps 1 and 2: a four-bar l, k, j = 0, 1, 2 on p = 3, cut at its end or inside."""
    bars = [(3, 2), (2, 1)]
    for edges, cut in (([*bars, (1, 0), (3, 0)], (3, 0)), ([*bars, (3, 0), (1, 0)], (1, 0))):
        parent, found = digraph.spanning_tree(4, edges)
        assert found == [cut]
        assert subgraphs.loop(parent, *cut) == {0, 1, 2}
        assert subgraphs.may_aggregate(parent, {0, 1, 2})


def some_part(tree, seed):
    """A random path-induced set of nodes of a tree."""
    rng = np.random.default_rng(seed)
    return subgraphs.path_induced(tree.parent, set(rng.integers(0, tree.n, 4).tolist()))


@pytest.mark.parametrize('name', TREES)
@pytest.mark.parametrize('seed', range(3))
def test_operators_of_the_whole_follow_from_the_parts(name, seed):
    """(14.2) to (14.5): A of the whole by A of the parts, and the zeros of E."""
    tree, *_ = any_tree(name)
    found = partitioned.parts(tree, some_part(tree, seed))
    ops = SpatialOperators(tree)
    rows, freedoms = found.rows, found.freedoms
    agree(partitioned.resolvent(found), ops.phi.array[np.ix_(rows, rows)])
    E = ops.E_phi.array[np.ix_(rows, rows)]
    c, s = len(found.C.A), len(found.S.A)
    for block in (E[:c, c:], E[c : c + s, c + s :], E[c + s :, :c]):
        assert not block.any()
    H = ops.H.array[np.ix_(freedoms, rows)]
    sizes = [part.H.shape for part in (found.C, found.S, found.P)]
    assert (H != 0).sum() == sum((part.H != 0).sum() for part in (found.C, found.S, found.P))
    assert np.sum(sizes, axis=0).tolist() == list(H.shape)


@pytest.mark.parametrize('name', TREES)
def test_outer_mass_matrix_does_not_know_what_is_inboard(name):
    """Exercise 14.2, and (14.7) as printed: the sizes of E_S A_P' do not meet."""
    tree, *_ = any_tree(name)
    base = tree.children[tree.n][-1]
    outer = set(range(tree.n)) - set(tree.path(base))
    found = partitioned.parts(tree, outer)
    M = SpatialOperators(tree).mass_matrix.array - np.diag(tree.rotor)
    expected = M[np.ix_(found.freedoms, found.freedoms)]
    agree(partitioned.mass_matrix_by_parts(found), expected)
    assert len(found.C.A) == 0
    with pytest.raises(ValueError, match='expected none'):
        partitioned.mass_matrix_by_parts(partitioned.parts(tree, {base}))


def test_connector_of_14_7_is_transposed_inside():
    """Printed A_S' E_S A_P': E_S is (P, S), so that the product cannot be formed."""
    tree, *_ = any_tree('mixed tree')
    found = partitioned.parts(tree, set(range(tree.n)) - {tree.n - 1})
    assert found.up.shape[0] != found.S.A.shape[1]
    with pytest.raises(ValueError, match='mismatch'):
        found.S.A.T @ found.up @ found.P.A.T


@pytest.mark.parametrize('name', TREES)
def test_branches_make_the_zeros(name):
    """(14.8) to (14.10): blocks of unrelated branches are zero, A by branches, corners of E."""
    tree, *_ = any_tree(name)
    found = branches.branches(tree)
    assert sorted(k for nodes in found.nodes for k in nodes) == list(range(tree.n))
    for nodes in found.nodes:
        assert all(tree.parent[k] == up for k, up in zip(nodes, nodes[1:]))
        assert len(tree.children[nodes[0]]) != 1
    ops, blocks = SpatialOperators(tree), branches.resolvent_blocks(tree)
    rows = [partitioned.indices(tree.rows, nodes) for nodes in found.nodes]
    freedoms = [partitioned.indices(tree.slices, nodes) for nodes in found.nodes]
    M, R = ops.mass_matrix.array, composite_bodies.composite_inertias(tree)
    for j, k in itertools.product(range(len(rows)), repeat=2):
        block = ops.phi.array[np.ix_(rows[j], rows[k])]
        if (j, k) in blocks:
            agree(blocks[j, k], block, np.abs(ops.phi.array).max())
        else:
            assert not block.any()
        massive = R[found.nodes[k][-1]].any() and R[found.nodes[j][-1]].any()
        if not branches.related(found, j, k):
            assert not M[np.ix_(freedoms[j], freedoms[k])].any()
        elif massive and len(freedoms[j]) and len(freedoms[k]):
            assert M[np.ix_(freedoms[j], freedoms[k])].any()
        corner = ops.E_phi.array[np.ix_(rows[j], rows[k])]
        if j != k and corner.any():
            assert found.parent[k] == j and not corner[6:].any() and not corner[:, :-6].any()


def aggregates(tree):
    """Sets that may be aggregated: a body, a sub-tree, a segment, S_A of random bodies."""
    rng = np.random.default_rng(tree.n)
    middle = tree.n // 2
    return [
        {0},
        {k for k in range(tree.n) if middle in tree.path(k)},
        set(tree.path(0)),
        *(
            subgraphs.aggregation(tree.parent, set(rng.integers(0, tree.n, 3).tolist()))
            for _ in range(3)
        ),
    ]


@pytest.mark.parametrize('name', TREES)
def test_aggregation_changes_no_motion(name):
    """Lemma 14.9, (14.24): mass matrix and C stay; so do V, alpha, and the forward dynamics."""
    tree, thd, thdd, T = any_tree(name)
    model = formulation.of_tree(tree, thd)
    M, C = composite_bodies.mass_matrix(tree), inverse_dynamics.bias(tree, thd)
    expected, alpha = dynamics.forward_dynamics(model, T)
    for nodes in aggregates(tree):
        found = aggregate(model, nodes)
        new, dofs = found.model, found.model.dofs
        agree(composite_bodies.mass_matrix(new), M[np.ix_(dofs, dofs)])
        agree(dynamics.bias(new), C[dofs], None, 1e-11)
        got, stacked = dynamics.forward_dynamics(new, T[dofs])
        agree(got, expected[dofs], tolerance=SOLVED)
        V = dynamics.velocities(new, thd[dofs])
        for k, (index, row) in enumerate(found.where):
            agree(stacked[index][row : row + 6], alpha[k], np.abs(expected).max(), 1e-10)
            own = dynamics.velocities(model, thd)[k]
            agree(V[index][row : row + 6], own, np.abs(thd).max(), 1e-11)


def test_operators_of_an_aggregated_tree():
    """Lemmas 14.7, 14.8: E_a and A_a by blocks, H_a = H J_a^-1, f' = A_S^-1 f_S (14.36)."""
    tree, thd, thdd, _ = any_tree('mixed tree')
    model = formulation.of_tree(tree, thd)
    nodes = subgraphs.aggregation(tree.parent, {0, 2, 5})
    found = aggregate(model, nodes)
    parts = partitioned.parts(model, nodes)
    ops = SpatialOperators(found.model)
    A_S = resolvent_of(model, sorted(nodes))
    agree(A_S, parts.S.A)
    J = np.eye(len(parts.rows))
    c, s = len(parts.C.A), len(parts.S.A)
    J[c : c + s, c : c + s] = np.linalg.inv(A_S)
    whole = SpatialOperators(model)
    order = np.ix_(parts.rows, parts.rows)
    agree(ops.phi.array, J @ whole.phi.array[order], np.abs(whole.phi.array).max())
    H = whole.H.array[np.ix_(parts.freedoms, parts.rows)]
    agree(ops.H.array, H @ np.linalg.inv(J))
    E = np.array(whole.E_phi.array[order])
    E[c + s :, c : c + s] = parts.up @ A_S
    E[c : c + s, c : c + s] = 0.0
    agree(ops.E_phi.array, E)
    unlike(H, np.array(ops.H.array))  # (14.20) without the line under H_S
    _, f, _ = dynamics.inverse_dynamics(model, thdd)
    T, f_a, _ = dynamics.inverse_dynamics(found.model, thdd[found.model.dofs])
    f_S = np.concatenate([f[k] for k in sorted(nodes)])
    agree(f_a[found.place], np.linalg.solve(A_S, f_S), np.abs(f_S).max(), 1e-11)
    own = found.model.slices[found.place]
    agree(found.model.H[found.place] @ f_a[found.place], T[own], None, 1e-11)


def test_two_aggregates_one_after_the_other():
    """Sub-structuring again (14.5.2): branches as nodes, one by one, until one node is left."""
    tree, thd, _, T = any_tree('mixed tree')
    model = formulation.of_tree(tree, thd)
    expected = dynamics.forward_dynamics(model, T)[0]
    while model.n > 1:
        up = next(k for k in range(model.n) if len(model.children[k]) >= 1)
        model = aggregate(model, {up, model.children[up][0]}).model
        agree(
            dynamics.forward_dynamics(model, T[model.dofs])[0], expected[model.dofs], None, SOLVED
        )


def test_aggregates_with_several_parents_are_refused():
    tree, thd, *_ = any_tree('mixed tree')
    model = formulation.of_tree(tree, thd)
    with pytest.raises(ValueError, match='expected one parent'):
        aggregate(model, {0, tree.n - 1})
