# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The action FollowJointTrajectory, if control_msgs is installed."""

import numpy as np
from rclpy.action import CancelResponse
from rclpy.clock import Clock, ClockType
from rclpy.task import Future

from robodyn_ros.control.reference.goal_tolerance import Tolerance
from robodyn_ros.errors import RobodynError, UnknownNameError
from robodyn_ros.realtime.log_throttle import LineBudget
from robodyn_ros.ros.controller.controller_status import missed_goal
from robodyn_ros.ros.transport.bounded_action_server import BoundedActionServer

MONITOR_PERIOD = 0.05  # [s] between checks of a running goal


def make_action(node):
    """Create the action server `~/follow_joint_trajectory`.

    `node` (Controller): the controller node.
    Returns the server; None if control_msgs is not installed.
    """
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
    """Pass goals to the controller's session, and watch their execution.

    A goal that the session refuses is not accepted. An accepted goal succeeds when its trajectory
    has ended and the arm is within the goal's tolerances. It is aborted when they are violated;
    the arm then comes to rest, as after a cancellation. A newer goal, another reference, a fault
    or a deactivation also aborts it.

    `node` (Controller): the controller node.
    `action` (type): the action type.
    """

    def __init__(self, node, action):
        self._node, self._action = node, action
        self._running: list[_Goal] = []
        self._begun: list[_Goal] = []  # accepted, but not executed yet
        self._lines = LineBudget()
        self._server = BoundedActionServer(
            node,
            action,
            '~/follow_joint_trajectory',
            self._begin,
            lambda sentence: self._refuse('INVALID_GOAL', sentence),
            self._execute,
            self._cancel,
        )
        self._monitor = node.create_timer(
            MONITOR_PERIOD, self._watch, clock=Clock(clock_type=ClockType.STEADY_TIME)
        )

    def _begin(self, request, trajectory: np.ndarray) -> bool:
        """Follow a goal, or log the reason and the error code of its refusal."""
        self._watch()  # so that a goal already reached succeeds instead of being replaced
        try:
            goal = _Goal(request, trajectory, self._node.session, self._action)
        except RobodynError as error:
            code = 'INVALID_JOINTS' if isinstance(error, UnknownNameError) else 'INVALID_GOAL'
            self._refuse(code, str(error))
            return False
        for other in (*self._begun, *self._running):
            other.replaced = True
        self._begun.append(goal)
        return True

    def _refuse(self, code: str, sentence: str):
        if self._lines.try_acquire():
            self._node.get_logger().warning(f'The goal is refused ({code}): {sentence}')

    async def _execute(self, handle):
        (goal,) = (each for each in self._begun if each.request is handle.request)
        self._begun.remove(goal)
        goal.handle = handle
        self._running.append(goal)
        self._monitor.reset()
        result = self._action.Result()
        result.error_code, result.error_string = await goal.outcome
        return result

    def _cancel(self, handle):
        """Stop a goal at once; `_watch` ends it."""
        for goal in self._running:
            if goal.handle is handle:
                goal.stop()
        return CancelResponse.ACCEPT

    def _watch(self):
        for goal in list(self._running):
            outcome = goal.poll()
            if outcome is not None:
                self._running.remove(goal)
                goal.outcome.set_result(outcome)
        if not self._running:
            self._monitor.cancel()


def _refuse_multi_dof(request):
    """Refuse the fields of a goal for joints of several degrees of freedom."""
    multi_dof = request.multi_dof_trajectory
    fields = {
        'multi_dof_trajectory': [*multi_dof.joint_names, *multi_dof.points],
        'component_path_tolerance': request.component_path_tolerance,
        'component_goal_tolerance': request.component_goal_tolerance,
    }
    given = [name for name, values in fields.items() if values]
    if given:
        raise RobodynError(
            f'The goal has {" and ".join(given)}; expected only joints of one degree of freedom, '
            'in trajectory, path_tolerance and goal_tolerance.'
        )


class _Goal:
    """One active goal.

    `request` (ROS message): the goal, whose trajectory may lack its points.
    `trajectory` ((k,) uint8): its serialised JointTrajectory.
    `session` (ControlSession or None): session of the controller.
    `action` (type): the action type.
    `handle` (ServerGoalHandle or None): handle of the goal, once it is executed.
    `replaced`: whether a newer goal has been accepted.
    Raises RobodynError: if the session refuses the goal.
    """

    def __init__(self, request, trajectory, session, action):
        if session is None:
            raise RobodynError('The controller is not configured; configure it first.')
        joints = session.supervisor.joint_names
        try:
            _refuse_multi_dof(request)
            session.require_joints(request.trajectory.joint_names)
            self._path = Tolerance(request.path_tolerance, joints)
            self._end = Tolerance(request.goal_tolerance, joints)
        except RobodynError as error:
            session.count_reference(str(error))
            raise
        self._time_tolerance = (
            request.goal_time_tolerance.sec + 1e-9 * request.goal_time_tolerance.nanosec
        )
        refusal = session.follow(trajectory)
        if refusal:
            raise RobodynError(refusal)
        self.request, self.outcome, self.handle, self.replaced = request, Future(), None, False
        self._session, self._codes = session, action.Result
        self._feedback = action.Feedback()
        self._trajectory, self._ended = session.supervisor.following, None

    def poll(self):
        """Return error code and sentence once the goal has ended, else None."""
        supervisor, codes = self._session.supervisor, self._codes
        if self.handle.is_cancel_requested:
            self.stop()
            self.handle.canceled()
            return codes.SUCCESSFUL, 'The goal was cancelled; the arm comes to rest and holds.'
        if self.replaced:
            return self._abort(codes.INVALID_GOAL, 'it was replaced by a newer goal')
        self._give_feedback(supervisor)
        errors = supervisor.reference[0] - supervisor.q, supervisor.reference[1] - supervisor.qd
        if supervisor.following is self._trajectory:
            violation = self._path.violation(*errors)
            if not violation:
                return None
            self.stop()
            return self._abort(codes.PATH_TOLERANCE_VIOLATED, violation)
        if supervisor.completed is not self._trajectory:
            by_another = supervisor.following is not None
            why = 'another reference is followed' if by_another else supervisor.reason
            return self._abort(codes.INVALID_GOAL, f'it was given up: {why}')
        return self._judge_end(self._end.violation(*errors))

    def stop(self):
        """Come to rest and hold the posture, unless another reference has replaced this one."""
        supervisor = self._session.supervisor
        if supervisor.following is self._trajectory:
            supervisor.hold()

    def _judge_end(self, violation: str):
        if not violation:
            self.handle.succeed()
            missed = missed_goal(self._session.supervisor)
            return self._codes.SUCCESSFUL, missed and f'The trajectory has ended. {missed}'
        now = self._session.now()
        self._ended = now if self._ended is None else self._ended
        if now - self._ended < self._time_tolerance:
            return None
        return self._abort(self._codes.GOAL_TOLERANCE_VIOLATED, violation)

    def _abort(self, code: int, cause: str):
        self.handle.abort()
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
        self.handle.publish_feedback(feedback)
