# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The template of an integration test is run as its user runs it."""

import os
import subprocess
import sys

import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from support.nodes.node_harness import ROOT
from support.patience import PATIENCE

pytestmark = pytest.mark.ros
TEMPLATE = ROOT / 'examples' / 'integration_test'


def test_the_template_passes(tmp_path):
    path = os.pathsep.join((str(TEMPLATE), str(ROOT), os.environ.get('PYTHONPATH', '')))
    done = subprocess.run(
        [
            sys.executable,
            '-m',
            'pytest',
            '-q',
            '-p',
            'no:cacheprovider',
            f'--rootdir={TEMPLATE}',
            TEMPLATE / 'test',
        ],
        env={**os.environ, 'PYTHONPATH': path, 'PYTEST_ADDOPTS': ''},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert '3 passed' in done.stdout


def test_its_workflow_names_what_there_is():
    workflow = (TEMPLATE / '.github' / 'workflows' / 'test.yml').read_text()
    assert 'python3 -m pytest src/arm_holder/test' in workflow
    assert (TEMPLATE / 'test' / 'test_holder.py').exists()
