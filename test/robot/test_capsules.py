# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Postures whose capsules keep their distance."""

import numpy as np
import pytest

from robodyn_ros import Capsule, Robot, example
from robodyn_ros.errors import ModelError, ShapeError, UnknownNameError
from robodyn_ros.robot.capsules import segment_distance

BODY = (
    Capsule('base_link', (0, 0, 0), (0, 0, 0.12), 0.08),
    Capsule('link2', (0, 0, 0), (0, -0.15, 0), 0.06),
    Capsule('link4', (0, 0, 0), (-0.08, 0.2, 0), 0.06),
    Capsule('link7', (0, 0, 0), (0, 0, 0.15), 0.06),
)


@pytest.fixture(scope='module')
def arm():
    """Return an arm of seven joints."""
    return Robot.from_urdf(example('franka_like'))


def test_distance_of_segments_is_the_least_of_all_points():
    """Against a fine grid of points on both: never more, and less by no more than its spacing."""
    rng = np.random.default_rng(0)
    ends = rng.normal(size=(4, 60, 3))
    ends[1, :10] = ends[0, :10]  # points
    ends[3, 5:15] = ends[2, 5:15]
    ends[3, 20:30] = ends[2, 20:30] + 0.7 * (ends[1, 20:30] - ends[0, 20:30])  # parallel
    found = segment_distance(*ends)
    share = np.linspace(0.0, 1.0, 401)
    one, other = (a[:, None] + share[:, None] * (b - a)[:, None] for a, b in (ends[:2], ends[2:]))
    for k in range(60):
        gaps = np.linalg.norm(one[k][:, None] - other[k][None], axis=-1).min()
        spacing = max(np.ptp(one[k], axis=0).max(), np.ptp(other[k], axis=0).max()) / 100
        assert found[k] <= gaps + 1e-12 and found[k] >= gaps - spacing


def test_self_distance_is_that_of_the_nearest_pair(arm):
    """Of links that no joint joins: spheres, by their centres."""
    rng = np.random.default_rng(1)
    balls = [Capsule(name, (0.0, 0.02, 0.1), (0.0, 0.02, 0.1), 0.05) for name in arm.joint_names]
    for _ in range(20):
        q = arm.configuration.random(rng)
        centres = [arm.pose(q, name) @ (0.0, 0.02, 0.1, 1.0) for name in arm.joint_names]
        gaps = [
            np.linalg.norm(centres[i] - centres[j]) - 0.1
            for i in range(7)
            for j in range(i + 2, 7)
        ]
        assert arm.configuration.self_distance(q, balls) == pytest.approx(min(gaps), abs=1e-14)


def test_samples_are_free_within_limits_and_repeat(arm):
    """Some random postures are not free, so that the sampling has something to reject."""
    q = arm.configuration.sample(150, BODY, margin=0.03, rng=2)
    assert q.shape == (150, 7)
    assert (arm.configuration.self_distance(q, BODY) >= 0.03).all()
    assert ((q >= arm.limits.lower) & (q <= arm.limits.upper)).all()
    assert np.array_equal(q, arm.configuration.sample(150, BODY, margin=0.03, rng=2))
    anyhow = arm.configuration.sample(150, rng=2)
    assert anyhow.shape == (150, 7)
    assert (arm.configuration.self_distance(anyhow, BODY) < 0.03).any()


def test_capsules_that_make_no_sense_are_refused(arm):
    """No radius, no such frame, nothing that could collide, no posture that is free."""
    with pytest.raises(ModelError, match='radius'):
        Capsule('link1', (0, 0, 0), (0, 0, 1), 0.0)
    with pytest.raises(ModelError, match='three finite numbers'):
        Capsule('link1', (0, 0), (0, 0, 1), 0.1)
    ball = ((0, 0, 0), (0, 0, 0), 0.1)
    with pytest.raises(UnknownNameError, match='nowhere'):
        arm.configuration.self_distance(np.zeros(7), [Capsule('nowhere', *ball)])
    neighbours = [Capsule('link1', *ball), Capsule('link2', *ball)]
    with pytest.raises(ShapeError, match='next to each other'):
        arm.configuration.self_distance(np.zeros(7), neighbours)
    with pytest.raises(ShapeError, match='got none of 1000'):
        arm.configuration.sample(1, BODY, margin=10.0, rng=0)
