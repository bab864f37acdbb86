# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Chapter 5 of Jain, and section 9.2: inverse dynamics, Coriolis accelerations, references."""

import numpy as np

from robodyn_ros.formulations.jain import (
    composite_bodies,
    conventions,
    forward_dynamics,
    inverse_dynamics,
    tree_kinematics,
)
from robodyn_ros.formulations.jain.operators.spatial_operators import SpatialOperators
from robodyn_ros.formulations.jain.operators.sweeps import gather, scatter
from robodyn_ros.formulations.jain.spatial_algebra import bar, tilde
from support.compare import agree
from support.robots.jain_trees import (
    SOLVED,
    any_tree,
    configuration,
    forces,
    moved,
    offsets,
    unlike,
)


def test_inverse_dynamics_are_those_of_the_package(named):
    robot, tree, thd, thdd, _ = named
    q, qd, qdd = configuration(tree), tree.to_ours(thd), tree.to_ours(thdd)
    T, _, _ = inverse_dynamics.newton_euler(tree, thd, thdd)
    agree(tree.to_ours(T), robot.inverse_dynamics(q, qd, qdd))
    agree(tree.to_ours(inverse_dynamics.bias(tree, thd)), robot.bias_torque(q, qd))
    agree(tree.to_ours(inverse_dynamics.gravity_torque(tree)), robot.gravity_torque(q))
    outer = robot.model.body_names[-1]
    wrench = np.array((3.0, -1.0, 2.0, 0.3, -0.2, 0.5))
    node = tree_kinematics.node(tree, robot, outer)
    R = robot.pose(q, outer)[:3, :3]
    f = np.concatenate((R.T @ wrench[3:], R.T @ wrench[:3]))
    f_ext = tree_kinematics.pick_off(tree, [f], [node])
    T, _, _ = inverse_dynamics.newton_euler(tree, thd, thdd, f_ext)
    agree(tree.to_ours(T), robot.inverse_dynamics(q, qd, qdd, {outer: wrench}))


def test_inverse_dynamics_are_mass_times_acceleration_and_bias(system):
    tree, thd, thdd, _ = system
    f_ext = forces(tree)
    T, f, alpha = inverse_dynamics.newton_euler(tree, thd, thdd, f_ext)
    M = composite_bodies.mass_matrix(tree)
    C = inverse_dynamics.bias(tree, thd, gravity=False)
    G = inverse_dynamics.gravity_torque(tree)
    external = inverse_dynamics.hinge_components(tree, gather(tree, f_ext, tree.phi))  # J' f_ext
    agree(T, M @ thdd + C + G - external)  # (5.36)
    unlike(M @ thdd + C + G + external, T)  # "adding", 5.2.2
    agree(inverse_dynamics.bias(tree, thd, f_ext), C + G - external)  # (5.37)
    V = tree_kinematics.velocities(tree, thd)
    felt = alpha + inverse_dynamics.gravity_accelerations(tree)
    inertia = np.array([W @ x + bar(v) @ W @ v for W, x, v in zip(tree.M, felt, V)])
    own = f - np.array(
        [sum((tree.phi[j] @ f[j] for j in tree.children[k]), np.zeros(6)) for k in range(tree.n)]
    )
    agree(own, inertia - f_ext)  # (5.3)


def test_inverse_dynamics_through_composite_bodies(system):
    tree, thd, thdd, _ = system
    for f_ext, gravity in ((None, True), (forces(tree), True), (forces(tree), False)):
        T, f, _ = inverse_dynamics.newton_euler(tree, thd, thdd, f_ext, gravity)
        T_composite, f_composite = inverse_dynamics.composite_body(tree, thd, thdd, f_ext, gravity)
        agree(T_composite, T)
        agree(f_composite, f)


def test_residual_of_composite_bodies_ignores_the_base(system):
    """Table 6.1: y(i) = f(i) - R(i) alpha(i) depends on accelerations outboard of i only."""
    tree, thd, thdd, _ = system
    R = composite_bodies.composite_inertias(tree)

    def residuals(acceleration):
        _, f, alpha = inverse_dynamics.newton_euler(tree, thd, acceleration, gravity=False)
        return f - np.array([r @ x for r, x in zip(R, alpha)]), np.abs(f).max()

    y, size = residuals(thdd)
    for k in range(tree.n):
        other = thdd.copy()
        other[tree.slices[k]] += 3.0
        found, larger = residuals(other)
        change = np.abs(found - y).max(axis=1)
        for i in range(tree.n):
            assert i != k and i in tree.path(k) or change[i] <= 1e-12 * max(size, larger)
        if tree.parent[k] < tree.n and R[k].any():
            assert change[tree.parent[k]] > 1e-6


def test_gravity_at_the_base_or_on_every_body(system):
    """(5.39) to (5.41), every base body pushed; with the g of free fall it would hold nothing."""
    tree, thd, thdd, _ = system
    V = tree_kinematics.velocities(tree, thd)
    a = inverse_dynamics.coriolis_accelerations(tree, V, thd)
    lifted = scatter(
        tree, tree.hinge_velocity(thdd) + a + inverse_dynamics.base_acceleration(tree), tree.phi
    )
    own = np.array([M @ x for M, x in zip(tree.M, lifted)])
    own = own + inverse_dynamics.gyroscopic_forces(tree, V)
    T = inverse_dynamics.hinge_components(tree, gather(tree, own, tree.phi)) + tree.rotor * thdd
    agree(T, inverse_dynamics.newton_euler(tree, thd, thdd)[0])
    step = 1e-6

    def potential(at):
        mass = composite_bodies.system_inertia(at)[5, 5]
        return mass * at.g[3:] @ composite_bodies.centre_of_mass(at)

    slope = [
        (potential(moved(tree, unit, step)) - potential(moved(tree, unit, -step))) / (2 * step)
        for unit in np.eye(tree.N)
    ]
    agree(inverse_dynamics.gravity_torque(tree), slope, tolerance=1e-6)


def test_torques_of_forces_on_nodes(system):
    """Algorithm 5.1 is J' f, several nodes on a body."""
    tree, thd, *_ = system
    rng = np.random.default_rng(8)
    nodes = [
        tree_kinematics.Node(k, np.eye(3), rng.normal(size=3))
        for k in (0, 0, tree.n // 2, tree.n - 1)
    ]
    f = rng.normal(size=(4, 6))
    J = tree_kinematics.jacobian(tree, nodes)
    agree(tree_kinematics.node_torques(tree, f, nodes), J.T @ f.ravel())
    agree(tree_kinematics.node_velocities(tree, thd, nodes).ravel(), J @ thd)


def test_acceleration_is_the_rate_of_velocity(system):
    """(5.26): alpha is the derivative of V in the body, to the accuracy of differences."""
    tree, thd, *_ = system
    V = tree_kinematics.velocities(tree, thd)
    a = inverse_dynamics.coriolis_accelerations(tree, V, thd)
    step = 1e-6
    rate = (
        tree_kinematics.velocities(moved(tree, thd, step), thd)
        - tree_kinematics.velocities(moved(tree, thd, -step), thd)
    ) / (2 * step)
    agree(scatter(tree, a, tree.phi), rate, tolerance=1e-7)


def test_accelerations_of_every_reference_are_rates(system):
    """(5.2), (5.18), (5.20), (5.51): with thdd = 0, A' a is the rate of the velocities of the
    reference, in its frame. The rates are differences.
    """
    tree, thd, *_ = system
    away, step = offsets(tree), 1e-6

    def turned(at):
        return [
            np.kron(np.eye(2), T[:3, :3]) @ v
            for T, v in zip(tree_kinematics.poses(at), tree_kinematics.velocities(at, thd))
        ]

    there, back = moved(tree, thd, step), moved(tree, thd, -step)
    own = [np.kron(np.eye(2), T[:3, :3].T) for T in tree_kinematics.poses(tree)[:-1]]
    for equations, velocity, axes in (
        (conventions.body(tree, thd), lambda at: tree_kinematics.velocities(at, thd), None),
        (
            conventions.offset(tree, thd, away),
            lambda at: tree_kinematics.offset_velocities(at, thd, away),
            None,
        ),
        (conventions.inertial_derivative(tree, thd), turned, own),
        (
            conventions.inertially_fixed(tree, thd),
            lambda at: tree_kinematics.inertial_velocities(at, thd),
            None,
        ),
    ):
        rate = (np.array(velocity(there)) - velocity(back)) / (2 * step)
        if axes is not None:
            rate = np.array([turn @ x for turn, x in zip(axes, rate)])
        agree(scatter(tree, equations.a, equations.weights), rate, tolerance=1e-7)


def test_coriolis_accelerations_by_type_of_hinge(system):
    """(5.11), (5.12), (5.15) to (5.17), the solution of exercise 5.1; (5.18) of other body frames
    and (5.19), (5.20) of inertial rates. All of them have dH'/dt as the parent sees it.
    """
    tree, thd, *_ = system
    V, Delta = tree_kinematics.velocities(tree, thd), tree.hinge_velocity(thd)
    a = inverse_dynamics.coriolis_accelerations(tree, V, thd)
    away, inertial = offsets(tree), conventions.inertial_derivative(tree, thd).a
    elsewhere = conventions.offset(tree, thd, away).a
    for k, body in enumerate(tree.bodies):
        w, v, Dw, Dv = V[k, :3], V[k, 3:], Delta[k, :3], Delta[k, 3:]
        size = 1.0 + np.abs(V).max() ** 2
        up = tree.parent[k]
        V_up = np.split(V[up], 2) if up < tree.n else np.zeros((2, 3))
        w_up, v_up = (tree.R[k].T @ x for x in V_up)
        own = tree.hinge_drift(thd)[k]
        drift = own + tilde(np.concatenate((Dw, np.zeros(3)))) @ Delta[k]  # seen from the parent
        agree(tilde(V[k]) @ Delta[k] - bar(Delta[k]) @ Delta[k] + drift, a[k], size)  # (5.11)
        parts = np.concatenate((np.cross(Dw, w), np.cross(Dw, v) + np.cross(Dv, w_up)))
        agree(drift - parts, a[k], size)  # (5.12)
        if not own.any() and not (Dw.any() and Dv.any()):
            agree(tilde(V[k]) @ Delta[k], a[k], size)  # (5.15)
        off, last = away[k], bar(Delta[k]) @ Delta[k]
        agree(
            tilde(off.T @ V[k]) @ (off.T @ Delta[k]) - off.T @ last + off.T @ drift,
            elsewhere[k],
            size * np.abs(off).max() ** 2,
        )  # (5.18)
        agree(
            np.concatenate((np.cross(w, Dw), np.cross(w_up, v - v_up + Dv))) + drift,
            inertial[k],
            size,
        )  # (5.20b)
        H = tree.H[k]
        special = {
            'pin': lambda: (np.cross(w, Dw), np.cross(v, Dw)),  # (5.16)
            'prismatic': lambda: (np.zeros(3), np.cross(w, Dv)),  # (5.17)
            'helical': lambda: (-np.cross(Dw, w), -np.cross(Dw, v + (H[0, :3] @ H[0, 3:]) * w)),
            'cylindrical': lambda: (-np.cross(Dw, w), -np.cross(Dw, v) - np.cross(Dv, w)),
        }.get(body.hinge.name)
        if special is not None:
            agree(np.concatenate(special()), a[k], size)


def test_four_references_give_the_same_equations(system):
    tree, thd, *_ = system
    M = composite_bodies.mass_matrix(tree)
    C = inverse_dynamics.bias(tree, thd, gravity=False)
    # Frames a metre away let terms grow that cancel; three digits go with them.
    for equations in (
        conventions.body(tree, thd),
        conventions.inertial_derivative(tree, thd),
        conventions.offset(tree, thd, offsets(tree)),
        conventions.inertially_fixed(tree, thd),
    ):
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
        Delta[6 * k : 6 * k + 6, 6 * k : 6 * k + 6] = np.linalg.inv(off)
    inverse = np.linalg.inv(Delta)
    equations = conventions.offset(tree, thd, offsets(tree))
    E = Delta @ ops.E_phi.array @ inverse
    agree(np.linalg.inv(np.eye(6 * n) - E), Delta @ ops.phi.array @ inverse, tolerance=1e-11)
    for k, up in enumerate(tree.parent):
        if up < n:
            agree(E[6 * up : 6 * up + 6, 6 * k : 6 * k + 6], equations.weights[k], tolerance=1e-11)
    M = conventions.mass_matrix(tree, equations)
    C = conventions.coriolis_torque(tree, equations)
    agree(
        np.linalg.solve(M, T - C),
        forward_dynamics.articulated_body(tree, thd, T, gravity=False)[0],
        tolerance=SOLVED,
    )


def test_momentum_form_in_the_inertial_frame(system):
    """(5.60), (5.61): T = H_I phi_I d/dt [M_I phi_I' H_I' thd], and the rate that belongs in it.

    Printed without the dot over H_I', the bracket of (5.61) is not even an acceleration.
    """
    tree, thd, *_ = system
    equations = conventions.inertially_fixed(tree, thd)
    V = tree_kinematics.inertial_velocities(tree, thd)
    step = 1e-6

    def momenta(at):
        return np.array(
            [
                M @ v
                for M, v in zip(
                    conventions.inertially_fixed(at, thd).M,
                    tree_kinematics.inertial_velocities(at, thd),
                )
            ]
        )

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
    rate = (
        tree_kinematics.inertial_hinges(moved(tree, thd, step))[k]
        - tree_kinematics.inertial_hinges(moved(tree, thd, -step))[k]
    ) / (2 * step)
    beta = thd[tree.slices[k]]
    a = conventions.inertially_fixed(tree, thd).a[k]
    agree(rate @ beta, a, tolerance=1e-7)
    own = tree.bodies[k].hinge.map_rate(tree.theta[k], beta)
    last = np.linalg.solve(tree_kinematics.to_inertial(tree)[k].T, own)
    V_I, H_I = (
        tree_kinematics.inertial_velocities(tree, thd)[k],
        tree_kinematics.inertial_hinges(tree)[k],
    )
    agree(tilde(V_I) @ H_I + last, rate, tolerance=1e-7)
    unlike(tilde(V_I) @ H_I, rate)
    assert last.shape != a.shape
    unlike(H_I, rate)  # (5.53)
    pin = next(k for k, body in enumerate(tree.bodies) if body.hinge.name == 'pin')
    H = [tree_kinematics.inertial_hinges(moved(tree, thd, s))[pin] for s in (step, -step)]
    right = tilde(tree_kinematics.inertial_velocities(tree, thd)[pin])
    agree(
        (H[0] - H[1]) / (2 * step),
        right @ tree_kinematics.inertial_hinges(tree)[pin],
        tolerance=1e-7,
    )


def test_rate_of_inertial_hinges_is_seen_from_the_body():
    """(5.52), (5.55) print dH'/dt as seen from body k + 1: with V_I(k) it is that seen from k.

    They differ by phi' tilde(Delta^w) H' thd, of hinges that turn and slide across: a planar one.
    """
    tree, thd, *_ = any_tree('mixed tree')
    step = 1e-6
    rates = (
        tree_kinematics.inertial_velocities(moved(tree, thd, step), thd)
        - tree_kinematics.inertial_velocities(moved(tree, thd, -step), thd)
    ) / (2 * step)
    X, V = tree_kinematics.to_inertial(tree), tree_kinematics.inertial_velocities(tree, thd)
    delta, drift = tree.hinge_velocity(thd), tree.hinge_drift(thd)
    seen = set()
    for k, body in enumerate(tree.bodies):
        up = tree.parent[k]
        rate = rates[k] - (rates[up] if up < tree.n else 0.0)  # Hdot_I' thd
        from_parent = drift[k] + tilde(np.concatenate((delta[k][:3], np.zeros(3)))) @ delta[k]
        own, printed = (
            tilde(V[k]) @ np.linalg.solve(X[k].T, delta[k]) + np.linalg.solve(X[k].T, x)
            for x in (drift[k], from_parent)
        )
        agree(own, rate, np.abs(rates).max(), 1e-7)
        if body.hinge.name in ('planar', 'free'):
            seen.add(body.hinge.name)
            unlike(printed, rate)
        else:
            agree(printed, rate, np.abs(rates).max(), 1e-7)
    assert seen == {'planar', 'free'}
