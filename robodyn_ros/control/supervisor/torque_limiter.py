# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sum the torque terms, and limit the sum against the last published torque."""

import numpy as np

from robodyn_ros.control.laws.braking import Braking
from robodyn_ros.control.laws.law import FEEDBACK, GRAVITY, OTHER, TERMS
from robodyn_ros.control.supervisor import guards
from robodyn_ros.control.supervisor.control_settings import STATE_TIMEOUT_CEILING

BLIND_BRAKING = 10.0  # time constants for which a predicted velocity is braked
LAST_BRAKING = 0.8  # [s] for which an arm is braked before its torque ends
RESTING = 0.03  # [rad/s or m/s]; a slower joint is braked enough


class TorqueLimiter:
    """The torque of one robot; its arrays are overwritten, never replaced.

    `terms` (6, nv): torque terms [N m or N].
    `unlimited` (nv,): their sum [N m or N].
    `command` (nv,): torque to publish [N m or N].
    `earlier` (nv,): torque that was published when the reading of each joint was new [N
      m or N]; set by `guards.first_stuck`.
    `position_guarded`, `rate_limited`, `effort_limited` ((nv,) ndarray of bool): joints where the
      limit acted.
    """

    kernels = (*Braking.kernels, guards.add_terms, guards.brake, guards.limit_torque)

    def __init__(self, robot):
        n = robot.nv
        self.terms = np.zeros((len(TERMS), n))
        self.unlimited, self.command = np.zeros(n), np.zeros(n)
        self.position_guarded = np.zeros(n, bool)
        self.rate_limited, self.effort_limited = np.zeros(n, bool), np.zeros(n, bool)
        self._braking, self.earlier, self._nothing = Braking(robot), np.zeros(n), np.zeros(n)
        self._predicted, self._momenta = np.zeros((2, n)), np.zeros((len(TERMS), n))
        self._lost_for = self._blind_for = self._braked_for = 0.0
        self._add, self._limit = guards.add_terms.vectorcall, guards.limit_torque.vectorcall
        self._brake = guards.brake.vectorcall

    def replace_kernels(self, replacements):
        """Replace kernels of the safe torque; see `ControlLaw.replace_kernels`.

        `replacements` (mapping of Kernel to Kernel): kernels for this robot by the generic ones.
        """
        self._braking.replace_kernels(replacements)

    def from_law(self, law, q, qd, reference, settings, feedforward):
        """Compute the torque of a law.

        `settings` (Settings): gains and commanded terms.
        `feedforward` (nv,): effort beside that of the law [N m or N]; it is added to the
          term 'other'.
        Returns `status` (int): status of the law.
        Returns `joint` (int): first joint whose torque is not finite, or -1.
        """
        self.terms.fill(0.0)
        self._lost_for = self._blind_for = 0.0
        status = law.torques(q, qd, reference, settings.gains, self.terms)
        self.terms[OTHER] += feedforward
        return status, self._add(self.terms, settings.commanded, self.unlimited)

    def safe(self, measured, now, fresh, known, dt, settings, brakes=True):
        """Compute the safe torque: the weight, and what brakes the arm; see `guards.brake`.

        If the state is not known, the model predicts it from the last new one, for BLIND_BRAKING
        time constants.

        `fresh`: whether it is fresh; otherwise gravity is held by `stale_action`.
        `known`: whether its velocity may be braked.
        `dt`: time since the last tick [s].
        `settings` (Settings): time constant, and how long gravity is held.
        `brakes`: whether to brake; the weight alone is right for a torque that nobody will renew.
        """
        state, rate = measured.state, brakes / settings.stop_time_constant
        self._lost_for = 0.0 if fresh else self._lost_for + dt
        if known:
            self._blind_for = 0.0
        else:
            state = self._predict(measured, now, dt, settings)
            rate *= self._blind_for <= BLIND_BRAKING * settings.stop_time_constant
        self.terms.fill(0.0)
        if self._lost_for <= settings.gravity_held_for:
            self._braking.torques(state[0], state[1], None, None, self.terms)
            self._brake(self.terms, settings.safe, state[1], settings.guards, rate)
        self._add(self.terms, settings.safe, self.unlimited)

    def release(self):
        """Begin the braking that comes before the end of all torque."""
        self._braked_for = LAST_BRAKING

    def releases(self, measured, dt):
        """Return whether the arm is still to be braked: until it rests, or LAST_BRAKING is over.

        `dt`: time since the last tick [s].
        """
        qd = (measured.state if self._blind_for == 0.0 else self._predicted)[1]
        rests = bool((np.abs(qd) <= RESTING).all())
        self._braked_for = 0.0 if rests else max(self._braked_for - dt, 0.0)
        return self._braked_for > 0.0

    def _predict(self, measured, now, dt, settings):
        """Return the state as the model moves it under the published torques."""
        state, elapsed = self._predicted, dt
        if self._blind_for == 0.0:
            state[:] = measured.state
            age = now - measured.since
            elapsed = age if 0.0 <= age <= STATE_TIMEOUT_CEILING else 0.0
        self._blind_for += dt
        if self._blind_for <= BLIND_BRAKING * settings.stop_time_constant:
            weight = self._nothing
            if settings.robot_compensates_gravity:
                self._braking.torques(state[0], state[1], None, None, self._momenta)
                weight = self._momenta[GRAVITY]
            torque = self.command if elapsed == dt else 0.5 * (self.earlier + self.command)
            self._braking.predict(torque, weight, elapsed, state)
        return state

    def momentum(self, q, qd):
        """Return the momentum and the weight of a state.

        `q`, `qd` (nv,): the state [rad or m, rad/s or m/s].
        Returns `momentum, weight` (nv,): M(q) qd [N m s or N s], and the gravity torque
          [N m or N].
        """
        self._braking.torques(q, qd, None, None, self._momenta)
        return -self._momenta[FEEDBACK], self._momenta[GRAVITY]

    def limit(self, measured, settings, dt):
        """Move the command towards the unlimited torque, within the limits.

        `measured` (Measurement): the last joint state; the safe torque may have predicted a later
          one.
        `settings` (Settings): the limits.
        `dt`: time since the last tick [s].
        Returns limits that acted, as bits.
        """
        return self._limit(
            self.unlimited,
            measured.state if self._blind_for == 0.0 else self._predicted,
            settings.guards,
            dt,
            self.command,
            self.position_guarded,
            self.rate_limited,
            self.effort_limited,
        )
