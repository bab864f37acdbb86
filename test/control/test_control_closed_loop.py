# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The supervisor and a law against plain forward dynamics: what the arm does."""

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.control import Reason, State, Trajectory
from robodyn_ros.control.laws.computed_torque import ComputedTorque
from robodyn_ros.control.laws.gravity_compensation import GravityCompensation
from robodyn_ros.control.laws.pd import PD, PDGravity
from support.supervised import FRANKA, PERIOD, TWO_LINK, Bench

SUBSTEPS = 4


class Arm(Bench):
    """A bench whose joint states come from a simulated arm, semi-implicit Euler."""

    def __init__(
        self, robot=TWO_LINK, law=ComputedTorque, q=None, plant=None, damping=0.0, **changes
    ):
        super().__init__(robot, law, effort_limits=np.full(robot.nv, 200.0), **changes)
        self.plant, self.damping = plant or Robot(robot.model), damping
        self.q = self.q if q is None else np.array(q, float)
        self.push = np.zeros(robot.nv)  # torque from outside
        self.errors = []  # (nv,) of every tick

    def step(self, ticks, fresh=True):
        """Let time pass: the arm moves under the published torque, and its states may be lost."""
        for _ in range(ticks):
            h = PERIOD / SUBSTEPS
            torque = self.push + (
                self.published if self.published is not None else self.plant.gravity_torque(self.q)
            )
            for _ in range(SUBSTEPS):
                friction = self.damping * self.qd
                qdd = self.plant.forward_dynamics(self.q, self.qd, torque - friction)
                self.qd = self.qd + h * qdd
                self.q = self.q + h * self.qd
            self.run(1, fresh=fresh)
            self.errors.append(self.supervisor.reference[0] - self.q)
        return self.state

    @property
    def error(self):
        """Largest error of any joint now."""
        return np.abs(self.errors[-1]).max()


def sine(amplitude=0.4, seconds=3.0, offset=(0.3, 0.5), rate=2.0):
    """Return a quintic trajectory along a sine that begins and ends at rest."""
    t = np.linspace(0.0, seconds, 61)[:, None]
    w, ramp = rate, 0.5 - 0.5 * np.cos(np.pi * np.minimum(t, seconds - t) / (0.5 * seconds))
    ramp[np.minimum(t, seconds - t) >= 0.5 * seconds] = 1.0
    q = np.array(offset) + amplitude * ramp * np.sin(w * t)
    dt = t[1, 0] - t[0, 0]
    qd = np.gradient(q, dt, axis=0, edge_order=2)
    qdd = np.gradient(qd, dt, axis=0, edge_order=2)
    qd[-1] = qdd[-1] = 0.0
    return Trajectory(t[1:, 0], q[1:], qd[1:], qdd[1:])


def test_computed_torque_tracks_a_trajectory_closely():
    """With the true model only discretisation is left: under a milliradian on a fast sine."""
    arm = Arm(gains=np.array([[400.0] * 2, [40.0] * 2]), q=[0.3, 0.5]).activate()
    arm.step(5)
    assert arm.supervisor.follow(sine(), arm.now) == ''
    assert arm.step(2995) is State.ACTIVE
    assert np.ptp(arm.supervisor.reference[0]) > 0.0 and np.abs(arm.errors).max() < 1e-3
    assert arm.step(500) is State.HOLD and arm.error < 1e-5
    assert arm.supervisor.counters['rate_limited'] == 0


def test_computed_torque_error_decays_as_designed():
    """A disturbed arm returns along e(t) = e0 (1 + w t) exp(-w t), w = 20 rad/s."""
    arm = Arm(
        gains=np.array([[400.0] * 2, [40.0] * 2]), effort_rate=np.full(2, 1e9), q=[0.3, 0.5]
    ).activate()
    arm.step(3)
    start = arm.supervisor.reference[0].copy()
    error = np.array([0.03, -0.02])
    arm.q, arm.qd = start - error, np.zeros(2)
    t = 0.0
    for _ in range(300):
        arm.step(1)
        t += PERIOD
        expected = error * (1.0 + 20.0 * t) * np.exp(-20.0 * t)
        assert np.allclose(start - arm.q, expected, atol=0.03 * 0.03)
    assert arm.state is State.HOLD


@pytest.mark.parametrize(
    ('robot', 'q'),
    [(TWO_LINK, [0.3, 0.5]), (FRANKA, [0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.7])],
    ids=['two', 'seven'],
)
def test_gravity_compensation_keeps_the_arm_where_it_is(robot, q):
    """Fault row 78: less than 1e-4 rad in 10 s; in one second, a hundredth of that."""
    lower, upper = np.minimum(-3.1, np.array(q) - 1), np.maximum(3.1, np.array(q) + 1)
    arm = Arm(robot, GravityCompensation, q=q, lower=lower, upper=upper).activate()
    start = arm.q.copy()
    arm.step(1000)
    assert np.abs(arm.q - start).max() < 1e-6


def test_pd_sags_by_weight_over_stiffness_and_gravity_compensation_lifts_it():
    """At rest Kp e = g: the error of PD is predicted, that of PD + gravity is none."""
    gains = np.array([[400.0] * 2, [60.0] * 2])
    sagging = Arm(law=PD, gains=gains, q=[0.3, 0.5])
    lifted = Arm(law=PDGravity, gains=gains, q=[0.3, 0.5])
    for arm in (sagging, lifted):
        arm.activate()
        arm.step(4000)
    expected = TWO_LINK.gravity_torque(sagging.q) / 400.0
    assert np.allclose(sagging.supervisor.reference[0] - sagging.q, expected, rtol=1e-3)
    assert lifted.error < 1e-9 and sagging.error > 0.02


def test_wrong_payload_gives_a_bounded_sag():
    """Fault row 78: e = w^-2 M^-1 dg for a load the model does not know, no runaway."""
    loaded = TWO_LINK.with_payload('tool0', 0.5, [0.0, 0.0, 0.0], 1e-3 * np.eye(3))
    arm = Arm(plant=loaded, gains=np.array([[400.0] * 2, [40.0] * 2]), q=[0.3, 0.5]).activate()
    arm.step(3000)
    missing = loaded.gravity_torque(arm.q) - TWO_LINK.gravity_torque(arm.q)
    expected = np.linalg.solve(TWO_LINK.mass_matrix(arm.q), missing) / 400.0
    assert np.allclose(arm.supervisor.reference[0] - arm.q, expected, rtol=0.02)
    assert 1e-3 < arm.error < 0.5 and arm.state is State.HOLD


def test_row_20_lost_stream_is_held_without_drift():
    """HOLD after the timeout: bumpless (the bench checks), and under 1e-3 rad of drift."""
    arm = Arm(gains=np.array([[400.0] * 2, [40.0] * 2]), q=[0.3, 0.5]).activate()
    for k in range(300):
        target = np.array([0.3, 0.5]) + 0.1 * (1.0 - np.cos(4.0 * k * PERIOD))
        rate = np.full(2, 0.4 * np.sin(4.0 * k * PERIOD))
        assert arm.supervisor.stream_target(Trajectory([0.0], [target], [rate]), arm.now) == ''
        arm.step(1)
    assert arm.state is State.ACTIVE
    assert arm.step(102) is State.HOLD and arm.reason == Reason.REFERENCE_TIMEOUT
    arm.step(500)
    settled = arm.q.copy()
    arm.step(1000)
    assert np.abs(arm.q - settled).max() < 1e-3 and arm.error < 1e-3


def test_row_4_lost_states_under_way_are_braked_and_recover_in_hold():
    """Without states the arm is braked, and its weight held. When they return, it is held."""
    arm = Arm(
        gains=np.array([[400.0] * 2, [40.0] * 2]), q=[0.3, 0.5], lower=[-9.0] * 2, upper=[9.0] * 2
    ).activate()
    end = Trajectory([0.8], [[0.8, 0.9]], *np.zeros((2, 1, 2)))
    arm.supervisor.follow(end, arm.now)
    arm.step(400)
    assert np.abs(arm.qd).max() > 1.0
    assert arm.step(600, fresh=False) is State.STALE
    assert np.abs(arm.qd).max() < 0.1  # what the model cannot know of the time before STALE
    assert np.allclose(arm.command, TWO_LINK.gravity_torque(arm.q), atol=0.5)
    assert arm.step(4) is State.HOLD
    posture = arm.supervisor.reference[0].copy()
    assert arm.step(2500) is State.HOLD
    assert np.abs(arm.q - posture).max() < 1e-2 and np.abs(arm.qd).max() < 1e-2


def test_row_79_stop_under_way_latches_and_reset_does_not_move_the_arm():
    """The arm is braked; the reset holds it where it came to rest."""
    arm = Arm(gains=np.array([[400.0] * 2, [40.0] * 2]), q=[0.3, 0.5]).activate()
    arm.supervisor.follow(Trajectory([2.0], [[0.8, 0.9]]), arm.now)
    arm.step(800)
    arm.supervisor.stop()
    arm.step(1500)
    assert arm.state is State.FAULT and np.abs(arm.qd).max() < 1e-3
    rest = arm.q.copy()
    assert arm.supervisor.reset(arm.now) == ''
    assert arm.step(1000) is State.HOLD
    assert np.abs(arm.q - rest).max() < 1e-3


def test_row_23_saturated_arm_recovers_in_the_time_of_its_law():
    """Nothing winds up: after 10 time constants of 1/w the error of a saturated spell is gone."""
    arm = Arm(gains=np.array([[400.0] * 2, [40.0] * 2]), q=[0.3, 0.5]).activate()
    arm.step(10)
    weak = np.abs(arm.gravity) * 0.9
    arm.supervisor.settings = arm.supervisor.settings.replace(effort_limits=weak)
    arm.step(150)
    assert arm.error > 5e-3 and arm.supervisor.counters['effort_limited'] >= 100
    arm.supervisor.settings = arm.supervisor.settings.replace(effort_limits=np.full(2, 200.0))
    arm.errors.clear()
    arm.step(1500)
    errors = np.abs(arm.errors).max(axis=1)
    assert errors.argmax() < 100 and errors[500:].max() < 1e-2 * errors.max()
    assert arm.error < 1e-6


def test_push_against_gravity_compensation_moves_the_arm_and_release_leaves_it():
    """Hand guiding: the arm yields to a torque from outside, and friction stops it where it is."""
    arm = Arm(law=GravityCompensation, q=[0.3, 0.5], damping=3.0).activate()
    start = arm.q.copy()
    arm.push = np.array([2.0, 1.0])
    arm.step(400)
    pushed, arm.push = arm.q.copy(), np.zeros(2)
    arm.step(8000)
    rest = arm.q.copy()
    arm.step(500)
    assert (pushed - start > 0.02).all() and (rest - start > 0.02).all()
    assert np.abs(arm.q - rest).max() < 1e-4 and arm.state is State.ACTIVE
