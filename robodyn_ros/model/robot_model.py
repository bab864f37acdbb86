# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The read-only arrays of one robot, for every recursion, law and simulation."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from numbers import Real
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from robodyn_ros.errors import (
    ModelError,
    ShapeError,
    UnknownNameError,
    UnlockedError,
    listed,
    short_repr,
)
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
    REVOLUTE,
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
    """A named frame that is fixed to a body.

    `body`: row of the body.
    `rotation`: rotation matrix of the frame in axes of the body.
    `translation`: origin of the frame in the frame of the body [m].
    """

    body: int
    rotation: np.ndarray
    translation: np.ndarray

    __repr__ = short_repr


@dataclass(frozen=True, eq=False)
class JointLimits(ReadOnly):
    """Limits of all velocities of a robot, in joint order.

    `lower`, `upper`: positions [rad or m]; -inf and inf without a limit.
    `velocity`: speeds [rad/s or m/s]; inf without a limit.
    `effort`: torques or forces [N m or N]; inf without a limit, nan if not described.
    """

    lower: np.ndarray
    upper: np.ndarray
    velocity: np.ndarray
    effort: np.ndarray

    __repr__ = short_repr


NO_LIMITS = JointLimits(*(NO_INERTIA[:0],) * 4)


class Spring(NamedTuple):
    """A spring and a damper at a joint of one velocity without a drive.

    `joint`: name of the joint.
    `stiffness`: stiffness [N m/rad or N/m].
    `damping`: damping [N m s/rad or N s/m].
    `rest`: position in which it is unloaded [rad or m].
    """

    joint: str
    stiffness: float
    damping: float
    rest: float = 0.0

    def __repr__(self):
        return short_repr(self)


@dataclass(frozen=True, eq=False)
class RobotModel(ReadOnly):
    """One robot as read-only arrays; columns and body frames as in robodyn_ros.model.layout.

    The with_* methods return a new robot and do not change this one.

    `name`: name of the robot.
    `joint_names`: names in the order of qd, qdd and tau, (nv,). A joint of several velocities has
      a name for each.
    `position_names`: names in the order of q, (nq,). They are the same, except for the four of a
      quaternion.
    `nq`, `nv`: numbers of positions and of velocities.
    `body_names`: names in row order: the base link, then the child link of each joint. A velocity
      without a link has its own name.
    `multi_dof_joints`: joints of several velocities.
    `frames`: frames by the names of all links, and of the joints whose name is not also that of a
      link.
    `topology`: structure of the robot.
    `constants`: placement, inertia and joint of each body.
    `gravity`: acceleration of gravity in base axes [m/s^2].
    `limits`: limits of the joints.
    `report`: implausible values of the description.
    `all_joint_names`, `all_position_names`: the names with those of dependent joints; in row order
      if there are any.
    `held`: positions of the locked joints of one degree of freedom [rad or m].
    `closures`: names of the closures of its loops.
    `led_limits`: limits of the dependent joints of loops, in the order of `led_by_loops`.
    `opened`: the model of the tree and the Closure objects of a robot with loops; empty for
      others.
    `springs`: springs of joints without a drive. A simulated plant applies them; the dynamics of a
      Robot leave them out.
    `base_inertia`: mass, first moment and inertia of the base, as in the constants; used by a free
      base.
    `unknown_inertias`: moving links whose inertia is described, and cannot be read.
    `dynamics_fault`: why the robot as described has no dynamics, or ''. A payload does not change
      that.
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
    led_limits: JointLimits = field(repr=False, default_factory=lambda: NO_LIMITS)
    opened: tuple = field(repr=False, default=())
    springs: tuple[Spring, ...] = field(repr=False, default=())
    base_inertia: np.ndarray = field(repr=False, default_factory=lambda: NO_INERTIA)
    unknown_inertias: tuple[str, ...] = field(repr=False, default=())
    dynamics_fault: str = field(repr=False, default='')

    __repr__ = short_repr

    def __getstate__(self):
        return self.__dict__ | {'frames': dict(self.frames), 'held': dict(self.held)}

    def __setstate__(self, state):
        views = {name: MappingProxyType(state[name]) for name in ('frames', 'held')}
        super().__setstate__(state | views)

    def frame(self, name):
        """Return the frame of a link or joint.

        `name`: name of the link or joint.
        Raises UnknownNameError: the message lists the valid names.
        """
        try:
            return self.frames[name]
        except (KeyError, TypeError):  # or not a name
            raise UnknownNameError(
                f'robot {self.name!r} has no frame {name!r}; valid: {", ".join(self.frames)}'
            ) from None

    def with_dynamics_checked(self):
        """Return the robot that knows whether its links move without inertia."""
        return replace(self, dynamics_fault=_dynamics_fault(self))

    def require_dynamics(self):
        """Refuse a robot without dynamics.

        Raises ModelError: if links move without inertia, or none moves; the message names them.
        """
        if self.dynamics_fault:
            raise ModelError(self.dynamics_fault)

    def centres(self):
        """Return the centre of mass of every body in its frame."""
        mass = self.constants[:, MASS, None]
        return np.divide(
            self.constants[:, MOMENT : MOMENT + 3],
            mass,
            where=mass > 0.0,
            out=np.zeros((len(mass), 3)),
        )

    def link_placements(self):
        """Return the body of the link of each row, and the placement of the link on that body.

        The link of an intermediate body of a joint is the child link of the joint.

        Returns rotation, row-major, and origin of each link [-, m], read-only.
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
        """Return a posture (nq,) in which the loops are closed, for a robot with loops."""
        q, at = np.zeros(self.nq), self.coordinates
        q[at[at >= 0]] = self.constants[self.joint_rows(), REFERENCE][at >= 0]
        q[self.quaternions + 3] = 1.0
        return q

    @property
    def elimination_order(self):
        """Return the order of velocities, (nv,), in which factors of M are triangular."""
        if self.is_embedded:
            return self.topology[1 : self.nv + 1, REDUCED + V].copy()
        return self.topology[1:, V].copy()

    @property
    def followed(self):
        """Return the row of the leader by row of each body of a mimic joint."""
        return {row: leaders[0] for row, leaders in self._led.items() if len(leaders) == 1}

    @property
    def coupled(self):
        """Return the ratios to leaders, by their row, by row of each body with several leaders."""
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
        """Return rows from the first leader to the last, by row of each mimic or coupled joint."""
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
        """Return the index in q of the coordinate whose rate each velocity is, (nv,), or -1.

        The angular velocity of a spherical joint is not the rate of a coordinate.
        """
        rows, at = self.topology[self.joint_rows()], AT if self.is_embedded else Q
        return np.where(np.isin(rows[:, KIND], (BALL_X, BALL_Y, BALL_Z)), -1, rows[:, at])

    @property
    def slides(self):
        """Return whether each velocity is linear [m/s] instead of angular, (nv,)."""
        return self.topology[self.joint_rows(), KIND] == PRISMATIC

    @property
    def turns(self):
        """Return a whole turn [rad] of each joint that turns without end, 0 of others, (nv,).

        A joint that others follow is another posture after a turn.
        """
        rows, (lower, upper) = self.joint_rows(), (self.limits.lower, self.limits.upper)
        endless = (self.topology[rows, KIND] == REVOLUTE) & np.isinf(lower) & np.isinf(upper)
        return 2.0 * np.pi * (endless & ~np.isin(rows, list(self.leading)))

    @property
    def ranges(self):
        """Return the ranges of the joints, lower and upper ends (2, nv) [rad or m].

        Without limits, an angle has one turn, a length one metre to either side.
        """
        free = np.where(self.slides, 1.0, np.pi)
        ends = np.array((self.limits.lower, self.limits.upper))
        return np.where(np.isfinite(ends), ends, (-free, free))

    def refuse_quaternions(self, what):
        """Refuse joints with a quaternion.

        `what`: the function that needs nq = nv, for the message.
        Raises UnlockedError: if there is such a joint.
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
        """Refuse dependent joints.

        `what`: the function that needs independent joints, for the message.
        Raises UnlockedError: if there are any.
        Raises ModelError: if closed loops determine them, which they would not leave where they
          are locked.
        """
        self.refuse_loops(what)
        if self.is_embedded:
            names = [name for name in self.all_joint_names if name not in self.joint_names]
            raise UnlockedError(
                f'robot {self.name!r}: joints {", ".join(names)} depend on others, which {what} '
                'cannot take; expected them held still: ',
                names,
            )

    def refuse_loops(self, what):
        """Refuse closed loops.

        `what`: the function that needs constant ratios, for the message.
        Raises ModelError: if there are any.
        """
        if self.has_loops:
            names = [self.all_joint_names[self.topology[row, V]] for row in self.led_by_loops]
            raise ModelError(
                f'robot {self.name!r}: closed loops determine the joints {", ".join(names)}, '
                f'which {what} cannot take; expected a robot without closures'
            )

    def joint_values(self, column):
        """Return a column of the constants in joint order.

        ROTOR, DAMPING and FRICTION include those of the joints that follow a joint.

        `column`: a column of the layout, such as layout.DAMPING.
        """
        values = self.constants[self.joint_rows(), column].copy()
        for row, leader in self.followed.items():
            ratio = abs(self.constants[row, RATIO])
            share = ratio if column == FRICTION else ratio * ratio
            values[self.topology[leader, FIRST]] += share * self.constants[row, column]
        return values

    def with_gravity(self, gravity):
        """Return the same robot with another gravity acceleration.

        `gravity` ((3,) array_like): acceleration of gravity in base axes [m/s^2].
        """
        return replace(self, gravity=finite_array(gravity, (3,), 'gravity', self.name))

    def with_constants(self, constants):
        """Return the same robot with another table of constants.

        `constants` ((nb, 34) array_like): the table.
        """
        return replace(
            self, constants=finite_array(constants, self.constants.shape, 'constants', self.name)
        )

    def with_joint_values(self, column, values):
        """Return the robot with one column of the constants set to values of the joints.

        URDF has elements for DAMPING and FRICTION alone.

        `column`: layout.ROTOR [kg m^2 or kg] or one of layout.JOINT_FRICTION.
        `values` ((nv,) array_like): at least 0, in joint order. COSINE and SINE may be negative.
        Raises ModelError: for a negative value of another column.
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

        `com` ((3,) array_like): centre of mass in the axes of the frame [m].
        `inertia` ((3, 3) array_like): inertia about the centre of mass, in these axes [kg m^2].
        Raises UnknownNameError: for a frame that does not exist.
        Raises ModelError: for an impossible inertia.
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

        `factors` (float or (nb,) array_like): one positive number, or one for each row.
        Raises ModelError: for a factor that is not positive.
        """
        shape = () if isinstance(factors, Real) else (len(self.body_names),)
        factors = finite_array(factors, shape, 'mass factors', self.name)
        if np.any(factors <= 0.0):
            raise ModelError(f'robot {self.name!r}: mass factors are {factors}; expected positive')
        constants = self.constants.copy()
        constants[:, MASS : INERTIA + 6] *= factors.reshape(-1, 1)
        return self.with_constants(constants)

    def joint_rows(self):
        """Return the row of the body that each velocity moves first."""
        rows = np.flatnonzero(self.topology[1:, DOF]) + 1
        return rows[np.argsort(self.topology[rows, FIRST if self.is_embedded else V])]


def finite_array(values, shape, what, robot):
    """Return a read-only array of finite numbers of a shape.

    `values` (array_like): the numbers.
    `shape` (tuple of int): expected shape.
    `what`: what they are, for messages.
    `robot`: name of the robot, for messages.
    Raises ShapeError: for anything else.
    """
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


def _dynamics_fault(model):
    """Return a sentence about links that move without inertia, or that nothing moves; or ''."""
    if model.nv == 0:
        return (
            f'robot {model.name!r} has kinematics and no dynamics: no joint moves; expected one '
            'that is neither fixed nor locked'
        )
    idle = validate.idle_links(model.body_names, model.topology, model.constants)
    reasons = []
    if idle:
        needs = {*idle.values()}
        needed = needs.pop() if len(needs) == 1 else 'mass or inertia'
        reasons.append(
            f'links {listed(idle)} move, but nothing on them or beyond them has {needed}'
            if len(idle) > 1
            else f'link {listed(idle)} moves, but nothing on it or beyond it has {needed}'
        )
    if model.unknown_inertias:
        reasons.append(f'the inertia of {listed(model.unknown_inertias)} is not complete')
    if not reasons:
        return ''
    complete = 'a complete <inertial>' if model.unknown_inertias else '<inertial>'
    return (
        f'robot {model.name!r} has kinematics and no dynamics: {"; ".join(reasons)}; expected '
        f'{complete}, rotor inertia, or locked joints'
    )
