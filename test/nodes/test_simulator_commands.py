# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the simulator reads out of a command message, and what it refuses."""

from array import array

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from robodyn_ros.errors import ParameterError
from robodyn_ros.model.layout import ROTOR
from robodyn_ros.robot.robot import Robot
from robodyn_ros.ros.simulator.effort_intake import NamedEfforts, OrderedEfforts
from robodyn_ros.ros.simulator.simulated_plant import (
    make_faults,
    make_plant,
    make_sensor,
    simulated_robot,
)
from robodyn_ros.ros.simulator.simulator_parameters import SIMULATOR_PARAMETERS
from robodyn_ros.simulation.plant_settings import PlantSettings
from robodyn_ros.simulation.sensor import SensorSettings
from support.node_harness import TWO_LINK

JOINTS = ('a', 'b', 'c')
NAN = float('nan')


def named(names, effort):
    """Return a command by name."""
    return JointState(name=list(names), effort=array('d', effort))


@given(st.permutations(['a', 'b', 'c', 'finger', 'wheel']))
def test_names_decide_in_any_order_beside_other_joints(names):
    """Each joint gets its own effort; joints that are not the robot's are passed over."""
    efforts = {'a': 1.0, 'b': -2.0, 'c': 3.5, 'finger': 99.0, 'wheel': NAN}
    command, reason = NamedEfforts(JOINTS).read(named(names, [efforts[name] for name in names]))
    assert reason == ''
    assert command.tolist() == [1.0, -2.0, 3.5]


def test_order_may_change_from_message_to_message():
    """The place of the names is looked up anew when they change."""
    reader = NamedEfforts(JOINTS)
    for names in (['a', 'b', 'c'], ['c', 'a', 'b'], ['a', 'b', 'c'], ['b']):
        effort = [float('abc'.index(name)) for name in names]
        command, _ = reader.read(named(names, effort))
        expected = [0.0, 1.0, 2.0] if len(names) == 3 else [NAN, 1.0, NAN]
        assert np.array_equal(command, expected, equal_nan=True)


def test_short_arrays_belong_to_the_robots_joints():
    """ros2_control sends efforts only of the joints that have an effort interface."""
    reader = NamedEfforts(JOINTS)
    command, reason = reader.read(named(['finger', 'c', 'a', 'wheel', 'b'], [3.0, 1.0, 2.0]))
    assert reason == ''
    assert command.tolist() == [1.0, 2.0, 3.0]


def test_left_out_and_nan_are_not_commanded():
    """A joint that is missing, or NaN, keeps its NaN; a message without any effort is empty."""
    reader = NamedEfforts(JOINTS)
    command, _ = reader.read(named(['b', 'a'], [NAN, 4.0]))
    assert np.array_equal(command, [4.0, NAN, NAN], equal_nan=True)
    for message in (
        named([], []),
        named(JOINTS, []),
        named(JOINTS, [NAN] * 3),
        named(['b', 'finger'], [NAN, 1.0]),
    ):
        assert reader.read(message) == (None, 'EMPTY')


@pytest.mark.parametrize(
    'message, reason',
    [
        (named(['a', 'b', 'a'], [1.0] * 3), 'DUPLICATE_JOINT'),
        (named(['x', 'y'], [1.0] * 2), 'UNKNOWN_JOINT'),
        (named(JOINTS, [1.0] * 2), 'WRONG_LENGTH'),
        (named(JOINTS, [1.0] * 4), 'WRONG_LENGTH'),
        (named([], [1.0]), 'WRONG_LENGTH'),
        (named([str(k) for k in range(5000)], [1.0] * 5000), 'TOO_MANY_NAMES'),
        (named(JOINTS, [1.0, float('inf'), 0.0]), 'OUT_OF_RANGE'),
        (named(JOINTS, [NAN, -1e300, 0.0]), 'OUT_OF_RANGE'),
    ],
)
def test_bad_named_command_is_refused_with_its_reason(message, reason):
    """And the next good one is read as if nothing had been."""
    reader = NamedEfforts(JOINTS)
    assert reader.read(message) == (None, reason)
    assert reader.describe(message)
    assert reader.read(named(JOINTS, [1.0, 2.0, 3.0]))[0].tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    'data, reason',
    [
        ([], 'WRONG_LENGTH'),
        ([1.0] * 2, 'WRONG_LENGTH'),
        ([1.0] * 4, 'WRONG_LENGTH'),
        ([1.0, NAN, 2.0], 'OUT_OF_RANGE'),
        ([float('-inf')] * 3, 'OUT_OF_RANGE'),
        ([0.0, 1e308, 0.0], 'OUT_OF_RANGE'),
        ([1.0, 2.0, 3.0], ''),
    ],
)
def test_ordered_command_is_complete_and_finite(data, reason):
    """Without names there is no way to leave a joint out."""
    command, found = OrderedEfforts(JOINTS).read(Float64MultiArray(data=array('d', data)))
    assert found == reason
    assert (command is None) == bool(reason)


@given(
    st.lists(st.sampled_from(['a', 'b', 'c', 'x', '']), max_size=6),
    st.lists(st.floats(allow_nan=True, allow_infinity=True), max_size=6),
)
def test_no_message_raises_or_yields_an_infinite_effort(names, effort):
    """Whatever names and lengths come together."""
    command, reason = NamedEfforts(JOINTS).read(named(names, effort))
    assert (command is None) == bool(reason)
    if command is not None:
        assert not np.any(np.isinf(command)) and not np.all(np.isnan(command))


def values(**changes):
    """Return the defaults of the simulator's parameters with some changed."""
    table = {spec.name: spec.convert(spec.default) for spec in SIMULATOR_PARAMETERS}
    given = {name.replace('__', '.'): value for name, value in changes.items()}
    assert given.keys() <= table.keys()
    return {**table, **given}


def test_parameter_defaults_are_those_of_the_library():
    """One truth: what the node does by default is what Plant and Sensor do."""
    robot = Robot.from_urdf(TWO_LINK)
    assert make_plant(values(), robot).settings == PlantSettings()
    assert make_sensor(values(), robot).settings == SensorSettings()
    same = simulated_robot(values(), robot)
    assert same.model.constants == pytest.approx(robot.model.constants, abs=1e-15)


def test_parameters_change_the_simulated_robot():
    """Rotor inertia, errors and payload end up in the dynamics."""
    robot, q = Robot.from_urdf(TWO_LINK), [0.3, 0.7]
    M = robot.mass_matrix(q)
    rotors = simulated_robot(values(rotor_inertia=(0.5, 0.25)), robot)
    assert rotors.mass_matrix(q) == pytest.approx(M + np.diag([0.5, 0.25]))
    assert rotors.model.constants[1:, ROTOR].tolist() == [0.5, 0.25]
    loaded = simulated_robot(
        values(
            payload__frame='tool0',
            payload__mass=2.0,
            payload__com=(0.1, 0.0, 0.0),
            payload__inertia=(0.1, 0.0, 0.0, 0.2, 0.0, 0.2),
        ),
        robot,
    )
    expected = robot.with_payload(2.0, [0.1, 0.0, 0.0], np.diag([0.1, 0.2, 0.2]), 'tool0')
    assert loaded.mass_matrix(q) == pytest.approx(expected.mass_matrix(q))
    wrong = simulated_robot(values(perturbation__mass=0.1, perturbation__seed=2), robot)
    assert not np.allclose(wrong.mass_matrix(q), M, rtol=1e-3)


def test_faults_of_unknown_joints_are_refused():
    """As a ParameterError, which refuses the parameter."""
    model = Robot.from_urdf(TWO_LINK).model
    with pytest.raises(ParameterError, match="two_link.*no joint 'elbow'.*joint1, joint2"):
        make_faults(values(fault__stuck_joints=('elbow',)), model)
    faults = make_faults(values(fault__effort_loss=(0.5, 0.0)), model)
    assert faults.effort_loss == {'joint1': 0.5, 'joint2': 0.0}
