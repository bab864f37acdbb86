"""The action FollowJointTrajectory, where control_msgs is installed."""
import time

from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.clock import Clock, ClockType
from rclpy.task import Future

from robodyn_ros.control.states import Reason

MONITOR_PERIOD = 0.05   # [s] between two looks at a running goal


def make_action(node):
    """Make the action server `~/follow_joint_trajectory`, or None without control_msgs."""
    try:
        from control_msgs.action import FollowJointTrajectory
    except ImportError:
        node.get_logger().info("There is no action '~/follow_joint_trajectory', as control_msgs "
                               "is not installed; '~/joint_trajectory' takes trajectories.")
        return None
    return FollowJointTrajectoryServer(node, FollowJointTrajectory)


class FollowJointTrajectoryServer:
    """Hands goals to the controller's session and watches what becomes of them.

    A goal succeeds when its trajectory has been played to the end; it is aborted when another
    reference, a fault or a deactivation takes its place. Tolerances of the goal are not judged
    yet: one that asks for them is refused, so that nobody relies on them.

    Args:
      node: the controller.
      action: the action type.

    """

    def __init__(self, node, action):
        self._node, self._action = node, action
        self._running: list[_Goal] = []
        self._server = ActionServer(
            node, action, '~/follow_joint_trajectory', self._execute,
            goal_callback=self._judge, cancel_callback=lambda _: CancelResponse.ACCEPT)
        node.create_timer(MONITOR_PERIOD, self._watch,
                          clock=Clock(clock_type=ClockType.STEADY_TIME))

    def _judge(self, request):
        asked = [*request.path_tolerance, *request.goal_tolerance]
        if any(tolerance.position > 0.0 or tolerance.velocity > 0.0 for tolerance in asked):
            self._node.get_logger().warning('The goal is refused: it asks for tolerances, which '
                                            'this controller does not judge.')
            return GoalResponse.REJECT
        return GoalResponse.ACCEPT if self._node.session else GoalResponse.REJECT

    async def _execute(self, handle):
        session, result = self._node.session, self._action.Result()
        refusal = session.follow(handle.request.trajectory) if session else 'not configured'
        if refusal:
            handle.abort()
            result.error_code, result.error_string = result.INVALID_GOAL, refusal
            return result
        goal = _Goal(handle, session)
        self._running.append(goal)
        result.error_code, result.error_string = await goal.outcome
        return result

    def _watch(self):
        for goal in list(self._running):
            outcome = goal.look(self._action.Result)
            if outcome is None:
                goal.give_feedback(self._action.Feedback())
            else:
                self._running.remove(goal)
                goal.outcome.set_result(outcome)


class _Goal:
    """One accepted goal."""

    def __init__(self, handle, session):
        self.outcome = Future()
        self._handle, self._session = handle, session
        self._trajectory = session.supervisor.following

    def look(self, result):
        """Error code and sentence once the goal is over, None before."""
        supervisor = self._session.supervisor
        if supervisor.following is self._trajectory:
            if not self._handle.is_cancel_requested:
                return None
            supervisor.hold(time.monotonic())
            self._handle.canceled()
            return result.SUCCESSFUL, 'The goal was cancelled; the measured posture is held.'
        if supervisor.reason == Reason.TRAJECTORY_END:
            self._handle.succeed()
            return result.SUCCESSFUL, ''
        self._handle.abort()
        return result.INVALID_GOAL, f'The trajectory was given up: {supervisor.reason}.'

    def give_feedback(self, feedback):
        """Publish where the joints are and should be."""
        supervisor = self._session.supervisor
        desired, velocity, acceleration = (row.tolist() for row in supervisor.reference)
        feedback.header.stamp = self._session.stamp()
        feedback.joint_names = list(supervisor.joint_names)
        feedback.desired.positions, feedback.desired.velocities = desired, velocity
        feedback.desired.accelerations = acceleration
        feedback.actual.positions = supervisor.q.tolist()
        feedback.actual.velocities = supervisor.qd.tolist()
        feedback.error.positions = (supervisor.reference[0] - supervisor.q).tolist()
        feedback.error.velocities = (supervisor.reference[1] - supervisor.qd).tolist()
        self._handle.publish_feedback(feedback)
