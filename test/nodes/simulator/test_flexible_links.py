# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Flexible links under the simulator, in lock step: joint states, modes, and refusals."""

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from sensor_msgs.msg import JointState

from robodyn_ros import Robot
from robodyn_ros.errors import ParameterError
from robodyn_ros.ros.simulator.simulated_plant import make_plant
from robodyn_ros.ros.simulator.simulator_parameters import SIMULATOR_PARAMETERS
from support.nodes.node_harness import ROOT

pytestmark = pytest.mark.ros
pytest_plugins = ['robodyn_ros.testing.fixtures']

ARM = ROOT / 'config' / 'urdf' / 'two_link.urdf'
LINKS = """
flexible_links:
  link1:
    beam: {end: [1.0, 0, 0], bending: 4.0e+3, modes: [2, 2, 0], damping_ratio: 0.02}
"""


@pytest.fixture
def path(tmp_path):
    found = tmp_path / 'links.yaml'
    found.write_text(LINKS)
    return str(found)


def test_joint_states_have_the_modes_behind_the_joints(simulated_robot, path):
    """A held arm: its links bend under their weight, and stay so."""
    arm = simulated_robot(
        ARM, initial_position=[0.3, 0.5], flexible_links_path=path, publish_modes=True
    )
    states = arm.record(JointState, 'joint_states')
    arm.advance(0.05)
    state = states.wait()
    modes = [f'link1_mode_{k}' for k in (1, 2, 3, 4)]
    assert list(state.name) == ['joint1', 'joint2', *modes]
    assert np.array(state.position)[:2] == pytest.approx([0.3, 0.5], abs=1e-9)
    assert np.abs(np.array(state.position)[2:]).max() > 1e-5
    assert np.abs(np.array(state.velocity)).max() < 1e-6


def test_joint_states_are_those_of_the_joints_by_default(simulated_robot, path):
    arm = simulated_robot(ARM, initial_position=[0.3, 0.5], flexible_links_path=path)
    states = arm.record(JointState, 'joint_states')
    arm.advance(0.01)
    assert list(states.wait().name) == ['joint1', 'joint2']


@pytest.mark.parametrize(
    ('given', 'words'),
    [
        ({'lock_step.specialise': True}, 'lock_step.specialise beside flexible links link1'),
        ({'imu.frames': ('link2',)}, 'imu.frames beside flexible links link1'),
        ({'elastic_joints': ('joint1=800',)}, 'elastic joints joint1 beside flexible links link1'),
        ({'payload.frame': 'link1', 'payload.mass': 1.0}, "'link1' on the flexible link 'link1'"),
    ],
)
def test_what_flexible_links_do_not_go_with_is_refused(path, given, words):
    values = {spec.name: spec.convert(spec.default) for spec in SIMULATOR_PARAMETERS}
    values |= {'flexible_links_path': path, **given}
    with pytest.raises(ParameterError, match=words):
        make_plant(values, Robot.from_urdf(ARM))


def test_contacts_are_refused_beside_flexible_links(path):
    values = {spec.name: spec.convert(spec.default) for spec in SIMULATOR_PARAMETERS}
    with pytest.raises(ParameterError, match='contacts_path beside flexible links link1'):
        make_plant(values | {'flexible_links_path': path}, Robot.from_urdf(ARM), object())
