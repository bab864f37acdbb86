# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The page about emitted C: its blocks, run from top to bottom as a reader would."""

import re
import shutil
import sys

import pytest

from robodyn_ros import Robot
from support.c_libraries import compiler, run
from support.processes import ROOT

pytestmark = pytest.mark.slow


def test_the_commands_of_the_page_run(tmp_path):
    """Files are written under the name before them, commands run in a folder with an arm."""
    compiler('gcc')
    compiler('cmake')
    urdf = ROOT / 'config' / 'urdf' / 'ur_like.urdf'
    shutil.copy(urdf, tmp_path / 'arm.urdf')
    page = (ROOT / 'doc' / 'code' / 'emit_c.md').read_text()
    blocks = re.findall(
        r'(?:^`([\w.]+)`:\n\n)?^```(\w+)\n(.*?)^```', page, re.MULTILINE | re.DOTALL
    )
    printed = []
    for name, language, text in blocks:
        if language == 'bash':
            command = text.replace('python -m', f'{sys.executable} -m')
            printed.append(run(['bash', '-euo', 'pipefail', '-c', command], cwd=tmp_path))
        else:
            (tmp_path / name).write_text(text)
    robot = Robot.from_urdf(urdf)
    torque = robot.inverse_dynamics([0.1, -0.7, 0.9, 0.0, 0.0, 0.0], [0.0] * 6, [0.0] * 6)
    told = dict(re.findall(r'^(\S+) (-?\d+\.\d{6})$', printed[2], re.MULTILINE))
    assert list(told) == list(robot.joint_names)
    assert [float(x) for x in told.values()] == [round(x, 6) for x in torque.tolist()]
    assert 'bytes of code' in printed[-1] and 'inverse_dynamics' in printed[-1]
