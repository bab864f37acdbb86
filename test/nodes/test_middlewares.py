# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Both nodes with enforced security, and on a second middleware, where these are installed."""

import subprocess
import sys
from importlib.util import find_spec

import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from std_msgs.msg import Bool

from support.nodes.node_harness import COLD, CONTROLLER, EASY, TWO_LINK, ControllerProbe
from support.security import POLICY

pytestmark = [pytest.mark.ros, pytest.mark.slow]

SECOND = 'rmw_cyclonedds_cpp'
KEYSTORE = """
import sys
from pathlib import Path
from sros2 import keystore
folder, policy = map(Path, sys.argv[1:])
keystore.create_keystore(folder)
for name in ('controller', 'simulator'):
    keystore.create_enclave(folder, f'/robodyn/{name}')
    keystore.create_permission(folder, f'/robodyn/{name}', policy)
"""
PARTICIPANT = 'import rclpy; rclpy.init(); rclpy.create_node("secured")'


def script(text, *arguments):
    """Run a Python script in a process of its own; return exit code and error output."""
    command = [sys.executable, '-c', text, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=COLD, check=False)
    return done.returncode, done.stderr


@pytest.fixture
def enforced(monkeypatch, tmp_path):
    """Enforce security in all nodes that start from now on; skip where that is impossible."""
    missing = [] if find_spec('sros2') else ['sros2']
    (tmp_path / 'enclaves').mkdir()
    monkeypatch.setenv('ROS_SECURITY_KEYSTORE', str(tmp_path))
    monkeypatch.setenv('ROS_SECURITY_ENABLE', 'true')
    monkeypatch.setenv('ROS_SECURITY_STRATEGY', 'Enforce')
    # Without its plug-ins a middleware tells the option of CMake to build it with.
    if 'SECURITY=ON' in script(PARTICIPANT)[1]:
        missing.append('a middleware that was built with security')
    if missing:
        pytest.skip(f'not installed: {", ".join(missing)}')
    folder = tmp_path / 'keystore'
    code, errors = script(KEYSTORE, folder, POLICY)
    assert code == 0, errors
    monkeypatch.setenv('ROS_SECURITY_KEYSTORE', str(folder))


def enclave(name):
    return '--enclave', f'/robodyn/{name}'


def test_row_72_enforced_security_admits_both_nodes_and_nobody_else(graph, enforced, start):
    """Under our policy the arm is held; a participant without keys neither sees nor stops it."""
    simulator = start('simulator', *enclave('simulator'), urdf_path=TWO_LINK)
    controller = start('controller', *enclave('controller'), **EASY)
    controller.wait_for_output('HOLD', COLD)
    stranger = graph.node.create_publisher(Bool, f'{CONTROLLER}/emergency_stop', 1)
    probe = ControllerProbe(graph)
    for _ in range(10):
        stranger.publish(Bool(data=True))
        with pytest.raises(AssertionError):
            probe.statuses.wait(timeout=0.5)
    assert not set(graph.node.get_node_names()) & {'robodyn_controller', 'robodyn_simulator'}
    graph.node.destroy_publisher(stranger)
    assert 'FAULT' not in controller.output
    for node in (controller, simulator):
        node.end_well()


def installed(package):
    try:
        return bool(get_package_prefix(package))
    except PackageNotFoundError:
        return False


@pytest.mark.skipif(not installed(SECOND), reason=f'not installed: {SECOND}')
def test_row_65_both_nodes_hold_the_arm_on_a_second_middleware(monkeypatch, start):
    monkeypatch.setenv('RMW_IMPLEMENTATION', SECOND)
    simulator = start('simulator', urdf_path=TWO_LINK)
    controller = start('controller', **EASY)
    controller.wait_for_output('HOLD', COLD)
    for node in (controller, simulator):
        node.end_well()
