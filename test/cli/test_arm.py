# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""`robodyn_ros arm` runs controller and simulator until it is told to end."""

import signal
import subprocess
import sys

import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from robodyn_ros.cli import arm
from robodyn_ros.ros.common.process import REFUSED
from robodyn_ros.testing.started_node import SOON, StartedNode

pytestmark = pytest.mark.ros
ARM = [sys.executable, '-m', 'robodyn_ros', 'arm']


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_both_nodes_run_until_a_signal(tmp_path, number):
    """The controller holds the simulated arm; after the signal no process is left."""
    node = StartedNode([*ARM, '--law', 'gravity_compensation'], tmp_path)
    try:
        node.wait_for_output('ACTIVE: ')
        code, _ = node.stop(number)
    finally:
        node.close()
    assert code == 0, node.output
    assert "'franka_like' is simulated" in node.output
    assert 'Traceback' not in node.output


def test_no_node_outlives_a_killed_command(tmp_path):
    """After kill -9 of the command alone, as of an impatient user or the kernel."""
    psutil = pytest.importorskip('psutil', reason='psutil finds the nodes')
    node = StartedNode(ARM, tmp_path)
    try:
        node.wait_for_output("'franka_like' is simulated")
        (command,) = [
            each for each in psutil.Process().children() if each.cmdline()[1:] == ARM[1:]
        ]
        nodes = command.children()
        assert len(nodes) == 2
    finally:
        node.kill()
    _, alive = psutil.wait_procs(nodes, SOON)
    assert not alive


def test_a_node_that_is_refused_ends_the_other():
    """With its sentence, and its exit code."""
    done = subprocess.run(
        [*ARM, '--law', 'no_such_law'], capture_output=True, text=True, check=False, timeout=SOON
    )
    told = done.stdout + done.stderr
    assert done.returncode == REFUSED and 'no_such_law' in told and 'Traceback' not in told, told


def test_a_missing_file_is_refused_before_any_node_starts(tmp_path, capsys):
    assert arm.main([str(tmp_path / 'no.urdf')]) == 1
    assert 'no.urdf' in capsys.readouterr().err
