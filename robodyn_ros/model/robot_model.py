# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The read-only arrays of one robot, for every recursion, law and simulation."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from numbers import Real
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from robodyn_ros.errors import ModelError, ShapeError, UnknownNameError, UnlockedError
from robodyn_ros.model import lint, validate
from robodyn_ros.model.description import Inertial
from robodyn_ros.model.joint_types import JointCoordinates
from robodyn_ros.model.layout import (
    AT,
    BALL_X,
    BALL_Y,
    BALL_Z,
    COORDINATE,
    COSINE,
    COUNT,
    DOF,
    EMBEDDED_TOPOLOGY_COLUMNS,
    FIRST,
    FRICTION,
    INERTIA,
    KIND,
    MASS,
    MOMENT,
    PRISMATIC,
    RATIO,
    RATIOS,
    REDUCED,
    REFERENCE,
    SINE,
    TOPOLOGY_COLUMNS,
    Q,
    V,
)
from robodyn_ros.model.model_report import ModelReport
from robodyn_ros.model.rigid_body import add_rigid_body

NO_INERTIA = np.zeros(INERTIA + 6 - MASS)
NO_INERTIA.flags.writeable = False


class ReadOnly:
    """Keep arrays read-only in pickles and deep copies, as kernels expect."""

    def __setstate__(self, state):
        for value in state.values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
        self.__dict__.update(state)


@dataclass(frozen=True, eq=False)
class Frame(ReadOnly):
    """A named frame fixed to a body: its placement in the body's frame."""

    body: int
    rotation: np.ndarray
    translation: np.ndarray


@dataclass(frozen=True, eq=False)
class JointLimits(ReadOnly):
    """Limits in joint order, each (nv,): +-inf without one, effort nan if not described."""

    lower: np.ndarray
    upper: np.ndarray
    velocity: np.ndarray
    effort: np.ndarray


class Spring(NamedTuple):
    """A spring and a damper at a joint of one velocity without a drive, both without load at zero.

    Parameters
    ----------
    joint : str
        Name of the joint.
    stiffness : float
        Stiffness [N m/rad or N/m].
    damping : float
        Damping [N m s/rad or N s/m].
    """

    joint: str
    stiffness: float
    damping: float


@dataclass(frozen=True, eq=False)
class RobotModel(ReadOnly):
    """One robot as read-only arrays; columns and body frames as in robodyn_ros.model.layout.

    The with_* methods return a new robot and do not change this one.

    Attributes
    ----------
    joint_names : tuple of str
        Order of qd, qdd and tau, (nv,). A joint of several velocities has a name for each.
    position_names : tuple of str
        Order of q, (nq,): the same names except for the four of a quaternion.
    body_names : tuple of str
        In row order, first the base link. Then the child link of each joint, or the name of a
        velocity without a link.
    multi_dof_joints : tuple of JointCoordinates
        Joints of several velocities.
    frames : mapping of str to Frame
        Every link name, and every joint name that is not also a link's.
    topology : (nb, 5) ndarray
    constants : (nb, 34) ndarray
        The tables.
    gravity : (3,) ndarray
        Acceleration of gravity in base axes [m/s^2].
    all_joint_names, all_position_names : tuple of str
        With dependent joints, in row order if there are any.
    held : mapping of str to float
        Positions of the locked joints of one degree of freedom [rad or m].
    closures : tuple of str
        Names of the closures of its loops.
    springs : tuple of Spring
        Springs of joints without a drive. A plant applies them; the dynamics of a Robot leave
        them out.
    base_inertia : (10,) ndarray
        Mass, first moment and inertia of the base, as columns of constants; for a free base.
    """

    name: str
    joint_names: tuple[str, ...]
    position_names: tuple[str, ...]
    nq: int
    nv: int
    body_names: tuple[str, ...]
    multi_dof_joints: tuple[JointCoordinates, ...] = field(repr=False)
    frames: Mapping[str, Frame] = field(repr=False)
    topology: np.ndarray = field(repr=False)
    constants: np.ndarray = field(repr=False)
    gravity: np.ndarray
    limits: JointLimits = field(repr=False)
    report: ModelReport = field(repr=False)
    all_joint_names: tuple[str, ...] = field(repr=False)
    all_position_names: tuple[str, ...] = field(repr=False)
    held: Mapping[str, float] = field(repr=False)
    closures: tuple[str, ...] = field(repr=False, default=())
    springs: tuple[Spring, ...] = field(repr=False, default=())
    base_inertia: np.ndarray = field(repr=False, default_factory=lambda: NO_INERTIA)

    def __getstate__(self):
        return self.__dict__ | {'frames': dict(self.frames), 'held': dict(self.held)}

    def __setstate__(self, state):
        views = {name: MappingProxyType(state[name]) for name in ('frames', 'held')}
        super().__setstate__(state | views)

    def frame(self, name):
        """Return the frame of a link or joint.

        Parameters
        ----------
        name : str
            Name of the link or joint.

        Raises
        ------
        UnknownNameError
            The message lists the valid names.
        """
        try:
            return self.frames[name]
        except (KeyError, TypeError):  # or not a name
            raise UnknownNameError(
                f'robot {self.name!r} has no frame {name!r}; valid: {", ".join(self.frames)}'
            ) from None

    def centres(self):
        """Return the (nb, 3) centre of mass of every body in its frame; zero without mass."""
        mass = self.constants[:, MASS, None]
        return np.divide(
            self.constants[:, MOMENT : MOMENT + 3],
            mass,
            where=mass > 0.0,
            out=np.zeros((len(mass), 3)),
        )

    def link_placements(self):
        """Return the body (nb,) of each row's link, and the link's placement (nb, 12), read-only.

        A placement is a row-major rotation and a translation. The link of an intermediate body of
        a joint is the joint's child link.
        """
        bodies = np.arange(len(self.body_names))
        for i in range(len(bodies) - 1, 0, -1):
            if self.body_names[i] not in self.frames:
                # a joint of several degrees of freedom has consecutive rows
                bodies[i] = bodies[i + 1]
        frames = [self.frames[self.body_names[body]] for body in bodies]
        placements = np.array([[*frame.rotation.ravel(), *frame.translation] for frame in frames])
        bodies.flags.writeable = placements.flags.writeable = False
        return bodies, placements

    @property
    def quaternions(self):
        """Return the index in q where the quaternion of each spherical joint starts, (balls,)."""
        return self.topology[self.topology[:, KIND] == BALL_X, AT if self.is_embedded else Q]

    @property
    def is_embedded(self):
        """Return whether joints depend on others, see robodyn_ros.model.dependent.embedding."""
        return self.topology.shape[1] > TOPOLOGY_COLUMNS

    @property
    def has_loops(self):
        """Return whether there are closed loops, see robodyn_ros.model.dependent.closures."""
        return self.topology.shape[1] > EMBEDDED_TOPOLOGY_COLUMNS

    @property
    def led_by_loops(self):
        """Return the rows of the bodies of dependent joints in loops."""
        if not self.has_loops:
            return ()
        return tuple(np.flatnonzero(self.topology[1:, COORDINATE] >= self.nv) + 1)

    @property
    def closed_posture(self):
        """Return (nq,): where the loops were closed, for a robot that has loops."""
        q, at = np.zeros(self.nq), self.coordinates
        q[at[at >= 0]] = self.constants[self.joint_rows(), REFERENCE][at >= 0]
        q[self.quaternions + 3] = 1.0
        return q

    @property
    def elimination_order(self):
        """Return (nv,): velocities from base to tip, in which factors of M are triangular."""
        if self.is_embedded:
            return self.topology[1 : self.nv + 1, REDUCED + V].copy()
        return self.topology[1:, V].copy()

    @property
    def followed(self):
        """Return {row: row of the leader} of the bodies of mimic joints."""
        return {row: leaders[0] for row, leaders in self._led.items() if len(leaders) == 1}

    @property
    def coupled(self):
        """Return {row: {row of a leader: ratio}} of the bodies that follow several joints."""
        return {
            row: {
                leader: float(ratio)
                for leader, ratio in zip(leaders, self.constants[row, RATIOS:])
                if ratio
            }
            for row, leaders in self._led.items()
            if len(leaders) > 1
        }

    @property
    def leading(self):
        """Return the rows that mimic or coupled joints follow."""
        return {*self.followed.values(), *(row for each in self.coupled.values() for row in each)}

    @property
    def _led(self):
        """Return {row: rows from the first leader to the last} of mimic and coupled joints."""
        if not self.is_embedded:
            return {}
        leaders, (first, count) = self.joint_rows().tolist(), self.topology[:, [FIRST, COUNT]].T
        return {
            int(row): leaders[first[row] : first[row] + count[row]]
            for row in np.flatnonzero(self.topology[:, DOF] == 0)[1:]
            if row not in self.led_by_loops
        }

    @property
    def coordinates(self):
        """Return (nv,) indices in q: of the coordinate whose rate each velocity is, or -1.

        The angular velocity of a spherical joint is not the rate of a coordinate.
        """
        rows, at = self.topology[self.joint_rows()], AT if self.is_embedded else Q
        return np.where(np.isin(rows[:, KIND], (BALL_X, BALL_Y, BALL_Z)), -1, rows[:, at])

    @property
    def slides(self):
        """Return (nv,): whether each velocity is linear [m/s] instead of angular."""
        return self.topology[self.joint_rows(), KIND] == PRISMATIC

    def refuse_quaternions(self, what):
        """Raise ModelError for a joint with a quaternion.

        Parameters
        ----------
        what : str
            What needs nq = nv, for the message.
        """
        for k in self.quaternions[:1]:
            joint = self.position_names[k].rpartition('.')[0]
            raise UnlockedError(
                f'robot {self.name!r}: joint {joint!r} turns freely in space and has '
                f'a quaternion for its position, which {what} cannot take; expected '
                'it held still: ',
                (joint,),
                ', or its position in place of 0',
            )

    def refuse_dependent(self, what):
        """Raise ModelError for dependent joints.

        Parameters
        ----------
        what : str
            What needs independent joints, for the message.
        """
        if self.is_embedded:
            names = [name for name in self.all_joint_names if name not in self.joint_names]
            raise UnlockedError(
                f'robot {self.name!r}: joints {", ".join(names)} depend on others, which {what} '
                'cannot take; expected them held still: ',
                names,
            )

    def refuse_loops(self, what):
        """Raise ModelError for closed loops.

        Parameters
        ----------
        what : str
            What needs constant ratios, for the message.
        """
        if self.has_loops:
            names = [self.all_joint_names[self.topology[row, V]] for row in self.led_by_loops]
            raise ModelError(
                f'robot {self.name!r}: closed loops determine the joints {", ".join(names)}, '
                f'which {what} cannot take; expected a robot without closures'
            )

    def joint_values(self, column):
        """Return a column of the constants as (nv,) in joint order.

        The result includes the ROTOR, DAMPING and FRICTION of a joint's followers.

        Parameters
        ----------
        column : int
            A column of the layout, such as layout.DAMPING.
        """
        values = self.constants[self.joint_rows(), column].copy()
        for row, leader in self.followed.items():
            ratio = abs(self.constants[row, RATIO])
            share = ratio if column == FRICTION else ratio * ratio
            values[self.topology[leader, FIRST]] += share * self.constants[row, column]
        return values

    def with_gravity(self, gravity):
        """Return the same robot with another gravity acceleration.

        Parameters
        ----------
        gravity : (3,) array_like
            Acceleration of gravity in base axes [m/s^2].
        """
        return replace(self, gravity=finite_array(gravity, (3,), 'gravity', self.name))

    def with_constants(self, constants):
        """Return the same robot with another table of constants.

        Parameters
        ----------
        constants : (nb, 34) array_like
            The table.
        """
        return replace(
            self, constants=finite_array(constants, self.constants.shape, 'constants', self.name)
        )

    def with_joint_values(self, column, values):
        """Return the robot with one column of the constants set to values of the joints.

        URDF has elements for DAMPING and FRICTION alone.

        Parameters
        ----------
        column : int
            layout.ROTOR [kg m^2 or kg] or one of layout.JOINT_FRICTION.
        values : (nv,) array_like
            At least 0, in joint order. COSINE and SINE may be negative.
        """
        values = finite_array(values, (self.nv,), 'joint constants', self.name)
        if column not in (COSINE, SINE) and np.any(values < 0.0):
            raise ModelError(
                f'robot {self.name!r}: joint constants are {values}; expected 0 or '
                f'more for each of {", ".join(self.joint_names)}'
            )
        constants = self.constants.copy()
        constants[self.joint_rows(), column] = values
        constants[list(self.followed), column] = 0.0  # the values include those of the followers
        return self.with_constants(constants)

    def with_inertia(self, frame, mass, com, inertia):
        """Return the robot with a rigid body welded to a frame, such as a payload.

        The report of the new robot has the findings about the body.

        Parameters
        ----------
        frame : str
            Name of a link or joint.
        mass : float
            Mass [kg].
        com : (3,) array_like
            Centre of mass in the axes of the frame [m].
        inertia : (3, 3) array_like
            Inertia about the centre of mass, in these axes [kg m^2].

        Raises
        ------
        UnknownNameError
            For a frame that does not exist.
        ModelError
            For an impossible inertia.
        """
        carrier = self.frame(frame)
        added = Inertial(
            float(finite_array(mass, (), 'mass', self.name)),
            finite_array(com, (3,), 'com', self.name),
            finite_array(inertia, (3, 3), 'inertia', self.name),
        )
        subject = f'body added to {frame!r}'
        where = f'robot {self.name!r}: {subject}'
        validate.mass(where, added.mass)
        validate.length(where, 'centre of mass', added.com)
        validate.inertia(where, added.inertia)
        findings = (*self.report.findings, *lint.inertial(subject, added))
        constants = self.constants.copy()
        row = constants[carrier.body]
        if carrier.body == 0:
            row = np.zeros(INERTIA + 6)
            row[MASS:] = self.base_inertia
        add_rigid_body(row, carrier, added)
        base = row[MASS : INERTIA + 6] if carrier.body == 0 else self.base_inertia
        return replace(
            self.with_constants(constants),
            report=replace(self.report, findings=findings),
            base_inertia=finite_array(base, NO_INERTIA.shape, 'base inertia', self.name),
        )

    def with_scaled_masses(self, factors):
        """Return the robot with mass, first moment and inertia of each body times its factor.

        Parameters
        ----------
        factors : float or (nb,) array_like
            One positive number, or one for each row.
        """
        shape = () if isinstance(factors, Real) else (len(self.body_names),)
        factors = finite_array(factors, shape, 'mass factors', self.name)
        if np.any(factors <= 0.0):
            raise ModelError(f'robot {self.name!r}: mass factors are {factors}; expected positive')
        constants = self.constants.copy()
        constants[:, MASS : INERTIA + 6] *= factors.reshape(-1, 1)
        return self.with_constants(constants)

    def joint_rows(self):
        """Return (nv,): the row of the body that each velocity moves first."""
        rows = np.flatnonzero(self.topology[1:, DOF]) + 1
        return rows[np.argsort(self.topology[rows, FIRST if self.is_embedded else V])]


def finite_array(values, shape, what, robot):
    """Return a read-only float64 copy of finite `values` of a shape; ShapeError for others."""
    try:
        array = np.array(values, dtype=np.float64, order='C')
    except (TypeError, ValueError):
        raise ShapeError(
            f'robot {robot!r}: {what} is {values!r}; expected numbers of shape {shape}'
        ) from None
    if array.shape != shape:
        raise ShapeError(f'robot {robot!r}: {what} has shape {array.shape}; expected {shape}')
    if not np.all(np.isfinite(array)):
        raise ShapeError(
            f'robot {robot!r}: {what} has the entry '
            f'{array[~np.isfinite(array)][0]}; expected finite numbers'
        )
    array.flags.writeable = False
    return array
