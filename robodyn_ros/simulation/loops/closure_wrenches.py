# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The wrenches of closures over all joints in the last substep of a plant.

Inertia needs M qdd + C qd + g = tau + J^T lambda, with the mean acceleration of the substep. The
efforts tau are those of motors, friction and stops. Joints that a brake holds, or a drive moves
kinematically, get what they need. So lambda follows from the other joints alone. Redundant
closures share it in the least-squares sense.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from robodyn_ros.algorithms.constraints.loops import column_of, row_axis
from robodyn_ros.algorithms.contact.impulses import IMPULSES
from robodyn_ros.errors import short_repr
from robodyn_ros.model.layout import DISTANCE, LENGTH, STOPS
from robodyn_ros.simulation.joint_table import BRAKED, DAMPING, QDD

if TYPE_CHECKING:  # which imports this module
    from robodyn_ros.robot.robot import Robot
    from robodyn_ros.simulation.loops.grasping_plant import GraspingPlant

RANK = 1e-9  # smallest singular value of a constrained motion, as a share of the largest


class ClosureWrenches(NamedTuple):
    """What closures do in a substep.

    `wrenches`: link, and force and moment on it at its origin, in base axes [N, N m]; two of each
      closure.
    `torque`: J^T lambda, the torques of the closures at the joints [N m or N].
    """

    wrenches: list[tuple[str, np.ndarray]]
    torque: np.ndarray

    def __repr__(self):
        return short_repr(self)


def closure_wrenches(
    plant: GraspingPlant, robot: Robot, h: float, pushes: Mapping[str, np.ndarray]
) -> ClosureWrenches:
    """Return the mean wrenches of the closures that act, over the last substep.

    They are those at its end, to the first order in its length. O(n m^2) for m rows.

    `plant`: the plant, after a step.
    `robot`: the robot of its model.
    `h`: length of the substep [s].
    `pushes`: external wrenches and contacts, as of `Plant.pushes`.
    """
    n, closing = plant.model.nv, plant._closing
    joints, joint_work = plant._drives.joints, plant._memory[1]
    impulses = plant._touching.arrays.vectors[IMPULSES, :n]
    needed = robot.inverse_dynamics(plant.q, plant.qd, joint_work[QDD, :n].copy(), pushes)
    known = plant.effort - joints[:, DAMPING] * plant.qd + impulses / h
    free = joints[:, BRAKED] == 0.0
    rows = closing.rows[:, free]
    shares = np.linalg.lstsq(rows.T, (needed - known)[free], rcond=RANK)[0]
    found, row = [], 0
    for k, closure in enumerate(plant._closures):
        XA, XB = closing.poses[2 * k], closing.poses[2 * k + 1]
        point, stops, wrench = XB[:3, 3], int(closing.closures[k, STOPS]), np.zeros(6)
        along = (point - XA[:3, 3]) / (closing.lengths[k, LENGTH] or 1.0)
        for bit in range(DISTANCE + 1):
            if stops & (1 << bit):
                part = slice(3, 6) if 3 <= bit < DISTANCE else slice(3)
                wrench[part] += shares[row] * np.array(row_axis(XA, stops, bit, along))
                row += 1
        for link, sign in ((closure.b, 1.0), (closure.a, -1.0)):
            lever = point - np.array(column_of(robot.pose(plant.q, link), 3))
            moment = wrench[3:] + np.cross(lever, wrench[:3])
            found.append((link, sign * np.concatenate((wrench[:3], moment))))
    return ClosureWrenches(found, closing.rows.T @ shares)
