# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A simulated mechanism that passes its dead centres, with other independent joints there.

At a dead centre the independent joints of a loop no longer lead the others. The rank is monitored
before every step (Jain 2011, section 11.3). Near a dead centre the loops are closed again where
they are. Then a dependent joint is independent in place of one that cannot move on.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from robodyn_ros.errors import ModelError, ParameterError, require_names
from robodyn_ros.model.layout import COORDINATE, DAMPING, DRY_FRICTION, V
from robodyn_ros.robot.loops.dead_centre import DeadCentres
from robodyn_ros.robot.loops.embedding_matrix import embedding_matrix
from robodyn_ros.robot.robot import Robot
from robodyn_ros.simulation.all_joints import AllJoints
from robodyn_ros.simulation.plant import Plant
from robodyn_ros.simulation.plant_settings import PlantSettings

CONTINUOUS = 1e-9  # [rad or m] between the states before and after another choice


class LoopPlant:
    """A plant of a mechanism with closed loops, whose state is that of all joints.

    Efforts are of any joints, by name. They act through the rows of E at the beginning of a step.
    So does the damping of dependent joints. Stops of a joint act while it is independent.

    Parameters
    ----------
    build : callable
        Returns the robot, given `independent` and `near` as of `Robot.from_urdf`. Such as
        `functools.partial(Robot.from_urdf, urdf, closures=closures)`.
    settings : PlantSettings
        As of a `Plant`; joints take efforts alone.
    position, velocity : mapping of str to float, optional
        Initial state of joints [rad or m, rad/s or m/s]: a guess of where the loops close, and the
        velocities of independent joints. Zero by default.
    independent : sequence of str, optional
        The first choice of independent joints of the loops.

    Attributes
    ----------
    robot : Robot
        Over the independent joints at present.
    plant : Plant
        That of this robot.
    choices : int
        How many times the independent joints have changed.

    Raises
    ------
    ModelError
        For a robot whose loops cannot be closed there.
    ParameterError
        For dry friction at a joint of a loop: it would stick by its choice of coordinates.
    """

    def __init__(
        self,
        build: Callable[..., Robot],
        settings: PlantSettings = PlantSettings(),
        position: Mapping[str, float] | None = None,
        velocity: Mapping[str, float] | None = None,
        independent: Sequence[str] | None = None,
    ):
        self._build, self._settings, self.choices = build, settings, 0
        robot = build(independent=independent, near=position)
        rates = [(velocity or {}).get(name, 0.0) for name in robot.joint_names]
        self._take(robot, robot.model.closed_posture, rates)
        self._refuse_dry_friction()

    @property
    def t(self) -> float:
        """Return the simulated time [s]."""
        return self.plant.t

    @property
    def fault(self) -> str:
        """Return the sentence of the blow-up that stopped the robot, '' without one."""
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

    def step(self, efforts: Mapping[str, float] | None = None, dt: float = 1e-3):
        """Advance by one step.

        Parameters
        ----------
        efforts : mapping of str to float, optional
            Efforts of any joints, dependent ones too [N m or N]; zero by default.
        dt : float
            Length of the step [s].

        Raises
        ------
        UnknownNameError
            For a joint that does not exist. Nothing has changed then.
        """
        efforts = efforts or {}
        names = self.robot.all_joint_names
        require_names(f'robot {self.robot.name!r}', 'joint', efforts, names)
        if not self.fault:
            self._choose()
        self.plant.step(self._projected(efforts), dt)

    def _choose(self):
        """Change the independent joints near a dead centre, where there are better ones."""
        found = self._dead_centres.near(self.plant.q)
        if found is None:
            return
        led, leading = (max(each, key=each.__getitem__) for each in found)
        model, (position, velocity) = self.robot.model, self.state()
        own = model.topology[1:, COORDINATE]
        names = {model.joint_names[k] for k in own[(own >= 0) & (own < model.nv)]}
        try:
            robot = self._build(independent=sorted(names - {leading} | {led}), near=position)
        except ModelError:
            return  # singular for any choice; the plant says so where it cannot go on
        q = robot.model.closed_posture
        places = dict(zip(robot.all_position_names, robot.expand(q)[0]))
        if max(abs(places[name] - position[name]) for name in position) > CONTINUOUS:
            return
        time = self.t
        self._take(robot, q, [velocity[name] for name in robot.joint_names])
        self.plant.t, self.choices = time, self.choices + 1

    def _take(self, robot, q, qd):
        """Go on with a robot at a state."""
        self.robot, self.plant = robot, Plant(robot, self._settings, q, qd)
        self._all, self._dead_centres = AllJoints(robot.model), DeadCentres(robot)
        self._rows = [
            (int(row), robot.all_joint_names[robot.model.topology[row, V]])
            for row in robot.model.led_by_loops
        ]

    def _projected(self, efforts):
        """Return the efforts of the independent joints: E^T of those of all joints."""
        robot, acting = self.robot, dict(efforts)
        rates = self.state()[1]
        for row, name in self._rows:
            damping = self._settings.damping_scale * robot.model.constants[row, DAMPING]
            acting[name] = acting.get(name, 0.0) - damping * rates[name]
        of_all = np.array([acting.get(name, 0.0) for name in robot.all_joint_names])
        return embedding_matrix(robot, self.plant.q).T @ of_all

    def _refuse_dry_friction(self):
        """Refuse friction that sticks where a joint can be dependent."""
        model = self.robot.model
        for row in np.flatnonzero(model.topology[1:, COORDINATE] >= 0) + 1:
            if model.constants[row, list(DRY_FRICTION)].any():
                name = model.all_joint_names[model.topology[row, V]]
                raise ParameterError(
                    f'robot {model.name!r}: joint {name!r} of a closed loop has dry friction, '
                    'which depends on the choice of coordinates; expected viscous damping alone'
                )
