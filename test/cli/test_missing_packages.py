# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A package that is not installed is one sentence with what mends it, and exit code 1."""

import os
import subprocess
import sys

import pytest

from robodyn_ros import example
from robodyn_ros.__main__ import COMMANDS, NODES
from support.processes import ROOT

#: What only some commands need.
EXTRAS = 'matplotlib mujoco rclpy rich robodyn_msgs rosbags ruamel scipy trimesh viser xacro yaml'
#: Runs a command where importing some packages fails as if they were not installed.
SCRIPT = """
import sys
root, hidden, what, *rest = sys.argv[1:]
sys.path.insert(0, root)
sys.argv[1:] = []
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition('.')[0] in hidden.split():
            raise ModuleNotFoundError(f'No module named {name!r}', name=name)
sys.meta_path.insert(0, Hidden())
from robodyn_ros.__main__ import main
sys.exit(main([what, *rest]))
"""


@pytest.mark.parametrize(
    'hidden, command, remedy',
    [
        ('numba', ['controller'], "pip install 'numba>="),
        ('numba', ['report', 'arm.urdf'], "pip install 'numba>="),
        ('viser', ['view', example('two_link')], "pip install 'viser>="),
        ('rclpy', ['view', example('two_link'), '--live'], 'source /opt/ros/kilted/setup.bash'),
        ('scipy', ['identify', 'demo', example('two_link')], 'pip install scipy'),
        ('matplotlib', ['identify', 'fit', 'no.urdf', 'no.csv'], 'pip install matplotlib'),
        ('matplotlib', ['demo'], 'pip install matplotlib'),
        ('viser', ['demo', '--view'], "pip install 'viser>="),
        ('rclpy', ['play', 'motion.csv'], 'source /opt/ros/kilted/setup.bash'),
        ('rclpy', ['controller'], 'source /opt/ros/kilted/setup.bash'),
        ('rclpy', ['simulator'], 'source /opt/ros/kilted/setup.bash'),
        ('robodyn_msgs', ['controller'], 'colcon build && source install/setup.bash'),
        ('robodyn_msgs', ['simulator'], 'colcon build && source install/setup.bash'),
    ],
)
def test_a_missing_package_is_named_with_the_command_that_installs_it(hidden, command, remedy):
    if hidden != 'numba':
        pytest.importorskip(hidden, reason=f'{hidden} is not installed')
    done = subprocess.run(
        [sys.executable, '-c', SCRIPT, str(ROOT), hidden, *command],
        env={**os.environ, 'ROS_DISTRO': 'kilted'},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert f"'{hidden}' is not installed here" in line and remedy in line


@pytest.mark.parametrize('command', sorted(set(COMMANDS) - set(NODES)))
def test_help_of_a_command_needs_neither_ros_nor_an_extra(command):
    done = subprocess.run(
        [sys.executable, '-c', SCRIPT, str(ROOT), EXTRAS, command, '--help'],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f'usage: robodyn_ros {command} ')


@pytest.mark.parametrize('arguments', [['--version'], ['--help']])
def test_help_and_version_need_nothing(arguments):
    done = subprocess.run(
        [sys.executable, '-c', SCRIPT, str(ROOT), 'numba', *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0 and done.stdout.startswith('robodyn_ros ')


def test_every_public_name_is_there_when_it_is_used():
    import robodyn_ros

    assert all(getattr(robodyn_ros, name) is not None for name in robodyn_ros.__all__)
    with pytest.raises(AttributeError, match='robot_arm'):
        robodyn_ros.robot_arm  # noqa: B018
