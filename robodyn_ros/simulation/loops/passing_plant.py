# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A plant with closed loops that passes dead centres, and keeps its joints of commands and state.

Near a dead centre a `LoopPlant` takes over. Efforts of the independent joints go on there. Beyond
the dead centre these joints lead again, in the other assembly mode of their loops.
"""

from dataclasses import replace

import numpy as np

from robodyn_ros.errors import RobodynError
from robodyn_ros.robot.loops.dead_centre import DeadCentres
from robodyn_ros.robot.loops.rechosen import better_choice, independent_in_loops, rechosen
from robodyn_ros.robot.robot import Robot
from robodyn_ros.simulation.all_joints import AllJoints
from robodyn_ros.simulation.joint_table import (
    ASSISTED,
    BRAKED,
    DAMPING,
    EFFORT,
    EFFORT_MODE,
    MODE,
    STRENGTH,
)
from robodyn_ros.simulation.loops.loop_plant import CONTINUOUS, LoopPlant
from robodyn_ros.simulation.plant import Plant
from robodyn_ros.simulation.plant_settings import PlantSettings


class PassingPlant(Plant):
    """A `Plant` that passes the dead centres of its loops, with friction and stops of all joints.

    A joint in position or velocity mode has no drive while others lead, so no others take over.
    The plant stops with a sentence, until a reset, where a step fails. Without a command in force
    the robot stands still there.

    Parameters
    ----------
    robot, settings, position, velocity, contacts
        As of a `Plant`; each joint has one velocity.

    Attributes
    ----------
    passes : int
        How many times other joints have taken over.
    """

    def __init__(
        self, robot, settings=PlantSettings(), position=None, velocity=None, contacts=None
    ):
        self._contacts, self._passage, self.passes = contacts, None, 0
        self._own, self._usual = sorted(independent_in_loops(robot.model)), None
        self._lead(robot)
        self._usual, self._first = self._dead_centres.usual, (robot, None)
        super().__init__(robot, settings, position, velocity, contacts, led_joints=True)
        self._first = robot, self._kernel

    def replace_kernel(self, kernel):
        """Step with another kernel, as `Plant.replace_kernel`, in the first assembly mode.

        Parameters
        ----------
        kernel : Kernel
            As of a `Plant`.
        """
        self._first = self._first[0], kernel
        if self._robot is self._first[0]:
            super().replace_kernel(kernel)

    def set_state(self, position=None, velocity=None):
        """Set the state in the first assembly mode, as `Plant.set_state`.

        Parameters
        ----------
        position, velocity : (nq,) and (nv,) array_like, optional
            As of a `Plant`.
        """
        robot, kernel = self._first
        self._passage = None
        if self._robot is not robot:
            self._lead(robot)
            self._kernel = kernel
            self._carry(self._payloads.move_to(robot.model))
        super().set_state(position, velocity)

    def attach(self, *payload, **more):
        """Attach a rigid payload, as `Plant.attach`.

        Parameters
        ----------
        *payload, **more
            As of `Plant.attach`.
        """
        super().attach(*payload, **more)
        if self._passage is not None:
            self._enter(*self._passage.state(), independent_in_loops(self._passage.robot.model))

    def all_joints(self, position, velocity, effort):
        """Return position, velocity and effort of all joints, as `AllJoints.state` does.

        Where other joints lead, dependent joints have their true state.

        Parameters
        ----------
        position, velocity, effort : (nq,), (nv,) and (nv,) ndarray
            Measured state and efforts of the independent joints [rad or m, rad/s or m/s, N m or
            N].

        Returns
        -------
        tuple of ndarray
            Of all joints.
        """
        if self._passage is None:
            return self._all_joints.state(position, velocity, effort)
        names = self.model.all_joint_names
        places, rates = ({**each} for each in self._passage.state())
        places.update(zip(self.model.joint_names, position))
        rates.update(zip(self.model.joint_names, velocity))
        efforts = dict(zip(self.model.joint_names, effort))
        return (
            np.array([places[name] for name in names]),
            np.array([rates[name] for name in names]),
            np.array([efforts.get(name, 0.0) for name in names]),
        )

    def _move(self, dt):
        """Take the step, in a passage with other independent joints."""
        if self._passage is None:
            found = self._dead_centres.near(self.q)
            if found is not None:
                self._begin(found)
        if self._passage is None:
            start, faults = (self.q.copy(), self.qd.copy()), self.faults
            super()._move(dt)
            if not self.fault:
                return
            sentence, end = self.fault, (self.q.copy(), self.qd.copy())
            self.fault, (self.q[:], self.qd[:]) = '', start
            self._begin(self._dead_centres.shares(self.q)[1])
            if self._passage is None:
                self.fault, (self.q[:], self.qd[:]) = sentence, end
                return
            self.faults = faults
        self._pass_on(dt)

    def _begin(self, found):
        """Let other joints lead, if all joints have efforts and there are better ones."""
        if self._held() or self._follows():
            return
        places, rates, _ = self._all_joints.state(self.q, self.qd, self.effort)
        names, choice = self.model.all_joint_names, better_choice(self.model, found)
        if self._enter(*(dict(zip(names, each.tolist())) for each in (places, rates)), choice):
            self.passes += 1

    def _enter(self, position, velocity, independent):
        """Let these joints lead in this state of all joints; return whether they do."""
        settings = replace(
            self.settings,
            no_command='free',
            latency=0,
            command_modes=(),
            stiffness=(),
            rate_gain=(),
            velocity_gain=(),
        )
        try:
            passage = LoopPlant(
                self._rechosen, settings, position, velocity, independent, self._contacts
            )
        except RobodynError:
            return False  # singular for any choice; the step latches a fault if it gets stuck
        leads = _largest_change(position, passage.state()[0]) < CONTINUOUS
        if leads:
            self._passage = passage
        return leads

    def _pass_on(self, dt):
        """Take a step of the passage, and end it where the own joints lead again."""
        passage, joints = self._passage, self._drives.joints
        if self._follows():
            self.faults += 1
            self.fault = (
                f'robot {self.model.name!r}: near a dead centre of {", ".join(self._own)} joints '
                f'take efforts alone, and the modes are {", ".join(self.modes)}; it stands still '
                'until it is reset or gets another state'
            )
            return
        if self._held():
            passage.plant.qd[:], self.qd[:], self.effort[:] = 0.0, 0.0, 0.0
            return
        limit = joints[:, EFFORT]
        self.effort[:] = joints[:, STRENGTH] * np.clip(self._drives.command, -limit, limit)
        damping = joints[:, DAMPING] - self._drives.damping  # of a command that is void
        given = self.effort - damping * self.qd
        passage.plant._f_ext[:] = self._f_ext
        passage.step(dict(zip(self.model.joint_names, given.tolist())), dt)
        position, velocity = passage.state()
        self.q[:] = [position[name] for name in self.model.position_names]
        self.qd[:] = [velocity[name] for name in self.model.joint_names]
        if passage.fault:
            self.fault, self.faults = passage.fault, self.faults + 1
        elif self._dead_centres.is_far(position):
            self._end(position)

    def _end(self, position):
        """Lead with the own joints again, in the assembly mode of these positions."""
        try:
            bare = rechosen(self._payloads.bare, self._own, position)
        except RobodynError:
            return
        robot = Robot(bare)
        places = dict(zip(robot.all_position_names, robot.expand(self.q)[0]))
        if _largest_change(places, position) < CONTINUOUS:
            self._passage = None
            self._lead(robot)
            self._kernel = robot.linked(self.kernel)
            self._carry(self._payloads.move_to(bare))

    def _lead(self, robot):
        """Lead with the own independent joints of a robot."""
        self._robot, self._all_joints = robot, AllJoints(robot.model)
        self._dead_centres = DeadCentres(robot, self._usual)

    def _rechosen(self, independent, near):
        """Return the robot with its payloads over other independent joints."""
        return Robot(rechosen(self.model, independent, near))

    def _held(self):
        """Return whether a brake or a drive for the weight acts on a joint."""
        return self._drives.joints[:, [BRAKED, ASSISTED]].any()

    def _follows(self):
        """Return whether a joint follows a position or a velocity."""
        return np.any(self._drives.joints[:, MODE] != EFFORT_MODE)


def _largest_change(one, other):
    """Return the largest difference of the positions of joints [rad or m]; inf if one is NaN."""
    change = max(abs(one[name] - other[name]) for name in one)
    return change if np.isfinite(change) else np.inf
