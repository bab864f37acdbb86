# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Fixtures for pytest: `pytest_plugins = ['robodyn_ros.testing.fixtures']` in a conftest.py."""

import pytest

from robodyn_ros.testing.domain import move_to_own_domain
from robodyn_ros.testing.ending import closing_factory


@pytest.fixture(scope='session')
def ros_domain():
    """Move this session and its child processes to a separate ROS domain."""
    return move_to_own_domain()


@pytest.fixture
def simulated_robot(ros_domain):
    """Return the function that starts a SimulatedRobot; it ends with the test."""
    from robodyn_ros.testing.robots import SimulatedRobot

    yield from closing_factory(SimulatedRobot)


@pytest.fixture
def controlled_robot(ros_domain):
    """Return the function that starts a ControlledRobot; it ends with the test."""
    from robodyn_ros.testing.robots import ControlledRobot

    yield from closing_factory(ControlledRobot)


@pytest.fixture
def start_node(ros_domain, tmp_path_factory):
    """Return the function that starts a node of your own as a StartedNode, given its command.

    It ends with the test, by SIGINT or in the end by SIGKILL.
    """
    from robodyn_ros.testing.started_node import StartedNode

    def started(*command, **environment):
        return StartedNode(command, tmp_path_factory.mktemp('node'), environment)

    yield from closing_factory(started)
