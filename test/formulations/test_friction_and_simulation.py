# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Angeles, Example 7.5.1 and sections 7.6.3, 7.8: minimum time, simulation, friction."""

import re

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.errors import ModelError, ParameterError, SingularityError
from robodyn_ros.formulations.angeles import angeles_simulation, euler_lagrange
from robodyn_ros.formulations.angeles.dissipation import Friction
from robodyn_ros.formulations.angeles.minimum_time import S345, S4567, minimum_time
from robodyn_ros.formulations.complex_step import gradient
from robodyn_ros.formulations.simulate import runge_kutta
from robodyn_ros.model.dh import DHRow
from robodyn_ros.model.layout import DAMPING, FRICTION
from support.processes import ROOT
from support.robots.formulation_arms import SERIAL, error, motion, planar

CONFIG = ROOT / 'config' / 'urdf'
X0 = np.array([0.3, 0.7]), np.array([0.4, -0.6])
AT_HALF = (-0.875536667748, 1.347683275942, -3.892511327395, -3.636991961796)
AT_ONE = (-2.853240031497, 0.431524036017, -5.606654677141, 10.599900389799)


def elbow(gravity=(0, -9.81, 0)):
    return planar((1, 0.8), (1.5, 1), (0.5, 0.4), (0.12, 0.05), gravity)


def falling(robot, friction=None):
    """Acceleration of the arm left to itself."""
    friction = friction or Friction()
    return lambda t, q, qd: robot.forward_dynamics(q, qd, friction.torque(qd))


def test_friction_has_the_known_torque_and_dissipation():
    dry = Friction(coulomb=2.0, extra=1.5, decay=10.0)
    np.testing.assert_allclose(dry.torque(np.array([0.1])), [-2.551819161757], rtol=1e-12)
    np.testing.assert_allclose(dry.dissipation(np.array([0.1])), 0.294818083824, rtol=1e-11)
    wet = Friction(viscous=0.3)
    np.testing.assert_allclose(wet.torque(np.array([0.1])), [-0.03])
    np.testing.assert_allclose(wet.dissipation(np.array([0.1])), 0.0015)


def test_friction_is_the_slope_of_its_dissipation_function():
    friction = Friction(
        np.array([0.3, 2.0, 0.1]),
        np.array([1, 0.2, 0]),
        np.array([0.5, 0.1, 2]),
        np.array([8, 3, 5]),
    )
    for qd in np.random.default_rng(0).uniform(-2, 2, (20, 3)):
        np.testing.assert_allclose(friction.torque(qd), -gradient(friction.dissipation, qd))
        np.testing.assert_allclose(friction.torque(-qd), -friction.torque(qd))
        assert friction.power(qd) > 0
    fast = np.full(3, 50.0)
    np.testing.assert_allclose(friction.torque(fast), -friction.viscous * fast - friction.coulomb)
    assert not friction.torque(np.zeros(3)).any()


def test_friction_enters_the_equations_of_motion_through_its_function():
    robot, friction = SERIAL['Stanford-like'](), Friction(0.4, 0.7, 0.2, 5.0)
    for q, qd, qdd in motion(robot):
        tau = euler_lagrange.inverse_dynamics(robot, q, qd, qdd, friction.dissipation)
        assert error(tau, robot.inverse_dynamics(q, qd, qdd) - friction.torque(qd)) < 1e-10


def test_energy_goes_where_friction_takes_it():
    # Section 7.8: the dissipated energy is the integral of the power; H falls by as much.
    robot, friction = elbow(), Friction(viscous=np.array([0.3, 0.1]))
    accelerate = falling(robot, friction)

    def rate(t, y):
        return np.concatenate((y[2:4], accelerate(t, y[:2], y[2:4]), [friction.power(y[2:4])]))

    y = np.concatenate((*X0, [0.0]))
    for k in range(500):
        y = runge_kutta(rate, k * 1e-3, y, 1e-3)
    lost = sum(robot.energy(*X0)) - sum(robot.energy(y[:2], y[2:4]))
    assert lost > 0.1
    np.testing.assert_allclose(y[4], lost, rtol=1e-9)


@pytest.mark.parametrize('method, tolerance', [('ode23', 1e-6), ('ode45', 1e-7), ('gear', 1e-4)])
def test_falling_elbow_by_the_methods_of_the_book_passes_the_known_states(method, tolerance):
    pytest.importorskip('scipy')
    run = angeles_simulation.simulate(falling(elbow()), *X0, 1.0, method)
    np.testing.assert_allclose(np.concatenate((run.q[-1], run.qd[-1])), AT_ONE, rtol=tolerance)
    half = angeles_simulation.simulate(falling(elbow()), *X0, 0.5, method)
    np.testing.assert_allclose(np.concatenate((half.q[-1], half.qd[-1])), AT_HALF, rtol=tolerance)


def test_gear_needs_far_fewer_steps_where_the_arm_is_stiff():
    pytest.importorskip('scipy')
    arm = planar((1, 0.1), (10, 0.01), (0.5, 0.05), (1, 1e-5))  # heavy base, light tip
    stiff = falling(arm, Friction(viscous=np.array([5.0, 0.5])))
    rest = np.array([0.3, 0.7]), np.zeros(2)
    explicit, gear = (
        angeles_simulation.simulate(stiff, *rest, 0.2, method, 1e-6)
        for method in ('ode45', 'gear')
    )
    np.testing.assert_allclose(explicit.q[-1], gear.q[-1], atol=1e-4)
    assert explicit.evaluations > 20 * gear.evaluations


def test_unknown_method_is_refused():
    with pytest.raises(ParameterError, match='expected one of ode23, ode45, gear'):
        angeles_simulation.simulate(falling(elbow()), *X0, 1.0, 'euler')


def test_backward_euler_is_of_first_order():
    accelerate = falling(elbow())

    def f(t, y):
        return np.concatenate((y[2:], accelerate(t, y[:2], y[2:])))

    errors = []
    for steps in (400, 800, 1600):
        y = np.concatenate(X0)
        for k in range(steps):
            y = angeles_simulation.backward_euler(f, k * 0.5 / steps, y, 0.5 / steps)
        errors.append(np.abs(y - AT_HALF).max())
    np.testing.assert_allclose(np.log2(np.array(errors[:2]) / errors[1:]), 1.0, atol=0.1)


def test_backward_euler_is_not_the_trapezoidal_rule_and_stays_stable():
    # One step of y' = -k y: 1/(1 + h k), where the trapezoidal rule has (1 - h k/2)/(1 + h k/2).
    got = angeles_simulation.backward_euler(lambda t, y: -1000.0 * y, 0.0, np.ones(1), 0.1)
    np.testing.assert_allclose(got, 1 / 101, rtol=1e-6)
    assert got[0] - (1 - 50) / (1 + 50) > 0.9
    # The end of the step in time too: y' = t y gives y_(k+1) = y_k/(1 - h t_(k+1)).
    got = angeles_simulation.backward_euler(lambda t, y: t * y, 2.0, np.ones(1), 0.1)
    np.testing.assert_allclose(got, 1 / (1 - 0.1 * 2.1), rtol=1e-6)
    with pytest.raises(SingularityError, match='has not converged'):
        angeles_simulation.backward_euler(lambda t, y: y * y, 0.0, np.ones(1), 1.0)


@pytest.mark.parametrize('shape, bend', [(S345, 10 / 3**0.5), (S4567, 84 * 5**0.5 / 25)])
def test_shapes_rest_at_both_ends_with_the_known_bend(shape, bend):
    np.testing.assert_allclose(
        (shape(0), shape(1), shape.deriv()(0), shape.deriv()(1)), (0, 1, 0, 0), atol=1e-12
    )
    x = np.linspace(0, 1, 100001)
    np.testing.assert_allclose(np.abs(shape.deriv(2)(x)).max(), bend, rtol=1e-8)


def test_minimum_time_of_one_joint_is_known():
    robot = Robot.from_dh([DHRow(inertia=np.diag([0, 0.4, 0.8]) + np.diag([0.4, 0, 0]), mass=1)])
    found = minimum_time(robot, np.zeros(1), np.array([1.2]), np.array([5.0]))
    np.testing.assert_allclose(found.time, 1.052859210362, rtol=1e-11)


def test_minimum_time_of_the_elbow_without_weight_is_known():
    q0, dq, limits = np.array([0, 0.5]), np.array([1, -0.8]), np.array([20, 8.0])
    found = minimum_time(elbow((0, 0, 0)), q0, dq, limits)
    # The largest of 10001 samples of f_1 is 11.628177877; the maximum lies between two of them.
    np.testing.assert_allclose(found.forces, [11.6281779174, 2.557285383], rtol=1e-9)
    np.testing.assert_allclose(found.times, [0.7625017350, 0.565385420], rtol=1e-9)
    assert found.time == found.times[0]


def test_minimum_time_of_a_pendulum_is_known():
    """A rod with f = I s'' dq and w = m g c cos q, by a maximum over a fine grid."""
    row = DHRow(a=0.5, mass=2.0, com=(-0.25, 0, 0), inertia=np.diag([0, 0.05, 0.05]))
    robot = Robot.from_dh([row], convention='standard', gravity=(0, -9.81, 0))
    q0, dq, limit = -0.9, 2.3, 6.0
    x = np.linspace(0.0, 1.0, 400001)
    f = (0.05 + 2.0 * 0.25**2) * S345.deriv(2)(x) * dq
    w = 2.0 * 9.81 * 0.25 * np.cos(q0 + S345(x) * dq)
    known = np.sqrt((np.abs(f) / (limit - np.sign(f) * w)).max())
    found = minimum_time(robot, [q0], [dq], [limit])
    np.testing.assert_allclose(found.time, known, rtol=1e-9)
    assert known > 1.5 * np.sqrt(np.abs(f).max() / limit)  # what the weight costs


def demanded(robot, q0, dq, time):
    """Largest torque and velocity of each joint in a motion, by the kernels of the robot."""
    x = np.linspace(0.0, 1.0, 20001)[:, None]
    q, qd = q0 + S345(x) * dq, S345.deriv()(x) * dq / time
    tau = robot.inverse_dynamics(q, qd, S345.deriv(2)(x) * dq / time**2)
    damping, dry = (robot.model.joint_values(column) for column in (DAMPING, FRICTION))
    tau = tau + damping * qd + dry * np.sign(dq)
    return np.abs(tau).max(axis=0), np.abs(qd).max(axis=0)


@pytest.mark.parametrize(
    ('name', 'share', 'reached'),
    [
        ('two_link', 1.0, 'torque'),
        ('two_link', 99.0, 'velocity'),
        ('franka_like', 0.7, 'velocity'),
    ],
)
def test_in_the_minimum_time_one_limit_is_reached_and_none_exceeded(name, share, reached):
    """With weight, friction and velocity limits; the torques are those of the robot's kernels."""
    robot = Robot.from_urdf(CONFIG / f'{name}.urdf')
    rng, limits = np.random.default_rng(5), robot.limits
    range_ = np.maximum(limits.lower, -1.5), np.minimum(limits.upper, 1.5)
    q0, q1 = rng.uniform(*range_, (2, robot.nv))
    found = minimum_time(robot, q0, q1 - q0, share * limits.effort, samples=50)
    for time, within in ((found.time, True), (0.999 * found.time, False)):
        torque, velocity = demanded(robot, q0, q1 - q0, time)
        shares = {
            'torque': (torque / (share * limits.effort)).max(),
            'velocity': (velocity / limits.velocity).max(),
        }
        assert max(shares, key=shares.get) == reached
        if within:
            np.testing.assert_allclose(shares[reached], 1.0, rtol=1e-6)  # between two of the grid
        assert within or shares[reached] > 1.0


@pytest.mark.parametrize(
    ('name', 'share'), [('two_link', 1.0), ('ur_like', 0.6), ('franka_like', 0.8)]
)
def test_in_the_minimum_time_the_torques_of_pinocchio_reach_a_limit(name, share):
    """Along the whole motion, with gravity; none is beyond, and a shorter time would exceed one.

    Velocity limits are out of the way: they would be reached first.
    """
    pin = pytest.importorskip('pinocchio', reason='Pinocchio is the referee here')
    text = re.sub('velocity="[^"]*"', 'velocity="1e3"', (CONFIG / f'{name}.urdf').read_text())
    robot, model = Robot.from_urdf(text), pin.buildModelFromXML(text)
    order = [model.joints[model.getJointId(joint)].idx_v for joint in robot.joint_names]
    data, rng, limits = model.createData(), np.random.default_rng(8), share * robot.limits.effort
    range_ = np.maximum(robot.limits.lower, -1.5), np.minimum(robot.limits.upper, 1.5)
    q0, q1 = rng.uniform(*range_, (2, robot.nv))
    dq, x = q1 - q0, np.linspace(0.0, 1.0, 2001)[:, None]
    damping, dry = (robot.model.joint_values(column) for column in (DAMPING, FRICTION))

    def most(time):
        """Largest share of a torque limit over the motion."""
        states = np.zeros((len(x), 3, model.nv))
        rates = S345(x) * dq + q0, S345.deriv()(x) * dq / time, S345.deriv(2)(x) * dq / time**2
        states[:, :, order] = np.stack(rates, axis=1)
        torques = np.array([pin.rnea(model, data, *state) for state in states])[:, order]
        torques += damping * rates[1] + dry * np.sign(dq)
        return (np.abs(torques) / limits).max()

    time = minimum_time(robot, q0, dq, limits, samples=50).time
    assert most(time) == pytest.approx(1.0, abs=1e-5)  # the maximum lies between two samples
    assert most(0.99 * time) > 1.0


def test_minimum_time_counts_the_friction_of_the_joints():
    """Viscous, Coulomb and both; the larger solution where the friction helps to brake."""
    plain = Robot.from_urdf(CONFIG / 'two_link.urdf')
    q0, dq = np.array([0.2, -0.4]), np.array([1.1, 1.7])
    times = []
    for damping, dry in ((0.0, 0.0), (6.0, 0.0), (0.0, 9.0), (6.0, 9.0)):
        model = plain.model.with_joint_values(DAMPING, np.array([damping, 0.5 * damping]))
        robot = Robot(model.with_joint_values(FRICTION, np.array([dry, 0.2 * dry])))
        found = minimum_time(robot, q0, dq, plain.limits.effort, samples=50)
        torque, _ = demanded(robot, q0, dq, found.time)
        np.testing.assert_allclose((torque / plain.limits.effort).max(), 1.0, rtol=1e-6)
        times.append(found.time)
    assert times[0] < times[1] < times[3] and times[0] < times[2] < times[3]


def test_minimum_time_refuses_what_no_time_makes_possible():
    robot = Robot.from_urdf(CONFIG / 'two_link.urdf')
    needed = np.abs(robot.gravity_torque(np.zeros((1, 2)))).max()
    with pytest.raises(ModelError, match='joint joint1 needs .* expected less than its limit, 3'):
        minimum_time(robot, np.array([-1.0, 0.0]), np.array([2.0, 0.0]), np.array([3.0, 30.0]))
    assert needed > 3.0
    with pytest.raises(ParameterError, match='joint joint2 at 6.5; expected -6.28319 to 6.28319'):
        minimum_time(robot, np.zeros(2), np.array([0.0, 6.5]), robot.limits.effort)


def test_minimum_time_refuses_a_joint_without_torque():
    with pytest.raises(ParameterError, match='expected > 0'):
        minimum_time(elbow(), *np.zeros((2, 2)), np.array([1.0, 0.0]))
