# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The page loads in a real browser, and the command ends when the browser leaves."""

import re
import shutil
import subprocess
import sys

import pytest

from robodyn_ros import example
from support.processes import ROOT

pytest.importorskip('viser', reason='viser is not installed')
BROWSER = shutil.which('chromium')
OPTIONS = (
    '--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking',
    '--enable-unsafe-swiftshader', '--virtual-time-budget=6000',
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.skipif(not BROWSER, reason='there is no chromium')
def test_the_page_loads_with_a_slider_for_every_joint(tmp_path):
    command = [sys.executable, '-m', 'robodyn_ros', 'view', str(example('two_link')), '--once']
    with subprocess.Popen(
        [*command, '--port', '8190'], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as served:
        try:
            address = re.search(r'http://127\.0\.0\.1:\d+', served.stdout.readline())[0]
            browse = [BROWSER, *OPTIONS, f'--user-data-dir={tmp_path}', '--dump-dom', address]
            page = subprocess.run(
                browse, capture_output=True, text=True, timeout=120, check=True
            ).stdout
            assert served.wait(30) == 0
        finally:
            served.kill()
    assert '<canvas' in page
    assert all(name in page for name in ('joint1 [rad]', 'joint2 [rad]', 'gravity torques'))
