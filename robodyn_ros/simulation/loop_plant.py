# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A simulated mechanism with closed loops that passes its dead centres.

At a dead centre the independent joints of a loop no longer determine the others. The plant checks
the rank before every step (Jain 2011, section 11.3). Near a dead centre it chooses other
independent joints. A dependent joint then replaces one that cannot move on. The loops are closed
again at the same positions.
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

CONTINUOUS = 1e-9  # [rad or m] largest jump of a position when the independent joints change


class LoopPlant:
    """A plant of a mechanism with closed loops, whose state is that of all joints.

    Efforts are given by name, for any joints. They act through the embedding matrix E at the
    beginning of a step. So does the damping of dependent joints. The stops of a joint act only
    while it is independent.

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

    Attributes
    ----------
    robot : Robot
        The robot with its present independent joints.
    plant : Plant
        The plant of this robot.
    choices : int
        How many times the independent joints have changed.

    Raises
    ------
    ModelError
        If the loops cannot be closed at this position.
    ParameterError
        If a joint of a loop has dry friction. Sticking would depend on the choice of joints.
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
            return  # singular for any choice; the plant latches a fault if it gets stuck
        q = robot.model.closed_posture
        places = dict(zip(robot.all_position_names, robot.expand(q)[0]))
        if max(abs(places[name] - position[name]) for name in position) > CONTINUOUS:
            return
        time = self.t
        self._take(robot, q, [velocity[name] for name in robot.joint_names])
        self.plant.t, self.choices = time, self.choices + 1

    def _take(self, robot, q, qd):
        """Continue with another robot and its state."""
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
        """Raise ParameterError if a joint of a loop has dry friction."""
        model = self.robot.model
        for row in np.flatnonzero(model.topology[1:, COORDINATE] >= 0) + 1:
            if model.constants[row, list(DRY_FRICTION)].any():
                name = model.all_joint_names[model.topology[row, V]]
                raise ParameterError(
                    f'robot {model.name!r}: joint {name!r} of a closed loop has dry friction, '
                    'which depends on the choice of coordinates; expected viscous damping alone'
                )
