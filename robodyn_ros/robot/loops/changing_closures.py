# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Closures that come and go, such as two arms that grasp and release: the augmented route.

The tree moves as if it were free, and multipliers correct its motion. See Jain 2011, Algorithms
11.1 and 11.2, section 11.2.2. All joints stay coordinates. Redundant closures are allowed. Steps
project positions and velocities back to the closures, so the gaps stay bounded.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from robodyn_ros.compile import embedded
from robodyn_ros.errors import SingularityError, require_names
from robodyn_ros.model.dependent.closures import Closure, on_loops, with_closures
from robodyn_ros.model.layout import STOPPED_ROWS, STOPS
from robodyn_ros.robot.loops.equations import LoopEquations
from robodyn_ros.robot.robot import Robot

RANK = 1e-9  # smallest singular value of a constrained motion, as a share of the largest
MOST_STEPS, ENOUGH = 30, 1e-12  # of Newton's method, and its last step [rad or m]


class Corrected(NamedTuple):
    """Accelerations of a robot under closures, and the wrenches of the closures.

    Parameters
    ----------
    qdd : (nv,) ndarray
        Accelerations [rad/s^2 or m/s^2].
    torque : (nv,) ndarray
        J^T lambda, the torques of the closures at the joints [N m or N].
    """

    qdd: np.ndarray
    torque: np.ndarray


class ChangingClosures:
    """A robot whose closures may be active or not, from call to call.

    Parameters
    ----------
    robot : Robot
        Of the tree, without closed loops.
    closures : sequence of Closure
        All closures that may become active. Each call names the active ones, all by default.
    """

    def __init__(self, robot: Robot, closures: Sequence[Closure]):
        model, closures = robot.model, tuple(closures)
        self.robot = robot
        joints = {k for loop in on_loops(model, closures) for k in loop}
        still = dict.fromkeys((*model.position_names, *model.all_position_names), 0.0)
        self._loops = LoopEquations(with_closures(model, closures, joints, still))
        self._velocities = self._loops.velocities(model)
        embedded.prepare(self._loops.model)
        own = self._loops.model
        self.names = own.closures
        stops = own.topology[1 : len(closures) + 1, STOPS]
        self._row_of = np.repeat(
            np.arange(len(closures)), [bin(bits).count('1') for bits in stops]
        )

    def forward_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        active: Sequence[str] | None = None,
        f_ext: Mapping[str, ArrayLike] | None = None,
    ) -> Corrected:
        """Compute the accelerations under the active closures.

        qdd = qdd_free + M^-1 J^T lambda, J M^-1 J^T lambda = -(J qdd_free + dJ/dt qd); Jain 2011,
        (11.9). Redundant closures share lambda in the least-squares sense.

        `q`: positions at which the active closures close [rad or m].
        `qd`: velocities that keep them closed [rad/s or m/s].
        `active`: names of the active closures.
        `f_ext`: external wrenches, as of `Robot.forward_dynamics`.
        Returns corrected
        Raises UnknownNameError: for a closure that does not exist.
        """
        free = self.robot.forward_dynamics(q, qd, tau, f_ext)
        J, _ = self._rows(q, active)
        bias = self._bias(q, qd, active)
        X = self._responses(q, J)
        multipliers = -_solved(J @ X, J @ free + bias)
        return Corrected(free + X @ multipliers, J.T @ multipliers)

    def grasp(
        self, q: ArrayLike, qd: ArrayLike, active: Sequence[str] | None = None
    ) -> np.ndarray:
        """Compute the velocities after closures have become active.

        The impulse is the smallest that stops the constrained motions: qd - M^-1 J^T Lambda J qd.
        Kinetic energy never increases.

        `q`: positions at which the closures close [rad or m].
        `qd`: velocities before [rad/s or m/s].
        `active`: names of the active closures.
        Returns velocities after [rad/s or m/s].
        """
        qd = np.asarray(qd, float)
        J, _ = self._rows(q, active)
        X = self._responses(q, J)
        return qd - X @ _solved(J @ X, J @ qd)

    def close(self, q: ArrayLike, active: Sequence[str] | None = None) -> np.ndarray:
        """Compute the nearest positions at which the active closures close.

        `q`: positions nearby [rad or m].
        `active`: names of the active closures.
        Returns positions [rad or m].
        Raises SingularityError: if Newton's method finds none.
        """
        q = np.array(q, float)
        for _ in range(MOST_STEPS):
            J, gap = self._rows(q, active)
            step = -np.linalg.lstsq(J, gap, rcond=RANK)[0]
            q = self.robot.configuration.integrate(q, step, 1.0)
            if not np.abs(step).max() > ENOUGH:
                return q
        raise SingularityError(
            f'robot {self.robot.name!r}: closures {", ".join(active or self.names)} do not close '
            f'near the given positions; the largest gap is {np.abs(gap).max():.3g} [m or rad]'
        )

    def step(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        dt: float,
        active: Sequence[str] | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Take one step of semi-implicit Euler, projected to the active closures.

        `tau`: joint torques or forces, held constant [N m or N].
        `dt`: time step [s].
        `active`: names of the active closures; none for a free robot.
        Returns positions and velocities after the step.
        """
        if active is not None and not len(active):
            qd = np.asarray(qd, float) + dt * self.robot.forward_dynamics(q, qd, tau)
            return self.robot.configuration.integrate(q, qd, dt), qd
        qd = np.asarray(qd, float) + dt * self.forward_dynamics(q, qd, tau, active).qdd
        q = self.close(self.robot.configuration.integrate(q, qd, dt), active)
        return q, self.grasp(q, qd, active)

    def _rows(self, q, active):
        """Return J (m, nv) and the gaps (m,) of the active closures."""
        return self._written(q, np.zeros(len(self.robot.all_joint_names)), False, active)

    def _bias(self, q, qd, active):
        """Return dJ/dt qd (m,) of the active closures."""
        rates = self.robot.expand(q, qd)[1]
        names = self.robot.all_joint_names
        own = [names.index(name) for name in self._loops.model.all_joint_names]
        return self._written(q, rates[own], True, active)[1]

    def _written(self, q, rates, moving, active):
        robot, model = self.robot, self._loops.model
        places = dict(zip(robot.all_position_names, robot.expand(q)[0]))
        posture = np.array([places[name] for name in model.all_position_names])
        d = len(self._velocities)
        L = np.zeros((model.topology[0, STOPPED_ROWS], d + model.nv + 1))
        embedded.loop_equations(
            model.topology, model.constants, self._loops._work, posture, rates, moving, True, L
        )
        J = np.zeros((len(L), robot.nv))
        J[:, self._velocities] = L[:, :d]
        kept = np.isin(self._row_of, self._numbers(active))
        return J[kept], L[kept, -1]

    def _numbers(self, active):
        require_names(f'robot {self.robot.name!r}', 'closure', active or (), self.names)
        return [k for k, name in enumerate(self.names) if active is None or name in active]

    def _responses(self, q, J):
        """Return M^-1 J^T (nv, m)."""
        rows = [self.robot.mass_operator.solve(q, row) for row in J]
        return np.array(rows).reshape(-1, self.robot.nv).T


def _solved(A, b):
    """Return the least solution of A x = b."""
    return np.linalg.lstsq(A, b, rcond=RANK)[0]
