# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Noise that repeats, readings on a grid, robots that are possible, and a clock that goes on."""

from math import nan

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.errors import ParameterError, ShapeError
from robodyn_ros.simulation.command_modes import UNCHANGED, Command
from robodyn_ros.simulation.faults import Faults
from robodyn_ros.simulation.perturbation import Perturbation, perturbed
from robodyn_ros.simulation.plant import Plant
from robodyn_ros.simulation.runner import Runner
from robodyn_ros.simulation.sensors.encoders import Sensor, SensorSettings

TRUTH = np.array([0.1, -0.2, 0.3]), np.array([1.0, -2.0, 0.0])


def test_perfect_sensor_reports_the_truth():
    """Without imperfections every bit is that of the plant."""
    sensor = Sensor(3)
    assert sensor.sample_and_deliver(*TRUTH)
    assert np.array_equal(sensor.position, TRUTH[0])
    assert np.array_equal(sensor.velocity, TRUTH[1])


def test_a_perfect_encoder_has_unit_quaternions_and_velocities_of_its_source():
    """Both follow from the positions, even where nothing disturbs these."""
    sensor = Sensor(3, nq=4, quaternions=(0,))
    sensor.sample_and_deliver(np.array([0.0, 0.0, 0.0, 2.0]), np.zeros(3))
    assert np.array_equal(sensor.position, [0.0, 0.0, 0.0, 1.0])
    sensor = Sensor(1, SensorSettings(velocity_source='differences'))
    for position in (0.0, 0.5):
        sensor.sample_and_deliver(np.array([position]), np.array([9.0]), 0.25)
    assert np.array_equal(sensor.velocity, [2.0])


def test_noise_has_its_deviation_and_repeats():
    """4000 readings of three joints; the same seed gives the same bits, another one others."""
    settings = SensorSettings(position_noise=1e-3, velocity_noise=0.02, seed=5)

    def readings(sensor):
        pairs = []
        for _ in range(4000):
            sensor.sample_and_deliver(*TRUTH)
            pairs.append((sensor.position - TRUTH[0], sensor.velocity - TRUTH[1]))
        return np.array(pairs)

    sensor = Sensor(3, settings)
    first = readings(sensor)
    assert np.std(first[:, 0]) == pytest.approx(1e-3, rel=0.05)
    assert np.std(first[:, 1]) == pytest.approx(0.02, rel=0.05)
    sensor.reset()
    assert np.array_equal(readings(sensor), first)
    other = Sensor(3, SensorSettings(position_noise=1e-3, velocity_noise=0.02, seed=6))
    assert not np.array_equal(readings(other), first)


def test_resolution_puts_readings_on_a_grid():
    """Rounded to the nearest step, each on its own."""
    sensor = Sensor(3, SensorSettings(position_step=0.25, velocity_step=0.5))
    sensor.sample_and_deliver(np.array([0.3, -0.4, 0.1]), np.array([1.2, -0.2, 0.26]))
    assert np.array_equal(sensor.position, [0.25, -0.5, 0.0])
    assert np.array_equal(sensor.velocity, [1.0, 0.0, 0.5])


def test_a_frozen_sensor_repeats_and_a_lossy_one_drops():
    """A frozen sensor repeats itself; a lossy one loses its share, reproducibly."""
    sensor = Sensor(3)
    sensor.sample_and_deliver(*TRUTH)
    sensor.faults = Faults(frozen_sensor=True)
    assert sensor.sample_and_deliver(TRUTH[0] + 1.0, TRUTH[1])
    assert np.array_equal(sensor.position, TRUTH[0])
    sensor.faults = Faults(dropped_states=0.3)
    sensor.reset()
    got = [sensor.sample_and_deliver(*TRUTH) for _ in range(5000)]
    assert np.mean(got) == pytest.approx(0.7, abs=0.03)
    sensor.reset()
    assert [sensor.sample_and_deliver(*TRUTH) for _ in range(5000)] == got
    sensor.faults = Faults(dropped_states=1.0)
    assert not any(sensor.sample_and_deliver(*TRUTH) for _ in range(100))


def test_perturbed_robot_is_possible_and_close(arm, middle):
    """Masses within the half-width, M still positive definite, kinematics untouched, seeded."""
    half = Perturbation(mass=0.2, com=0.01, friction=0.5, seed=3)
    model = perturbed(arm.model, half)
    assert np.array_equal(model.constants, perturbed(arm.model, half).constants)
    other = perturbed(arm.model, Perturbation(mass=0.2, com=0.01, friction=0.5, seed=4))
    assert not np.array_equal(model.constants, other.constants)
    robot = Robot(model)
    M, nominal = robot.mass_matrix(middle), arm.mass_matrix(middle)
    assert np.linalg.eigvalsh(M)[0] > 0.0
    assert 1e-3 < np.max(np.abs(M - nominal)) / np.max(np.abs(nominal)) < 0.5
    assert np.array_equal(robot.pose(middle, 'link7'), arm.pose(middle, 'link7'))
    ratio = model.constants[1:, 12] / arm.model.constants[1:, 12]
    assert np.all(np.abs(ratio - 1.0) <= 0.2) and np.ptp(ratio) > 0.0
    for row in model.constants[1:]:
        mass, h = row[12], row[13:16]
        about_origin = np.array(
            [[row[16], row[17], row[18]], [row[17], row[19], row[20]], [row[18], row[20], row[21]]]
        )
        about_com = about_origin - (h @ h * np.eye(3) - np.outer(h, h)) / mass
        assert np.linalg.eigvalsh(about_com)[0] > 0.0


def test_no_perturbation_is_the_same_robot(arm):
    """Zero half-widths change nothing beyond rounding."""
    same = perturbed(arm.model, Perturbation(seed=9))
    assert same.constants == pytest.approx(arm.model.constants, abs=1e-15)


def test_moved_centre_of_mass_moves_the_weight():
    """A wheel of 2 kg about a horizontal axis: g(q) = m g c, with the c that was drawn."""
    text = """<robot name="r"><link name="a"/><link name="b"><inertial><mass value="2"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
      <joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
      </joint></robot>"""
    wheel = Robot.from_urdf(text, gravity=(0.0, -9.81, 0.0))
    moved = perturbed(wheel.model, Perturbation(com=0.1, seed=1))
    c = moved.constants[1, 13:16] / 2.0
    assert 0.0 < np.max(np.abs(c)) <= 0.1
    assert Robot(moved).gravity_torque([0.0])[0] == pytest.approx(2.0 * 9.81 * c[0], rel=1e-12)
    expected = 1.0 + 2.0 * (c[0] ** 2 + c[1] ** 2)
    assert Robot(moved).mass_matrix([0.0])[0, 0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    'change', [{'mass': 1.0}, {'mass': -0.1}, {'com': np.inf}, {'friction': 1.5}, {'seed': -1}]
)
def test_perturbation_refuses_in_a_sentence(change):
    """What would make a robot impossible is not drawn."""
    with pytest.raises(ParameterError, match='expected'):
        Perturbation(**change)


@pytest.mark.parametrize(
    'change', [{'position_noise': -1.0}, {'velocity_step': np.nan}, {'seed': 2.5}]
)
def test_sensor_refuses_in_a_sentence(change):
    """Noise and resolution are zero or more."""
    with pytest.raises(ParameterError, match='expected'):
        SensorSettings(**change)


def test_runner_keeps_a_clock_that_never_goes_back(arm, middle):
    """Exact to the nanosecond after any number of steps; a reset does not turn it back."""
    runner = Runner(Plant(arm, position=middle), Sensor(arm.nv), 1000)
    assert np.array_equal(runner.sensor.position, middle)
    effort = arm.gravity_torque(middle) + 5.0
    runner.command(np.zeros(7))
    runner.command(effort)  # the newest counts
    runner.advance(10)
    assert np.array_equal(runner.plant.effort, effort)
    assert runner.time == 10_000_000
    assert np.array_equal(runner.sensor.position, runner.plant.q)
    runner.reset()
    assert np.array_equal(runner.sensor.position, middle)
    assert runner.time == 10_000_000
    runner.paused = True
    runner.command(effort)
    runner.advance(10)
    assert runner.time == 10_000_000 and np.array_equal(runner.plant.q, middle)
    runner.step(3)
    assert runner.time == 13_000_000
    assert np.array_equal(runner.plant.effort, effort)
    runner.reset()
    runner.command(effort)
    runner.reset()
    runner.step()
    assert not runner.plant.commanded.any()  # no command survives a reset


def test_commands_of_two_between_two_steps_both_count(elbow):
    """Each commands its joints; where both do, the newer one acts."""
    runner = Runner(Plant(elbow), Sensor(2), 1000)
    nobody, effort = UNCHANGED, 0.0
    runner.command(Command([1.0, 2.0], [effort, effort]))
    runner.command(Command([nan, 7.0], [nobody, effort]))
    runner.command(Command([3.0, nan], [effort, nobody]))
    runner.step()
    assert runner.plant.effort.tolist() == [3.0, 7.0]
    with pytest.raises(ShapeError, match='expected an effort for each of'):
        runner.command([1.0])
