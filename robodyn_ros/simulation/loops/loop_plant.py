# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A simulated mechanism with closed loops that passes its dead centres.

At a dead centre the independent joints of a loop no longer determine the others. The plant checks
the rank before every step (Jain 2011, section 11.3). Near a dead centre it chooses other
independent joints. A dependent joint then replaces one that cannot move on. The loops are closed
again at the same positions.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from robodyn_ros.errors import ModelError, require_names
from robodyn_ros.model.contacts import Contacts
from robodyn_ros.robot.loops.dead_centre import DeadCentres
from robodyn_ros.robot.loops.embedding_matrix import embedding_matrix
from robodyn_ros.robot.loops.with_independent_joints import better_choice, own_joints
from robodyn_ros.robot.robot import Robot
from robodyn_ros.simulation.all_joints import AllJoints
from robodyn_ros.simulation.plant import Plant
from robodyn_ros.simulation.plant_settings import PlantSettings

CONTINUOUS = 1e-9  # [rad or m] largest jump of a position when the independent joints change
SLACK = 1e-12  # [-] share of the largest effort within which a drive stays saturated


class Drive(NamedTuple):
    """A drive with feedback: its effort is u - d v at the end of a step, within its limit.

    `effort`: u, the effort at zero velocity v of the joint [N m or N].
    `damping`: d [N m s/rad or N s/m].
    `limit`: largest effort [N m or N].
    """

    effort: float
    damping: float
    limit: float

    def given(self, velocity):
        """Return the effort at a velocity of the joint, without its limit.

        `velocity`: velocity [rad/s or m/s].
        """
        return self.effort - self.damping * velocity


class LoopPlant:
    """A plant of a mechanism with closed loops, whose state is that of all joints.

    Efforts are given by name, for any joints. They act through the embedding matrix E at the
    beginning of a step. Friction and stops of all joints act, whether they are independent or not.

    Parameters
    ----------
    build : callable
        Returns the robot, given `independent` and `near` as in `Robot.from_urdf`. Example:
        `functools.partial(Robot.from_urdf, urdf, closures=closures)`.
    settings : PlantSettings
        As for a `Plant`; joints are commanded by efforts alone.
    position, velocity : mapping of str to float, optional
        Initial state of joints [rad or m, rad/s or m/s]: a guess of where the loops close, and the
        velocities of independent joints. Zero by default.
    independent : sequence of str, optional
        The first choice of independent joints of the loops.
    contacts : Contacts, optional
        Shapes and the obstacles that they touch; see doc/contact.md.
    driven : sequence of str, optional
        Joints that may have a `Drive`.

    Attributes
    ----------
    robot : Robot
        The robot with its present independent joints.
    plant : Plant
        The plant of this robot.
    choices : int
        How many times the independent joints have changed.
    drive_efforts : dict of str to float
        Efforts of the drives in the last step [N m or N].

    Raises
    ------
    ModelError
        If the loops cannot be closed at this position.
    """

    def __init__(
        self,
        build: Callable[..., Robot],
        settings: PlantSettings = PlantSettings(),
        position: Mapping[str, float] | None = None,
        velocity: Mapping[str, float] | None = None,
        independent: Sequence[str] | None = None,
        contacts: Contacts | None = None,
        driven: Sequence[str] = (),
    ):
        self._build, self._settings, self.choices = build, settings, 0
        self._contacts, self._driven = contacts, tuple(driven)
        self.drive_efforts: dict[str, float] = {}
        self._driven_dependent: dict[str, float] = {}
        robot = build(independent=independent, near=position)
        rates = [(velocity or {}).get(name, 0.0) for name in robot.joint_names]
        self._take(robot, robot.model.closed_posture, rates)

    def __repr__(self):
        return f'<{type(self).__name__} of {self.robot.name!r} at t = {self.t:.6g} s>'

    @property
    def t(self) -> float:
        """Return the simulated time [s]."""
        return self.plant.t

    @property
    def fault(self) -> str:
        """Return the message of the blow-up that stopped the robot, '' without one."""
        return self.plant.fault

    def state(self) -> tuple[dict[str, float], dict[str, float]]:
        """Return positions [rad or m] and velocities [rad/s or m/s] of all joints by name.

        Returns
        -------
        tuple of dict of str to float
        """
        position, velocity, _ = self._all.state(self.plant.q, self.plant.qd, self.plant.effort)
        names = self.robot.model
        return (
            dict(zip(names.all_position_names, position.tolist())),
            dict(zip(names.all_joint_names, velocity.tolist())),
        )

    @property
    def dependent_efforts(self) -> dict[str, float]:
        """Return the efforts of dependent joints in the last substep.

        Returns
        -------
        dict of str to float
            Of motors, drives, friction and stops [N m or N], of the joints that have some.
        """
        found = dict(self._driven_dependent)
        for name, effort in self.plant.dependent_efforts.items():
            found[name] = found.get(name, 0.0) + effort
        return found

    def step(
        self,
        efforts: Mapping[str, float] | None = None,
        dt: float = 1e-3,
        drives: Mapping[str, Drive] | None = None,
    ):
        """Advance by one step.

        Parameters
        ----------
        efforts : mapping of str to float, optional
            Efforts of any joints, dependent ones too [N m or N]; zero by default.
        dt : float
            Length of the step [s].
        drives : mapping of str to Drive, optional
            Drives with feedback, of joints named in `driven`. No damping is too high for the step.

        Raises
        ------
        UnknownNameError
            For a joint that does not exist, or a drive not in `driven`. Nothing has changed then.
        """
        efforts, drives = efforts or {}, drives or {}
        names = self.robot.all_joint_names
        require_names(f'robot {self.robot.name!r}', 'joint', efforts, names)
        require_names(f'robot {self.robot.name!r}', 'driven joint', drives, self._driven)
        if self.fault:
            self.plant.step(None, dt)
            return
        found = self._dead_centres.near(self.plant.q)
        if found is not None:
            self._choose(found)
        plant, q, qd, time = self.plant, self.plant.q.copy(), self.plant.qd.copy(), self.t
        self._advance(efforts, drives, dt)
        if self.fault:  # the step led beyond a dead centre
            sentence, end, last = self.fault, self.t, (plant.q.copy(), plant.qd.copy())
            plant.fault, plant.t, (plant.q[:], plant.qd[:]) = '', time, (q, qd)
            self._choose(self._dead_centres.nearest(q))
            if self.plant is plant:
                plant.fault, plant.t, (plant.q[:], plant.qd[:]) = sentence, end, last
            else:
                self._advance(efforts, drives, dt)

    def _advance(self, efforts, drives, dt):
        """Step the plant; repeat it while the limits of drives begin or cease to act."""
        plant, sides = self.plant, dict.fromkeys(drives, 0.0)
        time, start = plant.t, (plant.q.copy(), plant.qd.copy())
        for _ in range(2 * len(drives) + 1):
            pushes = {
                name: sides[name] * drive.limit if sides[name] else drive.effort
                for name, drive in drives.items()
            }
            damping = {name: drives[name].damping for name in drives if not sides[name]}
            for each in (plant._drives, plant._touching) if self._driven else ():
                if each is not None:
                    each.damp(damping)
            plant.step(self._projected(efforts, pushes), dt)
            if plant.fault or not self._correct_sides(sides, drives):
                break
            plant.t, (plant.q[:], plant.qd[:]) = time, start

    def _correct_sides(self, sides, drives):
        """Write the efforts of the drives, and which limits act; return whether others do."""
        if not drives:
            return False
        found, rates = False, self.state()[1]
        for name, drive in drives.items():
            given, side = drive.given(rates[name]), sides[name]
            self.drive_efforts[name] = min(max(given, -drive.limit), drive.limit)
            if side == 0.0 and abs(given) > drive.limit:
                sides[name], found = float(np.sign(given)), True
            elif side != 0.0 and side * given < (1.0 - SLACK) * drive.limit:
                sides[name], found = 0.0, True
        return found

    def _choose(self, found):
        """Change the independent joints, if there are better ones."""
        position, velocity = self.state()
        try:
            robot = self._build(
                independent=better_choice(self.robot.model, found),
                near=own_joints(self.robot.model, position),
            )
        except ModelError:
            return  # singular for any choice; the plant latches a fault if it gets stuck
        q = robot.model.closed_posture
        places = dict(zip(robot.all_position_names, robot.expand(q)[0]))
        if max(abs(places[name] - position[name]) for name in position) > CONTINUOUS:
            return
        time = self.t
        self._take(robot, q, [velocity[name] for name in robot.joint_names])
        self.plant.t, self.choices = time, self.choices + 1

    def _take(self, robot, q, qd):
        """Continue with another robot and its state; a joint at its stop is there to rounding."""
        at, limits = robot.model.coordinates, robot.model.limits
        scalar = at[at >= 0]
        inside = np.clip(q[scalar], limits.lower[at >= 0], limits.upper[at >= 0])
        q = q.copy()
        q[scalar] = np.where(abs(inside - q[scalar]) < CONTINUOUS, inside, q[scalar])
        self.robot = robot
        self.plant = Plant(robot, self._settings, q, qd, self._contacts, True, self._driven)
        self.plant.lift_effort_limits()  # as those of all joints hold before E^T
        self._all, self._dead_centres = AllJoints(robot.model), DeadCentres(robot)

    def _projected(self, efforts, pushes):
        """Return the efforts of the independent joints: E^T of those of all, within limits.

        Efforts of drives, `pushes`, are within theirs.
        """
        robot = self.robot
        names, model = robot.all_joint_names, robot.model
        of_all = np.array([efforts.get(name, 0.0) for name in names])
        led = [names[row - 1] for row in model.led_by_loops]
        for joints, limits in ((model.joint_names, model.limits), (led, model.led_limits)):
            at = [names.index(name) for name in joints]
            most = np.where(np.isnan(limits.effort), np.inf, limits.effort)
            of_all[at] = np.clip(of_all[at], -most, most)
        of_all += [pushes.get(name, 0.0) for name in names]
        self._driven_dependent = {name: float(of_all[names.index(name)]) for name in led}
        return embedding_matrix(robot, self.plant.q).T @ of_all
