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
from robodyn_ros.simulation.contact.closure_rows import Closing, closure_arrays
from robodyn_ros.simulation.contact.led_joints import table_of
from robodyn_ros.simulation.joint_table import WIDTH
from robodyn_ros.spatial.types import Indices, Matrix, Stack, Table, Vector, record

MOST_CONTACTS = 64  # at the same time; the farthest ones are left out
MOST_CONDITIONS = 200  # size of the largest problem for complementary pivoting


class ContactArrays(NamedTuple):
    """Tables of shapes and obstacles, and the memory of a step.

    Columns are those of `algorithms.contact.contact_tables`. A direction is a row of the Jacobian:
    one for each velocity, then three for each contact. Dependent joints come last.

    `bodies`: body of each shape.
    `frames`: placement of each shape on its body: rotation by rows, then position.
    `shapes`: sizes of the shapes.
    `obstacles`: sizes, placements and materials of the obstacles.
    `poses`: poses of the shapes.
    `contacts`: contacts of the substep.
    `blocks`: unknown impulses of joints and contacts.
    `rows`: rows of the Jacobian.
    `responses`: velocities after a unit impulse along each row.
    `vectors`: vectors of the solver; rows in `algorithms.contact.impulses`.
    `system`, `table`: memory of the exact solution.
    `jacobian`: Jacobian of a shape.
    `contact_count`: number of contacts of the last substep.
    `led`: joint table of dependent joints; see `led_joints.table_of`.
    `led_rows`: their rows of the embedding matrix.
    `led_levels`: levels of their dry friction [N m or N].
    `led_efforts`: efforts of their friction and stops in the last substep [N m or N].
    `positions`: positions of all joints, now and at the beginning of the substep [rad or m].
    `embedding`: the embedding matrix.
    `closing`: closures over all joints.
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
    led: Matrix
    led_rows: Indices
    led_levels: Vector
    led_efforts: Vector
    positions: Matrix
    embedding: Matrix
    closing: Closing


Contact = record(ContactArrays)


def allocate(model, contacts, settings=None, closures=(), damped=()):
    """Return the arrays for a robot, its contacts, and its dependent joints.

    `contacts` (Contacts or None): shapes and obstacles.
    `settings` (PlantSettings): scales the friction of dependent joints. None leaves these without
      friction and stops.
    `closures` (sequence of Closure): closures over all joints; none acts at first.
    """
    n, shapes, obstacles = model.nv, (), ()
    if contacts is not None:
        shapes, obstacles = contacts.shapes, contacts.obstacles
    led, led_rows = np.zeros((0, WIDTH)), np.zeros(0, dtype=np.int64)
    if settings is not None:
        led, led_rows = table_of(model, settings, damped)
    placed = [_placed(model, shape) for shape in shapes]
    capacity = min(MOST_CONTACTS, sum(map(_points, shapes)) * len(obstacles))
    directions = n + 3 * capacity + len(led)
    conditions = min(
        MOST_CONDITIONS, (n + len(led)) * pivoting.OF_JOINT + capacity * pivoting.OF_CONTACT
    )
    rows = np.zeros((directions, n))
    rows[:n] = np.eye(n)
    return ContactArrays(
        _fixed(np.array([body for body, _ in placed], dtype=np.int64)),
        _fixed(np.array([frame for _, frame in placed]).reshape(-1, 12)),
        _fixed(np.array([_shape(shape) for shape in shapes]).reshape(-1, SHAPE_COLUMNS)),
        _fixed(np.array([_obstacle(each) for each in obstacles]).reshape(-1, OBSTACLE_COLUMNS)),
        np.zeros((len(shapes), 4, 4)),
        np.zeros((capacity, CONTACT_COLUMNS)),
        np.zeros((n + capacity + len(led), BLOCK_COLUMNS)),
        rows,
        np.zeros_like(rows),
        np.zeros((VECTORS, directions)),
        np.zeros((directions, 2 * n + directions + 4)),
        np.zeros((conditions, 2 * conditions + pivoting.FURTHER_COLUMNS + 2)),
        np.zeros((6, n)),
        np.zeros(1),
        led,
        _fixed(led_rows),
        np.zeros(len(led)),
        np.zeros(len(led)),
        np.zeros((2, len(model.all_position_names))),
        np.zeros((len(model.all_joint_names), n)),
        closure_arrays(model, closures),
    )


def with_own_memory(arrays):
    """Return the arrays with copies of all that a step writes, for another thread.

    `arrays` (NamedTuple): arrays, or NamedTuples of them.
    """
    return type(arrays)(
        *(
            with_own_memory(each)
            if isinstance(each, tuple)
            else each.copy()
            if each.flags.writeable
            else each
            for each in arrays
        )
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
