# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The action FollowJointTrajectory, where control_msgs is installed."""

from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.clock import Clock, ClockType
from rclpy.task import Future

from robodyn_ros.control.reference.goal_tolerance import Tolerance
from robodyn_ros.errors import RobodynError

MONITOR_PERIOD = 0.05  # [s] between two looks at a running goal


def make_action(node):
    """Make the action server `~/follow_joint_trajectory`, or None without control_msgs."""
    try:
        from control_msgs.action import FollowJointTrajectory
    except ImportError:
        node.get_logger().info(
            "There is no action '~/follow_joint_trajectory', as control_msgs "
            "is not installed; '~/joint_trajectory' takes trajectories."
        )
        return None
    return FollowJointTrajectoryServer(node, FollowJointTrajectory)


class FollowJointTrajectoryServer:
    """Hands goals to the controller's session and watches what becomes of them.

    A goal succeeds when its trajectory has been played to the end and the arm is within the goal's
    tolerances. It is aborted when they are violated (the measured posture is then held), or when
    another reference, a fault or a deactivation takes its place.

    Args:
      node: the controller.
      action: the action type.

    """

    def __init__(self, node, action):
        self._node, self._action = node, action
        self._running: list[_Goal] = []
        self._server = ActionServer(
            node,
            action,
            '~/follow_joint_trajectory',
            self._execute,
            goal_callback=lambda _: GoalResponse.ACCEPT if node.session else GoalResponse.REJECT,
            cancel_callback=lambda _: CancelResponse.ACCEPT,
        )
        self._monitor = node.create_timer(
            MONITOR_PERIOD, self._watch, clock=Clock(clock_type=ClockType.STEADY_TIME)
        )

    async def _execute(self, handle):
        result = self._action.Result()
        try:
            goal = _Goal(handle, self._node.session, self._action)
        except RobodynError as error:
            handle.abort()
            result.error_code, result.error_string = result.INVALID_GOAL, str(error)
            return result
        self._running.append(goal)
        self._monitor.reset()
        result.error_code, result.error_string = await goal.outcome
        return result

    def _watch(self):
        for goal in list(self._running):
            outcome = goal.look()
            if outcome is not None:
                self._running.remove(goal)
                goal.outcome.set_result(outcome)
        if not self._running:
            self._monitor.cancel()


class _Goal:
    """One accepted goal; RobodynError when the session does not take it."""

    def __init__(self, handle, session, action):
        if session is None:
            raise RobodynError('The controller is not configured.')
        request, joints = handle.request, session.supervisor.joint_names
        self._path = Tolerance(request.path_tolerance, joints)
        self._end = Tolerance(request.goal_tolerance, joints)
        self._patience = (
            request.goal_time_tolerance.sec + 1e-9 * request.goal_time_tolerance.nanosec
        )
        refusal = session.follow(request.trajectory)
        if refusal:
            raise RobodynError(refusal)
        self.outcome = Future()
        self._handle, self._session, self._codes = handle, session, action.Result
        self._feedback = action.Feedback()
        self._trajectory, self._ended = session.supervisor.following, None

    def look(self):
        """Error code and sentence once the goal is over, None before."""
        supervisor, codes = self._session.supervisor, self._codes
        if self._handle.is_cancel_requested:
            self._give_up(supervisor)
            self._handle.canceled()
            return codes.SUCCESSFUL, 'The goal was cancelled; the measured posture is held.'
        self._give_feedback(supervisor)
        errors = supervisor.reference[0] - supervisor.q, supervisor.reference[1] - supervisor.qd
        if supervisor.following is self._trajectory:
            violation = self._path.violation(*errors)
            if not violation:
                return None
            self._give_up(supervisor)
            return self._abort(codes.PATH_TOLERANCE_VIOLATED, violation)
        if supervisor.completed is not self._trajectory:
            return self._abort(codes.INVALID_GOAL, f'it was given up: {supervisor.reason}')
        return self._judge_end(self._end.violation(*errors))

    def _give_up(self, supervisor):
        """Hold the posture, unless another reference has taken the place of this one."""
        if supervisor.following is self._trajectory:
            supervisor.hold()

    def _judge_end(self, violation: str):
        if not violation:
            self._handle.succeed()
            return self._codes.SUCCESSFUL, ''
        now = self._session.now()
        self._ended = now if self._ended is None else self._ended
        if now - self._ended < self._patience:
            return None
        return self._abort(self._codes.GOAL_TOLERANCE_VIOLATED, violation)

    def _abort(self, code: int, cause: str):
        self._handle.abort()
        return code, f'The trajectory was not completed: {cause}'

    def _give_feedback(self, supervisor):
        feedback, (q, qd, qdd) = self._feedback, supervisor.reference
        feedback.header.stamp = self._session.stamp()
        feedback.joint_names = list(supervisor.joint_names)
        for point, position, velocity in (
            (feedback.desired, q, qd),
            (feedback.actual, supervisor.q, supervisor.qd),
            (feedback.error, q - supervisor.q, qd - supervisor.qd),
        ):
            point.positions, point.velocities = position.tolist(), velocity.tolist()
        feedback.desired.accelerations = qdd.tolist()
        self._handle.publish_feedback(feedback)
