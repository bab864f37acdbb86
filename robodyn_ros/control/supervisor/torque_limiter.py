# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sum the torque terms, and limit the sum against the last published torque."""

import numpy as np

from robodyn_ros.control.laws.gravity_compensation import GravityCompensation
from robodyn_ros.control.laws.law import OTHER, TERMS
from robodyn_ros.control.supervisor import guards


class TorqueLimiter:
    """The torque of one robot; its arrays are overwritten, never replaced.

    Parameters
    ----------
    robot : Robot
        The robot.

    Attributes
    ----------
    terms : (6, nv) ndarray
        Torque terms [N m or N].
    unlimited : (nv,) ndarray
        Their sum [N m or N].
    command : (nv,) ndarray
        Torque to publish [N m or N].
    position_guarded, rate_limited, effort_limited : (nv,) ndarray of bool
        Joints where the limit acted.
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

    def replace_kernels(self, replacements):
        """Replace kernels of the safe torque; see `ControlLaw.replace_kernels`.

        Parameters
        ----------
        replacements : mapping of Kernel to Kernel
            Kernels for this robot by the generic ones.
        """
        self._gravity.replace_kernels(replacements)

    def from_law(self, law, q, qd, reference, settings, feedforward):
        """Compute the torque of a law.

        Parameters
        ----------
        law : ControlLaw
            The law.
        q, qd : (nv,) ndarray
            State [rad or m, rad/s or m/s].
        reference : (3, nv) ndarray
            Reference of position, velocity and acceleration.
        settings : Settings
            Gains and commanded terms.
        feedforward : (nv,) ndarray
            Effort beside that of the law [N m or N]; it is added to the term 'other'.

        Returns
        -------
        status : int
            Status of the law.
        joint : int
            First joint whose torque is not finite, or -1.
        """
        self.terms.fill(0.0)
        status = law.torques(q, qd, reference, settings.gains, self.terms)
        self.terms[OTHER] += feedforward
        return status, self._add(self.terms, settings.commanded, self.unlimited)

    def safe(self, measured, fresh, dt, settings):
        """Compute the safe torque: gravity and damping; gravity alone without fresh joint states.

        Parameters
        ----------
        measured : Measurement
            The last joint state.
        fresh : bool
            Whether it is fresh.
        dt : float
            Time since the last tick [s].
        settings : Settings
            Damping, and how long gravity is held.
        """
        self._lost_for = 0.0 if fresh else self._lost_for + dt
        self.terms.fill(0.0)
        if self._lost_for <= settings.gravity_held_for:
            self._gravity.damping = settings.stop_damping if fresh else self._undamped
            self._gravity.torques(measured.q, measured.qd, None, None, self.terms)
        self._add(self.terms, settings.safe, self.unlimited)

    def limit(self, measured, settings, dt):
        """Move the command towards the unlimited torque, within the limits.

        Parameters
        ----------
        measured : Measurement
            The last joint state.
        settings : Settings
            The limits.
        dt : float
            Time since the last tick [s].

        Returns
        -------
        int
            Limits that acted, as bits.
        """
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
