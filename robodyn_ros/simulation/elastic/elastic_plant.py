# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A plant with elastic joints: commands act on the motors, sensors see links or motors."""

import numpy as np

from robodyn_ros.model.extended.elastic_joints import DEFLECTION
from robodyn_ros.model.rigid_body import Payloads
from robodyn_ros.model.robot_model import RobotModel
from robodyn_ros.robot.robot import Robot
from robodyn_ros.simulation.plant import Plant
from robodyn_ros.simulation.plant_settings import PlantSettings, one_of
from robodyn_ros.simulation.spring_plant import SpringPlant

LINK, MOTOR = 'link', 'motor'
SIDES = (LINK, MOTOR)


class ElasticPlant(SpringPlant):
    """A plant whose joints have springs between motor and link, with the interface of `Plant`.

    Inside, an elastic joint is two coordinates in series: motor position and spring deflection;
    see `with_elastic_joints`. Integrators other than Runge-Kutta treat the springs implicitly, so
    no stiffness is too high for the step. Runge-Kutta needs steps that are short against the
    period of the springs.

    Commands, drives, brakes, friction and stops act on the motors.

    `robot` (Robot): the robot with rigid joints.
    `joints` (mapping of str to ElasticJoint, or path): elastic joints by name, or a YAML file of
      them.
    `settings` (PlantSettings): as for `Plant`, with one entry for each joint of `robot`.
    `position`, `velocity` ((nq,) and (nv,) array_like): initial state of the links, as in
      `set_state`.
    `encoders` ({'link', 'motor'}): side of the springs at which positions and velocities are
      measured.
    `model` (RobotModel): the robot with rigid joints, with its payloads.
    `inside` (Plant): the plant of all coordinates.
    `q`, `qd` ((nq,) and (nv,) ndarray): state of the links [rad or m, rad/s or m/s]; live, do not
      write to it.
    `motor_q`, `motor_qd` ((nq,) and (nv,) ndarray): state of the motors, equal to that of the link
      at a rigid joint; live, do not write to it.
    `effort` (nv,): efforts of the motors in the last step [N m or N]; live.
    Raises UnknownNameError, ModelError: for joints that cannot be elastic.
    Raises ShapeError, ParameterError: for settings or a state that do not fit the robot.
    """

    def __init__(
        self, robot, joints, settings=PlantSettings(), position=None, velocity=None, encoders=LINK
    ):
        one_of('encoders', encoders, SIDES)
        self.model: RobotModel = robot.model
        self.settings, self.encoders = settings, encoders
        elastic = robot.extended.with_elastic_joints(joints)
        self.elastic = [spring.joint.removesuffix(DEFLECTION) for spring in elastic.model.springs]
        self._robot, self._rigid = robot, Plant(robot, settings, position, velocity)
        self._payloads = Payloads(robot.model)
        self._at = [robot.joint_names.index(name) for name in self.elastic]
        self._q_at = robot.model.coordinates[self._at]
        self._stiffness = np.array([spring.stiffness for spring in elastic.model.springs])
        self.inside = Plant(elastic, self._spread(settings, len(self._at)))
        nq, nv = robot.model.nq, robot.model.nv
        self.motor_q, self.motor_qd = self.inside.q[:nq], self.inside.qd[:nv]
        self.effort = self.inside.effort[:nv]
        self.q, self.qd = self.motor_q.copy(), self.motor_qd.copy()
        self._initial = self._rigid.q.copy(), self._rigid.qd.copy()
        self.reset()

    def reset(self):
        """Return to the initial state; see `Plant.reset`."""
        self.inside.reset()
        self._carry(self._payloads.clear())
        self._sense()
        self.set_state(*self._initial)

    def set_state(self, position=None, velocity=None):
        """Set the state of the links.

        Springs get the deflection at which they balance gravity at rest. Motors get the velocities
        of their links.

        `position`, `velocity` ((nq,) and (nv,) array_like): new state of the links [rad or m,
          rad/s or m/s]. None leaves that part unchanged.
        Raises ShapeError, ParameterError: as in `Plant.set_state`. Nothing has changed then.
        """
        q = self.q if position is None else self._rigid.checked_position(position)
        qd = self.qd if velocity is None else self._rigid.checked_velocity(velocity)
        limits = self.model.limits
        deflection = -self._robot.gravity_torque(q)[self._at] / self._stiffness
        motor = np.clip(
            q[self._q_at] - deflection, limits.lower[self._at], limits.upper[self._at]
        )  # where the stop of a motor is nearer, the spring deflects by the rest
        inside = np.concatenate((q, q[self._q_at] - motor))
        inside[self._q_at] = motor
        self.inside.set_state(inside, np.concatenate((qd, np.zeros(len(self._at)))))
        self._sense()

    def step(self, command=None, dt=1e-3):
        """Advance by one step; see `Plant.step`.

        `command` ((nv,) array_like or Command): command to the motors.
        `dt`: length of the step [s].
        """
        if command is not None:
            command = self._spread_command(self.command_with_modes(command))
        self.inside.step(command, dt)
        self._sense()

    def attach(self, frame, mass, com=(0.0, 0.0, 0.0), inertia=np.zeros((3, 3))):
        """Attach a rigid payload to a frame of the links; see `Plant.attach`.

        `com` ((3,) array_like): centre of mass [m] in the axes of the frame.
        `inertia` ((3, 3) array_like): inertia [kg m^2] about the centre of mass, in the axes of
          the frame.
        Raises UnknownNameError: if there is no such frame.
        Raises ModelError, ShapeError: for an impossible payload. Nothing has changed then.
        """
        model = self._payloads.attach(frame, mass, com, inertia)
        self.inside.attach(frame, mass, com, inertia)
        self._carry(model)

    @property
    def measured(self):
        """Return the positions and velocities at the encoders, without measurement errors."""
        return (self.q, self.qd) if self.encoders == LINK else (self.motor_q, self.motor_qd)

    @property
    def motors(self):
        """Return the positions and velocities of the motors; see `Plant.motors`."""
        at = self.model.coordinates
        return np.array((np.where(at >= 0, self.motor_q[at], 0.0), self.motor_qd))

    @property
    def other_side(self):
        """Return the state on the side of the springs that the encoders do not measure.

        Names are `<joint>_motor`, or `<joint>_link` with the joint torque as effort.

        Returns `names, position, velocity, effort` (tuple): one entry for each elastic joint.
        """
        if self.encoders == LINK:
            state, effort = (self.motor_q, self.motor_qd), self.effort[self._at]
        else:
            state, effort = (self.q, self.qd), self.joint_torque
        other = MOTOR if self.encoders == LINK else LINK
        names = tuple(f'{name}_{other}' for name in self.elastic)
        return names, state[0][self._q_at], state[1][self._at], effort

    @property
    def joint_torque(self):
        """Return the efforts of springs and dampers on the links."""
        return self.inside.effort[self.model.nv :]

    @property
    def strain_energy(self):
        """Return the energy in the springs [J]."""
        return 0.5 * float(self._stiffness @ self.inside.q[self.model.nq :] ** 2)

    def _carry(self, model):
        """Update the model and the robot to the payloads."""
        self.model = model
        if self._robot.model is not model:
            self._robot = Robot(model)

    def _sense(self):
        nq, nv = self.model.nq, self.model.nv
        self.q[:], self.qd[:] = self.motor_q, self.motor_qd
        self.q[self._q_at] += self.inside.q[nq:]
        self.qd[self._at] += self.inside.qd[nv:]
