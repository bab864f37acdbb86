# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the page on security says holds is shown by tests that exist."""

import re
from pathlib import Path

from tools.pages.fault_page import test_functions as functions_of_tests

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / 'doc' / 'security.md').read_text()


def rows():
    """Return the cells of each row of the table of threats."""
    table = PAGE.partition('| Asset |')[2].partition('\n\n')[0]
    return [
        [cell.strip() for cell in line.strip('|').split('|')] for line in table.split('\n')[2:]
    ]


def test_each_threat_names_tests_that_exist():
    names = {name for _, name in functions_of_tests()}
    assert len(rows()) > 15
    for asset, threat, holds, tests in rows():
        named = re.findall(r'`(test_\w+)`', tests)
        files = re.findall(r'`(test/[\w/]+\.py)`', tests)
        assert asset and threat and holds and (named or files), threat
        assert set(named) <= names, (threat, set(named) - names)
        assert all((ROOT / file).is_file() for file in files), threat
