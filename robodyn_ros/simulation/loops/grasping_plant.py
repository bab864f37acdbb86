# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A plant whose loops close and open while it moves, such as two arms that grasp and release."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from robodyn_ros.algorithms.contact.impulses import IMPULSES
from robodyn_ros.errors import ParameterError, SingularityError, require_names
from robodyn_ros.model.contacts.obstacles import Contacts
from robodyn_ros.model.dependent.closures import Closure, constrained_motions
from robodyn_ros.model.description import Placement
from robodyn_ros.robot.robot import Robot
from robodyn_ros.simulation.contact.closure_projection import projection
from robodyn_ros.simulation.contact.closure_rows import closure_arrays, is_open
from robodyn_ros.simulation.joint_table import BRAKED, EFFORT_MODE, MODE
from robodyn_ros.simulation.loops.closure_wrenches import closure_wrenches
from robodyn_ros.simulation.plant import Plant
from robodyn_ros.simulation.plant_settings import PlantSettings
from robodyn_ros.simulation.step import BEYOND_REACH

MOST_STEPS = 50  # of Newton's method
CLOSED = 1e-11  # gap at which it ends [m or rad]


class GraspingPlant(Plant):
    """A `Plant` of a tree with closures over all of its joints: the augmented route.

    All joints of the tree keep their commands, friction and stops. Multipliers keep the closures
    (Jain 2011, section 11.2.2), by impulses of the step together with those of friction, stops and
    contacts. Every substep ends with a projection to closed loops. So the gaps stay bounded, and
    closures may be redundant. While any closure acts, the substep of a Runge-Kutta integrator is
    that of `closed_runge_kutta`, of order 4. It is an Euler step with dry friction, where a stop
    or contact acts, and with 'semi_implicit_euler'. The Rosenbrock integrators also take Euler
    steps with viscous friction and with drives that follow by feedback.

    Parameters
    ----------
    robot : Robot
        The robot with these loops open; bodies to grasp are on floating joints.
    closures : sequence of Closure
        All closures that may act.
    settings : PlantSettings
        As of a `Plant`. Joints that drives move kinematically keep their motion, and the others
        follow the closures. Where the closures cannot follow, the plant stops with a sentence.
    position, velocity : (nq,) and (nv,) array_like, optional
        Initial state near closed loops [rad or m, rad/s or m/s]; it is projected.
    contacts : Contacts, optional
        As of a `Plant`.
    active : sequence of str, optional
        Names of the closures that act at first, all by default.

    Raises
    ------
    ModelError, UnknownNameError, ParameterError
        For a closure, name or setting that is not valid, or an initial state beyond a stop.
    SingularityError
        If the loops do not close near the initial state.
    """

    def __init__(
        self,
        robot: Robot,
        closures: Sequence[Closure],
        settings: PlantSettings = PlantSettings(),
        position: ArrayLike | None = None,
        velocity: ArrayLike | None = None,
        contacts: Contacts | None = None,
        active: Sequence[str] | None = None,
    ):
        self._given = self._closures = tuple(closures)
        names = self.closures
        if not names or len(set(names)) < len(names):
            raise ParameterError(
                f'robot {robot.model.name!r}: closures {", ".join(names) or "none"}; expected '
                'one or more, each name once'
            )
        self._first = names if active is None else tuple(active)
        self._length = 1.0  # [s] of the last substep; without one there are no impulses
        super().__init__(robot, settings, position, velocity, contacts)

    @property
    def closures(self) -> tuple[str, ...]:
        """Return the names of all closures.

        Returns
        -------
        tuple of str
        """
        return tuple(closure.name for closure in self._given)

    @property
    def active(self) -> tuple[str, ...]:
        """Return the names of the closures that act; assign to change them.

        Positions are projected to where the closures close, and velocities by the smallest
        impulse. So kinetic energy never increases.

        Returns
        -------
        tuple of str

        Raises
        ------
        UnknownNameError
            For a closure that does not exist. Nothing has changed then.
        SingularityError
            If they do not close near the present state. Nothing has changed then.
        """
        return tuple(name for name, acts in zip(self.closures, self._closing.active) if acts)

    @active.setter
    def active(self, names: Sequence[str]):
        self._close(self._closures, names)

    @property
    def gap(self) -> float:
        """Return the largest gap of the closures that act, after the last step.

        Returns
        -------
        float
            The gap [m or rad].
        """
        return float(np.abs(self._closing.gaps).max())

    def grasp(self, *names: str):
        """Close closures where their frames are now: frames B, or distances, change for that.

        Velocities change by the smallest impulse. A reset restores frames and distances.

        Parameters
        ----------
        *names : str
            The closures. Those that act stay as they are.

        Raises
        ------
        UnknownNameError
            For a closure that does not exist. Nothing has changed then.
        """
        active = self.active
        closures = [
            self._where_it_is(each) if each.name in names and each.name not in active else each
            for each in self._closures
        ]
        self._close(closures, (*active, *names))

    def release(self, *names: str):
        """Open closures.

        Parameters
        ----------
        *names : str
            The closures.

        Raises
        ------
        UnknownNameError
            For a closure that does not exist. Nothing has changed then.
        """
        self._require(names)
        self.active = [name for name in self.active if name not in names]

    def reset(self):
        """Return to the initial state, closures and frames; see `Plant.reset`."""
        self._take(self._given, self._first)
        super().reset()

    def set_state(self, position=None, velocity=None):
        """Set the state, projected to the closures that act; see `Plant.set_state`.

        Parameters
        ----------
        position, velocity : (nq,) and (nv,) array_like, optional
            As of a `Plant`.

        Raises
        ------
        SingularityError
            If the loops do not close near it. The state is unchanged then.
        """
        q = self.q if position is None else self.checked_position(position)
        qd = self.qd if velocity is None else self.checked_velocity(velocity)
        super().set_state(*self._projected(q, qd))

    def rollout(self, position, velocity, efforts, dt=1e-3, **options):
        """Simulate many copies of this plant at once, each with the closures that act now.

        Initial states are projected to closed loops, as by `set_state`.

        Parameters
        ----------
        position, velocity, efforts, dt, **options
            As of `Plant.rollout`.

        Returns
        -------
        Rollout
            As of `Plant.rollout`.

        Raises
        ------
        SingularityError
            If the loops do not close near an initial state.
        """
        position, velocity = np.asarray(position, float), np.asarray(velocity, float)
        k = max(len(x) if x.ndim == 2 else 1 for x in (position, velocity))
        states = [
            self._projected(q, qd)
            for q, qd in zip(
                np.broadcast_to(position, (k, self.model.nq)),
                np.broadcast_to(velocity, (k, self.model.nv)),
            )
        ]
        position, velocity = (np.array(each) for each in zip(*states))
        if k == 1:
            position, velocity = position[0], velocity[0]
        return super().rollout(position, velocity, efforts, dt, **options)

    @property
    def _closing(self):
        """Return the arrays of the closures."""
        return self._touching.arrays.closing

    @property
    def _loops(self):
        """Return the names of the closures that act."""
        return self.active

    def pushes(self, robot):
        """Return the wrenches on links, as `Plant.pushes`, with those of the closures.

        Parameters
        ----------
        robot : Robot
            The robot of the plant's model.

        Returns
        -------
        dict of str to (6,) ndarray
            Force and moment [N, N m] at the origin of each link.
        """
        found = super().pushes(robot)
        if self.active:
            for link, wrench in self._wrenches_of_closures(robot, dict(found)).wrenches:
                found[link] = found.get(link, 0.0) + wrench
        return found

    def reason(self, status, q):
        """Return why a step failed, as `Plant.reason` does.

        Parameters
        ----------
        status, q
            As of `Plant.reason`.

        Returns
        -------
        str
            The clause.
        """
        led = self._prescribed()
        if status != BEYOND_REACH or not led.any():
            return super().reason(status, q)
        names = ', '.join(name for name, is_led in zip(self.model.joint_names, led) if is_led)
        return (
            f'the prescribed motion of joints {names} opens the loops of {", ".join(self.active)} '
            '(expected commands that keep them closed, or drives with feedback)'
        )

    def _move(self, dt):
        """Take the step; kinematic joints also hold the closures."""
        self._touching.arrays.vectors[IMPULSES] = 0.0  # some steps have none
        super()._move(dt)
        self._length = dt / (self._substeps if self.settings.tolerance else self.settings.substeps)
        led = self._prescribed()
        if led.any() and self.active and not self.fault:
            robot = Robot(self.model)
            torque = self._wrenches_of_closures(robot, super().pushes(robot)).torque
            self.effort[led] -= torque[led]

    def _prescribed(self):
        """Return whether each joint is moved kinematically."""
        joints = self._drives.joints
        return (joints[:, BRAKED] > 0.0) & (joints[:, MODE] != EFFORT_MODE)

    def _wrenches_of_closures(self, robot, pushes):
        """Return the ClosureWrenches of the last substep."""
        return closure_wrenches(self, robot, self._length, pushes)

    def _status_of_loops(self, before):
        """Return 0 if the loops close in the present state."""
        return BEYOND_REACH if is_open(self._closing) else super()._status_of_loops(before)

    def _require(self, names):
        """Require that closures exist."""
        require_names(f'robot {self.model.name!r}', 'closure', names, self.closures)

    def _take(self, closures, active):
        """Let some of these closures act, without a projection."""
        self._require(active)
        closing, self._closures = closure_arrays(self.model, closures), tuple(closures)
        closing.active[:] = [name in active for name in self.closures]
        self._touching.arrays = self._touching.arrays._replace(closing=closing)
        self._options = (*self._options[:-1], self._touching.arrays)

    def _close(self, closures, active):
        """Let some of these closures act; without success nothing changes."""
        before = self._closures, self.active
        self._take(closures, active)
        try:
            self.q[:], self.qd[:] = self._projected(self.q, self.qd)
        except SingularityError:
            self._take(*before)
            raise

    def _projected(self, q, qd):
        """Return the nearest state in which the active closures close."""
        q, qd = q.copy(), qd.copy()
        topology, constants, _, joints, work, joint_work, *_ = self._arrays
        run = self.linked(projection).vectorcall
        closed = not self.active
        for _ in range(MOST_STEPS):
            if closed:
                break
            before = q.copy()
            run(topology, constants, joints, work, joint_work, self._touching.arrays, 0, q, qd)
            closed = np.abs(q - before).max() <= CLOSED  # so the velocities are exact, too
        if self.gap <= CLOSED:
            return q, qd
        raise SingularityError(
            f'robot {self.model.name!r}: closures {", ".join(self.active)} do not close near the '
            f'given positions; the largest gap is {self.gap:.3g} [m or rad]'
        )

    def _where_it_is(self, closure):
        """Return a closure that closes at present."""
        A, link = (self._robot.pose(self.q, name) for name in (closure.a, closure.b))
        A, link = (Placement(X[:3, :3], X[:3, 3]) for X in (A, link))
        A = A @ closure.place_a
        if 'distance' in constrained_motions(self.model.name, closure):
            apart = (link @ closure.place_b).translation - A.translation
            return replace(closure, distance=float(np.linalg.norm(apart)))
        back = link.rotation.T
        place = Placement(back @ A.rotation, back @ (A.translation - link.translation))
        return replace(closure, place_b=place)
