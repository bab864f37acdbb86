# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The figures of the demonstration: the same bits on any machine and under any load.

`test_demo` compares those of the command with the same page, with nothing beside it.
"""

import json
import subprocess
import sys

import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from robodyn_ros import Robot  # noqa: E402
from robodyn_ros.cli.demo import MODES, URDF, compare, find  # noqa: E402
from robodyn_ros.demonstration.lock_step_experiment import LockStepExperiment  # noqa: E402
from robodyn_ros.demonstration.tracking_report import report  # noqa: E402
from support.demonstration_figures import DURATION, PAGE, figures  # noqa: E402
from support.processes import run_script  # noqa: E402

LOOPS = 3
CHILD = """import json
from support.demonstration_figures import by_direct_calls
print(json.dumps(by_direct_calls()))
"""


@pytest.mark.sensitive
def test_direct_calls_have_the_figures_of_the_demonstration(tmp_path):
    """Supervisor and plant in turn, in a process with reproducible kernels as those of nodes."""
    found, _ = run_script(CHILD, tmp_path, ROBODYN_REPRODUCIBLE=1)
    expected = json.loads(PAGE.read_text())['modes']
    assert found.keys() == set(MODES)
    for mode in MODES:
        assert found[mode] == {name: expected[mode][name] for name in found[mode]}


@pytest.mark.ros
@pytest.mark.slow
def test_busy_loops_beside_the_demonstration_change_no_figure(monkeypatch, node_environment):
    """All laws and the pushed arm; two processes over DDS."""
    for name, value in node_environment.items():
        monkeypatch.setenv(name, value)
    urdf = find(URDF)
    robot = Robot.from_urdf(urdf)
    busy = [subprocess.Popen([sys.executable, '-c', 'while True: pass']) for _ in range(LOOPS)]
    try:
        records, push = compare(LockStepExperiment, urdf, robot, DURATION, lambda *_: None)
    finally:
        for process in busy:
            process.kill()
            process.wait()
    found = figures(report(robot, records, push, 'not run', urdf))
    assert found == json.loads(PAGE.read_text())
