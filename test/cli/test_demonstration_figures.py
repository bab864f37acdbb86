# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The figures of the demonstration: the same bits on any machine and under any load.

`test_demo` compares those of the command with the same page, beside busy loops.
"""

import json

import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from robodyn_ros.cli.demo import MODES  # noqa: E402
from support.demonstration_figures import PAGE  # noqa: E402
from support.processes import run_script  # noqa: E402

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
