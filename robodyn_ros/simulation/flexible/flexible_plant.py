# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A plant with flexible links; its state has the joints, and the modes separately."""

import numpy as np

from robodyn_ros.compile.flexible_recursions import KERNELS
from robodyn_ros.errors import ParameterError
from robodyn_ros.model.extended.flexible_model import with_modal_links
from robodyn_ros.model.robot_model import RobotModel
from robodyn_ros.simulation.contact.plant_kernels import kernels_of
from robodyn_ros.simulation.flexible.flexible_robot import FlexibleRobot
from robodyn_ros.simulation.plant import Plant
from robodyn_ros.simulation.plant_settings import PlantSettings
from robodyn_ros.simulation.spring_plant import SpringPlant

#: Iterations for the deflection at rest, and the relative change [-] at which they end.
ROUNDS, SETTLED = 100, 1e-13
#: [rad] Largest rotation of a point of a link by gravity at rest.
LARGEST_TURN = 0.5


def flexible_kernels(method):
    """Return the kernels of a FlexiblePlant, its step first.

    `method`: number of the integrator; see `PlantSettings.method`.
    """
    return *kernels_of(method), *KERNELS.values()


class FlexiblePlant(SpringPlant):
    """A plant with flexible links, with the interface of `Plant`.

    Each mode is a further coordinate with a spring, behind the joints of the robot. The step calls
    the recursions of Jain 2011, chapter 13, in place of those over rigid links. Integrators other
    than Runge-Kutta treat the springs implicitly, so no stiffness is too high for the step.
    Runge-Kutta needs steps that are short against the period of the highest mode. Modes are linear
    in the deformation, so a link that spins fast does not stiffen.

    `robot` (Robot): the robot with rigid links.
    `links` (mapping of str to ModalLink): flexible links by name; see `with_modal_links`.
    `settings` (PlantSettings): as for `Plant`, with one entry for each joint of `robot`.
    `position`, `velocity` ((nq,) and (nv,) array_like): initial state of the joints, as in
      `set_state`.
    `model` (RobotModel): the robot with rigid links, with its payloads.
    `inside` (Plant): the plant of joints and modes.
    `q`, `qd` ((nq,) and (nv,) ndarray): state of the joints [rad or m, rad/s or m/s]; live, do not
      write to it.
    `eta`, `eta_rate` (modes,): state of the modes, in the order of `mode_names`; live,
      do not write to it.
    `mode_names` (sequence of str): names of the modes.
    `effort` (nv,): efforts of the motors in the last step [N m or N]; live.
    Raises UnknownNameError, ModelError: for links that cannot be flexible.
    Raises ShapeError, ParameterError: for settings or a state that do not fit the robot.
    """

    def __init__(self, robot, links, settings=PlantSettings(), position=None, velocity=None):
        self.model: RobotModel = robot.model
        self.settings = settings
        flexible = with_modal_links(robot.model, links)
        self._rigid = Plant(robot, settings, position, velocity)
        behind = len(flexible.springs)
        self._robot = FlexibleRobot(flexible)
        self.inside = _ModalPlant(self._robot, self._spread(settings, behind))
        nq, nv = robot.model.nq, robot.model.nv
        self.q, self.qd = self.inside.q[:nq], self.inside.qd[:nv]
        self.eta, self.eta_rate = self.inside.q[nq:], self.inside.qd[nv:]
        self.effort = self.inside.effort[:nv]
        self.mode_names = flexible.mode_names
        self._stiffness = np.array([spring.stiffness for spring in flexible.springs])
        self._initial = self._rigid.q.copy(), self._rigid.qd.copy()
        self.reset()

    def reset(self):
        """Return to the initial state; see `Plant.reset`."""
        self.inside.reset()
        self._carry()
        self.set_state(*self._initial)

    def set_state(self, position=None, velocity=None, eta=None, eta_rate=None):
        """Set the state of joints and modes.

        `position`, `velocity` ((nq,) and (nv,) array_like): new state of the joints [rad or m,
          rad/s or m/s]. None leaves that part unchanged.
        `eta` ((modes,) array_like): new deflections of the modes. None for those at rest under
          gravity.
        `eta_rate` ((modes,) array_like): their rates; None for zero.
        Raises ShapeError, ParameterError: as in `Plant.set_state`, and if gravity bends a link too
          far. Nothing has changed then.
        """
        q = self.q if position is None else self._rigid.checked_position(position)
        qd = self.qd if velocity is None else self._rigid.checked_velocity(velocity)
        eta = self._at_rest(q) if eta is None else np.asarray(eta, float)
        rate = np.zeros(len(self.eta)) if eta_rate is None else np.asarray(eta_rate, float)
        self.inside.set_state(np.concatenate((q, eta)), np.concatenate((qd, rate)))

    def step(self, command=None, dt=1e-3):
        """Advance by one step; see `Plant.step`.

        `command` ((nv,) array_like or Command): command to the joints.
        `dt`: length of the step [s].
        """
        if command is not None:
            command = self._spread_command(self.command_with_modes(command))
        self.inside.step(command, dt)

    def attach(self, frame, mass, com=(0.0, 0.0, 0.0), inertia=np.zeros((3, 3))):
        """Attach a rigid payload to a frame, also on a flexible link; see `Plant.attach`.

        `com` ((3,) array_like): centre of mass [m] in the axes of the frame.
        `inertia` ((3, 3) array_like): inertia [kg m^2] about the centre of mass, in the axes of
          the frame.
        Raises UnknownNameError: if there is no such frame.
        Raises ModelError, ShapeError: for an impossible payload, or if the modes of the link are
          unknown at the frame.
        """
        self.inside.attach(frame, mass, com, inertia)
        self._carry()

    @property
    def measured(self):
        """Return the positions and velocities at the encoders of the joints."""
        return self.q, self.qd

    @property
    def motors(self):
        """Return the positions and velocities of the motors; see `Plant.motors`."""
        at = self.model.coordinates
        return np.array((np.where(at >= 0, self.q[at], 0.0), self.qd))

    @property
    def other_side(self):
        """Return the states of the modes, as joint states.

        Returns `names, deflections, rates, spring forces` (tuple): one entry for each mode.
        """
        return self.mode_names, self.eta, self.eta_rate, self.inside.effort[self.model.nv :]

    @property
    def dynamics(self):
        """Return the FlexibleRobot of joints and modes, with its payloads."""
        return self._robot

    @property
    def energy(self):
        """Return kinetic, potential and strain energy [J]."""
        return self._robot.energy(self.inside.q, self.inside.qd)

    def deflection(self, frame):
        """Return rotation [rad] and displacement [m] of a frame by the modes of its link.

        Returns in axes of the link's body, whose z is along its joint. Zeros on a rigid link.
        Raises UnknownNameError: for a frame that does not exist.
        """
        return self._robot.deflection(self.inside.q, frame)

    def pose(self, frame):
        """Return the pose of a frame on its deformed link.

        Raises UnknownNameError: for a frame that does not exist.
        """
        return self._robot.pose(self.inside.q, frame)

    def _carry(self):
        """Update the model and the robot to the payloads."""
        self._robot = FlexibleRobot(self.inside.model)
        self.model = self.inside.model.rigid

    def _at_rest(self, q):
        """Return the deflections at which springs balance gravity, with the joints at q."""
        eta = np.zeros(len(self.eta))
        for _ in range(ROUNDS):
            weight = self._robot.gravity_torque(np.concatenate((q, eta)))[self.model.nv :]
            old, eta = eta, -weight / self._stiffness
            turned = self._robot.model.largest_turn(eta)
            if not turned <= LARGEST_TURN:
                raise ParameterError(
                    f'robot {self.model.name!r}: at rest the weight turns a point of its flexible '
                    f'links by {turned:.3g} rad; modes are linear, expected at most '
                    f'{LARGEST_TURN:g} rad; use stiffer links, or give initial deflections `eta`'
                )
            if np.abs(eta - old).max() <= SETTLED * np.abs(eta).max():
                break
        return eta


class _ModalPlant(Plant):
    """The plant of joints and modes."""

    def _with_payload(self, model):
        """Return the robot of a FlexibleModel with payloads."""
        return FlexibleRobot(model)
