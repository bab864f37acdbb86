# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A client that plays one trajectory on a running controller."""

import time

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile
from trajectory_msgs.msg import JointTrajectory

from robodyn_msgs.msg import ControllerStatus
from robodyn_ros.errors import RobodynError
from robodyn_ros.middleware.fast_dds import leave_shared_memory
from robodyn_ros.ros.common.trajectory_files import duration_of

PATIENCE = 10.0  # [s] of wall time to discover the controller
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class Player:
    """Send one trajectory to a controller, and watch its execution.

    `name`: full name of the controller.
    """

    def __init__(self, name):
        self._name, self._status, self._refusals, self._why = name, None, None, ''
        leave_shared_memory()
        self._context = rclpy.Context()
        rclpy.init(context=self._context)
        self._node = rclpy.create_node('robodyn_play', context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        self._node.create_subscription(
            ControllerStatus, f'{name}/status', self._keep_status, LATCHED
        )
        self._node.create_subscription(DiagnosticArray, '/diagnostics', self._keep_refusals, 10)
        self._publisher = self._node.create_publisher(
            JointTrajectory, f'{name}/joint_trajectory', 1
        )

    def close(self):
        """Leave the ROS graph."""
        self._executor.shutdown()
        self._node.destroy_node()
        rclpy.shutdown(context=self._context)

    def play(self, message, report=print):
        """Play a trajectory to its end.

        `message` (trajectory_msgs.msg.JointTrajectory): the trajectory.
        `report` (callable): called with sentences about the progress.
        Raises RobodynError: with the reason, if the controller is missing, refuses the trajectory
          or aborts it.
        """
        heard = self._wait(lambda: self._status and self._refusals is not None)
        if not heard or not self._wait(self._publisher.get_subscription_count):
            raise RobodynError(
                f"there is no controller '{self._name}': no message on '{self._name}/status'; "
                'expected a running one, or its name as --controller'
            )
        if self._status.state not in (ControllerStatus.ACTIVE, ControllerStatus.HOLD):
            raise RobodynError(
                f'the controller is in {self._status.state_name}: {self._status.message}'
            )
        before, self._status = self._refusals, None
        self._publisher.publish(message)
        self._wait(lambda: self._is('FOLLOWING') or self._refusals > before)
        if self._refusals > before:
            raise RobodynError(f'the controller refuses the trajectory: {self._why}')
        if not self._is('FOLLOWING'):
            raise RobodynError(f"the controller '{self._name}' did not answer")
        report(f'Playing {len(message.points)} points in {duration_of(message):g} s.')
        while self._is('FOLLOWING'):
            self._executor.spin_once(timeout_sec=0.1)
        if not self._is('TRAJECTORY_END'):
            raise RobodynError(f'the trajectory was aborted: {self._status.message}')
        report(self._status.message)

    def _is(self, reason):
        """Return whether the newest status has this reason."""
        return self._status is not None and self._status.reason == reason

    def _wait(self, condition):
        """Spin until a condition holds, or for PATIENCE; return its value."""
        deadline = time.monotonic() + PATIENCE
        while not (value := condition()) and time.monotonic() < deadline:
            self._executor.spin_once(timeout_sec=0.05)
        return value

    def _keep_status(self, status):
        """Keep the newest status of the controller."""
        self._status = status

    def _keep_refusals(self, array):
        """Keep the number of refused references, and the last refusal."""
        for entry in array.status:
            if entry.name == f'{self._name.rpartition("/")[2]}: references':
                values = {pair.key: pair.value for pair in entry.values}
                self._refusals, self._why = int(values['refused']), values['last_refusal']
