# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""An action server that takes and checks goals with a long trajectory without the GIL."""

import contextlib
import ctypes
from typing import Any, Callable, NamedTuple

import numpy as np
from action_msgs.msg import GoalInfo
from rclpy.action import ActionServer, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.serialization import deserialize_message
from rclpy.task import Future
from trajectory_msgs.msg import JointTrajectoryPoint

from robodyn_ros.errors import shorten
from robodyn_ros.middleware.trajectory_cdr import ENCAPSULATION, MAX_BYTES
from robodyn_ros.ros.transport.bounded_subscription import SMALL
from robodyn_ros.ros.transport.rcl_ffi import octets_of
from robodyn_ros.ros.transport.request_port import RequestPort, goal_functions

IDENTITY = 16  # bytes of the goal ID, which precedes the trajectory


class _Sequence(ctypes.Structure):
    """Layout of a sequence or a string in the C structures of messages."""

    _fields_ = [
        ('data', ctypes.c_void_p),
        ('size', ctypes.c_size_t),
        ('capacity', ctypes.c_size_t),
    ]


class _GoalPrefix(ctypes.Structure):
    """First fields in the C structure of a goal request that begins with a JointTrajectory."""

    _fields_ = [
        ('identity', ctypes.c_uint8 * IDENTITY),
        ('seconds', ctypes.c_int32),
        ('nanoseconds', ctypes.c_uint32),
        ('frame', _Sequence),
        ('joint_names', _Sequence),
        ('points', _Sequence),
    ]


class _Goal(NamedTuple):
    """A goal request as it is kept.

    `rest`: the serialised request without the points.
    `trajectory`: the serialised JointTrajectory with its points.
    """

    rest: bytes
    trajectory: np.ndarray


class BoundedActionServer(ActionServer):
    """Refuse goals by their size, and decode all but the points of their trajectory.

    Without the functions of rcl, rclpy takes and decodes the goals.

    `node` (ManagedNode): the node that serves.
    `kind` (type): action type; the first field of its goal is a JointTrajectory.
    `name`: name of the action.
    `begin` (callable): called with a goal, whose points may be missing, and with its serialised
      trajectory (k,) uint8. Returns whether the goal is accepted.
    `refuse` (callable): called with a sentence about a goal that is too large or unreadable.
    `execute` (callable): called with the handle of an accepted goal; returns the result.
    `cancel` (callable): called with the handle of a goal to be cancelled.
    """

    def __init__(
        self,
        node,
        kind,
        name: str,
        begin: Callable[[Any, np.ndarray], bool],
        refuse: Callable[[str], None],
        execute,
        cancel,
    ):
        self._begin, self._refuse, self._port = begin, refuse, None
        super().__init__(
            node, kind, name, execute, goal_callback=self._decoded, cancel_callback=cancel
        )
        calls = goal_functions()
        if calls is not None:
            port = RequestPort(kind.Impl.SendGoalService, self._handle, calls)
            self._port = port if _has_expected_layout(port, kind) else None

    def _decoded(self, goal):
        """Begin a goal that rclpy has decoded."""
        begun = self._begin(goal, octets_of(goal.trajectory))
        return GoalResponse.ACCEPT if begun else GoalResponse.REJECT

    def take_data(self):
        """Take the waiting messages: a goal with the GIL released, anything else as rclpy does.

        Returns data for `execute`, by kind of message.
        """
        taken = None
        if self._port is not None and self._is_goal_request_ready:
            self._is_goal_request_ready = False
            taken = self._take_goal()
        data = super().take_data()
        if taken is not None:
            data['goal'] = taken
        return data

    def _take_goal(self):
        """Return the client and its goal, or the size [bytes] of a goal that is too large."""
        port = self._port
        with self._lock, port.request() as taken:
            if taken is None:
                return None
            client, address = taken
            whole = port.serialised(address, MAX_BYTES + SMALL)
            with _without_points(address):
                rest = port.serialised(address, SMALL)
        if whole is None or rest is None:
            return None
        if isinstance(whole, int) or isinstance(rest, int):
            return client, whole if isinstance(whole, int) else rest
        # Without the goal ID the alignment stays, because its size is a multiple of 8 bytes.
        trajectory = whole[IDENTITY:]
        trajectory[:ENCAPSULATION] = whole[:ENCAPSULATION]
        return client, _Goal(rest.tobytes(), trajectory)

    async def _execute_goal_request(self, request_header_and_message):
        client, given = request_header_and_message
        if self._port is None:
            await super()._execute_goal_request(request_header_and_message)
            return
        response, handle = self._action_type.Impl.SendGoalService.Response(), None
        if isinstance(given, int):
            self._refuse(
                f'It has {given} bytes; at most {MAX_BYTES} are accepted, and {SMALL} besides '
                'its points.'
            )
        else:
            handle = self._accept(given, response)
        self._port.respond(client, response)
        if handle is not None:
            self._handle.publish_status()
            handle.execute()

    def _accept(self, given: _Goal, response):
        """Fill the response; return the handle of an accepted goal, None for a refused one."""
        try:
            kind = self._action_type.Impl.SendGoalService.Request
            request = deserialize_message(given.rest, kind)
        except Exception as error:  # an error of the middleware, or a string that is not UTF-8
            self._refuse(f'It cannot be read: {shorten(str(error))}')
            return None
        info = GoalInfo(goal_id=request.goal_id)
        with self._lock:
            known = self._handle.goal_exists(info)
        if known or not self._begin(request.goal, given.trajectory):
            return None
        info.stamp = response.stamp = self._node.get_clock().now().to_msg()
        response.accepted = True
        with self._lock:
            handle = ServerGoalHandle(self, info, request.goal)
        identity, result = bytes(request.goal_id.uuid), Future()
        self._goal_handles[identity], self._result_futures[identity] = handle, result
        self.add_future(result)
        return handle


@contextlib.contextmanager
def _without_points(address: int):
    """Hide the points of a goal request while the context is open."""
    points = _GoalPrefix.from_address(address).points
    size, points.size = points.size, 0
    try:
        yield
    finally:
        points.size = size


def _has_expected_layout(port: RequestPort, kind) -> bool:
    request = kind.Impl.SendGoalService.Request()
    request.goal.trajectory.joint_names = ['first', 'second', 'third']
    request.goal.trajectory.points = [JointTrajectoryPoint(), JointTrajectoryPoint()]
    with port.filled(request) as address:
        head = _GoalPrefix.from_address(address)
        return (head.joint_names.size, head.points.size) == (3, 2)
