# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where shapes touch obstacles, against distances found by sampling and by projection."""

import numpy as np
import pytest

from robodyn_ros.algorithms.contact import contact_tables, pairs
from robodyn_ros.model.rotation_matrix import from_rpy

SPHERE, CAPSULE, BOX = 0, 1, 2


def shape_of(kind, size):
    """Return the table of one shape: half edges, radius, reach."""
    row = np.zeros((1, contact_tables.SHAPE_COLUMNS))
    row[0, contact_tables.HALF : contact_tables.HALF + 3] = size[0]
    row[0, contact_tables.RADIUS] = size[1]
    row[0, contact_tables.REACH] = np.linalg.norm(size[0]) + size[1]
    return row


def obstacle_of(rotation, place, half=None):
    """Return the table of one obstacle: a plane without half edges, else a box."""
    row = np.zeros((1, contact_tables.OBSTACLE_COLUMNS))
    row[0, contact_tables.TURN : contact_tables.TURN + 9] = rotation.ravel()
    row[0, contact_tables.PLACE : contact_tables.PLACE + 3] = place
    if half is not None:
        row[0, contact_tables.IS_BOX] = 1.0
        row[0, contact_tables.SIZE : contact_tables.SIZE + 3] = half
    return row


def found(shapes, obstacles, pose, margin):
    """Return points, normals and gaps."""
    contacts = np.zeros((16, contact_tables.CONTACT_COLUMNS))
    count = pairs.contact_points(shapes, obstacles, pose[None], margin, contacts)
    rows = contacts[:count]
    return (
        rows[:, contact_tables.POINT : contact_tables.POINT + 3],
        rows[:, contact_tables.NORMAL : contact_tables.NORMAL + 3],
        rows[:, contact_tables.GAP],
    )


def random_pose(rng, spread):
    """Return a pose (4, 4)."""
    pose = np.eye(4)
    pose[:3, :3] = from_rpy(*rng.uniform(-3.0, 3.0, 3))
    pose[:3, 3] = rng.uniform(-spread, spread, 3)
    return pose


def nearest_of_box(point, pose, half):
    """Return the point of a box that is nearest to a point."""
    local = pose[:3, :3].T @ (point - pose[:3, 3])
    return pose[:3, 3] + pose[:3, :3] @ np.clip(local, -half, half)


@pytest.mark.parametrize('seed', range(25))
def test_a_capsule_is_as_far_from_a_box_as_its_nearest_sample(seed):
    rng = np.random.default_rng(seed)
    place, pose = random_pose(rng, 0.2), random_pose(rng, 0.7)
    half, reach, radius = rng.uniform(0.1, 0.4, 3), rng.uniform(0.0, 0.4), rng.uniform(0.02, 0.1)
    if seed % 4 == 0:
        reach = 0.0  # a sphere
    shapes = shape_of(CAPSULE, (np.array([0.0, 0.0, reach]), radius))
    obstacles = obstacle_of(place[:3, :3], place[:3, 3], half)
    points, normals, gaps = found(shapes, obstacles, pose, np.inf)
    ends = pose[:3, 3] + np.outer(np.linspace(-reach, reach, 4001), pose[:3, 2])
    away = [np.linalg.norm(end - nearest_of_box(end, place, half)) for end in ends]
    if min(away) > 1e-9:
        assert gaps.min() == pytest.approx(min(away) - radius, abs=1e-6)
    else:
        assert gaps.min() < -radius
    for point, normal, gap in zip(points, normals, gaps):
        foot = point - gap * normal
        local = place[:3, :3].T @ (foot - place[:3, 3])
        assert np.linalg.norm(normal) == pytest.approx(1.0, abs=1e-12)
        assert np.max(np.abs(local) - half) == pytest.approx(0.0, abs=1e-9)
        centre = point + radius * normal - pose[:3, 3]
        along = centre @ pose[:3, 2]
        assert abs(along) <= reach + 1e-9
        assert centre == pytest.approx(along * pose[:3, 2], abs=1e-9)


def distance_of_boxes(one, half, other, size):
    """Return the distance of two boxes by projecting back and forth."""
    p = one[:3, 3]
    for _ in range(600):
        q = nearest_of_box(p, other, size)
        p = nearest_of_box(q, one, half)
    return np.linalg.norm(p - nearest_of_box(p, other, size))


@pytest.mark.parametrize('seed', range(30))
def test_contacts_of_boxes_are_pairs_of_their_points(seed):
    """No pair is nearer than the boxes. Boxes that overlap part along the normal by the gap."""
    rng = np.random.default_rng(seed)
    place, pose = random_pose(rng, 0.1), random_pose(rng, 0.45)
    if seed % 3 == 0:  # nearly parallel faces
        pose[:3, :3] = place[:3, :3] @ from_rpy(*rng.uniform(-0.05, 0.05, 3))
    half, size = rng.uniform(0.05, 0.3, 3), rng.uniform(0.1, 0.4, 3)
    shapes = shape_of(BOX, (half, 0.0))
    obstacles = obstacle_of(place[:3, :3], place[:3, 3], size)
    points, normals, gaps = found(shapes, obstacles, pose, np.inf)
    distance = distance_of_boxes(pose, half, place, size)
    for point, normal, gap in zip(points, normals, gaps):
        assert normal == pytest.approx(normals[0], abs=1e-12)
        local = pose[:3, :3].T @ (point - pose[:3, 3])
        assert np.max(np.abs(local) - half) < 1e-9
        foot = place[:3, :3].T @ (point - gap * normal - place[:3, 3])
        assert np.max(np.abs(foot) - size) < 1e-9
    if distance > 1e-6:
        assert gaps.min(initial=np.inf) >= distance - 1e-6
    else:
        assert gaps.min() < 1e-6
        pose[:3, 3] += (1e-3 - gaps.min()) * normals[0]
        assert distance_of_boxes(pose, half, place, size) > 5e-4


def test_a_square_on_a_square_turned_by_an_eighth_touches_at_eight_corners():
    """Their common face is an octagon; a box over the edge rests on the part above the table."""
    table = obstacle_of(np.eye(3), np.zeros(3), [0.5, 0.5, 0.2])
    shapes = shape_of(BOX, (np.array([0.5, 0.5, 0.1]), 0.0))
    pose = np.eye(4)
    pose[:3, :3], pose[2, 3] = from_rpy(0.0, 0.0, np.pi / 4), 0.3 + 1e-4
    points, normals, gaps = found(shapes, table, pose, 0.01)
    assert len(points) == 8 and gaps == pytest.approx(np.full(8, 1e-4), abs=1e-12)
    assert normals == pytest.approx(np.tile([0.0, 0.0, 1.0], (8, 1)), abs=1e-12)
    assert np.hypot(points[:, 0], points[:, 1]) == pytest.approx(
        np.full(8, np.hypot(0.5, np.sqrt(0.5) - 0.5)), abs=1e-9
    )
    pose[:3, :3], pose[0, 3] = np.eye(3), 0.7
    points, _, _ = found(shapes, table, pose, 0.01)
    assert sorted({*points[:, 0].round(9)}) == [0.2, 0.5]


def test_crossed_edges_touch_at_one_point():
    """A box on its edge across the edge of another: the normal is that of both edges."""
    pose, half = np.eye(4), np.array([0.1, 0.1, 0.1])
    pose[:3, :3] = from_rpy(np.pi / 4, 0.0, 0.3)
    place = from_rpy(0.0, np.pi / 4, 0.0)
    pose[2, 3] = 2 * 0.1 * np.sqrt(2.0) + 0.002
    points, normals, gaps = found(
        shape_of(BOX, (half, 0.0)), obstacle_of(place, np.zeros(3), half), pose, 0.01
    )
    assert gaps == pytest.approx([0.002], abs=1e-9)
    assert normals[0] == pytest.approx([0.0, 0.0, 1.0], abs=1e-9)
    assert points[0] == pytest.approx([0.0, 0.0, 0.1 * np.sqrt(2.0) + 0.002], abs=1e-9)


@pytest.mark.parametrize('kind', [SPHERE, CAPSULE, BOX])
def test_corners_over_a_plane(kind):
    """The lowest corner is as high as its support; farther ones are left out."""
    rng = np.random.default_rng(kind)
    rotation, pose = from_rpy(*rng.uniform(-1, 1, 3)), random_pose(rng, 0.5)
    half = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 0.2], [0.1, 0.2, 0.3]][kind])
    radius = [0.1, 0.05, 0.0][kind]
    place = rng.uniform(-1, 1, 3)
    points, normals, gaps = found(
        shape_of(kind, (half, radius)), obstacle_of(rotation, place), pose, np.inf
    )
    assert len(points) == [1, 2, 8][kind]
    assert normals == pytest.approx(np.tile(rotation[:, 2], (len(points), 1)))
    lowest = (pose[:3, 3] - place) @ rotation[:, 2] - radius
    lowest -= half @ np.abs(pose[:3, :3].T @ rotation[:, 2])
    assert gaps.min() == pytest.approx(lowest, abs=1e-12)
    assert (points - place) @ rotation[:, 2] == pytest.approx(gaps, abs=1e-12)
    some = found(shape_of(kind, (half, radius)), obstacle_of(rotation, place), pose, lowest + 1e-9)
    assert len(some[0]) == 1


def test_a_full_table_keeps_the_nearest_contacts():
    contacts = np.zeros((2, contact_tables.CONTACT_COLUMNS))
    pose = np.eye(4)
    pose[:3, :3] = from_rpy(0.3, 0.2, 0.0)
    shapes, plane = shape_of(BOX, (np.ones(3), 0.0)), obstacle_of(np.eye(3), np.zeros(3))
    assert pairs.contact_points(shapes, plane, pose[None], np.inf, contacts) == 2
    _, _, gaps = found(shapes, plane, pose, np.inf)
    assert sorted(contacts[:, contact_tables.GAP]) == pytest.approx(sorted(gaps)[:2])
