# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Goals of FollowJointTrajectory, looked at without a middleware."""

from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')

from builtin_interfaces.msg import Duration, Time  # noqa: E402
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint  # noqa: E402
from trajectory_msgs.msg import MultiDOFJointTrajectory as MultiDOF  # noqa: E402

from robodyn_ros.control.reference.trajectory import Trajectory  # noqa: E402
from robodyn_ros.control.supervisor.controller_states import Reason, State  # noqa: E402
from robodyn_ros.ros.controller.follow_joint_trajectory import _Goal  # noqa: E402
from support.supervised import Bench  # noqa: E402


class Handle:
    """The interface of a handle that a goal uses, with records of the calls."""

    def __init__(self, trajectory):
        self.request = SimpleNamespace(
            trajectory=trajectory,
            path_tolerance=[],
            goal_tolerance=[],
            goal_time_tolerance=Duration(),
            multi_dof_trajectory=MultiDOF(),
            component_path_tolerance=[],
            component_goal_tolerance=[],
        )
        self.is_cancel_requested, self.told = False, []

    def publish_feedback(self, _):
        pass

    def canceled(self):
        self.told.append('canceled')

    def succeed(self):
        self.told.append('succeed')

    def abort(self):
        self.told.append('abort')


def accepted(bench, away):
    """A goal of the bench's arm that takes ten seconds, and its handle."""
    supervisor = bench.supervisor
    session = SimpleNamespace(
        supervisor=supervisor,
        stamp=Time,
        require_joints=lambda _: None,
        follow=lambda message: supervisor.follow(
            Trajectory([10.0], [message.points[0].positions]), bench.now
        ),
    )
    action = SimpleNamespace(
        Result=SimpleNamespace(SUCCESSFUL=0, INVALID_GOAL=-1),
        Feedback=(
            lambda: SimpleNamespace(
                header=SimpleNamespace(stamp=None),
                joint_names=[],
                **{name: JointTrajectoryPoint() for name in ('desired', 'actual', 'error')},
            )
        ),
    )
    handle = Handle(
        JointTrajectory(
            points=[JointTrajectoryPoint(positions=(np.array(bench.q) + away).tolist())]
        )
    )
    goal = _Goal(handle.request, handle.request.trajectory, session, action)
    goal.handle = handle
    return goal, handle


def test_a_goal_that_is_cancelled_is_held():
    bench = Bench().activate()
    goal, handle = accepted(bench, 0.1)
    bench.run(10)
    handle.is_cancel_requested = True
    assert goal.poll()[0] == 0 and handle.told == ['canceled']
    assert bench.state is State.HOLD and bench.reason == Reason.HOLD_REQUESTED


def test_cancelling_a_goal_that_was_replaced_leaves_its_successor_alone():
    """As a client does that sends the next goal and then cancels the one before."""
    bench = Bench().activate()
    first, handle = accepted(bench, 0.1)
    bench.run(10)
    second, _ = accepted(bench, -0.1)
    followed = bench.supervisor.following
    handle.is_cancel_requested = True
    assert first.poll()[0] == 0 and handle.told == ['canceled']
    bench.run(10)
    assert bench.state is State.ACTIVE and bench.supervisor.following is followed
    assert second.poll() is None


def test_cancelling_a_goal_does_not_undo_a_stop():
    bench = Bench().activate()
    goal, handle = accepted(bench, 0.1)
    bench.run(10)
    bench.supervisor.stop()
    handle.is_cancel_requested = True
    assert goal.poll()[0] == 0
    bench.run(10)
    assert bench.state is State.FAULT and bench.reason == Reason.STOPPED


def test_a_goal_that_ends_away_from_its_end_says_by_how_much():
    """Without a tolerance it succeeds, as with joint_trajectory_controller; the result says it."""
    bench = Bench().activate()
    goal, handle = accepted(bench, np.array([0.003, -0.2]))
    bench.run(10010)
    assert goal.poll() == (
        0,
        'The trajectory has ended. joint2 is +0.2 from it; expected within 0.01 (goal_tolerance).',
    )
    assert handle.told == ['succeed']
    goal, _ = accepted(bench, 0.003)
    bench.run(10010)
    assert goal.poll() == (0, '')


def test_a_goal_replaced_by_another_reference_reports_it():
    bench = Bench().activate()
    goal, handle = accepted(bench, 0.1)
    bench.run(10)
    accepted(bench, -0.1)
    assert goal.poll() == (
        -1,
        'The trajectory was not completed: it was given up: another reference is followed',
    )
    assert handle.told == ['abort']
