# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Targets of the end effector: the way there, limits, timeouts, refusals, and the supervisor's
part"""

import re

import numpy as np
import pytest

from robodyn_ros.compile import kernel
from robodyn_ros.control import Reason, State, TaskTarget, Trajectory, law_class
from robodyn_ros.control.laws.operational_space import BANDWIDTH, OperationalSpace
from robodyn_ros.control.laws.operational_space import SPEED as FIRST_LIMIT
from robodyn_ros.control.reference.task_motion import track_target
from robodyn_ros.control.reference.task_reference import (
    ACCELERATION,
    ARRIVED,
    FORCE,
    MOMENT,
    POSITION,
    QUATERNION,
    SPIN,
    SPIN_RATE,
    VELOCITY,
    TaskReference,
    rotation,
)
from robodyn_ros.errors import ParameterError, ShapeError
from robodyn_ros.simulation import Plant, PlantSettings
from robodyn_ros.spatial.quaternion import product
from robodyn_ros.spatial.turning import quaternion_of, turn_between, turn_by
from robodyn_ros.spatial.types import Matrix, Scalar, Vector
from support.supervised import FRANKA, PERIOD, TWO_LINK, Bench, settings_for

POSTURE = np.array([0.1, -0.4, 0.2, -2.0, 0.1, 1.6, 0.8])
SPEED, RATE, JERK = (0.25, 1.0), (1.0, 4.0), (50.0, 200.0)


@kernel
def leading(goal: Matrix, target: Matrix, state: Matrix, limits: Vector, dt: Scalar):
    """`track_target` with the limits in one vector."""
    track_target(
        goal,
        target,
        state,
        limits[0],
        (limits[1], limits[2]),
        (limits[3], limits[4]),
        (limits[5], limits[6]),
        limits[7],
        limits[8],
        dt,
    )


LIMITS = np.array([100.0, *SPEED, *RATE, *JERK, 0.1, 0.01])


def moved(task, seconds, limits=LIMITS, dt=PERIOD):
    """Lead a TaskReference on; return its state at every instant, (k, 9, 4)."""
    found = []
    for _ in range(round(seconds / dt)):
        leading(task.goal, task.target, task.state, limits, dt)
        found.append(task.state.copy())
    return np.array(found)


def resting(position=(0.4, 0.1, 0.5), quaternion=(0.0, 0.0, 0.0, 1.0)):
    """Return a TaskReference at rest."""
    task = TaskReference('base_link', 'flange', {'base_link': (np.eye(3), np.zeros(3))})
    task.hold(position, quaternion)
    return task


def norms(states, row):
    """Return the lengths of a row over time."""
    return np.linalg.norm(states[:, row, :3], axis=1)


# ------------------------------------------------------------------------ turns


def test_exponential_and_logarithm_of_rotations_are_inverse():
    """exp and log are inverse; R of a product is the product; every branch of Shepperd's."""
    rng = np.random.default_rng(0)
    for axis in [*np.eye(3), *-np.eye(3), *rng.normal(size=(20, 3))]:
        for angle in (0.0, 1e-12, 0.3, 3.1):
            v = angle * axis / np.linalg.norm(axis)
            q = np.array(turn_by(v, (0.0, 0.0, 0.0, 1.0)))
            assert np.allclose(turn_between(q, (0.0, 0.0, 0.0, 1.0)), v, rtol=1e-12, atol=1e-15)
            assert np.allclose(turn_between(-q, (0.0, 0.0, 0.0, 1.0)), v, rtol=1e-12, atol=1e-15)
            R = rotation(q)
            assert np.allclose(R @ axis, axis) and np.allclose(R.T @ R, np.eye(3), atol=1e-15)
            other = rng.normal(size=4)
            other /= np.linalg.norm(other)
            assert np.allclose(rotation(product(q, other)), R @ rotation(other), atol=1e-14)
            again = np.array(quaternion_of(*R.T))
            assert np.allclose(again * np.sign(again @ q), q, atol=1e-14)


# ------------------------------------------------------------------------ the way


def test_a_step_becomes_a_straight_line_within_limits():
    """Speed, acceleration, jerk; no overshoot; position and turn arrive, and say so."""
    task, goal = resting(), np.array([0.7, -0.2, 0.4])
    turn = np.array([0.4, -1.2, 0.5])
    start = task.state[POSITION, :3].copy()
    task.set_target(
        TaskTarget('base_link', goal, turn_by(turn, task.state[QUATERNION])), 0.0, 0.0, 0.1
    )
    states = moved(task, 5.0)
    for row, limit in (
        (VELOCITY, SPEED[0]),
        (SPIN, SPEED[1]),
        (ACCELERATION, RATE[0]),
        (SPIN_RATE, RATE[1]),
    ):
        # the third of three lags smooths the acceleration, and may overshoot the speed a little
        assert norms(states, row).max() <= 1.02 * limit
        assert norms(states, row).max() > 0.9 * limit
    for row, limit in ((ACCELERATION, JERK[0]), (SPIN_RATE, JERK[1])):
        steps = np.linalg.norm(np.diff(states[:, row, :3], axis=0), axis=1) / PERIOD
        assert steps.max() <= limit * (1.0 + 1e-9)
    way = states[:, POSITION, :3] - start
    along = (goal - start) / np.linalg.norm(goal - start)
    assert np.abs(way - np.outer(way @ along, along)).max() < 1e-12
    assert (way @ along).max() <= 1.002 * np.linalg.norm(goal - start)
    axis = turn / np.linalg.norm(turn)
    for state in states[::200]:
        turned = np.array(turn_between(state[QUATERNION], (0.0, 0.0, 0.0, 1.0)))
        assert np.abs(turned - axis * (axis @ turned)).max() < 1e-9
    assert np.allclose(states[-1, POSITION, :3], goal, atol=1e-6) and states[-1, ARRIVED, 0] == 1.0
    assert np.abs(turn_between(states[-1, QUATERNION], task.target[QUATERNION])).max() < 1e-6


@pytest.mark.parametrize(('distance', 'turn'), [(0.3, 0.1), (0.05, 1.5)])
def test_it_has_arrived_when_both_the_way_and_the_turn_have_ended(distance, turn):
    """Whichever takes longer; and what has arrived stays so."""
    task = resting()
    goal = task.state[POSITION, :3] + [0.0, distance, 0.0]
    task.set_target(
        TaskTarget('base_link', goal, turn_by((turn, 0.0, 0.0), task.state[QUATERNION])),
        0.0,
        0.0,
        0.1,
    )
    states = moved(task, 4.0)
    first = np.argmax(states[:, ARRIVED, 0])
    assert first > 0 and states[first:, ARRIVED, 0].all()
    left = turn_between(states[first, QUATERNION], task.target[QUATERNION])
    assert np.abs(states[first, POSITION, :3] - goal).max() < 1e-6
    assert np.abs(left).max() < 1e-6


def test_a_pose_that_is_held_is_not_led_on():
    """Torques asked for between `hold` and the next tick are those of the pose itself."""
    task = resting()
    task.set_target(TaskTarget('base_link', [0.5, 0.1, 0.5]), 0.0, 0.0, 0.1)
    task.advance(1.0, PERIOD, 0.0)
    assert task.elapsed == PERIOD and task.moving
    task.hold((0.4, 0.1, 0.5), (0.0, 0.0, 0.0, 1.0))
    assert task.elapsed == 0.0 and not task.moving


def test_reference_is_its_own_derivative():
    """Position, velocity and acceleration belong together, in translation and in rotation."""
    task = resting()
    turned = turn_by((0.9, 0.3, -0.8), task.state[QUATERNION])
    task.set_target(TaskTarget('base_link', [0.5, 0.3, 0.2], turned), 0.0, 0.0, 0.1)
    states = moved(task, 1.0)
    mean = 0.5 * (states[1:, :, :3] + states[:-1, :, :3])
    change = np.diff(states[:, :, :3], axis=0) / PERIOD
    assert np.abs(change[:, POSITION] - mean[:, VELOCITY]).max() < 1e-12
    assert np.abs(change[:, VELOCITY] - states[1:, ACCELERATION, :3]).max() < 1e-12
    for k in range(0, 900, 100):
        spun = np.array(turn_between(states[k + 1, QUATERNION], states[k, QUATERNION])) / PERIOD
        assert np.abs(spun - mean[k, SPIN]).max() < 1e-9


def test_a_moving_target_is_caught_up_with():
    """No lag behind a steady twist; three accelerations over bandwidth^2 behind a bent way."""
    task = resting()
    twist = [0.1, -0.05, 0.02, 0.2, 0.1, -0.3]
    task.set_target(TaskTarget('base_link', twist=twist), 0.0, 0.0, 9.0)
    states = moved(task, 2.0)
    assert np.abs(task.target[POSITION] - states[-1, POSITION]).max() < 1e-6
    assert np.abs(turn_between(task.target[QUATERNION], states[-1, QUATERNION])).max() < 1e-6
    assert np.allclose(states[-1, VELOCITY, :3], twist[:3], atol=1e-6)
    for told, lag in ((True, 1e-5), (False, 1.2 * 3.0 * 0.2 / 100.0**2)):
        task, worst = resting((0.5, 0.0, 0.5)), 0.0
        for k in range(6000):
            t = k * PERIOD
            x, v, a = (0.2 * f for f in (1.0 - np.cos(t), np.sin(t), np.cos(t)))
            task.set_target(
                TaskTarget(
                    'base_link',
                    [0.5 + x, 0.0, 0.5],
                    twist=[v, 0, 0, 0, 0, 0],
                    acceleration=[a, 0, 0, 0, 0, 0] if told else None,
                ),
                t,
                PERIOD,
                9.0,
            )
            leading(task.goal, task.target, task.state, LIMITS, PERIOD)
            if t > 1.0:
                worst = max(worst, abs(task.state[POSITION, 0] - 0.5 - x))
        assert worst < lag, told
        assert told or worst > 0.5 * lag


@pytest.mark.parametrize('dt', [2e-4, 5e-3, 2e-2])
def test_the_way_is_stable_at_any_rate(dt):
    """A coarse loop makes it slower, never unstable."""
    task = resting()
    task.set_target(TaskTarget('base_link', [0.6, 0.1, 0.5]), 0.0, 0.0, 0.1)
    states = moved(task, 6.0, dt=dt)
    assert states[:, POSITION, 0].max() < 0.6 * (1.0 + 2e-2) and states[-1, ARRIVED, 0] == 1.0
    assert np.abs(np.diff(states[-20:, POSITION, 0])).max() < 1e-6


def test_a_wrench_comes_and_goes_at_its_rate():
    """Straight to it, no faster; zero again after its time."""
    task = resting()
    task.set_target(
        TaskTarget('base_link', wrench=[30.0, 0.0, 40.0, 0.0, 2.0, 0.0]), 0.0, 0.0, 1.0
    )
    states = moved(task, 1.0)
    steps = np.linalg.norm(np.diff(states[:, FORCE, :3], axis=0), axis=1)
    assert steps.max() <= 0.1 * (1.0 + 1e-9)
    assert states[-1, FORCE, :3].tolist() == [30.0, 0.0, 40.0]
    assert states[-1, MOMENT, 1] == 2.0 and not states[-1, VELOCITY].any()
    assert states[250, FORCE, 2] / states[250, FORCE, 0] == pytest.approx(40.0 / 30.0)
    assert task.advance(0.9, PERIOD, 0.0) == '' and task.moving
    assert task.advance(1.1, PERIOD, 0.0) == '' and task.moving, 'it has not gone yet'
    assert not moved(task, 1.0)[-1, FORCE].any()
    assert task.advance(2.1, PERIOD, 0.0) == Reason.REFERENCE_TIMEOUT and not task.moving


def test_a_target_is_moved_back_to_the_last_tick():
    """A target set between two ticks holds at that time, not a period later."""
    task = resting()
    q = task.state[QUATERNION].copy()
    task.set_target(
        TaskTarget('base_link', [0.5, 0.0, 0.0], q, twist=[0.2, 0, 0, 0, 0, 0.5]), 0.0, 4e-3, 1.0
    )
    leading(task.goal, task.target, task.state, LIMITS, 4e-3)
    assert task.target[POSITION, 0] == pytest.approx(0.5, abs=1e-15)
    assert np.allclose(task.target[QUATERNION], q, atol=1e-15)


# ------------------------------------------------------------------------ refusals


GOOD = {
    'position': [0.4, 0.0, 0.5],
    'quaternion': [0.0, 0.0, 0.0, 1.0],
    'twist': [0.1] * 6,
    'wrench': [1.0] * 6,
}


@pytest.mark.parametrize(
    ('changes', 'sentence'),
    [
        (
            {'frame': 'world'},
            "frame_id of position and quaternion and twist and wrench: got 'world'; "
            "expected 'base_link', the base",
        ),
        ({'frame': ''}, "got ''; expected 'base_link', the base"),
        ({'frame': 'flange'}, "got 'flange'; expected 'base_link', the base"),
        (
            {'frame': 'tool0', 'position': None, 'quaternion': None},
            "frame_id of twist and wrench: got 'tool0'; expected 'base_link', the base, "
            "or 'flange'",
        ),
        (
            {'position': [np.nan, 0.0, 0.0]},
            'position: got .nan, 0.0, 0.0.; expected finite numbers',
        ),
        ({'position': [0.0, 0.0, 2e3]}, 'expected at most 1000 m'),
        ({'quaternion': [0.0, 0.0, 0.0, 0.0]}, 'of length 0; expected length 1'),
        ({'quaternion': [0.0, 0.0, 0.1, 1.0]}, 'of length 1.00499; expected length 1'),
        ({'quaternion': [0.0, np.inf, 0.0, 1.0]}, 'quaternion: got .* expected finite numbers'),
        ({'twist': [0.3, 0, 0, 0, 0, 0]}, 'twist: got 0.3 m/s; expected at most 0.25 m/s'),
        ({'twist': [0, 0, 0, 0, 0, -1.5]}, 'twist: got 1.5 rad/s; expected at most 1 rad/s'),
        ({'wrench': [0, 0, 0, 0, -np.inf, 0]}, 'wrench: got .* expected finite numbers'),
        (
            {'acceleration': [0, 0, 1.5, 0, 0, 0]},
            'acceleration: got 1.5 m/s.2; expected at most 1 m',
        ),
        (
            {'acceleration': [0, 0, 0, 0, 5.0, 0]},
            'acceleration: got 5 rad/s.2; expected at most 4',
        ),
        (
            {'delay': -0.3},
            r'stamp: got 0.3 s before now; expected at most 0.1 s \(reference_timeout',
        ),
        (
            {'delay': 60.0},
            'stamp: got 60 s after now; expected .* 10 s after, on the clock of this',
        ),
        ({'delay': np.nan}, 'stamp: got nan s after now'),
        (dict.fromkeys(GOOD), 'neither pose, twist, acceleration nor wrench'),
    ],
)
def test_nonsense_is_refused_with_a_sentence(changes, sentence):
    """What was followed before goes on; nothing is taken over."""
    bench = Bench(FRANKA, lambda robot: OperationalSpace(robot, 'flange'))
    bench.q = POSTURE
    bench.activate()
    before = bench.law.task.target.copy()
    target = TaskTarget(**{'frame': 'base_link', **GOOD, **changes})
    got = bench.supervisor.set_task_target(target, bench.now)
    assert re.search(sentence, got), got
    assert bench.state is State.HOLD and np.array_equal(bench.law.task.target, before)
    assert bench.supervisor.counters['rejected_references'] == 1


def test_what_is_no_array_is_refused():
    """Already when it is made."""
    for field, value in (('position', [1.0, 2.0]), ('quaternion', 'up'), ('twist', [[0.0] * 6])):
        with pytest.raises(ShapeError, match=f'{field} of a task target: got .* expected'):
            TaskTarget('base_link', **{field: value})


def test_a_law_of_the_joints_refuses_targets_of_the_end_effector():
    """Every other law says so."""
    bench = Bench(TWO_LINK, law_class('computed_torque')).activate()
    got = bench.supervisor.set_task_target(TaskTarget('base_link', [0.3, 0.0, 0.2]), bench.now)
    assert got == 'control law computed_torque takes no target of the end effector'
    assert bench.supervisor.law.task is None and bench.state is State.HOLD


# ------------------------------------------------------------------------ under the supervisor


def arm_bench(**changes):
    """Return a bench with the arm, whose end effector holds."""
    limits = FRANKA.limits
    bench = Bench(
        FRANKA,
        lambda robot: OperationalSpace(robot, 'flange'),
        **{
            'effort_limits': limits.effort,
            'lower': limits.lower,
            'upper': limits.upper,
            **changes,
        },
    )
    bench.q = POSTURE.copy()
    return bench


class Moving:
    """The arm, simulated, under the supervisor of a bench."""

    def __init__(self, **changes):
        self.bench = arm_bench(**changes)
        self.plant = Plant(FRANKA, PlantSettings(no_command='hold'), POSTURE)
        self.bench.q, self.bench.qd, self.least = self.plant.q, self.plant.qd, 1.0
        self.bench.activate()

    def run(self, seconds):
        """Return the pose errors of the end effector over time, (k, 6)."""
        errors = []
        for _ in range(round(seconds / PERIOD)):
            self.plant.step(self.bench.command, PERIOD)
            self.bench.run(1)
            measured = self.bench.law.task.measured
            errors.append(np.r_[measured[4, :3], measured[5, :3]])
            self.least = min(self.least, self.bench.law.task.shares.min())
        assert not self.plant.fault
        return np.array(errors)

    @property
    def pose(self):
        return FRANKA.pose(self.plant.q, 'flange')


def test_the_end_effector_holds_its_pose_at_activation():
    """The torque is that of gravity, and nothing moves."""
    bench = arm_bench().activate()
    assert bench.state is State.HOLD
    pose = FRANKA.pose(POSTURE, 'flange')
    assert np.allclose(bench.law.task.target[POSITION, :3], pose[:3, 3], atol=1e-15)
    assert np.allclose(rotation(bench.law.task.target[QUATERNION]), pose[:3, :3], atol=1e-14)
    bench.run(10)
    assert np.allclose(bench.command, bench.gravity, atol=1e-9)


def test_a_step_of_the_target_pose_is_no_step_of_the_torque():
    """0.2 m and 0.6 rad away at once: reached, held, within the torque rate all the time."""
    moving = Moving(effort_rate=np.full(7, 400.0))
    begin = moving.pose
    turn = turn_by((0.0, 0.6, 0.0), moving.bench.law.task.state[QUATERNION])
    target = TaskTarget('base_link', begin[:3, 3] + [-0.1, 0.1, 0.14], turn)
    moving.run(0.1)
    limited = moving.bench.supervisor.counters['rate_limited']
    torque = moving.bench.supervisor.unlimited.copy()
    assert moving.bench.supervisor.set_task_target(target, moving.bench.now) == ''
    assert moving.bench.state is State.ACTIVE and moving.bench.reason == Reason.FOLLOWING
    moving.run(PERIOD)
    assert np.abs(moving.bench.supervisor.unlimited - torque).max() < 0.5
    errors = moving.run(3.0)
    assert moving.bench.supervisor.counters['rate_limited'] == limited
    assert np.linalg.norm(errors[:, :3], axis=1).max() < 1.5e-3
    assert moving.bench.state is State.HOLD and moving.bench.reason == Reason.TARGET_REACHED
    assert np.abs(moving.pose[:3, 3] - target.position).max() < 1.5e-3
    assert np.abs(moving.pose[:3, :3] - rotation(turn)).max() < 0.02


def ended(bench):
    """Run until the state is not ACTIVE any more; return how it ended, and its value."""
    for _ in range(10_000):
        if bench.run(1) is not State.ACTIVE:
            break
    return bench.state, bench.reason, bench.supervisor.value


def test_a_target_beyond_reach_is_not_reached_and_the_distance_is_told():
    """The reference alone arrives there: what the arm does decides."""
    moving = Moving()
    beyond = np.array([3.0, 0.0, 0.4])
    assert moving.bench.supervisor.set_task_target(TaskTarget('base_link', beyond), 10.1) == ''
    while not moving.bench.law.task.state[ARRIVED, 0]:
        moving.run(0.5)
    assert moving.bench.state is State.ACTIVE, 'it may still come nearer'
    moving.run(4.0)
    assert moving.bench.state is State.HOLD
    assert moving.bench.reason == Reason.TARGET_NOT_REACHED
    away = np.linalg.norm(beyond - moving.pose[:3, 3])
    # it still creeps, by less than a millimetre per second
    assert away > 1.5 and moving.bench.supervisor.value == pytest.approx(away, abs=4e-3)
    assert moving.bench.supervisor.task_progress.stays_away


@pytest.mark.parametrize(
    ('distance', 'turn', 'tolerance', 'reason'),
    [
        (0.03, 0.0, (0.031, 0.02), Reason.TARGET_REACHED),
        (0.03, 0.0, (0.029, 0.02), Reason.TARGET_NOT_REACHED),
        (0.0, 0.1, (0.005, 0.101), Reason.TARGET_REACHED),
        (0.0, 0.1, (0.005, 0.099), Reason.TARGET_NOT_REACHED),
    ],
)
def test_a_target_is_reached_within_its_tolerance(distance, turn, tolerance, reason):
    """An arm that does not move, as one without the effort for it."""
    bench = arm_bench(target_tolerance=tolerance).activate()
    task = bench.law.task
    place = task.target[POSITION, :3] + [0.0, -0.6 * distance, 0.8 * distance]
    turned = turn_by((0.0, 0.8 * turn, 0.6 * turn), task.target[QUATERNION])
    target = TaskTarget('base_link', place, turned)
    assert bench.supervisor.set_task_target(target, bench.now) == ''
    state, found, value = ended(bench)
    assert (state, found) == (State.HOLD, reason)
    assert value == pytest.approx(distance, abs=1e-12)
    assert bench.supervisor.task_progress.angle == pytest.approx(turn, abs=1e-12)


def test_axes_that_the_law_leaves_out_do_not_count():
    """The arm is a radian off about them, and there along the others."""
    bench = arm_bench(law_values=values_with('axes', [1.0, 1.0, 1.0, 0.0, 0.0, 0.0])).activate()
    turned = turn_by((1.0, 0.0, 0.0), bench.law.task.target[QUATERNION])
    target = TaskTarget('base_link', quaternion=turned)
    assert bench.supervisor.set_task_target(target, bench.now) == ''
    assert ended(bench) == (State.HOLD, Reason.TARGET_REACHED, 0.0)


def test_what_is_reached_late_or_left_again_is_told_too():
    """By a tolerance that changes, and by an arm that is pushed."""
    bench = arm_bench(target_tolerance=(1e-3, 1e-3)).activate()
    place = bench.law.task.target[POSITION, :3] + [0.0, 0.0, 0.02]
    assert bench.supervisor.set_task_target(TaskTarget('base_link', place), bench.now) == ''
    assert ended(bench)[1] == Reason.TARGET_NOT_REACHED
    bench.supervisor.settings = bench.supervisor.settings.replace(target_tolerance=(0.021, 1e-3))
    bench.run(101)  # it is looked at every 0.1 s
    assert (bench.state, bench.reason) == (State.HOLD, Reason.TARGET_REACHED)
    bench.q = bench.q + 0.02
    bench.run(200)
    assert bench.reason == Reason.TARGET_REACHED, 'a short push is none'
    bench.run(1500)
    assert (bench.state, bench.reason) == (State.HOLD, Reason.TARGET_NOT_REACHED)
    bench.supervisor.hold()
    assert bench.reason == Reason.TARGET_NOT_REACHED, 'nothing is followed'


def values_with(name, values):
    """Return the parameters of the law with those of one name changed."""
    parameters = OperationalSpace.parameters
    return np.hstack([values if each.name == name else each.defaults for each in parameters])


def test_a_twist_ends_without_a_successor():
    """The end effector goes on for the timeout, comes to rest by its limits, and is held there."""
    moving = Moving()
    for _ in range(50):
        assert (
            moving.bench.supervisor.set_task_target(
                TaskTarget('flange', twist=[0.0, 0.0, 0.1, 0, 0, 0]), moving.bench.now
            )
            == ''
        )
        moving.run(0.01)
    begin = moving.pose
    moving.run(0.09)
    assert moving.bench.state is State.ACTIVE
    moved_on = begin[:3, :3].T @ (moving.pose[:3, 3] - begin[:3, 3])
    assert moved_on == pytest.approx([0.0, 0.0, 0.009], abs=1e-3), 'in axes of the tool'
    moving.run(0.7)
    assert moving.bench.state is State.HOLD
    assert moving.bench.reason == Reason.REFERENCE_TIMEOUT
    assert np.abs(moving.plant.qd).max() < 0.02


def test_a_wrench_pushes_by_its_jacobian():
    """In base axes, beside the pose that is held; the term 'other'."""
    bench = arm_bench(reference_timeout=5.0).activate()
    assert (
        bench.supervisor.set_task_target(
            TaskTarget('base_link', wrench=[0, 0, -20.0, 0, 0, 1.0]), bench.now
        )
        == ''
    )
    bench.run(400)
    J = FRANKA.jacobian(POSTURE, 'flange')
    expected = J.T @ [0, 0, -20.0, 0, 0, 1.0]
    assert np.allclose(bench.supervisor.terms[5], expected, rtol=1e-9, atol=1e-9)
    assert bench.state is State.ACTIVE and bench.reason == Reason.FOLLOWING
    bench.supervisor.hold()
    assert bench.reason == Reason.HOLD_REQUESTED and not bench.law.task.state[FORCE].any()


@pytest.mark.parametrize(
    ('end', 'state', 'reason'),
    [('stop', State.FAULT, Reason.STOPPED), ('deactivate', State.READY, Reason.DEACTIVATED)],
)
def test_asking_for_a_hold_brings_nothing_back(end, state, reason):
    """A client that cancels what it sent must not undo a stop, even one of an end effector that
    moves."""
    bench = arm_bench(reference_timeout=5.0).activate()
    assert (
        bench.supervisor.set_task_target(
            TaskTarget('base_link', twist=[0.1, 0, 0, 0, 0, 0]), bench.now
        )
        == ''
    )
    bench.run(50)
    assert bench.law.task.moving
    getattr(bench.supervisor, end)()
    bench.supervisor.hold()
    bench.run(5)
    assert bench.state is state and bench.reason == reason


@pytest.mark.parametrize('cause', ['a request', 'a guard'])
def test_an_end_effector_that_is_stopped_comes_to_rest_without_a_step(cause):
    """Reference and effort go on from the measured motion; its derivatives fit each other."""
    moving = Moving(reference_timeout=5.0, following_error=[9.0] * 7)
    bench, law = moving.bench, moving.bench.law
    twist = TaskTarget('base_link', twist=[0.12, -0.2, 0.05, 0.3, -0.6, 0.5])
    assert bench.supervisor.set_task_target(twist, bench.now) == ''
    moving.run(0.9)
    if cause == 'a request':
        assert bench.supervisor.hold() == ''
    else:
        bench.supervisor._hold(bench.supervisor.measurement, Reason.FOLLOWING_ERROR)
    assert bench.state is State.HOLD
    began = np.linalg.norm((FRANKA.jacobian(bench.q, 'flange') @ bench.qd)[:3])
    states, efforts = [], [bench.command.copy()]
    for _ in range(1500):
        moving.run(PERIOD)
        states.append(law.task.state.copy())
        efforts.append(bench.command.copy())
    states, efforts = np.array(states), np.array(efforts)
    assert began > 0.2
    speed = norms(states, VELOCITY)
    assert speed[0] == pytest.approx(began, rel=0.01) and speed[-1] < 1e-9
    # the motion that is fed forward is the derivative of the path, to the step squared
    path, rate, second = (states[:, row, :3] for row in (POSITION, VELOCITY, ACCELERATION))
    assert np.abs(np.diff(path, axis=0) / PERIOD - 0.5 * (rate[1:] + rate[:-1])).max() < 1e-4
    assert np.abs(np.diff(rate, axis=0) / PERIOD - 0.5 * (second[1:] + second[:-1])).max() < 0.2
    # the stop takes up the rate limit from its start on, and the present acceleration ends there
    assert (np.abs(np.diff(efforts, axis=0)).max(axis=1) > 0.999).sum() < 8
    assert (np.abs(efforts) < 0.8 * FRANKA.limits.effort).all()
    assert np.linalg.norm(FRANKA.jacobian(moving.plant.q, 'flange') @ moving.plant.qd) < 1e-3
    assert np.abs(moving.pose[:3, 3] - states[-1, POSITION, :3]).max() < 2e-3


def test_an_end_effector_keeps_its_pose_while_a_motion_of_the_posture_is_stopped():
    """To rounding of the reference, although the joints come to rest along a straight line."""
    moving = Moving(following_error=[9.0] * 7)
    bench, state = moving.bench, moving.bench.law.task.state
    goal = moving.plant.q + [0.8, 0.0, -0.8, 0.0, 0.0, 0.0, 0.0]
    assert bench.supervisor.follow(Trajectory([1.0], [goal]), bench.now) == ''
    moving.run(0.5)
    assert np.abs(moving.plant.qd).max() > 0.3
    assert bench.supervisor.hold() == ''
    pose = state[: QUATERNION + 1].copy()
    for _ in range(50):
        moving.run(0.01)
        assert np.allclose(state[: QUATERNION + 1], pose, rtol=0.0, atol=1e-12)
    assert np.abs(moving.plant.qd).max() < 0.02
    assert np.abs(moving.pose[:3, 3] - pose[POSITION, :3]).max() < 1e-3


def test_the_elbow_moves_while_the_end_effector_stays():
    """A trajectory of the joints is one of the posture: only what the end effector leaves over
    obeys."""
    moving = Moving()
    away = POSTURE + [0.3, 0.0, -0.4, 0.0, 0.2, 0.0, 0.0]
    begin, elbow = moving.pose, FRANKA.pose(POSTURE, 'link4')[:3, 3]
    still = np.zeros((1, 7))
    assert (
        moving.bench.supervisor.follow(Trajectory([2.0], [away], still, still), moving.bench.now)
        == ''
    )
    errors = moving.run(2.2)
    assert moving.bench.state is State.HOLD and moving.bench.reason == Reason.TRAJECTORY_END
    assert np.linalg.norm(errors[:, :3], axis=1).max() < 1.5e-3
    assert np.abs(moving.pose[:3, 3] - begin[:3, 3]).max() < 1.5e-3
    assert np.linalg.norm(FRANKA.pose(moving.plant.q, 'link4')[:3, 3] - elbow) > 0.04


def test_task_and_posture_end_separately():
    """HOLD only when nothing is followed any more."""
    bench = arm_bench(reference_timeout=0.5).activate()
    still = np.zeros((1, 7))
    trajectory = Trajectory([0.1], [POSTURE], still, still)
    assert bench.supervisor.follow(trajectory, bench.now) == ''
    here = bench.law.task.state[POSITION, :3].copy()
    assert (
        bench.supervisor.set_task_target(
            TaskTarget('base_link', here, wrench=[1.0, 0, 0, 0, 0, 0]), bench.now
        )
        == ''
    )
    bench.run(50)
    assert bench.state is State.ACTIVE and bench.supervisor.completed is None
    bench.run(150)
    assert bench.state is State.ACTIVE and bench.reason == Reason.TRAJECTORY_END
    assert bench.supervisor.completed is trajectory
    bench.run(700)
    assert bench.state is State.HOLD and bench.reason == Reason.REFERENCE_TIMEOUT


def test_after_a_loss_of_state_the_end_effector_holds_where_it_is():
    """Nothing of the target is resumed."""
    bench = arm_bench().activate()
    target = TaskTarget('base_link', [0.5, 0.2, 0.6])
    assert bench.supervisor.set_task_target(target, bench.now) == ''
    bench.run(30)
    bench.run(60, fresh=False)
    assert bench.state is State.STALE
    refused = bench.supervisor.set_task_target(target, bench.now)
    assert refused == (
        'the controller is in STALE (STATE_TIMEOUT) and takes no reference; wait until joint '
        'states come again'
    )
    bench.q = POSTURE + 0.01
    bench.run(5)
    assert bench.state is State.HOLD and bench.reason == Reason.STATE_RECOVERED
    pose = FRANKA.pose(bench.q, 'flange')[:3, 3]
    for rows in (bench.law.task.target, bench.law.task.state):
        assert np.allclose(rows[POSITION, :3], pose, atol=1e-15)
    bench.run(20)
    assert np.allclose(bench.command, bench.gravity, atol=1e-9)
    bench.supervisor.deactivate()
    refused = bench.supervisor.set_task_target(target, bench.now)
    assert refused.startswith('the controller is in READY (DEACTIVATED) and takes no reference')


def test_array_parameters_are_taken_over_and_refused_by_name():
    """Live, as a whole, with the bounds of each."""
    bench = arm_bench().activate()
    values = bench.law.values.copy()
    values[2] = 900.0
    bench.supervisor.settings = bench.supervisor.settings.replace(law_values=values)
    assert bench.law.values[2] == 900.0
    for k, value, sentence in (
        (3, -1.0, r'operational_space.stiffness: got -1; expected 0 to'),
        (12, 2.0, r'operational_space.axes: got 2; expected 0 to 1'),
        (27, np.nan, r'operational_space.force_rate: got nan'),
        (28, 1.0, r'operational_space.longest_age: got 1; expected 0 to'),
    ):
        wrong = values.copy()
        wrong[k] = value
        with pytest.raises(ParameterError, match=sentence):
            bench.supervisor.settings = bench.supervisor.settings.replace(law_values=wrong)
    with pytest.raises(ParameterError, match='got 3 for law operational_space; expected 29: stif'):
        settings = settings_for(FRANKA, law_values=[1.0, 2.0, 3.0])
        bench.supervisor.settings = settings
    assert bench.law.values[2] == 900.0


@pytest.mark.parametrize('seed', (0, 7, 17))
def test_an_end_effector_chasing_random_targets_stays_within_the_guards(seed):
    """Targets anywhere, out of reach too, wrenches, weak motors: bounded, finite, no FAULT."""
    rng = np.random.default_rng(seed)
    limits = FRANKA.limits
    moving = Moving(
        effort_limits=(0.5 if seed else 1.0) * limits.effort,
        reference_timeout=0.3,
        velocity_limits=limits.velocity,
    )
    moving.bench.law.values[FIRST_LIMIT:BANDWIDTH] = [0.8, 2.5, 3.0, 10.0, 100.0, 400.0]
    for _ in range(40):
        target = TaskTarget(
            'base_link',
            rng.uniform([-1.0, -1.0, 0.0], [1.0, 1.0, 1.3]),
            turn_by(rng.normal(size=3), (0.0, 0.0, 0.0, 1.0)),
            np.r_[rng.uniform(-0.1, 0.1, 3), rng.uniform(-0.5, 0.5, 3)],
            wrench=rng.uniform(-20.0, 20.0, 6) * [1, 1, 1, 0.1, 0.1, 0.1],
        )
        assert moving.bench.supervisor.set_task_target(target, moving.bench.now) == ''
        moving.run(rng.uniform(0.1, 0.7))
        assert np.isfinite(moving.bench.law.task.state).all()
    # every tick was checked by the bench: finite, within limits, within the rate
    counters = moving.bench.supervisor.counters
    assert counters['faults'] == 0 and moving.bench.state is not State.FAULT
    assert moving.least < 0.5, 'no singular posture was near'
    moving.bench.supervisor.hold()
    moving.run(1.0)
    assert np.abs(moving.plant.qd).max() < 0.1
