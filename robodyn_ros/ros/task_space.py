"""Operational-space quantities of a point on a link, in the axes and at the point asked for."""
from dataclasses import dataclass

import numpy as np

from robodyn_ros.frame_quantities import OperationalSpaceInertia
from robodyn_ros.robot import Robot

WORLD_ALIGNED, LOCAL, BASE = 0, 1, 2   # as in GetOperationalSpaceInertia.srv


@dataclass(frozen=True)
class TaskDynamics:
    """Lambda xdd + mu + p = F of a task, with Lambda = (J M^-1 J^T)^-1 (Khatib 1987).

    Attributes:
      inertia: Lambda with its Jacobian, inverse, rank and consistent inverse.
      jacobian_bias: (m,) Jdot qd of the axes kept [m/s^2, rad/s^2]
      coriolis: (n,) C qd [N m | N]
      gravity: (n,) g [N m | N]
      bias: (m,) mu = Lambda (J M^-1 C qd - Jdot qd) [N, N m]
      task_gravity: (m,) p = Lambda J M^-1 g [N, N m]

    """

    inertia: OperationalSpaceInertia
    jacobian_bias: np.ndarray
    coriolis: np.ndarray
    gravity: np.ndarray
    bias: np.ndarray
    task_gravity: np.ndarray


def task_dynamics(robot: Robot, q: np.ndarray, qd: np.ndarray, link: str, point: np.ndarray,
                  reference: int, kept: list[int], damping: float) -> TaskDynamics:
    """The task dynamics of a point.

    Args:
      robot: the robot.
      q: (n,) positions [rad | m]
      qd: (n,) velocities [rad/s | m/s]
      link: name of the link that carries the point.
      point: (3,) its place in the axes of the link [m]
      reference: WORLD_ALIGNED (at the point, axes of the base), LOCAL (at the point, axes of the
        link) or BASE (at the base's origin, axes of the base).
      kept: indices of the task axes, of x y z rx ry rz.
      damping: of the inverse [1/sqrt(kg)]

    Raises:
      RobodynError: for a link or a number the robot does not accept, with a sentence.

    """
    pose = robot.pose(q, link)
    lever = pose[:3, :3] @ point
    shift, rate = _to_point(robot, q, qd, link, lever)
    turn, turn_rate = _to_reference(robot, q, qd, link, pose, lever, reference)
    transform = turn @ shift
    at_link = robot.operational_space_inertia(q, link)
    velocity = at_link.jacobian @ qd
    bias = (transform @ robot.jacobian_bias(q, qd, link)
            + (turn_rate @ shift + turn @ rate) @ velocity)
    inertia = robot.task_inertia(q, transform @ at_link.jacobian,
                                 transform @ at_link.inverse @ transform.T, kept, damping)
    gravity = robot.gravity_torque(q)
    coriolis = robot.bias_torque(q, qd) - gravity
    seen = inertia.inertia @ inertia.jacobian
    return TaskDynamics(inertia, bias[kept], coriolis, gravity,
                        seen @ robot.mass_solve(q, coriolis) - inertia.inertia @ bias[kept],
                        seen @ robot.mass_solve(q, gravity))


def _to_point(robot, q, qd, link, lever):
    """From the velocity of the link's origin to that of the point: v + omega x r, and its rate."""
    omega = robot.velocity(q, qd, link)[3:]
    shift, rate = np.eye(6), np.zeros((6, 6))
    shift[:3, 3:] = -_cross(lever)
    rate[:3, 3:] = -_cross(np.cross(omega, lever))
    return shift, rate


def _to_reference(robot, q, qd, link, pose, lever, reference):
    """From the point, in axes of the base, to what is asked for; and the rate of that."""
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
