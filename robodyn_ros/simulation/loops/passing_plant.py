# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A plant with closed loops that passes dead centres, and keeps its joints of commands and state.

Near a dead centre a `LoopPlant` takes over. Efforts of the independent joints go on there, and so
do drives with feedback. Beyond the dead centre these joints lead again, in the other assembly mode
of their loops.
"""

from dataclasses import replace

import numpy as np

from robodyn_ros.codegen.linker import version_for
from robodyn_ros.errors import RobodynError
from robodyn_ros.robot.loops.dead_centre import NEAR, DeadCentres
from robodyn_ros.robot.loops.embedding_matrix import embedding_matrix
from robodyn_ros.robot.loops.with_independent_joints import (
    better_choice,
    independent_in_loops,
    with_independent_joints,
)
from robodyn_ros.robot.robot import Robot
from robodyn_ros.simulation.all_joints import AllJoints
from robodyn_ros.simulation.joint_table import (
    ASSISTED,
    AT,
    BRAKED,
    DAMPING,
    EFFORT,
    EFFORT_MODE,
    MODE,
    POSITION_MODE,
    RATE_GAIN,
    STIFFNESS,
    STRENGTH,
)
from robodyn_ros.simulation.loops.loop_plant import CONTINUOUS, Drive, LoopPlant
from robodyn_ros.simulation.plant import Plant
from robodyn_ros.simulation.plant_settings import PlantSettings


class PassingPlant(Plant):
    """A `Plant` that passes the dead centres of its loops, with friction and stops of all joints.

    Drives in position and velocity mode act on their joints while others lead, in Euler steps. The
    weight that they carry fades at the dead centre, where no effort of theirs carries it. Where a
    kinematic drive would prescribe the motion there, the plant stops with a sentence, until a
    reset. Without a command in force the robot stands still there.

    `passes`: how many times other joints have taken over.
    """

    def __init__(
        self, robot, settings=PlantSettings(), position=None, velocity=None, contacts=None
    ):
        self._contacts, self._passage, self.passes = contacts, None, 0
        self._driven = ()  # joints whose drives the passage knows
        self._own, self._usual = sorted(independent_in_loops(robot.model)), None
        self._lead(robot)
        self._usual, self._first = self.dead_centres.usual, (robot, None)
        super().__init__(robot, settings, position, velocity, contacts, led_joints=True)
        self._first = robot, self._kernel

    def replace_kernel(self, kernel):
        """Step with another kernel, as `Plant.replace_kernel`, in the first assembly mode."""
        robot, _ = self._first
        self._first = robot, version_for(self._with_payload(robot.model), kernel, self.kernel)
        if self._robot is robot:
            super().replace_kernel(kernel)

    def set_state(self, position=None, velocity=None):
        """Set the state in the first assembly mode, as `Plant.set_state`."""
        robot, kernel = self._first
        self._passage = None
        if self._robot is not robot:
            self._lead(robot)
            self._kernel = kernel
            self._carry(self._payloads.move_to(robot.model))
        super().set_state(position, velocity)

    @property
    def leading(self):
        """Return the plant over the joints that lead at present; see `Plant.leading`."""
        return self if self._passage is None else self._passage.plant

    @property
    def dependent_efforts(self):
        """Return the efforts of the dependent joints of `leading`; see `Plant`."""
        if self._passage is None:
            return super().dependent_efforts
        return self._passage.dependent_efforts

    def rates(self):
        """Return the velocities of all joints, of which any may lead after the next step."""
        if self._passage is not None:
            return self._passage.state()[1]
        rates = self._all_joints.state(self.q, self.qd, self.effort)[1]
        return dict(zip(self.model.all_joint_names, rates.tolist()))

    def acceleration(self, before, dt):
        """Return the mean acceleration of the joints of `leading`; see `Plant.acceleration`.

        `before` (dict of str to float): what `rates` returned at the beginning.
        `dt`: the time [s].
        """
        lead = self.leading
        return (lead.qd - [before[name] for name in lead.model.joint_names]) / dt

    def attach(self, *payload, **more):
        """Attach a rigid payload, as `Plant.attach`."""
        super().attach(*payload, **more)
        if self._passage is not None:
            self._enter(*self._passage.state(), independent_in_loops(self._passage.robot.model))

    def all_joints(self, position, velocity, effort):
        """Return position, velocity and effort of all joints, as `AllJoints.state` does.

        Where other joints lead, dependent joints have their true state.

        `position`, `velocity`, `effort` ((nq,), (nv,) and (nv,) ndarray): measured state and
          efforts of the independent joints [rad or m, rad/s or m/s, N m or N].
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
            found = self.dead_centres.near(self.q)
            if found is not None:
                self._begin(found)
        if self._passage is None:
            start, faults = (self.q.copy(), self.qd.copy()), self.faults
            super()._move(dt)
            if not self.fault:
                return
            sentence, end = self.fault, (self.q.copy(), self.qd.copy())
            self.fault, (self.q[:], self.qd[:]) = '', start
            self._begin(self.dead_centres.nearest(self.q))
            if self._passage is None:
                self.fault, (self.q[:], self.qd[:]) = sentence, end
                return
            self.faults = faults
        self._pass_on(dt)

    def _begin(self, found):
        """Let other joints lead, if there are better ones and no joint has to keep its motion."""
        if self._held() or self._is_prescribed():
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
        driven = self._following()
        if driven:  # whose damping other integrators take at the beginning of a step
            settings = replace(settings, integrator='semi_implicit_euler')
        try:
            passage = LoopPlant(
                self._with_independent_joints,
                settings,
                position,
                velocity,
                independent,
                self._contacts,
                driven,
            )
        except RobodynError:
            return False  # singular for any choice; the step latches a fault if it gets stuck
        leads = _largest_change(position, passage.state()[0]) < CONTINUOUS
        if leads:
            self._passage, self._driven = passage, driven
        return leads

    def _pass_on(self, dt):
        """Take a step of the passage, and end it where the own joints lead again."""
        if self._held():
            self._passage.plant.qd[:], self.qd[:], self.effort[:] = 0.0, 0.0, 0.0
            return
        if self._is_prescribed() or not self._knows_drives():
            self.faults += 1
            self.fault = (
                f'robot {self.model.name!r}: near a dead centre of {", ".join(self._own)} their '
                f'motion cannot be prescribed, and joints with modes {", ".join(self.modes)} '
                'move kinematically; expected drives with feedback, or efforts; it stands still '
                'until it is reset or gets another state'
            )
            return
        passage, joints, names = self._passage, self._drives.joints, self.model.joint_names
        limit = joints[:, EFFORT]
        self.effort[:] = joints[:, STRENGTH] * np.clip(self._drives.command, -limit, limit)
        self.effort[joints[:, MODE] != EFFORT_MODE] = 0.0
        damping = joints[:, DAMPING] - self._drives.damping  # of a command that is void
        given = self.effort - damping * self.qd
        passage.plant._f_ext[:] = self._f_ext
        passage.step(dict(zip(names, given.tolist())), dt, self._feedback(dt))
        for name in self._following():
            self.effort[names.index(name)] = passage.drive_efforts.get(name, 0.0)
        position, velocity = passage.state()
        self.q[:] = [position[name] for name in self.model.position_names]
        self.qd[:] = [velocity[name] for name in self.model.joint_names]
        if passage.fault:
            self.fault, self.faults = passage.fault, self.faults + 1
        elif self.dead_centres.is_far(position):
            self._end(position)

    def _end(self, position):
        """Lead with the own joints again, in the assembly mode of these positions."""
        try:
            bare = with_independent_joints(self._payloads.bare, self._own, position)
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
        self.dead_centres = DeadCentres(robot, self._usual)

    def _with_independent_joints(self, independent, near):
        """Return the robot with its payloads over other independent joints."""
        return Robot(with_independent_joints(self.model, independent, near))

    def _held(self):
        """Return whether a brake holds a joint, or a motor its weight alone."""
        joints = self._drives.joints
        holds = joints[:, [BRAKED, ASSISTED]].any(axis=1)
        return (holds & (joints[:, MODE] == EFFORT_MODE)).any()

    def _is_prescribed(self):
        """Return whether a joint moves kinematically."""
        joints = self._drives.joints
        return ((joints[:, BRAKED] > 0.0) & (joints[:, MODE] != EFFORT_MODE)).any()

    def _following(self):
        """Return the names of the joints that follow a position or a velocity."""
        follows = self._drives.joints[:, MODE] != EFFORT_MODE
        return tuple(name for name, does in zip(self.model.joint_names, follows) if does)

    def _knows_drives(self):
        """Return whether the passage has all drives that follow; take up new ones."""
        if set(self._following()) <= set(self._driven):
            return True
        passage = self._passage
        return self._enter(*passage.state(), independent_in_loops(passage.robot.model))

    def _feedback(self, dt):
        """Return the drives that follow by feedback, at the end of a step as in servo.py."""
        joints, command, found = self._drives.joints, self._drives.command, {}
        carried = self._carried_weight() if joints[:, ASSISTED].any() else np.zeros(len(joints))
        for k, name in enumerate(self.model.joint_names):
            mode, strength, gain = joints[k, [MODE, STRENGTH, RATE_GAIN]]
            if mode == EFFORT_MODE:
                continue
            effort = gain * command[k]
            if mode == POSITION_MODE:
                effort = joints[k, STIFFNESS] * (command[k] - self.q[int(joints[k, AT])])
                gain += dt * joints[k, STIFFNESS]
            effort += carried[k] if joints[k, ASSISTED] else 0.0
            largest = strength * joints[k, EFFORT] if strength else 0.0
            found[name] = Drive(strength * effort, strength * gain, largest)
        return found

    def _carried_weight(self):
        """Return the efforts w of the own joints that carry the weight, g = E^T w.

        Of singular values s of the rows E, small ones take part by s, not by 1 / s.
        """
        robot, q = self._passage.robot, self._passage.plant.q
        rows = [robot.all_joint_names.index(name) for name in self.model.joint_names]
        U, sizes, Vt = np.linalg.svd(embedding_matrix(robot, q)[rows])
        least = NEAR * sizes[0]
        factors = np.where(sizes > least, 1.0 / np.maximum(sizes, least), sizes / least**2)
        return U @ (factors * (Vt @ robot.gravity_torque(q)))


def _largest_change(one, other):
    """Return the largest difference of the positions of joints [rad or m]; inf if one is NaN."""
    change = max(abs(one[name] - other[name]) for name in one)
    return change if np.isfinite(change) else np.inf
