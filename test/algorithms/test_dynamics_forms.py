# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Other routes to the dynamics, wrenches alone, and Hamilton's equations, against referees."""

import numpy as np
import pytest

from robodyn_ros.errors import ShapeError, SingularityError, UnknownNameError
from robodyn_ros.robot.robot import Robot
from support.compare import agree, solve_tolerance
from support.referees.dense import along
from support.referees.whole_body import links_of
from support.robots.families import FAMILIES, states

WRENCH = np.array((3.0, -2.0, 5.0, 0.4, -0.7, 0.3))  # [N, N m]


@pytest.fixture(scope='session')
def every_case(every_joint_type):
    """Return robots with joints of any number of degrees of freedom."""
    return every_joint_type


def wrenches(case):
    """Return one wrench at the tip and another half-way."""
    names = links_of(case.robot)
    return {case.tip: WRENCH, names[len(names) // 2]: -0.5 * WRENCH[::-1]}


def test_inverse_dynamics_through_composite_bodies(every_case, referee):
    """Jain's Algorithm 5.3, with and without wrenches."""
    robot, f_ext = every_case.robot, wrenches(every_case)
    for q, qd, qdd in states(robot):
        agree(
            robot.variants.inverse_dynamics_composite(q, qd, qdd),
            referee.inverse_dynamics(q, qd, qdd),
        )
        agree(
            robot.variants.inverse_dynamics_composite(q, qd, qdd, f_ext),
            referee.inverse_dynamics(q, qd, qdd, f_ext),
        )


@pytest.mark.parametrize('route', ['forward_dynamics_factored', 'forward_dynamics_dense'])
def test_all_routes_of_forward_dynamics_agree(every_case, referee, route):
    """The three options of Jain's section 7.2 give the same, with and without wrenches."""
    robot, f_ext = every_case.robot, wrenches(every_case)
    for q, qd, tau in states(robot):
        tolerance = solve_tolerance(robot.mass_matrix(q))
        agree(
            getattr(robot.variants, route)(q, qd, tau),
            referee.forward_dynamics(q, qd, tau),
            tolerance=tolerance,
        )
        agree(
            getattr(robot.variants, route)(q, qd, tau, f_ext),
            referee.forward_dynamics(q, qd, tau, f_ext),
            tolerance=tolerance,
        )


def test_hybrid_dynamics_solves_the_rows_of_the_equation_of_motion(every_case):
    """Hybrid dynamics solves the rows of M qdd + bias = tau for the unknown torques and
    accelerations.
    """
    robot, f_ext = every_case.robot, wrenches(every_case)
    rng = np.random.default_rng(4)
    for q, qd, given in states(robot):
        held = rng.uniform(size=robot.nv) < 0.5
        free = ~held
        M = every_case.dense.mass_matrix(q)
        bias = every_case.dense.inverse_dynamics(q, qd, np.zeros(robot.nv), f_ext)
        qdd, tolerance = np.where(held, given, 0.0), solve_tolerance(M)
        qdd[free] = (
            np.linalg.solve(M[np.ix_(free, free)], (given - bias - M @ qdd)[free])
            if free.any()
            else []
        )
        tau, found = robot.variants.hybrid_dynamics(q, qd, given, given, held, f_ext)
        agree(found, qdd, tolerance=tolerance)
        agree(
            tau,
            M @ qdd + bias,
            tolerance=tolerance,
            scale=np.abs(M).max() * np.abs(qdd).sum() + np.abs(bias).max(),
        )
        assert np.array_equal(tau[free], given[free]) and np.array_equal(found[held], given[held])


def test_hybrid_dynamics_between_its_limits(every_case):
    """All motions known is inverse dynamics, none is forward dynamics; names will do for flags."""
    robot = every_case.robot
    q, qd, x = states(robot, 1)[0]
    tolerance = solve_tolerance(robot.mass_matrix(q))
    agree(
        robot.variants.hybrid_dynamics(q, qd, x, x, robot.joint_names)[0],
        robot.inverse_dynamics(q, qd, x),
        tolerance=10.0 * tolerance,
    )
    agree(
        robot.variants.hybrid_dynamics(q, qd, x, x, [])[1],
        robot.forward_dynamics(q, qd, x),
        tolerance=tolerance,
    )
    for name in robot.joint_names[::3]:
        flags = np.array([name == other for other in robot.joint_names])
        for a, b in zip(
            robot.variants.hybrid_dynamics(q, qd, x, x, name),
            robot.variants.hybrid_dynamics(q, qd, x, x, flags),
        ):
            assert np.array_equal(a, b)


FULL_RANK = ('skew_chain', 'sliding_chain', 'sliding_tree', 'rotors', 'permuted', 'tree')


@pytest.mark.parametrize('name', FULL_RANK)
@pytest.mark.parametrize('axes', ['x y z', 'z', 'x rz'])
def test_a_prescribed_tip_acceleration_solves_the_saddle_point_system(name, axes):
    """A prescribed acceleration of the tip: the saddle-point system of M, J and the force."""
    case = FAMILIES[name]
    robot, dense = case.robot, case.dense
    kept = ['x y z rx ry rz'.split().index(axis) for axis in axes.split()]
    for q, qd, tau in states(robot):
        wanted = np.linspace(-1.0, 2.0, len(kept))
        J, M = dense.jacobian(q, case.tip)[kept], dense.mass_matrix(q)
        zero = np.zeros((len(kept), len(kept)))
        saddle = np.block([[M, -J.T], [J, zero]])
        right = np.concatenate(
            (tau - dense.bias_torque(q, qd), wanted - dense.jacobian_bias(q, qd, case.tip)[kept])
        )
        expected = np.linalg.solve(saddle, right)
        tolerance = solve_tolerance(saddle)
        qdd, force = robot.task_space.constrained_dynamics(q, qd, tau, case.tip, axes, wanted)
        agree(qdd, expected[: robot.nv], tolerance=tolerance)
        agree(force, expected[robot.nv :], tolerance=tolerance)
        agree(
            J @ qdd + dense.jacobian_bias(q, qd, case.tip)[kept],
            wanted,
            scale=np.abs(J).max() * np.abs(qdd).sum(),
            tolerance=tolerance,
        )


def test_torque_and_acceleration_of_wrenches(every_case):
    """J^T f and M^-1 J^T f without J and M (Jain 5.38, 7.43), against both."""
    robot, f_ext = every_case.robot, wrenches(every_case)
    for q, _, _ in states(robot):
        expected = sum(every_case.dense.jacobian(q, frame).T @ f for frame, f in f_ext.items())
        size = sum(np.abs(every_case.dense.jacobian(q, frame)).max() for frame in f_ext) * 10.0
        agree(robot.task_space.torque_of_wrench(q, f_ext), expected, scale=size)
        M = every_case.dense.mass_matrix(q)
        inverse = np.linalg.inv(M)
        agree(
            robot.task_space.acceleration_of_wrench(q, f_ext),
            inverse @ expected,
            scale=np.abs(inverse).max() * size,
            tolerance=solve_tolerance(M),
        )


def test_an_impulse_changes_the_velocity_by_the_operational_space_inertia(every_case):
    """The jump of a frame's velocity under an impulse is that of its operational-space inertia."""
    robot, tip = every_case.robot, every_case.tip
    for q, _, _ in states(robot, 1):
        jump = robot.task_space.acceleration_of_wrench(q, {tip: WRENCH})
        compliance = every_case.dense.compliance(q, tip)
        agree(
            robot.jacobian(q, tip) @ jump,
            compliance @ WRENCH,
            scale=np.abs(compliance).max() * 10.0,
            tolerance=solve_tolerance(robot.mass_matrix(q)),
        )


def test_rates_of_hamilton_are_the_gradients_of_the_energy(every_case):
    """Gradients of H agree with complex steps of the dense energy (Jain 4.43). With many joints
    one direction is compared.
    """
    robot, dense = every_case.robot, every_case.dense
    if robot.nq != robot.nv:
        q, qd, tau = states(robot, 1)[0]
        with pytest.raises(ShapeError, match="Hamilton's equations"):
            robot.variants.hamilton_rates(q, qd, tau)
        return
    n = robot.nv
    ways = np.eye(n) if n <= 12 else np.random.default_rng(1).normal(size=(1, n))
    for q, qd, tau in states(robot, 1):
        M = dense.mass_matrix(q)
        p = M @ qd

        def energy(q, p):
            return 0.5 * p @ np.linalg.solve(dense.mass_matrix(q), p) + dense.potential(q)

        found, pdot = robot.variants.hamilton_rates(q, p, tau)
        by_q = np.array([along(lambda x: energy(x, p + 0j), q, way) for way in ways])
        by_p = np.array([along(lambda x: energy(q + 0j, x), p, way) for way in ways])
        tolerance = solve_tolerance(M)
        size = np.abs(tau).max() + np.abs(by_q).max() + np.abs(p).max() * np.abs(qd).sum()
        agree(
            ways @ found,
            by_p,
            tolerance=tolerance,
            scale=np.abs(ways).sum(axis=1).max() * np.abs(qd).max(),
        )
        agree(
            ways @ pdot,
            ways @ tau - by_q,
            scale=size * np.abs(ways).sum(axis=1).max(),
            tolerance=tolerance,
        )
        agree(
            robot.variants.hamiltonian(q, p),
            energy(q, p),
            tolerance=tolerance,
            scale=0.5 * abs(p @ qd) + abs(dense.potential(q)) + 1.0,
        )


def test_hamilton_gives_the_equations_of_motion(every_case):
    """pdot = Mdot qd + M qdd with Mdot = C + C^T, and p = M qd by two sweeps."""
    robot = every_case.robot
    if robot.nq != robot.nv:
        pytest.skip('angular velocities are the rates of no coordinates')
    for q, qd, tau in states(robot):
        M, C = robot.mass_matrix(q), robot.coriolis_matrix(q, qd)
        p = robot.mass_operator.product(q, qd)
        found, pdot = robot.variants.hamilton_rates(q, p, tau)
        tolerance = 10.0 * solve_tolerance(M)
        agree(found, qd, tolerance=tolerance)
        expected = M @ robot.forward_dynamics(q, qd, tau) + (C + C.T) @ qd
        size = np.abs(M).max() * np.abs(qd).sum() ** 2 + np.abs(expected).max()
        agree(pdot, expected, scale=size, tolerance=tolerance)


BATCHED = {
    'inverse_dynamics_composite': 3,
    'forward_dynamics_factored': 3,
    'forward_dynamics_dense': 3,
    'hamiltonian': 2,
    'hamilton_rates': 3,
}


@pytest.mark.parametrize('name', BATCHED)
def test_a_batch_is_its_rows_one_by_one(name):
    """Row by row the same as one by one, but for the order of roundings in compiled loops."""
    robot = FAMILIES['permuted'].robot
    given = [np.array(rows) for rows in zip(*states(robot, 4))][: BATCHED[name]]
    together = getattr(robot.variants, name)(*given)
    for k in range(4):
        alone = getattr(robot.variants, name)(*(array[k] for array in given))
        for mine, theirs in (
            zip(together, alone) if isinstance(together, tuple) else [(together, alone)]
        ):
            agree(mine[k], theirs, tolerance=1e-14)


@pytest.mark.parametrize('name', ['torque_of_wrench', 'acceleration_of_wrench'])
def test_one_wrench_serves_all_rows(name):
    """One wrench for all rows."""
    case = FAMILIES['permuted']
    q = np.array([state[0] for state in states(case.robot, 4)])
    together = getattr(case.robot.task_space, name)(q, {case.tip: WRENCH})
    for k in range(4):
        agree(
            together[k],
            getattr(case.robot.task_space, name)(q[k], {case.tip: WRENCH}),
            tolerance=1e-14,
        )


def test_singular_pivots_and_wrong_wrenches_are_refused():
    """A singular pivot names its body by every route, and a wrench has six numbers."""
    model = FAMILIES['skew_chain'].robot.model
    constants = model.constants.copy()
    constants[-1, 12:23] = 0.0
    robot, x = Robot(model.with_constants(constants)), np.full(7, 0.3)
    for call in (
        lambda: robot.variants.forward_dynamics_factored(x, x, x),
        lambda: robot.variants.forward_dynamics_dense(x, x, x),
        lambda: robot.task_space.acceleration_of_wrench(x, {'link7': WRENCH}),
        lambda: robot.variants.hamilton_rates(x, x, x),
    ):
        with pytest.raises(SingularityError, match='link7'):
            call()
    with pytest.raises(UnknownNameError, match='got knee; expected some of joint1'):
        robot.variants.hybrid_dynamics(x, x, x, x, ['joint1', 'knee'])
    with pytest.raises(ShapeError, match='or 7 booleans'):
        robot.variants.hybrid_dynamics(x, x, x, x, [True] * 6)
    with pytest.raises(SingularityError, match='link7'):
        robot.variants.hybrid_dynamics(x, x, x, x, ['joint6'])
    robot.variants.hybrid_dynamics(x, x, x, x, ['joint7'])  # held, a joint needs no inertia
    with pytest.raises(ShapeError, match=r'got \(2,\); expected \(3,\)'):
        FAMILIES['skew_chain'].robot.task_space.constrained_dynamics(
            x, x, x, 'link7', 'x y z', [0.0, 1.0]
        )
    with pytest.raises(ShapeError, match='six finite numbers'):
        robot.task_space.torque_of_wrench(x, {'link7': WRENCH[:3]})
