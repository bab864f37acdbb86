# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Chapter 13 of Jain: flexible links against Lagrange's equations and dense solutions."""

from dataclasses import replace

import numpy as np
import pytest

from robodyn_ros.errors import ParameterError, ShapeError
from robodyn_ros.formulations.complex_step import gradient
from robodyn_ros.formulations.jain import (
    articulated_bodies,
    composite_bodies,
    hinges,
    inverse_dynamics,
)
from robodyn_ros.formulations.jain.body_tree import tree_of
from robodyn_ros.formulations.jain.flexible import (
    flexible_articulated,
    flexible_forward_dynamics,
    flexible_inverse_dynamics,
    flexible_mass_matrix,
)
from robodyn_ros.formulations.jain.flexible.flexible_tree import (
    FlexibleBody,
    flexible_tree,
    kinetic_energy,
    potential_energy,
    sko_model,
    velocities,
)
from robodyn_ros.formulations.jain.flexible.modal_body import Interface, fixed, rigid
from robodyn_ros.formulations.jain.operators.spatial_operators import SpatialOperators
from robodyn_ros.formulations.jain.sko import dynamics
from robodyn_ros.formulations.jain.sko.sko_model import SkoModel
from support.compare import agree
from support.robots.flexible_trees import HOLONOMIC, PLANS, at_state, away, drawn, nodal, positive
from support.robots.jain_trees import BODIES, GRAVITY, coordinates, unlike

#: Mass matrices here have a condition of 3e2 at most.
SOLVED = 1e-12


@pytest.fixture(params=PLANS)
def system(request):
    """(FlexibleTree, rate, acceleration, T), bodies that keep no mass matrix."""
    return at_state(request.param)


@pytest.fixture(params=PLANS)
def stiff(request):
    """The same with bodies that keep theirs, clamped at their roots."""
    return at_state(request.param, frozen=True)


def agree_if_any(got, expected, scale=None, tolerance=SOLVED):
    """`agree`, of matrices that may have no entries: a body without modes, a locked hinge."""
    assert np.shape(got) == np.shape(expected)
    if np.size(expected):
        agree(got, expected, scale, tolerance)


def mass_and_bias(tree, rate):
    """(M, C) by operators: (13.50)."""
    ops, model = SpatialOperators(tree), sko_model(tree, rate)
    H, Phi, M = (each.array for each in (ops.H, ops.phi, ops.M))
    inside = M @ Phi.T @ np.concatenate(model.a) + np.concatenate(model.b)
    return H @ Phi @ M @ Phi.T @ H.T, H @ Phi @ inside


def test_mass_matrix_of_flexible_links_by_every_route(system):
    """(13.50), (13.58) and algorithm 13.2; the energy of (13.26)."""
    tree, rate, *_ = system
    M, _ = mass_and_bias(tree, rate)
    agree(flexible_mass_matrix.mass_matrix(tree), M)
    agree(composite_bodies.mass_matrix(tree), M)
    agree(kinetic_energy(tree, rate), 0.5 * rate @ M @ rate)
    assert np.linalg.eigvalsh(M).min() > 0.0


def test_inverse_dynamics_of_flexible_links_by_every_route(system):
    """Algorithm 13.1 against M varthetaddot + C of (13.50), and algorithm 9.1."""
    tree, rate, acceleration, _ = system
    M, C = mass_and_bias(tree, rate)
    T, f, alpha = flexible_inverse_dynamics.inverse_dynamics(tree, rate, acceleration)
    agree(T, M @ acceleration + C)
    standard = dynamics.inverse_dynamics(sko_model(tree, rate), acceleration)
    for got, expected in zip((*f, *alpha), (*standard[1], *standard[2])):
        agree(got, expected)
    light, _, _ = flexible_inverse_dynamics.inverse_dynamics(tree, rate, acceleration, False)
    weight = flexible_inverse_dynamics.inverse_dynamics(tree, 0 * rate, 0 * rate)[0]
    strain = flexible_inverse_dynamics.inverse_dynamics(tree, 0 * rate, 0 * rate, False)[0]
    agree(light + weight - strain, T)


@pytest.mark.parametrize('name', HOLONOMIC)
def test_bias_of_flexible_links_is_that_of_lagrange(name):
    """C by complex steps of the mass matrix and the potential: no a_fl, no b_fl (13.33, 13.38)."""
    bodies, q, rate, *_ = drawn(name)

    def mass(x):
        tree = flexible_tree(bodies, x, GRAVITY)
        M = np.zeros((tree.N, tree.N), complex)
        M[np.ix_(tree.dofs, tree.dofs)] = flexible_mass_matrix.mass_matrix(tree)
        return M

    slopes = gradient(mass, q)
    expected = np.einsum('ijk,j,k', slopes, rate, rate)
    expected -= 0.5 * np.einsum('jki,j,k', slopes, rate, rate)
    expected += gradient(lambda x: potential_energy(flexible_tree(bodies, x, GRAVITY)), q)
    first = 0
    for body in bodies:
        n = body.modal.n_md
        expected[first : first + n] += body.modal.damping @ rate[first : first + n]
        first += n + body.hinge.nv
    tree = flexible_tree(bodies, q, GRAVITY)
    agree(dynamics.bias(sko_model(tree, rate[tree.dofs])), expected[tree.dofs])


def test_energy_of_a_free_flexible_robot_changes_by_the_power_put_in():
    """dE/dt = T' rate - the power of the damping, along the motion, by complex step."""
    bodies, q, *vectors = drawn('free')
    tree = flexible_tree(bodies, q, GRAVITY)
    rate, _, T = (vector[tree.dofs] for vector in vectors)
    acceleration, _ = flexible_forward_dynamics.forward_dynamics(tree, rate, T)
    q_rate, first, own = np.zeros(len(q)), 0, np.zeros(tree.N)
    own[tree.dofs] = rate
    at = lost = 0.0
    for body, theta in zip(bodies, reversed(tree.theta)):
        n, at = body.modal.n_md, int(at)
        eta_rate = own[first : first + n]
        lost += eta_rate @ body.modal.damping @ eta_rate
        q_rate[at : at + n] = eta_rate
        turning = own[first + n : first + n + body.hinge.nv]
        q_rate[at + n : at + n + body.hinge.nq] = body.hinge.rates(theta, turning)
        at, first = at + n + body.hinge.nq, first + n + body.hinge.nv
    moved = flexible_tree(bodies, q + 1e-30j * q_rate, GRAVITY)
    energy = kinetic_energy(moved, rate + 1e-30j * acceleration) + potential_energy(moved)
    agree(energy.imag / 1e-30, T @ rate - lost, np.abs(T * rate).sum() + lost)


def test_forward_dynamics_of_flexible_links_by_every_route(system):
    """Algorithms 13.4 and 13.7 against the dense solution of (13.49)."""
    tree, rate, _, T = system
    M, C = mass_and_bias(tree, rate)
    expected = np.linalg.solve(M, T - C)
    found, alpha = flexible_forward_dynamics.forward_dynamics(tree, rate, T)
    agree(found, expected, tolerance=SOLVED)
    standard, alphas = dynamics.forward_dynamics(sko_model(tree, rate), T)
    agree(standard, expected, tolerance=SOLVED)
    for got, right in zip(alpha, alphas):
        agree(got, right, None, 1e-11)
    back, _, _ = flexible_inverse_dynamics.inverse_dynamics(tree, rate, found)
    agree(back, T, np.abs(C).max(), 1e-11)


def test_two_stages_are_the_standard_algorithm_in_smaller_steps(system):
    """Algorithms 13.3, 13.5 and 13.6: the same P^+, and det D = det D_m det D_cr."""
    tree = system[0]
    standard = articulated_bodies.articulated(tree)
    stages, small = flexible_articulated.two_stages(tree), flexible_articulated.simplified(tree)
    for k in range(tree.n):
        agree(stages.P[k], standard.P[k])
        agree(stages.P_plus[k], standard.P_plus[k], np.abs(standard.P[k]).max())
        agree(small.P_pr[k], stages.P_cr[k][-6:, -6:], np.abs(standard.P[k]).max())
        agree_if_any(small.g[k], stages.G_m[k][-6:])
        agree_if_any(small.G_pr[k], stages.G_cr[k][-6:])
        split = np.linalg.det(stages.D_m[k]) * np.linalg.det(stages.D_cr[k])
        agree(np.linalg.det(standard.D[k]), split, tolerance=1e-11)
        agree_if_any(small.D_m_inverse[k] @ stages.D_m[k], np.eye(tree.modes[k]), 1.0, 1e-11)


def test_factors_of_the_flexible_mass_matrix(system):
    """Lemmas 13.1 and 13.2."""
    tree = system[0]
    ops = SpatialOperators(tree)
    M = flexible_mass_matrix.mass_matrix(tree)
    L, H, R, above = (each.array for each in (ops.innovations_factor, ops.H, ops.R, ops.phi_tilde))
    agree(H @ (R + above @ R + R @ above.T) @ H.T, M)
    agree(L @ ops.D.array @ L.T, M)
    agree(ops.mass_matrix_inverse.array @ M, np.eye(tree.N), tolerance=1e-11)


def test_quadratic_update_of_the_modal_inverse(stiff):
    """(13.70) as corrected, (13.71): forward dynamics with L made once."""
    tree, rate, _, T = stiff
    L = flexible_articulated.modal_inverses(tree)
    expected = flexible_articulated.simplified(tree)
    for got, right, own in zip(
        flexible_articulated.simplified(tree, L).D_m_inverse, expected.D_m_inverse, L
    ):
        agree_if_any(got, right)
        assert np.shape(own) == np.shape(got)
    got, _ = flexible_forward_dynamics.forward_dynamics(tree, rate, T, L)
    agree(got, flexible_forward_dynamics.forward_dynamics(tree, rate, T)[0], None, 1e-11)
    carrying = max(range(tree.n), key=lambda k: len(tree.children[k]) * tree.modes[k])
    unlike(L[carrying], expected.D_m_inverse[carrying], 1e-3)


def test_articulated_weight_of_13_70_is_singular(stiff):
    """Gamma^-1, as printed, does not exist: P^+ H_B' = 0."""
    tree = stiff[0]
    art = flexible_articulated.simplified(tree)
    for k in range(tree.n):
        H_B = tree.H_B[k]
        P_plus = art.P_pr[k] - art.G_pr[k] @ H_B @ art.P_pr[k]
        Gamma = tree.phi[k] @ P_plus @ tree.phi[k].T
        assert np.linalg.matrix_rank(Gamma, tol=1e-10 * np.abs(art.P_pr[k]).max()) <= 6 - len(H_B)
        agree_if_any(P_plus @ H_B.T, np.zeros((6, len(H_B))), np.abs(art.P_pr[k]).max())


def doubled(tree, first):
    """The SkoModel of two nodes a body, the outer with its mass and the freedoms `first`."""
    weights, H, M, parent, rest = [], [], [], [], 'hinges' if first == 'modes' else 'modes'
    for k, up in enumerate(tree.parent):
        n, size = tree.modes[k], tree.modes[k] + 6
        parts = {'modes': tree.H[k][:n], 'hinges': tree.H[k][n:]}
        H += [parts[first], parts[rest]]
        M += [tree.M[k], np.zeros((size, size))]
        weights += [np.eye(size), tree.weights[k]]
        parent += [2 * k + 1, 2 * up]
    names = tuple(str(k) for k in range(2 * tree.n))
    zeros = tuple(np.zeros(len(each)) for each in M)
    rotor = np.zeros(tree.N)
    return SkoModel(
        names, tuple(parent), tuple(weights), tuple(H), tuple(M), rotor, zeros, zeros, rotor
    )


def test_two_stages_of_13_66_have_the_modes_outside():
    """Printed with the hinge outside: then algorithm 13.5 eliminates the hinge first."""
    tree = at_state('chain')[0]
    stages = flexible_articulated.two_stages(tree)
    right, printed = (
        articulated_bodies.articulated(doubled(tree, first)).D for first in ('modes', 'hinges')
    )
    for k in range(tree.n):
        agree_if_any(right[2 * k], stages.D_m[k])
        agree_if_any(right[2 * k + 1], stages.D_cr[k])
    unlike(printed[1], stages.D_m[0])
    unlike(printed[0], stages.D_cr[0])


def test_acceleration_of_13_32_has_the_second_rate_of_the_modes():
    """alpha_fl = [etaddot; alpha]: with etadot, as printed, the torques would be others."""
    tree, rate, acceleration, _ = at_state('chain')
    T, _, alpha = flexible_inverse_dynamics.inverse_dynamics(tree, rate, acceleration)
    bias = flexible_inverse_dynamics.inverse_dynamics(tree, rate, 0.0 * acceleration)[0]
    M = flexible_mass_matrix.mass_matrix(tree)
    agree(M @ acceleration + bias, T)
    printed = acceleration.copy()
    for k, n in enumerate(tree.modes):
        agree_if_any(alpha[k][:n], tree.parts(acceleration, k)[0])
        printed[tree.slices[k]][:n] = tree.parts(rate, k)[0]
    unlike(M @ printed + bias, T)


def test_node_of_13_30_is_where_the_body_hangs():
    """V(k) takes Pi of O_k^+ on body k + 1, not of that body's own root O_(k+1)."""
    bodies, q, rate, *_ = drawn('chain')
    tree = flexible_tree(bodies, q, GRAVITY)
    k = tree.names.index('b')
    assert tree.parent[k] == tree.names.index('a')
    V, own = velocities(tree, rate[tree.dofs]), rate[tree.dofs][tree.slices[k]]
    at_mount, at_root = (
        node.carried(tree.eta[k + 1]) for node in (bodies[1].mount, bodies[0].root)
    )
    right = tree.phi[k].T @ (at_mount.T @ V[k + 1]) + (tree.H[k].T @ own)[-6:]
    agree(V[k][-6:], right)
    unlike(tree.phi[k].T @ (at_root.T @ V[k + 1]) + (tree.H[k].T @ own)[-6:], V[k][-6:])


def test_modal_map_of_13_31_has_a_column_for_every_mode():
    """Pi_B is 6 x n_md: of the printed n_md + r columns, H_fl could not be put together."""
    tree = at_state('tree')[0]
    for n, Pi_B, H_B, H in zip(tree.modes, tree.Pi_B, tree.H_B, tree.H):
        assert Pi_B.shape == (6, n) and H.shape == (n + len(H_B), n + 6)
        agree_if_any(H[:n], np.hstack((np.eye(n), -Pi_B.T)))
        if len(H_B):
            with pytest.raises(ValueError, match='dimension'):
                np.hstack((np.eye(n), -np.hstack((Pi_B, H_B.T)).T))


def test_strain_of_13_47_comes_from_the_deformation():
    """K vartheta: printed with a dot, a resting deformed robot would have no force in it."""
    tree, rate, *_ = at_state('chain')
    rest = 0.0 * rate
    T, _, _ = flexible_inverse_dynamics.inverse_dynamics(tree, rest, rest, False)
    for k, body in enumerate(tree.bodies):
        agree_if_any(tree.parts(T, k)[0], body.modal.stiffness @ tree.eta[k])
    assert np.abs(T).max() > 0.1


def test_nodal_equations_give_the_modal_ones():
    """(13.9), (13.18), (13.27), (13.36) to (13.38) of point masses: [Pi'; B] f_nd = f_fl."""
    rng = np.random.default_rng(3)
    body = nodal(rng, 5, points=True)
    Pi = rng.normal(size=(30, 4))
    modal = body.modal(Pi)
    eta, eta_rate, eta2 = rng.normal(size=(3, 4))
    V, alpha, f_out = rng.normal(size=(3, 6))
    u = Pi @ eta
    weight = np.linalg.qr(rng.normal(size=(6, 6)))[0]
    outside = body.interaction(2, weight) @ f_out
    f_nd = outside + body.forces(V, alpha, u, Pi @ eta_rate, Pi @ eta2)
    V_fl = np.concatenate((eta_rate, V))
    f_fl = modal.mass(eta) @ np.concatenate((eta2, alpha)) + modal.gyroscopic(eta, V_fl)
    f_fl[:4] += modal.strain_force(eta, eta_rate)
    # (13.40): B K_st u of a stiffness matrix that is not that of a free body is left out.
    f_nd -= body.stiffness @ u
    f_fl[:4] -= modal.strain_force(eta, eta_rate)
    hanging = np.vstack((Pi[12:18].T, body.carried(u)[:, 12:18])) @ (weight @ f_out)
    agree(np.concatenate((Pi.T @ f_nd, body.carried(u) @ f_nd)), f_fl + hanging)
    agree(modal.stiffness, Pi.T @ body.stiffness @ Pi)


def test_force_of_nodes_with_inertia_is_that_of_the_whole_body():
    """f^r = B f_nd (13.17), with nodes that have moments of inertia too."""
    rng = np.random.default_rng(4)
    body = nodal(rng, 5)
    modal, Pi = body.lumped(frame=1)
    assert Pi.shape == (30, 24) and not Pi[6:12].any()
    eta, eta_rate, eta2 = rng.normal(size=(3, 24))
    V, alpha = rng.normal(size=(2, 6))
    still = replace(body, stiffness=np.zeros((30, 30)))
    f_nd = still.forces(V, alpha, Pi @ eta, Pi @ eta_rate, Pi @ eta2)
    V_fl = np.concatenate((eta_rate, V))
    f_fl = modal.mass(eta) @ np.concatenate((eta2, alpha)) + modal.gyroscopic(eta, V_fl)
    agree(still.carried(Pi @ eta) @ f_nd, f_fl[-6:])
    agree(modal.mass(eta)[:24, :24], (Pi.T @ body.structural_mass @ Pi))
    agree(modal.stiffness, Pi.T @ body.stiffness @ Pi)


def test_lumped_links_move_as_links_with_all_their_modes():
    """Any invertible Pi of the lumped coordinates is the same robot (13.23)."""
    rng = np.random.default_rng(5)
    nodes = nodal(rng, 3)
    modal, Pi = nodes.lumped(frame=0)
    mixing = positive(rng, 12)
    eta, rate, T = (away(rng, 13) for _ in range(3))
    eta[:12] *= 0.1
    found = []
    for S in (np.eye(12), mixing):
        body = nodes.modal(Pi @ S)
        bodies = [
            FlexibleBody(
                'a', None, fixed([0.1, 0.2, 0.3]), hinges.pin(), nodes.interface(0, Pi @ S), body
            )
        ]
        to = np.eye(13)
        to[:12, :12] = np.linalg.inv(S)
        tree = flexible_tree(bodies, to @ eta, GRAVITY)
        acceleration, _ = flexible_forward_dynamics.forward_dynamics(
            tree, to @ rate, np.linalg.solve(to.T, T)
        )
        found.append(np.linalg.solve(to, acceleration))
    agree(found[1], found[0], None, 1e-10)
    agree(modal.M_0, nodes.modal(Pi).M_0)


def test_rigid_links_are_those_of_chapter_5():
    """n_md = 0: the FlexibleTree is the Tree."""
    bodies, rng = BODIES['mixed chain'], np.random.default_rng(6)
    q = coordinates(rng, bodies)
    tree = tree_of(bodies, q, GRAVITY)
    of_rigid = [
        FlexibleBody(
            body.name,
            body.parent,
            fixed(body.p, body.R),
            body.hinge,
            fixed(np.zeros(3)),
            rigid(body.M),
        )
        for body in bodies
    ]
    same = flexible_tree(of_rigid, q, GRAVITY)
    thd, thdd = rng.normal(size=(2, tree.N))
    agree(same.dofs, tree.dofs)
    agree(flexible_mass_matrix.mass_matrix(same), composite_bodies.mass_matrix(tree))
    T, _, _ = inverse_dynamics.newton_euler(tree, thd, thdd)
    agree(flexible_inverse_dynamics.inverse_dynamics(same, thd, thdd)[0], T)


def test_interfaces_move_as_their_poses():
    """N etadot and its drift are the rate of the pose, and its rate, by complex step."""
    rng = np.random.default_rng(7)
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    node = Interface(rng.normal(size=3), Q * np.linalg.det(Q), rng.normal(size=(6, 4)))
    eta, rate = rng.normal(size=(2, 4))
    R, l = node.pose(eta + 1e-30j * rate)  # noqa: E741
    spin, own = R.real.T @ R.imag / 1e-30, R.real.T @ l.imag / 1e-30
    agree(node.motion(eta) @ rate, [spin[2, 1], spin[0, 2], spin[1, 0], *own])
    agree(R.real @ R.real.T, np.eye(3))
    agree(node.drift(eta, rate), (node.motion(eta + 1e-30j * rate) @ rate).imag / 1e-30)
    agree(Interface(node.p, np.eye(3), node.Pi).motion(0 * eta), node.Pi)


def test_sizes_and_modes_that_do_not_meet_are_refused():
    bodies, q, *_ = drawn('chain')
    with pytest.raises(ShapeError, match='expected'):
        flexible_tree(bodies, q[:-1], GRAVITY)
    other = replace(bodies[1], mount=fixed(np.zeros(3)))
    with pytest.raises(ShapeError, match="body 'b': got modes of shape"):
        flexible_tree([bodies[0], other, *bodies[2:]], q, GRAVITY)
    with pytest.raises(ShapeError, match='got M_1 of shape'):
        replace(bodies[0].modal, M_1=np.zeros((1, 9, 9)))
    nodes = nodal(np.random.default_rng(1), 3)
    with pytest.raises(ShapeError, match='six rows for each'):
        nodes.modal(np.zeros((17, 2)))
    with pytest.raises(ShapeError, match='with 3 nodes'):
        replace(nodes, stiffness=np.eye(6))
    with pytest.raises(ParameterError, match='`frozen`'):
        flexible_articulated.modal_inverses(flexible_tree(bodies, q, GRAVITY))
