# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin that writes what became of every test, for support.all_tests."""

import json
import os
from pathlib import Path


def pytest_terminal_summary(terminalreporter):
    """Write [outcome, reason of skipping] of every test to the file ROBODYN_OUTCOMES."""
    listed = []
    for outcome in ('passed', 'failed', 'error', 'skipped', 'xfailed', 'xpassed'):
        for report in terminalreporter.getreports(outcome):
            listed.append((outcome, _reason(report) if outcome == 'skipped' else ''))
    Path(os.environ['ROBODYN_OUTCOMES']).write_text(json.dumps(listed))


def _reason(report):
    """Return why a test was skipped, without the place."""
    told = report.longrepr[-1] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return told.removeprefix('Skipped: ')
