# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Publish what ~/get_operational_space_inertia returns, for the latest joint state."""

import time
from typing import Any, Mapping, NamedTuple

from rclpy.qos import QoSProfile, ReliabilityPolicy

from robodyn_msgs.msg import OperationalSpaceInertia
from robodyn_ros.control.supervisor.state_buffer import Measurement
from robodyn_ros.control.task_dynamics import require_links
from robodyn_ros.errors import ParameterError, RobodynError
from robodyn_ros.realtime.loop import PeriodicLoop
from robodyn_ros.robot.operational_space_dynamics import AXES
from robodyn_ros.robot.robot import Robot
from robodyn_ros.ros.common.robot_source import default_link
from robodyn_ros.ros.transport.cdr import OutgoingMessage

TOPIC = '~/operational_space_inertia'
TASK_QOS = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE)
WARNING_PERIOD = 5.0  # [s] between log lines about a task that cannot be computed


class TaskSettings(NamedTuple):
    """What to publish, and how often.

    `rate`: rate [Hz]; 0 for never.
    `links`: links of the task.
    `axes`: axes of every link; '' for all.
    `damping`: damping of the inverse [1/sqrt(kg)].
    `timeout`: age of the oldest joint state for which to publish [s].
    """

    rate: float
    links: tuple[str, ...]
    axes: str
    damping: float
    timeout: float


def task_settings(values: Mapping[str, Any], robot: Robot) -> TaskSettings:
    """Return the TaskSettings of a node's parameters.

    Raises ParameterError: with a sentence, for unknown links or axes.
    """
    links = values['osi_links'] or (default_link(values, robot),)
    if len(set(links)) != len(links):
        raise ParameterError(
            f"Parameter 'osi_links': got {', '.join(links)}; expected each link once."
        )
    settings = TaskSettings(
        values['osi_publish_rate'],
        tuple(links),
        values['osi_axes'],
        values['osi_damping'],
        values['state_timeout'],
    )
    named = [link for link in (values['tip_link'], *values['osi_links']) if link]
    try:
        require_links((*named, *links) if settings.rate else named, robot)
        robot.task_space.rows(settings.links, settings.axes or None)
    except RobodynError as error:
        raise ParameterError(
            f"Parameters 'tip_link', 'osi_links' and 'osi_axes': {error}"
        ) from error
    return settings


class TaskWriter:
    """Fill one OperationalSpaceInertia message repeatedly.

    `robot` (Robot): a robot that no other thread uses.
    `settings` (TaskSettings): what to publish.
    """

    def __init__(self, robot: Robot, settings: TaskSettings):
        self._robot, self._settings = robot, settings
        self._axes = settings.axes or None
        n, rows = robot.nv, robot.task_space.rows(settings.links, self._axes)
        m = len(rows)
        message = OperationalSpaceInertia(
            joint_names=list(robot.joint_names),
            rows=m,
            cols=n,
            damping_used=settings.damping,
            row_links=[settings.links[row // 6] for row in rows],
            row_axes=[AXES[row % 6] for row in rows],
        )
        message.header.frame_id = robot.model.body_names[0]
        self._message = OutgoingMessage(
            message,
            {
                'position': n,
                'velocity': n,
                'inertia': m * m,
                'inertia_inverse': m * m,
                'jacobian': m * n,
                'task_bias': m,
                'task_gravity': m,
                'consistent_inverse': n * m,
                'singular_values': m,
            },
            {'rank': 1},
        )

    def fill(self, state: Measurement) -> bytes:
        """Return the serialised message for a joint state.

        `state`: the joint state.
        """
        settings, out = self._settings, self._message.doubles
        bias = self._robot.task_space.bias(
            state.q, state.qd, settings.links, self._axes, settings.damping
        )
        task, (seconds, nanoseconds) = bias.task, state.stamp
        self._message.set_stamp(seconds * 1_000_000_000 + nanoseconds)
        out['position'][:], out['velocity'][:] = state.q, state.qd
        out['inertia'][:] = task.inertia.ravel()
        out['inertia_inverse'][:] = task.inverse.ravel()
        out['jacobian'][:] = task.jacobian.ravel()
        out['consistent_inverse'][:] = task.consistent_inverse.ravel()
        out['singular_values'][:] = task.singular_values
        out['task_bias'][:], out['task_gravity'][:] = bias.coriolis, bias.gravity
        self._message.octets['rank'][0] = task.rank
        return self._message.bytes()


class TaskPublisher:
    """Publish from a separate thread that wakes between control cycles.

    Both loops keep their phase on one clock, so the thread has half a cycle until the next one.
    The kernels release the GIL.

    `node` (Controller): the node that owns the topic.
    """

    def __init__(self, node):
        self._node, self._session, self._settings = node, None, None
        self._loop = self._publisher = self._writer = self._supervisor = None

    def follow(self, session, values: Mapping[str, Any]):
        """Publish for a session with new settings.

        `session` (ControlSession or None): session of the node; None to stop.
        """
        settings = task_settings(values, session.robot) if session else None
        if (session, settings) == (self._session, self._settings):
            return
        self._stop()
        self._session, self._settings = session, settings
        if settings and settings.rate:
            self._start(session, settings)

    def _start(self, session, settings):
        self._writer = TaskWriter(Robot(session.robot.model), settings)
        self._supervisor = session.supervisor
        self._publisher = self._node.create_publisher(OperationalSpaceInertia, TOPIC, TASK_QOS)
        self._loop = PeriodicLoop(1.0 / settings.rate, self._publish, self._failed)
        time.sleep(session.until_between_cycles())
        self._loop.start()

    def _stop(self):
        if self._loop is not None:
            self._loop.stop()
            self._node.destroy_publisher(self._publisher)
            self._loop = self._publisher = self._writer = self._supervisor = None

    def _publish(self, _now: float):
        state = self._supervisor.measurement
        if state is not None and self._session.now() - state.time <= self._settings.timeout:
            self._publisher.publish(self._writer.fill(state))

    def _failed(self, error: Exception):
        self._node.get_logger().warning(
            f'Nothing to publish on {TOPIC}: {error}', throttle_duration_sec=WARNING_PERIOD
        )
