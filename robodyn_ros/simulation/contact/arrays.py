# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Tables and memory for the contacts in a step of the plant."""

from typing import NamedTuple

import numpy as np

from robodyn_ros.algorithms.contact import pivoting
from robodyn_ros.algorithms.contact.contact_tables import (
    BLOCK_COLUMNS,
    CONTACT_COLUMNS,
    FRICTION,
    HALF,
    IS_BOX,
    OBSTACLE_COLUMNS,
    PLACE,
    RADIUS,
    REACH,
    RESTITUTION,
    SHAPE_COLUMNS,
    SIZE,
    TURN,
)
from robodyn_ros.algorithms.contact.impulses import VECTORS
from robodyn_ros.spatial.types import Indices, Matrix, Stack, Table, Vector, record

MOST_CONTACTS = 64  # at the same time; the farthest ones are left out
MOST_CONDITIONS = 200  # size of the largest problem for complementary pivoting


class ContactArrays(NamedTuple):
    """Tables of shapes and obstacles, and the memory of a step.

    Columns are those of `algorithms.contact.contact_tables`. A direction is a row of the Jacobian:
    one for each velocity, then three for each contact.

    Parameters
    ----------
    bodies : (s,) ndarray
        Body of each shape.
    frames : (s, 12) ndarray
        Placement of each shape on its body: rotation by rows, then position.
    shapes : (s, SHAPE_COLUMNS) ndarray
        Sizes of the shapes.
    obstacles : (o, OBSTACLE_COLUMNS) ndarray
        Sizes, placements and materials of the obstacles.
    poses : (s, 4, 4) ndarray
        Poses of the shapes.
    contacts : (c, CONTACT_COLUMNS) ndarray
        Contacts of the substep.
    blocks : (nv + c, BLOCK_COLUMNS) ndarray
        Unknown impulses of joints and contacts.
    rows : (nv + 3 c, nv) ndarray
        Rows of the Jacobian.
    responses : (nv + 3 c, nv) ndarray
        Velocities after a unit impulse along each row.
    vectors : (VECTORS, nv + 3 c) ndarray
        Vectors of the solver; rows in `algorithms.contact.impulses`.
    system, table : ndarray
        Memory of the exact solution.
    jacobian : (6, nv) ndarray
        Jacobian of a shape.
    contact_count : (1,) ndarray
        Number of contacts of the last substep.
    """

    bodies: Indices
    frames: Table
    shapes: Table
    obstacles: Table
    poses: Stack
    contacts: Matrix
    blocks: Matrix
    rows: Matrix
    responses: Matrix
    vectors: Matrix
    system: Matrix
    table: Matrix
    jacobian: Matrix
    contact_count: Vector


Contact = record(ContactArrays)


def allocate(model, contacts):
    """Return the arrays for a robot and its contacts.

    Parameters
    ----------
    model : RobotModel
        The robot.
    contacts : Contacts
        Shapes and obstacles.

    Returns
    -------
    ContactArrays
        The arrays.
    """
    n, shapes, obstacles = model.nv, contacts.shapes, contacts.obstacles
    placed = [_placed(model, shape) for shape in shapes]
    capacity = min(MOST_CONTACTS, sum(map(_points, shapes)) * len(obstacles))
    directions = n + 3 * capacity
    conditions = min(MOST_CONDITIONS, n * pivoting.OF_JOINT + capacity * pivoting.OF_CONTACT)
    rows = np.zeros((directions, n))
    rows[:n] = np.eye(n)
    return ContactArrays(
        _fixed(np.array([body for body, _ in placed], dtype=np.int64)),
        _fixed(np.array([frame for _, frame in placed])),
        _fixed(np.array([_shape(shape) for shape in shapes])),
        _fixed(np.array([_obstacle(obstacle) for obstacle in obstacles])),
        np.zeros((len(shapes), 4, 4)),
        np.zeros((capacity, CONTACT_COLUMNS)),
        np.zeros((n + capacity, BLOCK_COLUMNS)),
        rows,
        np.zeros_like(rows),
        np.zeros((VECTORS, directions)),
        np.zeros((directions, 2 * n + directions + 4)),
        np.zeros((conditions, 2 * conditions + pivoting.FURTHER_COLUMNS + 2)),
        np.zeros((6, n)),
        np.zeros(1),
    )


def _fixed(array):
    array.flags.writeable = False
    return array


def _points(shape):
    """Return the largest number of contacts of a shape with one obstacle."""
    return {'sphere': 1, 'capsule': 2, 'box': 8}[shape.kind]


def _placed(model, shape):
    """Return the body of a shape and its placement (12,) there."""
    frame = model.frame(shape.link)
    rotation = frame.rotation @ shape.placement.rotation
    place = frame.translation + frame.rotation @ shape.placement.translation
    return frame.body, [*rotation.ravel(), *place]


def _shape(shape):
    row = np.zeros(SHAPE_COLUMNS)
    if shape.kind == 'box':
        row[HALF : HALF + 3] = 0.5 * np.array(shape.size)
    else:
        row[RADIUS] = shape.size[0]
        row[HALF + 2] = 0.5 * shape.size[1] if shape.kind == 'capsule' else 0.0
    row[REACH] = np.linalg.norm(row[HALF : HALF + 3]) + row[RADIUS]
    return row


def _obstacle(obstacle):
    row = np.zeros(OBSTACLE_COLUMNS)
    row[TURN : TURN + 9] = obstacle.placement.rotation.ravel()
    row[PLACE : PLACE + 3] = obstacle.placement.translation
    if obstacle.kind == 'box':
        row[IS_BOX] = 1.0
        row[SIZE : SIZE + 3] = 0.5 * np.array(obstacle.size)
    row[[FRICTION, RESTITUTION]] = obstacle.friction, obstacle.restitution
    return row
