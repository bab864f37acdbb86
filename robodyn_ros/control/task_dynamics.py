# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Operational-space dynamics of points on links, in axes of the caller's choice."""

from dataclasses import dataclass
from typing import NamedTuple, Sequence

import numpy as np

from robodyn_ros.errors import UnknownNameError, short_repr, shorten
from robodyn_ros.robot.operational_space_dynamics import OperationalSpaceInertia
from robodyn_ros.robot.robot import Robot

WORLD_ALIGNED, LOCAL, BASE = 0, 1, 2  # as in GetOperationalSpaceInertia.srv


@dataclass(frozen=True)
class TaskDynamics:
    """Lambda xdd + mu + p = F of a task, for tau = J^T F (Khatib 1987).

    `inertia`: lambda with its Jacobian, inverse, rank and consistent inverse.
    `jacobian_bias`: jdot qd of the rows of the task [m/s^2, rad/s^2].
    `coriolis`: C qd [N m or N].
    `gravity`: g [N m or N].
    `bias`: mu = Lambda (J M^-1 C qd - Jdot qd) [N, N m].
    `task_gravity`: p = Lambda J M^-1 g [N, N m].
    """

    inertia: OperationalSpaceInertia
    jacobian_bias: np.ndarray
    coriolis: np.ndarray
    gravity: np.ndarray
    bias: np.ndarray
    task_gravity: np.ndarray

    __repr__ = short_repr


def require_links(links: Sequence[str], robot: Robot):
    """Require that the robot has all links.

    `links`: names of links.
    Raises UnknownNameError: for the first name that is not a link of the robot.
    """
    for link in links:
        if link not in robot.frames:
            raise UnknownNameError(
                f'There is no link {shorten(link)}; expected one of {", ".join(robot.frames)}.'
            )


class TaskPoint(NamedTuple):
    """A point on a link.

    `link`: name of the link.
    `place`: position of the point in axes of the link [m].
    """

    link: str
    place: np.ndarray

    def __repr__(self):
        return short_repr(self)


def task_dynamics(
    robot: Robot,
    q: np.ndarray,
    qd: np.ndarray,
    points: Sequence[TaskPoint],
    reference: int,
    kept: Sequence[int],
    damping: float,
) -> TaskDynamics:
    """Return the task dynamics of one point, or of several points together.

    `points`: points of the task, with six rows each. Several may be on one link.
    `reference`: WORLD_ALIGNED: at the point, in axes of the base. LOCAL: at the point, in axes of
      its link. BASE: at the base's origin, in axes of the base.
    `kept`: rows of the task, among x y z rx ry rz of each point in turn.
    `damping`: damping of the inverse [1/sqrt(kg)].
    Raises RobodynError: for a link or a number that the robot does not accept.
    """
    links = tuple(dict.fromkeys(point.link for point in points))
    J, compliance = robot.task_space.compliance(q, links)
    transform, bias = np.zeros((6 * len(points), len(J))), np.zeros(6 * len(points))
    for k, (link, place) in enumerate(points):
        rows, columns = (slice(6 * i, 6 * i + 6) for i in (k, links.index(link)))
        transform[rows, columns], rate = _transform(robot, q, qd, link, place, reference)
        bias[rows] = (
            transform[rows, columns] @ robot.jacobian_bias(q, qd, link) + rate @ J[columns] @ qd
        )
    inertia = robot.task_space.inertia(
        q, transform @ J, transform @ compliance @ transform.T, kept, damping
    )
    gravity = robot.gravity_torque(q)
    coriolis = robot.bias_torque(q, qd) - gravity
    to_task = inertia.inertia @ inertia.jacobian
    return TaskDynamics(
        inertia,
        bias[kept],
        coriolis,
        gravity,
        to_task @ robot.mass_operator.solve(q, coriolis) - inertia.inertia @ bias[kept],
        to_task @ robot.mass_operator.solve(q, gravity),
    )


def _transform(robot, q, qd, link, place, reference):
    """Return the map from the velocity of a link to that of a point, and its rate.

    The point's velocity is in the axes of `reference`.
    """
    pose = robot.pose(q, link)
    lever = pose[:3, :3] @ place
    shift, rate = _to_point(robot, q, qd, link, lever)
    turn, turn_rate = _to_reference(robot, q, qd, link, pose, lever, reference)
    return turn @ shift, turn_rate @ shift + turn @ rate


def _to_point(robot, q, qd, link, lever):
    """Return the map from the velocity of the link's origin to that of the point, and its rate.

    The map is v + omega x r.
    """
    omega = robot.velocity(q, qd, link)[3:]
    shift, rate = np.eye(6), np.zeros((6, 6))
    shift[:3, 3:] = -_cross(lever)
    rate[:3, 3:] = -_cross(np.cross(omega, lever))
    return shift, rate


def _to_reference(robot, q, qd, link, pose, lever, reference):
    """Return the map from base axes at the point to the reference, and its rate."""
    turn, rate = np.eye(6), np.zeros((6, 6))
    velocity = robot.velocity(q, qd, link)
    if reference == LOCAL:
        rotation = pose[:3, :3].T
        for block in (slice(0, 3), slice(3, 6)):
            turn[block, block] = rotation
            rate[block, block] = -rotation @ _cross(velocity[3:])
    elif reference == BASE:
        turn[:3, 3:] = _cross(pose[:3, 3] + lever)
        rate[:3, 3:] = _cross(velocity[:3] + np.cross(velocity[3:], lever))
    return turn, rate


def _cross(v):
    return np.array(((0.0, -v[2], v[1]), (v[2], 0.0, -v[0]), (-v[1], v[0], 0.0)))
