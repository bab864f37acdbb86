# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""From a recording to files that both nodes read, and what they say of a second motion."""

import re

import numpy as np
import pytest

from robodyn_ros.cli import identify as command
from robodyn_ros.demonstration import identified_robot
from robodyn_ros.errors import ModelError
from robodyn_ros.identification import (
    Fourier,
    Parameters,
    base_parameters,
    identify,
    resampled,
    write_csv,
)
from robodyn_ros.model import urdf_writer
from robodyn_ros.model.extended.joint_friction import JointFriction
from robodyn_ros.model.layout import (
    COSINE,
    DAMPING,
    FRICTION,
    ROTOR,
    SINE,
    STICTION,
    STRIBECK_EXPONENT,
)
from robodyn_ros.robot.robot import Robot
from support.compare import agree

from .conftest import FRANKA

pytest.importorskip('scipy', reason='filtering a recording needs scipy')

PERIOD, RATE, NOISE = 8.0, 200.0, 1e-3
#: An arm with a welded tool, a joint that is held, and links whose frames are turned.
ARM = """<robot name="arm"><link name="base"/>
<link name="upper"><inertial><origin xyz="0.3 0.02 0.1" rpy="0.3 0.2 0.1"/><mass value="4"/>
<inertia ixx="0.04" iyy="0.12" izz="0.1" ixy="0.01" ixz="0" iyz="0"/></inertial></link>
<link name="lower"><inertial><origin xyz="0.2 0 0.05"/><mass value="2"/>
<inertia ixx="0.02" iyy="0.05" izz="0.05" ixy="0" ixz="0.005" iyz="0"/></inertial></link>
<link name="tool"><inertial><origin xyz="0 0 0.1"/><mass value="0.5"/>
<inertia ixx="0.002" iyy="0.002" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="finger"><inertial><mass value="0.1"/>
<inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/>
<origin xyz="0 0 0.5" rpy="0.4 0 0"/><axis xyz="0 1 1"/></joint>
<joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/>
<origin xyz="0.6 0 0" rpy="0 0 0.5"/><axis xyz="0 -1 0"/></joint>
<joint name="weld" type="fixed"><parent link="lower"/><child link="tool"/>
<origin xyz="0.4 0 0" rpy="0 0.7 0"/></joint>
<joint name="slide" type="prismatic"><parent link="tool"/><child link="finger"/>
<axis xyz="1 0 0"/><limit lower="0" upper="0.1" effort="1" velocity="1"/></joint></robot>"""


@pytest.fixture(scope='module')
def arm():
    """Return the arm as described, with a finger held open."""
    return Robot.from_urdf(ARM, locked={'slide': 0.04})


@pytest.fixture(scope='module')
def true(arm):
    """Return the moving arm: heavier, with friction and rotors that are not in its description."""
    model = arm.model.with_scaled_masses((1.0, 1.3, 0.8))
    for column, values in ((DAMPING, (2.0, 1.0)), (FRICTION, (3.0, 0.5)), (ROTOR, (0.5, 0.2))):
        model = model.with_joint_values(column, values)
    friction = JointFriction(
        static=3.5, stribeck_velocity=0.2, cosine=1.6, sine=-1.0, wavenumber=2.0
    )
    slow = JointFriction(static=1.1, stribeck_velocity=0.3, stribeck_exponent=1.0)
    return Robot(model).extended.with_joint_friction({'shoulder': friction, 'elbow': slow})


def recorded(true, seed):
    """Return a recording of the true arm on a motion, with the noise of its torque sensors."""
    rng = np.random.default_rng(seed)
    motion = Fourier(np.zeros(2), *rng.normal(size=(2, 2, 4)), PERIOD)
    t = np.arange(0.0, 2.0 * PERIOD, 1.0 / RATE)
    truth, states = Parameters(true, rotors=True), motion.at(t)
    tau = truth.regressor(*states) @ truth.nominal
    return resampled(t, states[0], tau + NOISE * np.abs(tau).max() * rng.normal(size=tau.shape))


@pytest.fixture(scope='module')
def done(tmp_path_factory, arm, true):
    """Return (folder, what was printed) of the command that does all steps."""
    import contextlib
    import io

    folder = tmp_path_factory.mktemp('trip')
    (folder / 'arm.urdf').write_text(ARM)
    curves = (
        'joint_friction: {shoulder: {stribeck_velocity: 0.2, wavenumber: 2}, '
        'elbow: {stribeck_velocity: 0.3, stribeck_exponent: 1}}'
    )
    (folder / 'curves.yaml').write_text(curves)
    for name, seed in (('first', 1), ('second', 2)):
        recording = recorded(true, seed)
        path = folder / f'{name}.csv'
        write_csv(path, arm.joint_names, recording.time, recording.q, recording.tau)
    paths = [str(folder / name) for name in ('arm.urdf', 'first.csv', 'second.csv', 'out')]
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        options = ('--rotors', '--locked', 'slide=0.04', '--trust', '0.01')
        options += ('--friction-file', str(folder / 'curves.yaml'))
        assert (
            command.main(['fit', *paths[:2], '--verify', *paths[2:3], *options, '-o', paths[3]])
            == 0
        )
    return folder, printed.getvalue()


def test_one_command_goes_from_a_recording_to_a_second_motion(done, arm):
    """Compiled for the files, torques of another motion are right to the noise of 0.1 %."""
    _, printed = done
    lines = printed.partition('On the second motion')[2]
    found = re.findall(r'(\w+): torque error (\S+) \(as identified\), (\S+) \(.*of (\S+)', lines)
    assert [joint for joint, *_ in found] == list(arm.joint_names)
    after, before, torque = np.array([values for _, *values in found], float).T
    assert (after < 0.01 * torque).all() and (before > 0.1 * torque).all()


def test_the_files_hold_rotors_and_friction(done, true):
    """What was identified is in the URDF and the YAML, near the truth."""
    folder, _ = done
    again = identified_robot.robot_of(folder / 'out', true.model)
    for column in (DAMPING, FRICTION, STICTION, COSINE, SINE, STRIBECK_EXPONENT):
        np.testing.assert_allclose(
            again.model.joint_values(column), true.model.joint_values(column), rtol=0.05
        )
    assert true.model.joint_values(SINE)[0] == -1.0
    truth, read = (Parameters(each, rotors=True) for each in (true, again))
    base = base_parameters(truth)
    rotors = [k for k, name in enumerate(truth.names) if name.endswith('.rotor')]
    # a rotor of 0.5 or 0.2 kg m2 counts together with the inertia of links about its joint
    with_rotors = base.combination[np.any(base.combination[:, rotors] != 0.0, axis=1)]
    assert read.names == truth.names and len(with_rotors) == len(rotors) == 2
    np.testing.assert_allclose(with_rotors @ read.nominal, with_rotors @ truth.nominal, rtol=0.005)
    q, qd, qdd = np.random.default_rng(5).normal(size=(3, 20, 2))
    expected = true.inverse_dynamics(q, qd, qdd)
    agree(again.inverse_dynamics(q, qd, qdd), expected, tolerance=0.01)


def test_controller_and_simulator_read_the_files(done, true):
    """The parameter file has parameters of both nodes, and they build the robot of the files."""
    pytest.importorskip('rclpy', reason='the nodes need ROS')
    import yaml

    from robodyn_ros.ros.common.robot_source import ROBOT_PARAMETERS, RobotSource
    from robodyn_ros.ros.controller.controller_parameters import CONTROLLER_PARAMETERS
    from robodyn_ros.ros.simulator.simulator_parameters import SIMULATOR_PARAMETERS

    folder, _ = done
    content = yaml.safe_load((folder / 'out' / 'identified.yaml').read_text())
    values = content['/**']['ros__parameters']
    for table in (CONTROLLER_PARAMETERS, SIMULATOR_PARAMETERS):
        assert set(values) <= {each.name for each in table}
    defaults = {each.name: each.default for each in ROBOT_PARAMETERS}
    node = RobotSource(None, {**defaults, **values}).build().model
    here = identified_robot.robot_of(folder / 'out', true.model).model
    assert node.joint_names == here.joint_names and dict(node.held) == dict(here.held)
    np.testing.assert_array_equal(node.constants, here.constants)
    assert here.joint_values(ROTOR).all()


def test_a_written_urdf_is_the_model(arm, true):
    """Reading it gives the model's constants back, to rounding, with the tool in its body."""
    text = urdf_writer.with_parameters(ARM, true.model)
    again = Robot.from_urdf(text, locked={'slide': 0.04}).model
    none = dict.fromkeys(true.joint_names, JointFriction())  # URDF has no curves
    plain = true.extended.with_joint_friction(none)
    expected = plain.model.with_joint_values(ROTOR, np.zeros(2)).constants
    np.testing.assert_allclose(again.constants, expected, rtol=1e-12, atol=1e-13)
    assert text.count('<inertial>') == 2
    franka = Robot.from_urdf(FRANKA)
    again = Robot.from_urdf(urdf_writer.with_parameters(FRANKA, franka.model))
    np.testing.assert_allclose(
        again.model.constants, franka.model.constants, rtol=1e-12, atol=1e-13
    )


def test_rotors_as_bodies_are_refused(arm):
    """A body that the URDF does not have cannot be written into it."""
    from robodyn_ros.model.rotors import Rotor

    geared = Robot.from_urdf(ARM, locked={'slide': 0.0}, rotors={'elbow': Rotor(1e-4, 50.0)})
    with pytest.raises(ModelError, match='elbow_rotor.* expected rotors as inertia'):
        urdf_writer.with_parameters(ARM, geared.model)


def test_a_weak_motion_leaves_parameters_out_by_name(arm, true):
    """A small and slow motion under sensor noise has little information: the rest stays as
    described.

    Without this an estimate may be many times what any body of this size could have.
    """
    rng, t = np.random.default_rng(4), np.arange(0.0, 2.0 * PERIOD, 1.0 / RATE)
    motion = Fourier(np.zeros(2), *(0.02 * rng.normal(size=(2, 2, 2))), PERIOD)
    truth, states = Parameters(true), motion.at(t)
    tau = truth.regressor(*states) @ truth.nominal + truth.known_torque(states[2])
    weak = resampled(t, states[0], tau + 0.3 * rng.normal(size=tau.shape))
    found = identify(arm, weak, cutoff=2.0)
    assert found.left_out and len(found.base) >= 2
    assert {each.name for each in found.left_out}.isdisjoint(found.base.names)
    worst = found.left_out[0]
    sizes = dict(zip(found.parameters.names, found.parameters.sizes))
    assert worst.deviation > sizes[worst.name.split()[0]]
    strong = identify(arm, recorded(true, 1), cutoff=10.0)
    assert len(found.base) + len(found.left_out) == len(strong.base) + len(strong.left_out)
    assert len(strong.left_out) < len(found.left_out)
