"""Chapters 4 to 7 and 9 of Jain: mass matrix, inverse and forward dynamics, estimation."""

from dataclasses import replace

from jain_trees import ROBOTS, TREES, any_tree, configuration, moved, robot_tree
import numpy as np
from oracles.compare import agree
import pytest

from robodyn_ros.formulations.jain import (
    articulated as ab, conventions, forward_dynamics, inverse_dynamics, kalman, kinematics,
    mass_matrix)
from robodyn_ros.formulations.jain.single_body import components, kinetic_energy, shifted
from robodyn_ros.formulations.jain.spatial import bar, phi, tilde
from robodyn_ros.formulations.jain.sweeps import forward_diagonal, gather, scatter
from robodyn_ros.formulations.jain.tree import tree_at
from robodyn_ros.formulations.spatial_operators import SpatialOperators

#: Forward dynamics loses what the condition of the mass matrix is worth, 1e3 to 1e5 here.
SOLVED = 1e-9


@pytest.fixture(params=TREES)
def system(request):
    """A tree, and (thd, thdd, T)."""
    return any_tree(request.param)


@pytest.fixture(params=ROBOTS)
def named(request):
    """A robot, its tree, and (thd, thdd, T)."""
    return ROBOTS[request.param], *robot_tree(request.param)


def unlike(printed, right, share=1e-4):
    """Assert that what is printed is wrong by more than any rounding."""
    assert np.abs(np.asarray(printed) - right).max() > share * np.abs(right).max()


def forces(tree, seed=5):
    """A force on every body."""
    return np.random.default_rng(seed).normal(size=(tree.n, 6))


# Mass matrix

def test_composite_bodies_give_the_mass_matrix(system):
    tree, *_ = system
    agree(mass_matrix.mass_matrix(tree), SpatialOperators(tree).mass_matrix.array)
    agree(inverse_dynamics.mass_matrix_by_columns(tree), mass_matrix.mass_matrix(tree))
    agree(mass_matrix.trace(tree), np.trace(mass_matrix.mass_matrix(tree)))


def test_mass_matrix_and_trace_are_those_of_the_package(named):
    robot, tree, *_ = named
    M = robot.mass_matrix(configuration(tree))
    agree(tree.to_ours(mass_matrix.mass_matrix(tree)), M)
    agree(mass_matrix.trace(tree), np.trace(M))


def test_unrelated_bodies_have_no_common_mass():
    tree, *_ = any_tree('mixed tree')
    M = mass_matrix.mass_matrix(tree)
    unrelated = 0
    for i in range(tree.n):
        for j in range(tree.n):
            block = M[tree.slices[i], tree.slices[j]]
            related = i in tree.path(j) or j in tree.path(i)
            unrelated += not related
            assert block.any() == related
    assert unrelated > 0


def test_composite_bodies_by_ten_parameters(system):
    tree, *_ = system
    agree(mass_matrix.composite_components(tree), mass_matrix.composite_inertias(tree))


def test_first_moment_of_4_23_ends_in_m_times_p():
    """Printed, the second line of (4.23) adds m(k) rho(k): a mass times a mass."""
    tree, *_ = any_tree('chain of 3')
    R = mass_matrix.composite_inertias(tree)
    m, p, _ = components(tree.M[1])
    below_m, below_p, _ = components(R[0])
    total, centre, _ = components(R[1])
    carried = below_m * (tree.l[0] + tree.R[0] @ below_p)
    agree((carried + m * p) / total, centre)
    unlike((carried + m * total) / total, centre)


def test_mass_depends_on_what_is_outboard():
    """Remark 4.1 and (4.20): block (i, j), j < i, is a function of theta(1) .. theta(i - 1)."""
    robot = ROBOTS['skew_chain']
    q = np.linspace(0.4, 1.3, robot.nv)
    tree = tree_at(robot, q)
    M, R = mass_matrix.mass_matrix(tree), mass_matrix.composite_inertias(tree)
    for k in range(tree.n):
        turned = q.copy()
        turned[tree.dofs[k]] += 0.7
        other = tree_at(robot, turned)
        changed = np.abs(mass_matrix.mass_matrix(other) - M) > 1e-9
        assert not changed[:k + 1, :k + 1].any() and (k == tree.n - 1 or changed.any())
        agree(mass_matrix.composite_inertias(other)[:k + 1], R[:k + 1])


def test_kinetic_energy_of_bodies_is_that_of_the_mass_matrix(system):
    tree, thd, *_ = system
    V = kinematics.velocities(tree, thd)
    bodies = sum(kinetic_energy(M, v) for M, v in zip(tree.M, V))
    agree(bodies + 0.5 * tree.rotor @ thd**2, 0.5 * thd @ mass_matrix.mass_matrix(tree) @ thd)


def test_momentum_is_the_sum_over_the_bodies(system):
    tree, thd, *_ = system
    V, X = kinematics.velocities(tree, thd), kinematics.to_inertial(tree)
    agree(mass_matrix.momentum(tree, thd), sum(x @ M @ v for x, M, v in zip(X, tree.M, V)))
    agree(mass_matrix.system_inertia(tree), sum(shifted(M, x) for x, M in zip(X, tree.M)))
    masses, centres = zip(*(components(shifted(M, x))[:2] for x, M in zip(X, tree.M)))
    agree(mass_matrix.centre_of_mass(tree), np.array(masses) @ np.array(centres) / sum(masses))


def test_base_moved_against_the_centroidal_velocity_stops_the_system(system):
    tree, thd, *_ = system
    V_C = mass_matrix.centroidal_velocity(tree, thd)
    V, X = kinematics.velocities(tree, thd, base=-V_C), kinematics.to_inertial(tree)
    left = sum(x @ M @ v for x, M, v in zip(X, tree.M, V))
    agree(left, np.zeros(6), np.abs(mass_matrix.momentum(tree, thd)).max())
    about = mass_matrix.about_centre_of_mass(tree, thd)
    C = phi(mass_matrix.centre_of_mass(tree))
    agree(C @ about, mass_matrix.momentum(tree, thd))


def test_momentum_is_that_of_the_package(named):
    robot, tree, thd, *_ = named
    mass = mass_matrix.system_inertia(tree)[5, 5]
    q, h = configuration(tree), mass_matrix.momentum(tree, thd)
    drop = tree.g[3:] @ mass_matrix.centre_of_mass(tree) * mass
    agree(robot.energy(q, tree.to_ours(thd))[1], drop, max(abs(drop), 1.0))
    # By a second route: the rate of the centre of mass carries all of the mass.
    step = 1e-6
    rate = [mass_matrix.centre_of_mass(moved(tree, thd, s)) for s in (step, -step)]
    agree(mass * (rate[0] - rate[1]) / (2 * step), h[3:], tolerance=1e-6)


def test_sum_of_4_17_runs_to_the_base():
    tree, thd, *_ = any_tree('skew_chain')
    R, Delta = mass_matrix.composite_inertias(tree), tree.hinge_velocity(thd)
    h = [x @ r @ delta for x, r, delta in zip(kinematics.to_inertial(tree), R, Delta)]
    agree(sum(h), mass_matrix.momentum(tree, thd))
    unlike(sum(h[:-1]), mass_matrix.momentum(tree, thd))


# Inverse dynamics

def test_inverse_dynamics_are_those_of_the_package(named):
    robot, tree, thd, thdd, _ = named
    q, qd, qdd = configuration(tree), tree.to_ours(thd), tree.to_ours(thdd)
    T, _, _ = inverse_dynamics.newton_euler(tree, thd, thdd)
    agree(tree.to_ours(T), robot.inverse_dynamics(q, qd, qdd))
    agree(tree.to_ours(inverse_dynamics.bias(tree, thd)), robot.bias_torque(q, qd))
    agree(tree.to_ours(inverse_dynamics.gravity_torque(tree)), robot.gravity_torque(q))
    outer = robot.model.body_names[-1]
    wrench = np.array((3.0, -1.0, 2.0, 0.3, -0.2, 0.5))
    node = kinematics.node(tree, robot, outer)
    R = robot.pose(q, outer)[:3, :3]
    f = np.concatenate((R.T @ wrench[3:], R.T @ wrench[:3]))
    f_ext = kinematics.pick_off(tree, [f], [node])
    T, _, _ = inverse_dynamics.newton_euler(tree, thd, thdd, f_ext)
    agree(tree.to_ours(T), robot.inverse_dynamics(q, qd, qdd, {outer: wrench}))


def test_inverse_dynamics_are_mass_times_acceleration_and_bias(system):
    tree, thd, thdd, _ = system
    f_ext = forces(tree)
    T, f, alpha = inverse_dynamics.newton_euler(tree, thd, thdd, f_ext)
    M = mass_matrix.mass_matrix(tree)
    C = inverse_dynamics.bias(tree, thd, gravity=False)
    G = inverse_dynamics.gravity_torque(tree)
    external = inverse_dynamics.hinge_components(tree, gather(tree, f_ext, tree.phi))  # J' f_ext
    agree(T, M @ thdd + C + G - external)                                     # (5.36)
    unlike(M @ thdd + C + G + external, T)                                    # "adding", 5.2.2
    agree(inverse_dynamics.bias(tree, thd, f_ext), C + G - external)          # (5.37)
    V = kinematics.velocities(tree, thd)
    felt = alpha + inverse_dynamics.gravity_accelerations(tree)
    inertia = np.array([W @ x + bar(v) @ W @ v for W, x, v in zip(tree.M, felt, V)])
    own = f - np.array([sum((tree.phi[j] @ f[j] for j in tree.children[k]), np.zeros(6))
                        for k in range(tree.n)])
    agree(own, inertia - f_ext)                                               # (5.3)


def test_inverse_dynamics_through_composite_bodies(system):
    tree, thd, thdd, _ = system
    for f_ext, gravity in ((None, True), (forces(tree), True), (forces(tree), False)):
        T, f, _ = inverse_dynamics.newton_euler(tree, thd, thdd, f_ext, gravity)
        T_composite, f_composite = inverse_dynamics.composite_body(tree, thd, thdd, f_ext, gravity)
        agree(T_composite, T)
        agree(f_composite, f)


def test_residual_of_composite_bodies_ignores_the_base():
    """Table 6.1: y(k) = f(k) - R(k) alpha(k) depends on accelerations outboard of k only."""
    tree, thd, thdd, _ = any_tree('skew_chain')

    def residuals(acceleration):
        _, f, alpha = inverse_dynamics.newton_euler(tree, thd, acceleration, gravity=False)
        R = mass_matrix.composite_inertias(tree)
        return f - np.array([r @ x for r, x in zip(R, alpha)])
    other = thdd.copy()
    other[-1] += 3.0
    agree(residuals(other), residuals(thdd))
    other[0] += 3.0
    assert np.abs(residuals(other)[1:] - residuals(thdd)[1:]).max() > 1e-3


def test_gravity_at_the_base_or_on_every_body(system):
    """(5.39) to (5.41), every base body pushed; with the g of free fall it would hold nothing."""
    tree, thd, thdd, _ = system
    V = kinematics.velocities(tree, thd)
    a = inverse_dynamics.coriolis_accelerations(tree, V, thd)
    lifted = scatter(tree, tree.hinge_velocity(thdd) + a
                     + inverse_dynamics.base_acceleration(tree), tree.phi)
    own = np.array([M @ x for M, x in zip(tree.M, lifted)])
    own = own + inverse_dynamics.gyroscopic_forces(tree, V)
    T = inverse_dynamics.hinge_components(tree, gather(tree, own, tree.phi)) + tree.rotor * thdd
    agree(T, inverse_dynamics.newton_euler(tree, thd, thdd)[0])
    step = 1e-6

    def potential(at):
        mass = mass_matrix.system_inertia(at)[5, 5]
        return mass * at.g[3:] @ mass_matrix.centre_of_mass(at)
    slope = [(potential(moved(tree, unit, step)) - potential(moved(tree, unit, -step)))
             / (2 * step) for unit in np.eye(tree.N)]
    agree(inverse_dynamics.gravity_torque(tree), slope, tolerance=1e-6)


def test_torques_of_forces_on_nodes(system):
    """Algorithm 5.1 is J' f, several nodes on a body."""
    tree, thd, *_ = system
    rng = np.random.default_rng(8)
    nodes = [kinematics.Node(k, np.eye(3), rng.normal(size=3))
             for k in (0, 0, tree.n // 2, tree.n - 1)]
    f = rng.normal(size=(4, 6))
    J = kinematics.jacobian(tree, nodes)
    agree(kinematics.node_torques(tree, f, nodes), J.T @ f.ravel())
    agree(kinematics.node_velocities(tree, thd, nodes).ravel(), J @ thd)


def test_acceleration_is_the_rate_of_velocity(system):
    """(5.26): alpha is the derivative of V in the body, to the accuracy of differences."""
    tree, thd, *_ = system
    V = kinematics.velocities(tree, thd)
    a = inverse_dynamics.coriolis_accelerations(tree, V, thd)
    step = 1e-6
    rate = (kinematics.velocities(moved(tree, thd, step), thd)
            - kinematics.velocities(moved(tree, thd, -step), thd)) / (2 * step)
    agree(scatter(tree, a, tree.phi), rate, tolerance=1e-7)


def test_mass_matrix_of_algorithm_9_3_is_carried_by_its_own_weights(system):
    """Printed with phi(l, j), which is only right where the weights A are phi.

    Of body frames away from the hinges they are not.
    """
    tree, thd, *_ = system
    away = conventions.offset(tree, thd, offsets(tree))
    R = forward_diagonal(tree, away.M, away.weights, away.weights)

    def by_paths(weights):
        matrix = np.diag(tree.rotor)
        for k in range(tree.n):
            X = R[k] @ away.hinges[k]
            matrix[tree.slices[k], tree.slices[k]] += away.hinges[k].T @ X
            for j in tree.path(k):
                above = tree.parent[j]
                if above < tree.n:
                    X = weights[j] @ X
                    block = away.hinges[above].T @ X
                    matrix[tree.slices[above], tree.slices[k]] = block
                    matrix[tree.slices[k], tree.slices[above]] = block.T
        return matrix
    M = mass_matrix.mass_matrix(tree)
    agree(by_paths(away.weights), M, tolerance=1e-11)
    if any(up < tree.n for up in tree.parent):
        unlike(by_paths(tree.phi), M)


def test_gain_of_6_36_has_a_column_for_every_freedom():
    """K(k + 1, k) is in R^6 by the text; of a ball it is 6 x 3."""
    tree, *_ = any_tree('mixed tree')
    art = ab.articulated(tree)
    for body, K in zip(tree.bodies, art.K):
        assert K.shape == (6, body.hinge.nv)
    assert {K.shape[1] for K in art.K} == {1, 2, 3, 6}


def test_inertia_recursions_of_table_7_1_add_the_inertia_of_the_parent():
    """R(k + 1) and P(k + 1) get M(k + 1), not M(k)."""
    tree, *_ = any_tree('skew_chain')
    R, art = mass_matrix.composite_inertias(tree), ab.articulated(tree)
    for inertia, passed in ((R, R), (art.P, art.P_plus)):
        carried = shifted(passed[2], tree.phi[2])
        agree(carried + tree.M[3], inertia[3])
        unlike(carried + tree.M[2], inertia[3])
    agree(art.taubar[2] @ art.P[2] @ art.taubar[2].T, art.P_plus[2], np.abs(art.P[2]).max())
    unlike(art.taubar[2] @ art.P[2] @ art.taubar[2].T, art.P_plus[3])


def test_coriolis_accelerations_by_type_of_hinge():
    """(5.11), (5.12), (5.15) to (5.17), and the solution of exercise 5.1."""
    seen = set()
    for name in ('mixed tree', 'mixed forest'):
        tree, thd, *_ = any_tree(name)
        V, Delta = kinematics.velocities(tree, thd), tree.hinge_velocity(thd)
        a = inverse_dynamics.coriolis_accelerations(tree, V, thd)
        for k, body in enumerate(tree.bodies):
            w, v, Dw, Dv = V[k, :3], V[k, 3:], Delta[k, :3], Delta[k, 3:]
            up = tree.parent[k]
            w_up = tree.R[k].T @ V[up, :3] if up < tree.n else np.zeros(3)
            turning = tilde(np.concatenate((Dw, np.zeros(3))))
            seen_from_parent = tree.hinge_drift(thd)[k] + turning @ Delta[k]
            agree(tilde(V[k]) @ Delta[k] - bar(Delta[k]) @ Delta[k] + seen_from_parent, a[k],
                  np.abs(tilde(V[k])).max())                                  # (5.11)
            parts = np.concatenate((np.cross(Dw, w), np.cross(Dw, v) + np.cross(Dv, w_up)))
            agree(seen_from_parent - parts, a[k], np.abs(parts).max() + 1.0)  # (5.12)
            special = {
                'pin': lambda: (np.cross(w, Dw), np.cross(v, Dw)),            # (5.16)
                'prismatic': lambda: (np.zeros(3), np.cross(w, Dv)),          # (5.17)
                'helical': lambda: (-np.cross(Dw, w), -np.cross(Dw, v + 0.13 * w)),
                'cylindrical': lambda: (-np.cross(Dw, w), -np.cross(Dw, v) - np.cross(Dv, w)),
            }.get(body.hinge.name)
            if special is not None:
                seen.add(body.hinge.name)
                agree(np.concatenate(special()), a[k], np.abs(parts).max() + 1.0)
    assert seen == {'pin', 'prismatic', 'helical', 'cylindrical'}


# References

def offsets(tree):
    """phi(O_k, B_k) of random body frames."""
    rng = np.random.default_rng(9)
    frames = []
    for _ in range(tree.n):
        Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        frames.append(phi(rng.normal(size=3), Q * np.sign(np.linalg.det(Q))))
    return np.array(frames)


def test_four_references_give_the_same_equations(system):
    tree, thd, *_ = system
    M = mass_matrix.mass_matrix(tree)
    C = inverse_dynamics.bias(tree, thd, gravity=False)
    # Frames a metre away let terms grow that cancel; three digits go with them.
    for equations in (conventions.body(tree, thd), conventions.inertial_derivative(tree, thd),
                      conventions.offset(tree, thd, offsets(tree)),
                      conventions.inertially_fixed(tree, thd)):
        agree(conventions.mass_matrix(tree, equations), M, tolerance=1e-11)
        agree(conventions.coriolis_torque(tree, equations), C, tolerance=1e-11)


def test_references_must_not_be_mixed():
    """a of one row of table 5.1 with b of another is wrong: they come as a pair."""
    tree, thd, *_ = any_tree('skew_chain')
    C = inverse_dynamics.bias(tree, thd, gravity=False)
    body, inertial = conventions.body(tree, thd), conventions.inertial_derivative(tree, thd)
    mixed = conventions.Equations(body.weights, body.hinges, body.M, body.a, inertial.b)
    unlike(conventions.coriolis_torque(tree, mixed), C)


def test_operators_of_other_body_frames(system):
    """(5.27) to (5.31), (8.28): similar operators, the same mass matrix and the same thdd."""
    tree, thd, _, T = system
    ops, n = SpatialOperators(tree), tree.n
    Delta = np.zeros((6 * n, 6 * n))
    for k, off in enumerate(offsets(tree)):
        Delta[6 * k:6 * k + 6, 6 * k:6 * k + 6] = np.linalg.inv(off)
    inverse = np.linalg.inv(Delta)
    equations = conventions.offset(tree, thd, offsets(tree))
    E = Delta @ ops.E_phi.array @ inverse
    agree(np.linalg.inv(np.eye(6 * n) - E), Delta @ ops.phi.array @ inverse, tolerance=1e-11)
    for k, up in enumerate(tree.parent):
        if up < n:
            agree(E[6 * up:6 * up + 6, 6 * k:6 * k + 6], equations.weights[k], tolerance=1e-11)
    M = conventions.mass_matrix(tree, equations)
    C = conventions.coriolis_torque(tree, equations)
    agree(np.linalg.solve(M, T - C),
          forward_dynamics.articulated_body(tree, thd, T, gravity=False)[0], tolerance=SOLVED)


def test_momentum_form_in_the_inertial_frame(system):
    """(5.60), (5.61): T = H_I phi_I d/dt [M_I phi_I' H_I' thd], and the rate that belongs in it.

    Printed without the dot over H_I', the bracket of (5.61) is not even an acceleration.
    """
    tree, thd, *_ = system
    equations = conventions.inertially_fixed(tree, thd)
    V = kinematics.inertial_velocities(tree, thd)
    step = 1e-6

    def momenta(at):
        return np.array([M @ v for M, v in zip(conventions.inertially_fixed(at, thd).M,
                                               kinematics.inertial_velocities(at, thd))])
    rate = (momenta(moved(tree, thd, step)) - momenta(moved(tree, thd, -step))) / (2 * step)
    f = gather(tree, rate, equations.weights)
    C = inverse_dynamics.bias(tree, thd, gravity=False)
    agree(np.concatenate([H.T @ x for H, x in zip(equations.hinges, f)]), C, tolerance=1e-6)
    M_rate = [bar(v) @ M @ v + M @ bar(v).T @ v for M, v in zip(equations.M, V)]

    def bracket(last):
        own = [r + M @ x for r, M, x in zip(M_rate, equations.M, last)]
        f = gather(tree, own, equations.weights)
        return np.concatenate([H.T @ x for H, x in zip(equations.hinges, f)])
    agree(bracket(scatter(tree, equations.a, equations.weights)), C, tolerance=1e-11)
    unlike(bracket(V), C)


def test_rate_of_inertial_hinges_has_its_factor():
    """(5.53), (5.55): tilde(V_I) H_I' is the rate of H_I'; a_I lacks thd in its last term.

    Of a universal hinge, whose last term is not zero; without thd it is 6 x 2, not 6.
    """
    tree, thd, *_ = any_tree('mixed tree')
    k = next(k for k, body in enumerate(tree.bodies) if body.hinge.name == 'universal')
    step = 1e-6
    rate = (kinematics.inertial_hinges(moved(tree, thd, step))[k]
            - kinematics.inertial_hinges(moved(tree, thd, -step))[k]) / (2 * step)
    beta = thd[tree.slices[k]]
    a = conventions.inertially_fixed(tree, thd).a[k]
    agree(rate @ beta, a, tolerance=1e-7)
    own = tree.bodies[k].hinge.map_rate(tree.theta[k], beta)
    last = np.linalg.solve(kinematics.to_inertial(tree)[k].T, own)
    V_I, H_I = kinematics.inertial_velocities(tree, thd)[k], kinematics.inertial_hinges(tree)[k]
    agree(tilde(V_I) @ H_I + last, rate, tolerance=1e-7)
    unlike(tilde(V_I) @ H_I, rate)
    assert last.shape != a.shape
    pin = next(k for k, body in enumerate(tree.bodies) if body.hinge.name == 'pin')
    H = [kinematics.inertial_hinges(moved(tree, thd, s))[pin] for s in (step, -step)]
    right = tilde(kinematics.inertial_velocities(tree, thd)[pin])
    agree((H[0] - H[1]) / (2 * step), right @ kinematics.inertial_hinges(tree)[pin],
          tolerance=1e-7)


# Forward dynamics

def test_forward_dynamics_are_those_of_the_package(named):
    robot, tree, thd, _, T = named
    q, qd, tau = configuration(tree), tree.to_ours(thd), tree.to_ours(T)
    expected = robot.forward_dynamics(q, qd, tau)
    for route in (forward_dynamics.dense, forward_dynamics.triangular,
                  lambda *state: forward_dynamics.articulated_body(*state)[0]):
        agree(tree.to_ours(route(tree, thd, T)), expected, tolerance=SOLVED)


def test_three_routes_to_forward_dynamics(system):
    tree, thd, _, T = system
    for f_ext, gravity in ((None, False), (None, True), (forces(tree), True)):
        thdd, _, _ = forward_dynamics.articulated_body(tree, thd, T, f_ext, gravity)
        agree(forward_dynamics.dense(tree, thd, T, f_ext, gravity), thdd, tolerance=SOLVED)
        agree(forward_dynamics.triangular(tree, thd, T, f_ext, gravity), thdd, tolerance=SOLVED)


def test_inverse_of_forward_dynamics(system):
    tree, thd, thdd, T = system
    f_ext = forces(tree)
    found, alpha, f = forward_dynamics.articulated_body(tree, thd, T, f_ext)
    T_back, f_back, alpha_back = inverse_dynamics.newton_euler(tree, thd, found, f_ext)
    size = np.abs(f_back).max()
    agree(T_back, T, size, SOLVED)
    agree(f, f_back, tolerance=SOLVED)                                        # (7.34, 7.40)
    agree(alpha, alpha_back, tolerance=SOLVED)
    T_forth, _, _ = inverse_dynamics.newton_euler(tree, thd, thdd, f_ext)
    again = forward_dynamics.articulated_body(tree, thd, T_forth, f_ext)[0]
    agree(again, thdd, np.abs(T_forth).max(), SOLVED)


def test_kinetic_energy_stays_without_torques(system):
    """(4.34): with T = 0 and without gravity, its rate is zero."""
    tree, thd, *_ = system
    still = replace(tree, rotor=np.zeros(tree.N))
    thdd = forward_dynamics.articulated_body(still, thd, np.zeros(tree.N), gravity=False)[0]
    step = 1e-6

    def energy(s):
        at = moved(still, thd, s)
        return sum(kinetic_energy(M, v) for M, v in
                   zip(at.M, kinematics.velocities(at, thd + s * thdd)))
    size = np.abs(thd).max() * np.abs(mass_matrix.mass_matrix(still) @ thdd).max()
    agree((energy(step) - energy(-step)) / (2 * step), 0.0, size, 1e-7)


def test_steady_drift_of_the_base_changes_nothing():
    """Remark 5.2: the same joint accelerations on a base that drifts, and of it, but - omega x v.

    The base is free: its acceleration is seen from itself, where a steady drift turns.
    """
    tree, thd, _, T = any_tree('free base')
    base = tree.slices[-1]
    drift = np.array((0.4, -1.3, 0.8))
    drifting = thd.copy()
    drifting[base][3:] += drift
    one = forward_dynamics.articulated_body(tree, thd, T)[0]
    two = forward_dynamics.articulated_body(tree, drifting, T)[0]
    expected = one.copy()
    expected[base][3:] -= np.cross(thd[base][:3], drift)
    agree(two, expected, tolerance=SOLVED)
    unlike(two, one)


def test_gravity_at_the_end_or_from_the_base(system):
    """(7.37) to (7.39): nubar = nu - G' g, or alpha(n + 1) = g and g taken away again."""
    tree, thd, _, T = system
    art, a, _, _, nu, *_ = at_zero_gravity(tree, thd, T)
    g = inverse_dynamics.gravity_accelerations(tree)
    felt = np.zeros((tree.n + 1, 6))
    felt[tree.n] = tree.g
    thdd = np.zeros(tree.N)
    for k in reversed(range(tree.n)):
        plus = tree.phi[k].T @ felt[tree.parent[k]]
        thdd[tree.slices[k]] = nu[tree.slices[k]] - art.G[k].T @ plus
        felt[k] = plus + tree.H[k].T @ thdd[tree.slices[k]] + a[k]
    expected, alpha, _ = forward_dynamics.articulated_body(tree, thd, T)
    size = np.abs(felt).max()
    agree(thdd, expected, np.abs(nu).max() + size, SOLVED)
    agree(felt[:-1] - g, alpha, size, SOLVED)


def test_innovations_factor_along_paths(system):
    tree, *_ = system
    L = forward_dynamics.innovations_factor(tree, ab.articulated(tree))
    agree(L, SpatialOperators(tree).innovations_factor.array)


def at_zero_gravity(tree, thd, T):
    """(articulated, a, z, z^+, nu, thdd, alpha, alpha^+) of a tree, without weight."""
    art, V = ab.articulated(tree), kinematics.velocities(tree, thd)
    a = inverse_dynamics.coriolis_accelerations(tree, V, thd)
    own = np.array([P @ x for P, x in zip(art.P, a)])
    own = own + inverse_dynamics.gyroscopic_forces(tree, V)
    z, z_plus, epsilon = ab.biased_residual_forces(tree, art, T, own)
    nu = ab.innovations_scaled(tree, art, epsilon)
    return art, a, z, z_plus, nu, *ab.accelerations(tree, art, nu, a)


def test_vectors_of_the_articulated_body_algorithm():
    """(7.30) to (7.34), of trees without drives; as printed, (7.30) and (7.29) are wrong."""
    for name in ('skew_chain', 'mixed tree'):
        tree, thd, _, T = any_tree(name)
        art, a, z, z_plus, nu, thdd, alpha, alpha_plus = at_zero_gravity(tree, thd, T)
        ops = SpatialOperators(tree)
        K, G, psi, H = (x.array for x in (ops.K, ops.G, ops.psi, ops.H))
        size = np.abs(alpha).max()
        agree(thdd, nu - K.T @ alpha.ravel(), size)
        agree(thdd, nu - G.T @ alpha_plus.ravel(), size)
        agree(alpha.ravel(), psi.T @ (H.T @ nu + a.ravel()))                  # (7.30)
        unlike(psi @ (H.T @ nu + a.ravel()), alpha.ravel())
        agree(nu, G.T @ (alpha - a).ravel(), size)                            # (7.33)
        f = inverse_dynamics.newton_euler(tree, thd, thdd, gravity=False)[1]
        P = art.P
        agree(np.array([p @ x for p, x in zip(P, alpha - a)]) + z, f, tolerance=SOLVED)
        agree(np.array([p @ x for p, x in zip(art.P_plus, alpha_plus)]) + z_plus, f,
              tolerance=SOLVED)
        V = kinematics.velocities(tree, thd)
        b = inverse_dynamics.gyroscopic_forces(tree, V)

        def gathered(acceleration):
            own = np.array([p @ x for p, x in zip(P, acceleration)]) + b
            z = np.linalg.solve((ops.one - ops.E_psi).array, (K @ T) + own.ravel())
            return z.reshape(-1, 6)
        agree(gathered(a), z, tolerance=SOLVED)                               # (7.21), P a
        unlike(gathered(alpha), z)                                            # (7.29), P alpha


def test_accelerations_of_a_system_at_rest():
    """Algorithm 6.2 and (6.35), (6.40) to (6.44): articulated bodies without velocity."""
    for name in ('skew_chain', 'mixed forest'):
        tree, _, _, T = any_tree(name)
        art, ops = ab.articulated(tree), SpatialOperators(tree)
        z, z_plus, epsilon = ab.residual_forces(tree, art, T)
        agree(z.ravel(), (ops.psi @ ops.K).array @ T)                         # (6.35)
        agree(epsilon, ops.inverse_factor.array @ T)
        agree(z_plus, z + np.array([G @ epsilon[s] for G, s in zip(art.G, tree.slices)]))
        nu = ab.innovations_scaled(tree, art, epsilon)
        thdd, alpha, _ = ab.accelerations(tree, art, nu, np.zeros((tree.n, 6)))
        agree(thdd, np.linalg.solve(mass_matrix.mass_matrix(tree), T), tolerance=SOLVED)
        agree(alpha.ravel(), ops.psi.array.T @ ops.H.array.T @ nu, tolerance=1e-11)
        agree(nu, np.concatenate([G.T @ x for G, x in zip(art.G, alpha)]), tolerance=1e-11)


def test_residual_of_articulated_bodies_ignores_the_rest():
    """Table 6.1: f = P alpha + z whatever the base does; z depends on hinge torques outboard."""
    tree, _, _, T = any_tree('skew_chain')
    art = ab.articulated(tree)
    z, *_ = ab.residual_forces(tree, art, T)
    other = T.copy()
    other[3:] += 2.0
    agree(ab.residual_forces(tree, art, other)[0][:4], z[:4])
    assert np.abs(ab.residual_forces(tree, art, other)[0][4:] - z[4:]).max() > 1e-2
    tip = inverse_dynamics.newton_euler(tree, 0 * T, T, gravity=False)
    agree(tip[1][0], tree.M[0] @ tip[2][0])                                   # terminal body


def test_response_to_forces_on_nodes(system):
    """Algorithm 7.3 is M^-1 J' f; by (7.43) and (7.44) it would be minus that."""
    tree, thd, _, T = system
    f = forces(tree)
    J_f = inverse_dynamics.hinge_components(tree, gather(tree, f, tree.phi))
    expected = np.linalg.solve(mass_matrix.mass_matrix(tree), J_f)
    found = forward_dynamics.response(tree, f)
    agree(found, expected, tolerance=SOLVED)
    unlike(-found, expected)
    free = forward_dynamics.articulated_body(tree, thd, T)[0]
    pushed = forward_dynamics.articulated_body(tree, thd, T, f)[0]
    agree(pushed - free, expected, np.abs(pushed).max() + np.abs(expected).max(), SOLVED)


# Estimation

def test_kalman_filter_is_the_articulated_body_algorithm(system):
    tree, _, _, T = system
    art = ab.articulated(tree)
    z, z_plus, epsilon = ab.residual_forces(tree, art, T)
    for k, found in enumerate(kalman.kalman_filter(*kalman.of_tree(tree, T))):
        size = np.abs(art.P[k]).max()
        agree(found.covariance, art.P[k])
        agree(found.filtered_covariance, art.P_plus[k], size)
        agree(found.gain, art.G[k], tolerance=1e-11)
        agree(found.innovation_covariance, art.D[k], size)
        agree(found.predicted, z[k], np.abs(T).max(), 1e-11)
        agree(found.filtered, z_plus[k], np.abs(T).max(), 1e-11)
        agree(found.innovation, epsilon[tree.slices[k]], np.abs(T).max(), 1e-11)


def test_smoothed_estimate_is_the_force_between_the_links(system):
    tree, _, _, T = system
    rest = np.zeros(tree.N)
    _, _, f = forward_dynamics.articulated_body(tree, rest, T, gravity=False)
    agree(kalman.smoother(*kalman.of_tree(tree, T)), f, tolerance=SOLVED)


def test_prediction_of_6_49_is_measured_with_h():
    """Printed with H* z, the innovation is no product of the shapes at hand."""
    tree, _, _, T = any_tree('chain of 3')
    art = ab.articulated(tree)
    z, _, epsilon = ab.residual_forces(tree, art, T)
    agree(T[2:] - tree.H[2] @ z[2], epsilon[2:])
    with pytest.raises(ValueError, match='matmul'):
        tree.H[2].T @ z[2]
