# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the simulator reads out of a command message, and what it refuses."""

from array import array
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from robodyn_ros.errors import ParameterError
from robodyn_ros.model.layout import ROTOR
from robodyn_ros.robot.robot import Robot
from robodyn_ros.ros.simulator.command_intake import NamedCommands, OrderedCommands
from robodyn_ros.ros.simulator.simulated_plant import (
    make_faults,
    make_plant,
    make_sensor,
    simulated_robot,
)
from robodyn_ros.ros.simulator.simulator_parameters import SIMULATOR_PARAMETERS
from robodyn_ros.simulation.command_modes import QUANTITIES, UNCHANGED
from robodyn_ros.simulation.plant_settings import PlantSettings
from robodyn_ros.simulation.sensors.encoders import SensorSettings
from support.nodes.node_harness import TWO_LINK

JOINTS = ('a', 'b', 'c')
NAN = float('nan')
EFFORT, POSITION, VELOCITY = 0.0, 1.0, 2.0


class Commanded:
    """What a reader needs of a plant with the joints a, b, c in these command modes."""

    def __init__(self, *modes):
        self.command_modes = modes * (3 // len(modes))
        self.model = SimpleNamespace(joint_names=JOINTS, nv=len(JOINTS))
        self.command_bounds = np.array((1e9, 1e6, 1e4))
        self.accepted_quantities = np.array(
            [[float(mode in ('any', each)) for each in QUANTITIES] for mode in self.command_modes]
        )


EFFORTS = Commanded('effort')
MIXED = Commanded('position', 'effort', 'velocity')


def named(names, effort=(), position=(), velocity=()):
    """Return a command by name."""
    return JointState(
        name=list(names),
        effort=array('d', effort),
        position=array('d', position),
        velocity=array('d', velocity),
    )


def same(command, value, mode):
    """Whether a command has these values and modes."""
    return np.array_equal(command.value, value, equal_nan=True) and command.mode.tolist() == mode


@given(st.permutations(['a', 'b', 'c', 'finger', 'wheel']))
def test_names_decide_in_any_order_beside_other_joints(names):
    """Each joint gets its own effort; joints that are not the robot's are passed over."""
    efforts = {'a': 1.0, 'b': -2.0, 'c': 3.5, 'finger': 99.0, 'wheel': NAN}
    command, reason = NamedCommands(EFFORTS).command_of(
        named(names, [efforts[name] for name in names])
    )
    assert reason == ''
    assert same(command, [1.0, -2.0, 3.5], [EFFORT] * 3)


def test_order_may_change_from_message_to_message():
    """The place of the names is looked up anew when they change."""
    reader = NamedCommands(EFFORTS)
    for names in (['a', 'b', 'c'], ['c', 'a', 'b'], ['a', 'b', 'c'], ['b']):
        effort = [float('abc'.index(name)) for name in names]
        command, _ = reader.command_of(named(names, effort))
        expected = [0.0, 1.0, 2.0] if len(names) == 3 else [NAN, 1.0, NAN]
        mode = [EFFORT if name in names else UNCHANGED for name in JOINTS]
        assert same(command, expected, mode)


def test_short_arrays_belong_to_the_robots_joints():
    """ros2_control sends efforts only of the joints that have an effort interface."""
    reader = NamedCommands(EFFORTS)
    command, reason = reader.command_of(named(['finger', 'c', 'a', 'wheel', 'b'], [3.0, 1.0, 2.0]))
    assert reason == ''
    assert command.value.tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    'arrays',
    [
        {'position': [0.1], 'effort': [5.0], 'velocity': [-0.2]},
        {'position': [NAN, NAN, 0.1], 'effort': [NAN, 5.0, NAN], 'velocity': [-0.2, NAN, NAN]},
        {'position': [9.0, 9.0, 0.1], 'effort': [5.0], 'velocity': [-0.2, 9.0, 9.0]},
    ],
    ids=['short as of JointStateTopicSystem', 'long with NaN', 'with more than a joint takes'],
)
def test_every_joint_gets_the_quantity_of_its_mode(arrays):
    """Three joints in three modes, named in another order than the robot's."""
    command, reason = NamedCommands(MIXED).command_of(named(['c', 'b', 'a'], **arrays))
    assert reason == '' and same(command, [0.1, 5.0, -0.2], [POSITION, EFFORT, VELOCITY])


def test_the_mode_any_is_decided_by_the_one_number_that_is_given():
    """Two numbers for one joint would be two commands."""
    reader = NamedCommands(Commanded('any'))
    command, _ = reader.command_of(named('ab', [NAN, 3.0], velocity=[0.5, NAN]))
    assert same(command, [0.5, 3.0, NAN], [VELOCITY, EFFORT, UNCHANGED])
    assert reader.command_of(named('ab', [2.0, 3.0], [0.5, NAN])) == (None, 'AMBIGUOUS')


def test_left_out_and_nan_are_not_commanded():
    """NaN takes a command back, silence does not; a message without a number is empty."""
    reader = NamedCommands(EFFORTS)
    command, _ = reader.command_of(named(['b', 'a'], [NAN, 4.0]))
    assert same(command, [4.0, NAN, NAN], [EFFORT, EFFORT, UNCHANGED])
    for message in (
        named([], []),
        named(JOINTS, []),
        named(JOINTS, [NAN] * 3),
        named(['b', 'finger'], [NAN, 1.0]),
    ):
        assert reader.command_of(message) == (None, 'EMPTY')


@pytest.mark.parametrize(
    'message, reason',
    [
        (named(['a', 'b', 'a'], [1.0] * 3), 'DUPLICATE_JOINT'),
        (named(['x', 'y'], [1.0] * 2), 'UNKNOWN_JOINT'),
        (named(JOINTS, [1.0] * 2), 'WRONG_LENGTH'),
        (named(JOINTS, [1.0] * 4), 'WRONG_LENGTH'),
        (named(JOINTS, [1.0] * 3, [1.0] * 2), 'WRONG_LENGTH'),
        (named([], [1.0]), 'WRONG_LENGTH'),
        (named([str(k) for k in range(5000)], [1.0] * 5000), 'TOO_MANY_NAMES'),
        (named(JOINTS, [1.0, float('inf'), 0.0]), 'OUT_OF_RANGE'),
        (named(JOINTS, [NAN, -1e300, 0.0]), 'OUT_OF_RANGE'),
        (named(JOINTS, position=[0.0] * 3), 'WRONG_MODE'),
        (named(JOINTS, [NAN, 1.0, 1.0], [0.0, NAN, NAN]), 'WRONG_MODE'),
    ],
)
def test_bad_named_command_is_refused_with_its_reason(message, reason):
    """And the next good one is read as if nothing had been."""
    reader = NamedCommands(EFFORTS)
    assert reader.command_of(message) == (None, reason)
    assert 'every joint takes effort' in reader.describe(message)
    assert reader.command_of(named(JOINTS, [1.0, 2.0, 3.0]))[0].value.tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize('quantity, largest', [('position', 1e6), ('velocity', 1e4)])
def test_set_points_beyond_reason_are_refused(quantity, largest):
    """Each quantity has its own bound."""
    plant = Commanded(quantity)
    for value, expected in ((0.99 * largest, ''), (1.01 * largest, 'OUT_OF_RANGE')):
        assert NamedCommands(plant).command_of(named('a', **{quantity: [value]}))[1] == expected
        data = array('d', [0.0, -value, 0.0])
        assert (
            OrderedCommands(plant, quantity).command_of(Float64MultiArray(data=data))[1]
            == expected
        )


@pytest.mark.parametrize(
    'data, reason',
    [
        ([], 'WRONG_LENGTH'),
        ([1.0] * 2, 'WRONG_LENGTH'),
        ([1.0] * 4, 'WRONG_LENGTH'),
        ([NAN] * 3, 'EMPTY'),
        ([float('-inf')] * 3, 'OUT_OF_RANGE'),
        ([0.0, 1e308, 0.0], 'OUT_OF_RANGE'),
        ([1.0, 2.0, 3.0], ''),
        ([1.0, NAN, 2.0], ''),
    ],
)
def test_ordered_command_has_one_number_for_each_joint(data, reason):
    """NaN where a joint is not commanded."""
    command, found = OrderedCommands(EFFORTS, 'effort').command_of(
        Float64MultiArray(data=array('d', data))
    )
    assert found == reason
    assert command is None if reason else same(command, data, [EFFORT] * 3)


@pytest.mark.parametrize(
    'data, reason',
    [
        ([0.5], ''),
        ([NAN, NAN, 0.5], ''),
        ([NAN, 1.0, 0.5], 'WRONG_MODE'),
        ([0.5, 0.5], 'WRONG_LENGTH'),
    ],
)
def test_ordered_command_of_mixed_modes_is_of_those_that_take_it(data, reason):
    """As ForwardCommandController has the joints that it is given; the others go on."""
    command, found = OrderedCommands(MIXED, 'velocity').command_of(
        Float64MultiArray(data=array('d', data))
    )
    assert found == reason
    assert reason or same(command, [NAN, NAN, 0.5], [UNCHANGED, UNCHANGED, VELOCITY])
    nobody = OrderedCommands(EFFORTS, 'velocity')
    assert nobody.command_of(Float64MultiArray(data=array('d', data)))[0] is None


@given(
    st.lists(st.sampled_from(['a', 'b', 'c', 'x', '']), max_size=6),
    *[st.lists(st.floats(allow_nan=True, allow_infinity=True), max_size=4)] * 3,
    st.sampled_from([EFFORTS, MIXED, Commanded('any')]),
)
def test_no_message_raises_or_yields_an_infinite_number(names, effort, position, velocity, plant):
    """Whatever names and lengths come together."""
    reader = NamedCommands(plant)
    message = named(names, effort, position, velocity)
    command, reason = reader.command_of(message)
    assert (command is None) == bool(reason) and reader.describe(message)
    if command is not None:
        assert not np.any(np.isinf(command.value)) and not np.all(np.isnan(command.value))
        given = ~np.isnan(command.value)
        assert np.all(plant.accepted_quantities[given, command.mode[given].astype(int)])


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
    drives = values(
        command_modes=('any', 'velocity'), drive__kinematic=True, drive__velocity_gain=(3.0,)
    )
    assert make_plant(drives, robot).settings == PlantSettings(
        command_modes=('any', 'velocity'), kinematic=True, velocity_gain=(3.0,)
    )
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
    expected = robot.with_payload('tool0', 2.0, [0.1, 0.0, 0.0], np.diag([0.1, 0.2, 0.2]))
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
