# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Both nodes run an arm whose description is an MJCF, by its path and as text."""

import signal
import sys

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')
mujoco = pytest.importorskip('mujoco', reason='mujoco is not installed')

from robodyn_ros.testing.started_node import StartedNode
from support.nodes.launched import by_runner

pytestmark = pytest.mark.ros
pytest_plugins = ['robodyn_ros.testing.fixtures']

# With inertias of geoms, defaults, a joint off its body's origin, and a turned and lifted base.
ARM = """<mujoco model="mj_arm"><default><joint damping="0.4" armature="0.02"/></default>
<worldbody><body name="base" pos="0.1 0 0.4" euler="0 20 0">
  <geom type="cylinder" size="0.05 0.1"/>
  <body name="upper" pos="0 0 0.1"><joint name="lift" axis="0 1 0" range="-120 120"/>
    <geom type="capsule" size="0.03" fromto="0 0 0 0.4 0 0"/>
    <body name="fore" pos="0.4 0 0"><joint name="bend" axis="0 1 0" pos="0.02 0 0.01"
      range="-140 140"/><geom type="box" size="0.15 0.03 0.02" pos="0.15 0 0"/>
      <site name="tip" pos="0.3 0 0"/></body></body></body></worldbody>
<actuator><motor joint="lift" gear="80" ctrlrange="-1 1"/>
  <motor joint="bend" gear="40" ctrlrange="-1 1"/></actuator></mujoco>"""
TARGET = (0.5, -0.8)


@pytest.mark.parametrize('kind', ['path', 'text'])
def test_an_arm_of_mjcf_goes_to_its_target_and_holds_its_weight(controlled_robot, tmp_path, kind):
    """The weight is that of MuJoCo; the arm still creeps by 1e-4 rad/s at the most."""
    path = tmp_path / 'arm.xml'
    path.write_text(ARM)
    values = {}
    if kind == 'text':
        values = {'robot_description': f"'{' '.join(ARM.split())}'"}  # a string of YAML
        path = "''"
    arm = controlled_robot(path, controller=values, **values)
    assert arm.joint_names == ['lift', 'bend']
    arm.go_to(TARGET, 1.0)
    state = arm.advance(2.0)
    assert arm.status == 'HOLD TRAJECTORY_END', arm.log
    np.testing.assert_allclose(state.position, TARGET, atol=1e-3)
    model = mujoco.MjModel.from_xml_string(ARM)
    data = mujoco.MjData(model)
    data.qpos[:] = state.position
    mujoco.mj_forward(model, data)
    assert np.abs(data.qfrc_bias).min() > 0.5
    np.testing.assert_allclose(arm.torque, data.qfrc_bias, atol=0.02)


def test_the_command_runs_an_arm_of_mjcf(tmp_path):
    """Both nodes as processes of their own."""
    path = tmp_path / 'arm.xml'
    path.write_text(ARM)
    words = [sys.executable, '-m', 'robodyn_ros', 'arm', str(path)]
    node = StartedNode([*words, '--law', 'gravity_compensation'], tmp_path)
    try:
        node.wait_for_output('ACTIVE: ')
        code, _ = node.stop(signal.SIGINT)
    finally:
        node.close()
    assert code == 0, node.output
    assert "'mj_arm' is simulated" in node.output and 'Traceback' not in node.output


@pytest.mark.launch_file
def test_the_launch_file_runs_an_arm_of_mjcf(tmp_path, node_environment, node_command):
    path = tmp_path / 'arm.xml'
    path.write_text(ARM)
    law = 'gravity_compensation'
    words = [f'description_file:={path}', f'law:={law}']
    by_runner(node_environment, node_command, tmp_path, 'simulated_arm', words, law)
