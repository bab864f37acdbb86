# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The trees these tests share: pytest imports test files by path, so their folder is put first."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from support.robots.jain_trees import ROBOTS, TREES, any_tree, robot_tree  # noqa: E402  path first


@pytest.fixture(params=TREES)
def system(request):
    """A tree, and (thd, thdd, T)."""
    return any_tree(request.param)


@pytest.fixture(params=ROBOTS)
def named(request):
    """A robot, its tree, and (thd, thdd, T)."""
    return ROBOTS[request.param], *robot_tree(request.param)
