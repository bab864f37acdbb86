# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A plant whose links bend by modes: states are those of the joints, and of the modes beside."""

import numpy as np

from robodyn_ros.compile.flexible_recursions import KERNELS
from robodyn_ros.errors import ParameterError
from robodyn_ros.model.extended.flexible_model import with_modal_links
from robodyn_ros.model.robot_model import RobotModel
from robodyn_ros.simulation.flexible.flexible_robot import FlexibleRobot
from robodyn_ros.simulation.plant import Plant, kernels_of
from robodyn_ros.simulation.plant_settings import PlantSettings
from robodyn_ros.simulation.spring_plant import SpringPlant

#: Largest number of iterations for the rest of the modes, and change [-] at which they end.
ROUNDS, SETTLED = 100, 1e-13
#: [rad] by which the weight may turn a point of a link at rest.
LARGEST_TURN = 0.5


def flexible_kernels(method):
    """Return the kernels of a FlexiblePlant, its step first.

    Parameters
    ----------
    method : int
        The integrator; see PlantSettings.method.
    """
    return *kernels_of(method), *KERNELS.values()


class FlexiblePlant(SpringPlant):
    """A plant whose links bend by modes, with the interface of `Plant`.

    Inside, the modes are joints behind those of the robot, which springs move. The step calls the
    recursions of Jain 2011, chapter 13, in place of those over rigid links. Schemes other than
    Runge-Kutta take the springs implicitly, so that no stiffness is too high for the step.
    Runge-Kutta needs steps short against the period of the highest mode. The modes are linear in
    the deformation: a link that spins fast does not stiffen.

    Parameters
    ----------
    robot : Robot
        The robot with rigid links.
    links : mapping of str to ModalLink
        By name of the link; see `with_modal_links`.
    settings : PlantSettings
        As of `Plant`, with one entry for each joint of `robot`. Any integrator but
        'diagonal_rk4'.
    position, velocity : (nq,) and (nv,) array_like, optional
        Initial state of the joints, as in `set_state`.

    Attributes
    ----------
    model : RobotModel
        Of the robot with rigid links, with its payloads.
    inside : Plant
        The plant of joints and modes.
    q, qd : (nq,) and (nv,) ndarray
        State of the joints [rad or m, rad/s or m/s]; live, not to be written.
    eta, eta_rate : (modes,) ndarray
        State of the modes, in the order of `mode_names`; live, not to be written.
    effort : (nv,) ndarray
        Efforts of the motors in the last step [N m or N]; live.

    Raises
    ------
    UnknownNameError, ModelError
        For links that cannot be flexible.
    ShapeError, ParameterError
        For settings or a state that do not fit the robot.
    """

    def __init__(self, robot, links, settings=PlantSettings(), position=None, velocity=None):
        if settings.integrator == 'diagonal_rk4':
            raise ParameterError(
                f'robot {robot.name!r}: integrator is {settings.integrator!r} beside flexible '
                'links; expected another one'
            )
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
        """Set the state.

        Parameters
        ----------
        position, velocity : (nq,) and (nv,) array_like, optional
            New state of the joints [rad or m, rad/s or m/s]; None leaves that half as it is.
        eta : (modes,) array_like, optional
            New deflections of the modes; None for those at rest under the weight.
        eta_rate : (modes,) array_like, optional
            Their rates; None for zero.

        Raises
        ------
        ShapeError, ParameterError
            As of `Plant.set_state`, and where the weight bends a link too far. Nothing has changed
            then.
        """
        q = self.q if position is None else self._rigid.checked_position(position)
        qd = self.qd if velocity is None else self._rigid.checked_velocity(velocity)
        eta = self._at_rest(q) if eta is None else np.asarray(eta, float)
        rate = np.zeros(len(self.eta)) if eta_rate is None else np.asarray(eta_rate, float)
        self.inside.set_state(np.concatenate((q, eta)), np.concatenate((qd, rate)))

    def step(self, command=None, dt=1e-3):
        """Advance by one step; see `Plant.step`, with commands to the joints."""
        if command is not None:
            command = self._spread_command(self.tagged(command))
        self.inside.step(command, dt)

    def attach(self, frame, mass, com=(0.0, 0.0, 0.0), inertia=np.zeros((3, 3))):
        """Attach a rigid payload to a frame, which may be on a flexible link; see `Plant.attach`.

        Raises
        ------
        ModelError
            Also where the modes of the link are not known at the frame.
        """
        self.inside.attach(frame, mass, com, inertia)
        self._carry()

    @property
    def measured(self):
        """Return the positions and velocities that the encoders of the joints see; live."""
        return self.q, self.qd

    @property
    def motors(self):
        """Return (2, nv) position and velocity of the motors; see `Plant`."""
        at = self.model.coordinates
        return np.array((np.where(at >= 0, self.q[at], 0.0), self.qd))

    @property
    def other_side(self):
        """Return (names, deflections, rates, spring forces) of the modes, for joint states."""
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
        """Return (6,), rotation [rad] and displacement [m] of a frame by the modes of its link.

        Parameters
        ----------
        frame : str
            Name of a link or joint.

        Returns
        -------
        ndarray
            In axes of the link's body, whose z is along its joint. Zeros on a rigid link.

        Raises
        ------
        UnknownNameError
            For a frame that does not exist.
        """
        return self._robot.deflection(self.inside.q, frame)

    def pose(self, frame):
        """Return the transform (4, 4) of a frame in the base, on its deformed link.

        Parameters
        ----------
        frame : str
            Name of a link or joint.

        Raises
        ------
        UnknownNameError
            For a frame that does not exist.
        """
        return self._robot.pose(self.inside.q, frame)

    def _carry(self):
        """Take the payloads of the plant inside."""
        self._robot = FlexibleRobot(self.inside.model)
        self.model = self.inside.model.rigid

    def _at_rest(self, q):
        """Return the deflections at which springs carry the weight, the joints at q."""
        eta = np.zeros(len(self.eta))
        for _ in range(ROUNDS):
            weight = self._robot.gravity_torque(np.concatenate((q, eta)))[self.model.nv :]
            old, eta = eta, -weight / self._stiffness
            turned = self._robot.model.largest_turn(eta)
            if not turned <= LARGEST_TURN:
                raise ParameterError(
                    f'robot {self.model.name!r}: at rest the weight turns a point of its flexible '
                    f'links by {turned:.3g} rad; modes are linear, expected at most '
                    f'{LARGEST_TURN:g} rad by stiffer links, or deflections `eta` to begin with'
                )
            if np.abs(eta - old).max() <= SETTLED * np.abs(eta).max():
                break
        return eta


class _ModalPlant(Plant):
    """The plant of joints and modes."""

    def _with_payload(self, model):
        """Return the robot of a FlexibleModel with payloads."""
        return FlexibleRobot(model)
