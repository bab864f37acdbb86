# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sensors on links and joints of a plant: inertial, force-torque, joint torque, motor encoders."""

from dataclasses import dataclass, field

import numpy as np

from robodyn_ros.errors import short_repr
from robodyn_ros.model.layout import RATIO, ROTOR
from robodyn_ros.robot.loops.constraint_forces import link_wrenches
from robodyn_ros.robot.robot import Robot
from robodyn_ros.simulation.sensors.instrument import Imperfections, Instrument

PERFECT = Imperfections()


@dataclass(frozen=True)
class Motion:
    """The motion of a plant at one moment.

    `robot`: the robot with its payloads, over the joints that lead at present.
    `q`, `qd`, `qdd`: state (nq,) and (nv,), and mean acceleration (nv,) of the last step.
    `wrenches`: force and moment [N, N m] in base axes at the origin of each frame; see
      `Plant.pushes`.
    `motors`: position and velocity of the motors, converted to the joint side.
    `efforts`: efforts at dependent joints of closed loops, of friction, stops and motors [N m or
      N].
    `joint_names`: the m joints of the plant; those of the robot by default.
    """

    robot: Robot
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    wrenches: dict
    motors: np.ndarray
    efforts: dict = field(default_factory=dict)
    joint_names: tuple = ()

    __repr__ = short_repr

    @staticmethod
    def of(plant, robot, acceleration):
        """Return the present motion of a plant.

        `robot` (Robot): the robot of the model of `plant.leading`.
        `acceleration` (nv,): mean acceleration of its joints in the last step [rad/s^2
          or m/s^2].
        """
        lead = plant.leading
        return Motion(
            robot,
            lead.q,
            lead.qd,
            acceleration,
            plant.pushes(robot),
            plant.motors,
            plant.dependent_efforts,
            plant.model.joint_names,
        )

    def transmitted(self):
        """Return wrenches on links as of `Links.joint_wrenches`, and efforts of all joints.

        Returns as of `link_wrenches`. For a robot without closed loops the efforts are those of
          `Robot.inverse_dynamics`.
        """
        robot, state = self.robot, (self.q, self.qd, self.qdd)
        if robot.model.has_loops:
            return link_wrenches(robot, *state, self.wrenches, self.efforts)
        wrenches = robot.links.joint_wrenches(*state, self.wrenches)
        return wrenches, robot.inverse_dynamics(*state, self.wrenches)


class LinkSensor(Instrument):
    """Base class of instruments that measure a Motion."""

    def measure(self, motion):
        """Return the true vector.

        `motion` (Motion): the motion of the plant.
        """
        raise NotImplementedError

    def sample(self, motion, dt):
        """Sample a motion.

        `motion` (Motion): the motion of the plant.
        `dt`: time since the previous sample [s]; 0 replaces that one.
        """
        super().sample(self.measure(motion), dt)


class Imu(LinkSensor):
    """Measure angular velocity and specific force of a frame, in its axes; (6,) [rad/s, m/s^2].

    The specific force is R^T (a - g): at rest it points up.

    `frame`: name of a link or joint.
    `gyroscope`, `accelerometer` (Imperfections): errors of each part.
    `**options`: latency, jitter and seed of an Instrument.
    """

    def __init__(self, frame, gyroscope=PERFECT, accelerometer=PERFECT, **options):
        self.frame = frame
        super().__init__([(3, gyroscope), (3, accelerometer)], **options)

    def measure(self, motion):
        robot, frame, q, qd = motion.robot, self.frame, motion.q, motion.qd
        rotation = robot.pose(q, frame)[:3, :3]
        spin = robot.frames.velocity(q, qd, frame)[3:]
        point = robot.frames.acceleration(q, qd, motion.qdd, frame)[:3]
        force = point - robot.model.gravity
        return np.concatenate((rotation.T @ spin, rotation.T @ force))


class ForceTorque(LinkSensor):
    """Measure the wrench between a link and the moving joint before it; (6,) [N, N m].

    It is the wrench of the link, its children and external wrenches on the sensor. So a hanging
    load pulls down. Force and moment are about the origin of the frame, in its axes.

    `frame`: name of a link or joint.
    `force`, `moment` (Imperfections): errors of each part.
    `**options`: latency, jitter and seed of an Instrument.
    """

    def __init__(self, frame, force=PERFECT, moment=PERFECT, **options):
        self.frame = frame
        super().__init__([(3, force), (3, moment)], **options)

    def measure(self, motion):
        robot, q, model = motion.robot, motion.q, motion.robot.model
        body = model.frame(self.frame).body
        if body == 0:  # a frame on the base: there is no joint before it
            return np.zeros(6)
        wrench = -motion.transmitted()[0][body - 1]
        pose = robot.pose(q, self.frame)
        arm = robot.pose(q, model.body_names[body])[:3, 3] - pose[:3, 3]
        moment = wrench[3:] + np.cross(arm, wrench[:3])
        return np.concatenate((pose[:3, :3].T @ wrench[:3], pose[:3, :3].T @ moment))


class JointTorque(LinkSensor):
    """Measure the efforts that the joints transmit to the links; (nv,) [N m or N].

    They are motor efforts less friction and the inertial torque of the rotors. Joints that
    follow others add theirs by their ratios.

    `nv`: number of velocities.
    `effort` (Imperfections): errors of the efforts.
    `**options`: latency, jitter and seed of an Instrument.
    """

    def __init__(self, nv, effort=PERFECT, **options):
        super().__init__([(nv, effort)], **options)

    def measure(self, motion):
        robot, model = motion.robot, motion.robot.model
        efforts = motion.transmitted()[1]
        if not model.has_loops:
            return efforts - model.joint_values(ROTOR) * motion.qdd
        rotors = model.constants[1:, ROTOR]
        efforts = efforts - rotors * robot.expand(motion.q, motion.qd, motion.qdd)[2]
        found = dict(zip(model.all_joint_names, efforts.tolist()))
        ratios = {row: {at: model.constants[row, RATIO]} for row, at in model.followed.items()}
        for row, leaders in (ratios | model.coupled).items():
            for leader, ratio in leaders.items():
                found[model.all_joint_names[leader - 1]] += ratio * efforts[row - 1]
        return np.array([found[name] for name in motion.joint_names or model.joint_names])


class MotorEncoders(LinkSensor):
    """Measure position and velocity of the motors, converted to the joint side; (2 nv,).

    `nv`: number of velocities.
    `position`, `velocity` (Imperfections): errors of each part.
    `**options`: latency, jitter and seed of an Instrument.
    """

    def __init__(self, nv, position=PERFECT, velocity=PERFECT, **options):
        super().__init__([(nv, position), (nv, velocity)], **options)

    def measure(self, motion):
        return motion.motors.reshape(-1)
