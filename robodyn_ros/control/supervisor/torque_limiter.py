# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sum the terms of the torque, and limit it against the last published one."""

import numpy as np

from robodyn_ros.control.laws.gravity_compensation import GravityCompensation
from robodyn_ros.control.laws.law import TERMS
from robodyn_ros.control.supervisor import guards


class Output:
    """Torque of one robot; its arrays are refilled, never replaced.

    terms : (6, nv); unlimited : (nv,) their sum; command : (nv,) to publish [N m or N].
    position_guarded, rate_limited, effort_limited : (nv,) limits that acted.
    """

    kernels = (*GravityCompensation.kernels, guards.add_terms, guards.limit_torque)

    def __init__(self, robot):
        n = robot.nv
        self.terms = np.zeros((len(TERMS), n))
        self.unlimited, self.command = np.zeros(n), np.zeros(n)
        self.position_guarded = np.zeros(n, bool)
        self.rate_limited, self.effort_limited = np.zeros(n, bool), np.zeros(n, bool)
        self._gravity, self._undamped = GravityCompensation(robot), np.zeros(n)
        self._lost_for = 0.0
        self._add, self._limit = guards.add_terms.vectorcall, guards.limit_torque.vectorcall

    def replace_kernels(self, twins):
        """Replace kernels of the safe torque by their twins, see ControlLaw.replace_kernels."""
        self._gravity.replace_kernels(twins)

    def from_law(self, law, q, qd, reference, settings):
        """Call the law.

        Return its status and the first joint whose torque is not finite, or -1.
        """
        self.terms.fill(0.0)
        status = law.torques(q, qd, reference, settings.gains, self.terms)
        return status, self._add(self.terms, settings.commanded, self.unlimited)

    def safe(self, measured, fresh, dt, settings):
        """Compute the safe torque: gravity and damping.

        Gravity alone without fresh joint states.
        """
        self._lost_for = 0.0 if fresh else self._lost_for + dt
        self.terms.fill(0.0)
        if self._lost_for <= settings.gravity_held_for:
            self._gravity.damping = settings.stop_damping if fresh else self._undamped
            self._gravity.torques(measured.q, measured.qd, None, None, self.terms)
        self._add(self.terms, settings.safe, self.unlimited)

    def limit(self, measured, settings, dt):
        """Move the command towards the unlimited torque; return the limits that acted, as bits."""
        return self._limit(
            self.unlimited,
            measured.state,
            settings.guards,
            dt,
            self.command,
            self.position_guarded,
            self.rate_limited,
            self.effort_limited,
        )
