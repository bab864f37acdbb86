# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What an engineer does first: an own xacro in an own package, its report, the launch file."""

import subprocess
import sys
from importlib.util import find_spec

import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')
pytest.importorskip('xacro', reason='xacro is not installed')

from support.nodes.launched import by_runner
from support.patience import PATIENCE

HAS_LAUNCH = find_spec('launch_testing') is not None
XACRO = """<robot name="own_arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:macro name="part" params="name parent child mass effort">
  <link name="${child}"><inertial><origin xyz="0.2 0 0"/><mass value="${mass}"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.05" iyz="0" izz="0.05"/></inertial></link>
  <joint name="${name}" type="revolute"><origin xyz="${0.2 * 2} 0 0"/>
    <parent link="${parent}"/><child link="${child}"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" velocity="3" effort="${effort}"/></joint>
</xacro:macro>
<link name="base_link"/>
<xacro:part name="shoulder" parent="base_link" child="upper" mass="3" effort="90"/>
<xacro:part name="elbow" parent="upper" child="lower" mass="2" effort="3"/>
</robot>"""
FILE = 'package://own_arm_description/urdf/arm.urdf.xacro'


@pytest.fixture
def environment(node_environment, tmp_path):
    """A sourced workspace with a description of one's own, and a home that is empty."""
    share = tmp_path / 'install' / 'share' / 'own_arm_description'
    (share / 'urdf').mkdir(parents=True)
    (share / 'urdf' / 'arm.urdf.xacro').write_text(XACRO)
    home = tmp_path / 'home'
    home.mkdir()
    prefixes = f'{tmp_path / "install"}:{node_environment["AMENT_PREFIX_PATH"]}'
    return {**node_environment, 'HOME': str(home), 'AMENT_PREFIX_PATH': prefixes}


def report(environment, *arguments):
    """Run the command of the model report."""
    return subprocess.run(
        [sys.executable, '-m', 'robodyn_ros', 'report', *arguments],
        env=environment,
        cwd=environment['HOME'],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )


def test_the_report_names_what_is_weak_and_what_there_is(environment):
    """The elbow cannot hold its link; a joint that is misspelt is answered with the right ones."""
    done = report(environment, FILE)
    assert done.returncode == 0, done.stderr
    assert (
        "joint 'elbow': cannot hold itself" in done.stdout and "'shoulder': c" not in done.stdout
    )
    done = report(environment, FILE, '--locked', 'elbo=0')
    assert done.returncode == 1 and 'Traceback' not in done.stderr
    assert 'valid: shoulder, elbow' in done.stderr
    done = report(environment, FILE, '--locked', 'elbow=0.5')
    assert done.returncode == 0 and '1 joints' in done.stdout


@pytest.mark.launch_file
@pytest.mark.skipif(HAS_LAUNCH, reason='launch itself is installed, and runs the files')
def test_the_launch_file_holds_the_own_arm_and_ends_cleanly(environment, node_command, tmp_path):
    arguments = [f'description_file:={FILE}', 'law:=gravity_compensation']
    by_runner(
        environment, node_command, tmp_path, 'simulated_arm', arguments, 'gravity_compensation'
    )
