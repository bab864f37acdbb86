# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Errors of sensors have their sizes and repeat; sensors on links measure what mechanics says."""

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.errors import ParameterError
from robodyn_ros.model.layout import DAMPING, FRICTION, ROTOR
from robodyn_ros.simulation import Plant, PlantSettings, Runner, Sensor, SensorSettings
from robodyn_ros.simulation.sensors.instrument import Imperfections, Instrument
from robodyn_ros.simulation.sensors.link_sensors import (
    ForceTorque,
    Imu,
    JointTorque,
    Motion,
    MotorEncoders,
)

TRUTH = np.linspace(-1.0, 1.0, 2000)


def readings(instrument, steps, dt=0.01):
    """Return the readings of a constant truth at each step."""
    found = []
    for _ in range(steps):
        instrument.sample(TRUTH[: len(instrument.value)], dt)
        instrument.deliver()
        found.append(instrument.value.copy())
    return np.array(found)


def test_a_bias_stays_and_a_drift_wanders():
    """The bias is uniform; the variance of the drift is its square times the time."""
    both = [(1000, Imperfections(bias=0.2)), (1000, Imperfections(drift=0.3))]
    instrument = Instrument(both, seed=4)
    found = readings(instrument, 400) - TRUTH
    bias, drift = found[:, :1000], found[:, 1000:]
    assert np.all(bias == bias[0]) and np.abs(bias).max() <= 0.2
    assert np.std(bias[0]) == pytest.approx(0.2 / np.sqrt(3.0), rel=0.05)
    for steps in (100, 400):
        assert np.std(drift[steps - 1]) == pytest.approx(0.3 * np.sqrt(0.01 * steps), rel=0.08)
    correlation = np.mean(drift[99] * drift[399]) / np.mean(drift[99] ** 2)
    assert correlation == pytest.approx(1.0, abs=0.1)  # a walk goes on from where it is
    instrument.reset()
    assert np.array_equal(readings(instrument, 400) - TRUTH, found)
    assert not np.array_equal(readings(Instrument(both, seed=5), 400) - TRUTH, found)


def arrivals(steps, **options):
    """Return the step whose sample arrives at each step."""
    instrument, found = Instrument([(1, Imperfections())], **options), []
    for k in range(steps):
        instrument.sample([float(k)], 0.01)
        instrument.deliver()
        found.append(instrument.value[0])
    return np.array(found)


def test_latency_is_exact_and_jitter_never_turns_time_back():
    """Each delay between the two occurs; the same seed gives the same delays."""
    assert arrivals(6, latency=3).tolist() == [0.0, 0.0, 0.0, 0.0, 1.0, 2.0]
    found = arrivals(2000, latency=2, jitter=3, seed=1)
    delay = np.arange(2000) - found
    assert set(delay[5:]) == {2.0, 3.0, 4.0, 5.0} and np.all(np.diff(found) >= 0.0)
    assert np.array_equal(arrivals(2000, latency=2, jitter=3, seed=1), found)
    assert not np.array_equal(arrivals(2000, latency=2, jitter=3, seed=2), found)


def test_velocity_from_differences_of_a_coarse_encoder():
    """Whole steps over the period; the true velocity on the average."""
    step, dt, speed = 1e-3, 0.01, 0.137
    sensor = Sensor(2, SensorSettings(position_step=step, velocity_source='differences'))
    found = []
    for k in range(1000):
        truth = np.array([k * dt * speed, 0.4])
        sensor.sample_and_deliver(truth, np.array([speed, 9.0]), dt)
        found.append(sensor.velocity.copy())
    assert not found[0].any()
    counts = np.array(found[1:]) * dt / step
    np.testing.assert_allclose(counts, np.rint(counts), atol=1e-9)
    assert set(np.rint(counts[:, 0])) == {1.0, 2.0} and not counts[:, 1].any()
    assert np.mean(counts[:, 0]) * step / dt == pytest.approx(speed, rel=1e-2)


def test_a_late_sensor_sees_every_step_of_a_run(elbow):
    """Also the steps between two readings."""
    runner = Runner(
        Plant(elbow, PlantSettings(no_command='free'), (0.4, -0.7)),
        Sensor(2, SensorSettings(latency=4)),
        1000,
    )
    runner.step(6)
    expected = runner.plant.q.copy()
    runner.step(4)
    assert np.array_equal(runner.sensor.position, expected)
    assert not np.array_equal(runner.plant.q, expected)


@pytest.mark.parametrize(
    'make',
    [
        lambda: Imperfections(bias=-1.0),
        lambda: Imperfections(drift=np.nan),
        lambda: SensorSettings(position_drift=-1.0),
        lambda: SensorSettings(latency=-1),
        lambda: SensorSettings(jitter=0.5),
        lambda: SensorSettings(velocity_source='guessed'),
    ],
)
def test_impossible_errors_are_refused(make):
    with pytest.raises(ParameterError, match='expected'):
        make()


# ------------------------------------------------------------------------------- on links


def way(t, n):
    """Return position, velocity and acceleration of a motion."""
    w = np.linspace(0.7, 1.9, n)
    phase = np.outer([0.0], w)[0] + w * t + np.arange(n)
    return 0.6 * np.sin(phase), 0.6 * w * np.cos(phase), -0.6 * w * w * np.sin(phase)


def motion(robot, t=0.37, wrenches=None):
    """Return the Motion of a robot on this way."""
    q, qd, qdd = way(t, robot.nv)
    return Motion(robot, q, qd, qdd, wrenches or {}, np.array((q, qd)))


def rates(function, t, h=2e-3):
    """Return first and second derivative by central differences of order 4."""
    f = [function(t + k * h) for k in (-2, -1, 0, 1, 2)]
    first = (f[0] - 8.0 * f[1] + 8.0 * f[3] - f[4]) / (12.0 * h)
    second = (-f[0] + 16.0 * f[1] - 30.0 * f[2] + 16.0 * f[3] - f[4]) / (12.0 * h * h)
    return first, second


def test_an_imu_measures_rotation_and_specific_force(arm):
    """R^T (a - g) and the vector of R^T dR/dt, from differences of poses; order 4: 1e-7."""
    frame = arm.model.body_names[-1]
    found = Imu(frame).measure(motion(arm))

    def pose(t):
        return arm.pose(way(t, arm.nv)[0], frame)

    first, second = rates(pose, 0.37)
    R = pose(0.37)[:3, :3]
    spin = R.T @ first[:3, :3]
    np.testing.assert_allclose(found[:3], [spin[2, 1], spin[0, 2], spin[1, 0]], atol=1e-7)
    force = R.T @ (second[:3, 3] - arm.model.gravity)
    np.testing.assert_allclose(found[3:], force, atol=1e-6)
    assert np.abs(found).min() > 1e-2


def test_a_force_torque_sensor_measures_what_a_load_adds(arm):
    """m (g - a) at its centre of mass, and a push; about the frame's origin, in its axes."""
    frame, mass, com = 'tool0', 1.3, np.array([0.1, -0.07, 0.2])
    loaded = arm.with_payload(frame, mass, com, np.zeros((3, 3)))
    push = np.array([3.0, -1.0, 2.0, 0.4, 0.5, -0.6])
    sensor = ForceTorque(frame)
    bare = sensor.measure(motion(arm))
    added = sensor.measure(motion(loaded, wrenches={frame: push})) - bare

    def place(t):
        X = arm.pose(way(t, arm.nv)[0], frame)
        return X[:3, :3] @ com + X[:3, 3]

    R = arm.pose(way(0.37, arm.nv)[0], frame)[:3, :3]
    force = R.T @ (mass * (arm.model.gravity - rates(place, 0.37)[1]))
    expected = np.concatenate((force, np.cross(com, force)))
    expected += np.concatenate((R.T @ push[:3], R.T @ push[3:]))
    np.testing.assert_allclose(added, expected, atol=1e-5)
    assert np.abs(bare[:3]).max() > 1.0  # the links beyond the joint weigh, too
    assert not ForceTorque(arm.model.body_names[0]).measure(motion(arm)).any()


def test_joint_torque_is_what_friction_and_rotor_leave_of_the_motor(elbow):
    """tau - F - D qd - I_r qdd in a step, whose length bounds the difference: 1e-3 at 1e-5 s."""
    model, rotors, viscous, dry = elbow.model, np.array([0.4, 0.2]), [0.3, 0.1], [0.7, 0.2]
    for column, values in ((ROTOR, rotors), (DAMPING, viscous), (FRICTION, dry)):
        model = model.with_joint_values(column, values)
    plant = Plant(Robot(model), position=(0.4, -0.7), velocity=(0.9, -1.3))
    sensor = JointTorque(2)
    runner = Runner(plant, Sensor(2), 100_000, [sensor])
    before = plant.qd.copy()
    effort = np.array([25.0, 4.0])
    runner.command(effort)
    runner.step()
    qdd = (plant.qd - before) * 1e5
    rubs = dry * np.sign(plant.qd) + viscous * plant.qd
    assert np.abs(rotors * qdd).min() > 0.05
    np.testing.assert_allclose(sensor.value, effort - rubs - rotors * qdd, rtol=1e-3)


def test_motor_encoders_have_errors_of_their_own(elbow):
    """Beside those of the links."""
    runner = Runner(
        Plant(elbow, PlantSettings(no_command='free'), (0.4, -0.7)),
        Sensor(2, SensorSettings(position_step=0.25)),
        1000,
        [MotorEncoders(2, Imperfections(resolution=1e-3))],
    )
    runner.step(50)
    motors, links = runner.instruments[0].value, runner.sensor.position
    assert np.abs(motors[:2] - runner.plant.q).max() <= 0.5e-3 < np.abs(links - motors[:2]).max()
    assert np.array_equal(motors[2:], runner.plant.qd)
