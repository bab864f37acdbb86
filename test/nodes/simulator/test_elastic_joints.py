# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Elastic joints under both nodes, in lock step: the law of the motors, and states of both
sides."""

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from sensor_msgs.msg import JointState

from robodyn_ros import Robot
from robodyn_ros.errors import ParameterError
from robodyn_ros.model.rotors import with_rotors
from robodyn_ros.ros.simulator.sensor_parameters import make_instruments
from robodyn_ros.ros.simulator.simulated_plant import make_plant
from robodyn_ros.ros.simulator.simulator_parameters import SIMULATOR_PARAMETERS
from support.nodes.node_harness import ROOT
from support.robots.geared_arm import ARM as ROTORED
from support.robots.geared_arm import ROTORS

pytestmark = pytest.mark.ros
pytest_plugins = ['robodyn_ros.testing.fixtures']

ARM = ROOT / 'config' / 'urdf' / 'two_link.urdf'
SPRINGS = ['joint1=800 6 0.5', 'joint2=300 2 0.2']
STIFFNESS = np.array([800.0, 300.0])


def test_links_rest_at_the_reference_of_the_law(controlled_robot):
    """Motors are measured; they stop g/k beyond the reference of the links."""
    gains = {
        f'gains__joint{k}__{gain}': value
        for k in (1, 2)
        for gain, value in (('p', 200.0), ('d', 40.0))
    }
    arm = controlled_robot(
        ARM,
        {'law': 'elastic_joint', 'elastic_joint__elastic_joints': SPRINGS, **gains},
        initial_position=[0.3, 0.5],
        elastic_joints=SPRINGS,
        encoders='motor',
        friction_scale=0.0,
        damping_scale=0.0,
    )
    target = np.array([0.6, 0.1])
    arm.go_to(target, 1.0)
    arm.advance(6.0)
    assert arm.status.startswith(('HOLD', 'ACTIVE'))
    beyond = Robot.from_urdf(ARM).gravity_torque(target) / STIFFNESS
    assert np.abs(beyond).min() > 1e-3
    assert arm.position == pytest.approx(target, abs=2e-5)


def test_joint_states_have_both_sides(simulated_robot):
    """`<joint>_link` beside the motors, with the joint torque as its effort."""
    arm = simulated_robot(
        ARM,
        initial_position=[0.3, 0.5],
        elastic_joints=SPRINGS,
        encoders='motor',
        publish_other_side=True,
    )
    states = arm.record(JointState, 'joint_states')
    arm.advance(0.05)
    state = states.wait()
    assert list(state.name) == ['joint1', 'joint2', 'joint1_link', 'joint2_link']
    motors, links = np.split(np.array(state.position), 2)
    torques = np.array(state.effort)[2:]
    assert links == pytest.approx([0.3, 0.5], abs=1e-9)
    assert STIFFNESS * (motors - links) == pytest.approx(torques, abs=1e-9)
    assert np.abs(torques).min() > 0.1


def test_what_springs_do_not_go_with_is_refused():
    """Contacts, and sensors of forces that would take rotors behind springs for the links'."""
    values = {spec.name: spec.convert(spec.default) for spec in SIMULATOR_PARAMETERS}
    values |= {'elastic_joints': tuple(SPRINGS), 'contacts_path': 'table.yaml'}
    robot = Robot.from_urdf(ARM)
    with pytest.raises(ParameterError, match="'table.yaml' beside elastic joints joint1, joint2"):
        make_plant(values, robot, object())
    values['joint_torque.enabled'] = True
    assert len(make_instruments(values, robot, ('joint1',))) == 1
    geared = Robot.from_description(with_rotors(ROTORED, ROTORS))
    with pytest.raises(ParameterError, match='whose rotors are bodies of their own: joint1;'):
        make_instruments(values, geared, ('joint1',))
    assert len(make_instruments(values, geared, ('joint3',))) == 1
