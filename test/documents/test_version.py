# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""One version, in every place that states it."""

import re
from pathlib import Path

import robodyn_ros

ROOT = Path(__file__).resolve().parents[2]


def test_every_file_states_the_same_version():
    stated = {
        re.search(pattern, (ROOT / name).read_text())[1]
        for name, pattern in (
            ('package.xml', r'<version>(.*)</version>'),
            ('robodyn_msgs/package.xml', r'<version>(.*)</version>'),
            ('robodyn_control/package.xml', r'<version>(.*)</version>'),
            ('setup.py', r"version='(.*)'"),
            ('CHANGELOG.rst', r'\n(\d+\.\d+\.\d+)\b'),
        )
    }
    assert stated == {robodyn_ros.__version__}
