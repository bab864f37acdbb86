# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Robots of the plant's tests, and plants that need no compiled steps."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from robodyn_ros import Robot
from robodyn_ros.simulation.plant import Plant

URDF = Path(__file__).resolve().parents[2] / 'config' / 'urdf'


@pytest.fixture(scope='session')
def elbow():
    """Return the two-link arm of the textbooks: no friction, stops far away."""
    return Robot.from_urdf(URDF / 'two_link.urdf')


@pytest.fixture(scope='session')
def arm():
    """Return the 7-joint arm, with friction and stops."""
    return Robot.from_urdf(URDF / 'franka_like.urdf')


@pytest.fixture
def middle(arm):
    """Return the posture half-way between the stops of every joint of `arm`."""
    return 0.5 * (arm.limits.lower + arm.limits.upper)


@pytest.fixture
def interpreted(monkeypatch):
    """Let plants take their steps in Python: what follows needs few of them."""
    carry = Plant._carry

    def carry_in_python(plant, model):
        kernel = plant._kernel
        plant._kernel = SimpleNamespace(vectorcall=kernel.python)
        carry(plant, model)
        plant._kernel = kernel

    monkeypatch.setattr(Plant, '_carry', carry_in_python)
