# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The motion of the demonstration is smooth, starts and ends at rest, and keeps within limits."""

from pathlib import Path

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.demonstration.motion import mid_range, swaying_motion

URDF = Path(__file__).resolve().parents[2] / 'config' / 'urdf'


@pytest.fixture(params=['franka_like', 'ur_like', 'two_link'])
def limits(request):
    return Robot.from_urdf(URDF / f'{request.param}.urdf').limits


def test_motion_stays_within_position_and_velocity_limits(limits):
    motion = swaying_motion(limits, 12.0)
    q, qd, _ = motion.at(np.linspace(0.0, 12.0, 5001))
    assert (q > limits.lower).all() and (q < limits.upper).all()
    assert (np.abs(qd) < limits.velocity).all()
    assert (np.ptp(q, axis=0) > 0.1).all()  # every joint really moves


def test_motion_starts_and_ends_at_rest(limits):
    motion = swaying_motion(limits, 12.0)
    q, qd, qdd = motion.at([0.0, 12.0])
    np.testing.assert_allclose(q, [mid_range(limits)] * 2, atol=1e-12)
    np.testing.assert_allclose(qd, 0.0, atol=1e-12)
    np.testing.assert_allclose(qdd, 0.0, atol=1e-12)


def test_velocity_and_acceleration_are_derivatives(limits):
    motion, h = swaying_motion(limits, 12.0), 1e-5
    t = np.linspace(0.05, 11.95, 401)
    _, qd, qdd = motion.at(t)
    after, before = motion.at(t + h), motion.at(t - h)
    # central differences: truncation h^2 and rounding eps / h are both below 1e-8
    np.testing.assert_allclose((after[0] - before[0]) / (2 * h), qd, atol=1e-7)
    np.testing.assert_allclose((after[1] - before[1]) / (2 * h), qdd, atol=1e-7)
