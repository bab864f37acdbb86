"""Other routes to the dynamics, wrenches alone, and Hamilton's equations, against referees."""

import numpy as np
from oracles.compare import agree, solve_tolerance
from oracles.dense import along
from oracles.families import FAMILIES, states
import pytest
from robodyn_ros.errors import ShapeError, SingularityError
from robodyn_ros.robot import Robot

WRENCH = np.array((3.0, -2.0, 5.0, 0.4, -0.7, 0.3))  # [N, N m]


def wrenches(case):
    """Return one wrench at the tip and another half-way."""
    names = case.robot.model.body_names
    return {case.tip: WRENCH, names[len(names) // 2]: -0.5 * WRENCH[::-1]}


def test_inverse_dynamics_through_composite_bodies(every_case, referee):
    """Jain's Algorithm 5.3, with and without wrenches."""
    robot, f_ext = every_case.robot, wrenches(every_case)
    for q, qd, qdd in states(robot):
        agree(robot.inverse_dynamics_composite(q, qd, qdd), referee.inverse_dynamics(q, qd, qdd))
        agree(robot.inverse_dynamics_composite(q, qd, qdd, f_ext),
              referee.inverse_dynamics(q, qd, qdd, f_ext))


@pytest.mark.parametrize('route', ['forward_dynamics_factored', 'forward_dynamics_dense'])
def test_routes_of_forward_dynamics(every_case, referee, route):
    """The three options of Jain's section 7.2 give the same, with and without wrenches."""
    robot, f_ext = every_case.robot, wrenches(every_case)
    for q, qd, tau in states(robot):
        tolerance = solve_tolerance(robot.mass_matrix(q))
        agree(getattr(robot, route)(q, qd, tau), referee.forward_dynamics(q, qd, tau),
              tolerance=tolerance)
        agree(getattr(robot, route)(q, qd, tau, f_ext),
              referee.forward_dynamics(q, qd, tau, f_ext), tolerance=tolerance)


def test_torque_and_acceleration_of_wrenches(every_case):
    """J^T f and M^-1 J^T f without J and M (Jain 5.38, 7.43), against both."""
    robot, f_ext = every_case.robot, wrenches(every_case)
    for q, _, _ in states(robot):
        expected = sum(every_case.dense.jacobian(q, frame).T @ f for frame, f in f_ext.items())
        size = sum(np.abs(every_case.dense.jacobian(q, frame)).max() for frame in f_ext) * 10.0
        agree(robot.torque_of_wrench(q, f_ext), expected, scale=size)
        M = every_case.dense.mass_matrix(q)
        inverse = np.linalg.inv(M)
        agree(robot.acceleration_of_wrench(q, f_ext), inverse @ expected,
              scale=np.abs(inverse).max() * size, tolerance=solve_tolerance(M))


def test_impulse_at_a_frame(every_case):
    """The jump of a frame's velocity under an impulse is that of its operational-space inertia."""
    robot, tip = every_case.robot, every_case.tip
    for q, _, _ in states(robot, 1):
        jump = robot.acceleration_of_wrench(q, {tip: WRENCH})
        compliance = every_case.dense.compliance(q, tip)
        agree(robot.jacobian(q, tip) @ jump, compliance @ WRENCH,
              scale=np.abs(compliance).max() * 10.0,
              tolerance=solve_tolerance(robot.mass_matrix(q)))


def test_hamilton_rates(every_case):
    """The gradients of H, by complex step of the dense energy (Jain 4.43): all of it, or along one
    direction where there are many joints.
    """
    robot, dense = every_case.robot, every_case.dense
    n = robot.nv
    ways = np.eye(n) if n <= 12 else np.random.default_rng(1).normal(size=(1, n))
    for q, qd, tau in states(robot, 1):
        M = dense.mass_matrix(q)
        p = M @ qd

        def energy(q, p):
            return 0.5 * p @ np.linalg.solve(dense.mass_matrix(q), p) + dense.potential(q)

        found, pdot = robot.hamilton_rates(q, p, tau)
        by_q = np.array([along(lambda x: energy(x, p + 0j), q, way) for way in ways])
        by_p = np.array([along(lambda x: energy(q + 0j, x), p, way) for way in ways])
        tolerance = solve_tolerance(M)
        size = np.abs(tau).max() + np.abs(by_q).max() + np.abs(p).max() * np.abs(qd).sum()
        agree(ways @ found, by_p, tolerance=tolerance, scale=np.abs(ways).sum(axis=1).max()
              * np.abs(qd).max())
        agree(ways @ pdot, ways @ tau - by_q, scale=size * np.abs(ways).sum(axis=1).max(),
              tolerance=tolerance)
        agree(robot.hamiltonian(q, p), energy(q, p), tolerance=tolerance,
              scale=0.5 * abs(p @ qd) + abs(dense.potential(q)) + 1.0)


def test_hamilton_gives_the_equations_of_motion(every_case):
    """pdot = Mdot qd + M qdd with Mdot = C + C^T, and p = M qd by two sweeps."""
    robot = every_case.robot
    for q, qd, tau in states(robot):
        M, C = robot.mass_matrix(q), robot.coriolis_matrix(q, qd)
        p = robot.mass_product(q, qd)
        found, pdot = robot.hamilton_rates(q, p, tau)
        tolerance = 10.0 * solve_tolerance(M)
        agree(found, qd, tolerance=tolerance)
        expected = M @ robot.forward_dynamics(q, qd, tau) + (C + C.T) @ qd
        size = np.abs(M).max() * np.abs(qd).sum() ** 2 + np.abs(expected).max()
        agree(pdot, expected, scale=size, tolerance=tolerance)


BATCHED = {'inverse_dynamics_composite': 3, 'forward_dynamics_factored': 3,
           'forward_dynamics_dense': 3, 'hamiltonian': 2, 'hamilton_rates': 3}


@pytest.mark.parametrize('name', BATCHED)
def test_batches(name):
    """Row by row the same as one by one, but for the order of roundings in compiled loops."""
    robot = FAMILIES['permuted'].robot
    given = [np.array(rows) for rows in zip(*states(robot, 4))][:BATCHED[name]]
    together = getattr(robot, name)(*given)
    for k in range(4):
        alone = getattr(robot, name)(*(array[k] for array in given))
        for mine, theirs in (zip(together, alone) if isinstance(together, tuple)
                             else [(together, alone)]):
            agree(mine[k], theirs, tolerance=1e-14)


@pytest.mark.parametrize('name', ['torque_of_wrench', 'acceleration_of_wrench'])
def test_batches_of_wrenches(name):
    """One wrench for all rows."""
    case = FAMILIES['permuted']
    q = np.array([state[0] for state in states(case.robot, 4)])
    together = getattr(case.robot, name)(q, {case.tip: WRENCH})
    for k in range(4):
        assert np.array_equal(together[k], getattr(case.robot, name)(q[k], {case.tip: WRENCH}))


def test_refusals():
    """A singular pivot names its body by every route, and a wrench has six numbers."""
    model = FAMILIES['skew_chain'].robot.model
    constants = model.constants.copy()
    constants[-1, 12:23] = 0.0
    robot, x = Robot(model.with_constants(constants)), np.full(7, 0.3)
    for call in (lambda: robot.forward_dynamics_factored(x, x, x),
                 lambda: robot.forward_dynamics_dense(x, x, x),
                 lambda: robot.acceleration_of_wrench(x, {'link7': WRENCH}),
                 lambda: robot.hamilton_rates(x, x, x)):
        with pytest.raises(SingularityError, match='link7'):
            call()
    with pytest.raises(ShapeError, match='six finite numbers'):
        robot.torque_of_wrench(x, {'link7': WRENCH[:3]})
