# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A robot as its author described it: links and joints by name, in SI units."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import inf, nan
from typing import TYPE_CHECKING

import numpy as np

from robodyn_ros.errors import short_repr
from robodyn_ros.model.arithmetic import product
from robodyn_ros.model.rotation_matrix import clean

if TYPE_CHECKING:  # these import this module
    from robodyn_ros.model.dependent.closures import Closure
    from robodyn_ros.model.model_report import Finding
    from robodyn_ros.model.rotors import Rotor

ONE_AXIS = ('revolute', 'continuous', 'prismatic')
JOINT_TYPES = ONE_AXIS + ('fixed', 'floating', 'planar')  # those of URDF
#: Joint types that URDF does not have.
MORE_TYPES = ('helical', 'cylindrical', 'universal', 'spherical')
#: Joint types that move only if asked for. In a URDF they often state where the robot stands.
ASKED_TYPES = ('floating', 'planar')


@dataclass(frozen=True, eq=False)
class Placement:
    """Pose of a frame in another one: v_A = rotation v_B.

    Parameters
    ----------
    rotation : (3, 3) ndarray
        Rotation matrix.
    translation : (3,) ndarray
        Origin [m].
    made_exact : float
        Largest change of a direction cosine from the description.
    """

    rotation: np.ndarray = field(default_factory=lambda: np.eye(3))
    translation: np.ndarray = field(default_factory=lambda: np.zeros(3))
    made_exact: float = 0.0

    __repr__ = short_repr

    def __matmul__(self, other):
        """Compose two placements: X_AC = X_AB X_BC."""
        return Placement(
            clean(product(self.rotation, other.rotation)),
            self.translation + product(self.rotation, other.translation),
        )


@dataclass(frozen=True, eq=False)
class Inertial:
    """Mass and inertia of a rigid body.

    Parameters
    ----------
    mass : float
        Mass [kg].
    com : (3,) ndarray
        Centre of mass in link axes [m].
    inertia : (3, 3) ndarray
        Inertia about the centre of mass, in link axes [kg m^2].
    """

    mass: float
    com: np.ndarray
    inertia: np.ndarray

    __repr__ = short_repr


@dataclass(frozen=True)
class Link:
    """A rigid link.

    Parameters
    ----------
    name : str
        Name of the link.
    inertial : Inertial or None
        None if the description has none.
    is_rotor : bool
        Whether it is a rotor; only the inertia about its axis may be known.
    is_between_joints : bool
        Whether it stands between two joints of one body, and has no mass of its own.
    has_unknown_inertia : bool
        Whether the description has an inertia that cannot be read.
    """

    name: str
    inertial: Inertial | None = None
    is_rotor: bool = False
    is_between_joints: bool = False
    has_unknown_inertia: bool = False

    __repr__ = short_repr


@dataclass(frozen=True)
class Limit:
    """Limits of a joint.

    Parameters
    ----------
    lower, upper : float
        Positions [rad or m]; -inf and inf without a limit.
    velocity : float
        Speed [rad/s or m/s]; inf without a limit.
    effort : float
        Torque or force [N m or N]; inf without a limit, nan if the description has none.
    is_open : bool
        Whether the description says by its silence that there is no range, as an MJCF does.
    """

    lower: float = -inf
    upper: float = inf
    velocity: float = inf
    effort: float = nan
    is_open: bool = False

    __repr__ = short_repr


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint in its parent link. The frame of its child link coincides with it at q = 0.

    Parameters
    ----------
    name : str
        Name of the joint.
    type : str
        One of JOINT_TYPES or MORE_TYPES.
    parent, child : str
        Names of its links.
    placement : Placement
        Pose of the joint in the parent link.
    axis : (3,) ndarray
        Axis in joint axes, of any length. For a planar joint the normal of the plane, for a
        universal joint the axis fixed to the parent.
    limit : Limit or tuple of Limit
        One for all velocities, or one for each.
    damping, friction, rotor_inertia : float
        On each velocity [N m s/rad or N s/m, N m or N, kg m^2 or kg].
    mimic : str
        Joint that this one follows, or ''.
    multiplier, offset : float
        Position of a mimic joint: multiplier times that of the other, plus offset [rad or m].
    follows : mapping of str to float
        Joints that a coupled joint follows, each with its ratio; the sum has the same offset.
    pitch : float
        Travel of a helical joint per angle [m/rad].
    second_axis : (3,) ndarray
        Axis of a universal joint that is fixed to the child.
    moves : bool
        Whether a floating or planar joint moves although nobody names it.
    stiffness : float
        Of a spring at a joint of one velocity without a drive [N m/rad or N/m].
    spring_rest : float
        Position in which the spring is unloaded [rad or m].
    """

    name: str
    type: str
    parent: str
    child: str
    placement: Placement = field(default_factory=Placement)
    axis: np.ndarray = field(default_factory=lambda: np.array([1.0, 0.0, 0.0]))
    limit: Limit | tuple[Limit, ...] = Limit()
    damping: float = 0.0
    friction: float = 0.0
    rotor_inertia: float = 0.0
    mimic: str = ''
    multiplier: float = 1.0
    offset: float = 0.0
    follows: Mapping[str, float] = field(default_factory=dict)
    pitch: float = 0.0
    second_axis: np.ndarray = field(default_factory=lambda: np.array([0.0, 1.0, 0.0]))
    moves: bool = False
    stiffness: float = 0.0
    spring_rest: float = 0.0

    __repr__ = short_repr


@dataclass(frozen=True, eq=False)
class RobotDescription:
    """A robot as described: links and joints in document order.

    Parameters
    ----------
    name : str
        Name of the robot.
    links, joints : tuple
        Link and Joint objects.
    rotors : mapping of str to Rotor
        Rotors of geared motors by driven joint, as far as described.
    closures : tuple of Closure
        Closures of loops.
    independent : tuple of str
        Joints of the loops that are described as independent.
    findings : tuple of Finding
        What of the source is doubtful, or cannot be described.
    near : mapping of str to float
        Posture near which the loops close [rad or m]; zero for other joints.
    gravity : tuple of float
        Acceleration of gravity in axes of the root [m/s^2].
    """

    name: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    rotors: 'Mapping[str, Rotor]' = field(default_factory=dict)
    closures: 'tuple[Closure, ...]' = ()
    independent: tuple[str, ...] = ()
    findings: 'tuple[Finding, ...]' = ()
    near: Mapping[str, float] = field(default_factory=dict)
    gravity: tuple[float, ...] = (0.0, 0.0, -9.81)

    __repr__ = short_repr


def on_free_base(description, root, ordered):
    """Return a description with its root on a floating joint, and the names of joint and base.

    Links that are not below the root are left out.

    Parameters
    ----------
    description : RobotDescription
        The robot.
    root : str
        Name of the base link.
    ordered : sequence of Joint
        Joints below it, as of `tree.base_to_tip`.

    Returns
    -------
    tuple
        Description, name of the floating joint, and name of the new base link.
    """
    links = {link.name: link for link in description.links}
    taken = {*links, *(joint.name for joint in description.joints)}
    base, free = (unused_name(name, taken) for name in ('world', 'free_base'))
    joint = Joint(free, 'floating', base, root, moves=True)
    kept = [links[root], *(links[joint.child] for joint in ordered)]
    links, joints = (Link(base), *kept), (joint, *ordered)
    return replace(description, links=links, joints=joints), free, base


def unused_name(name, taken):
    """Return a name, with underscores behind it if it is taken.

    Parameters
    ----------
    name : str
        The name.
    taken : collection of str
        Names that are taken.

    Returns
    -------
    str
    """
    return name if name not in taken else unused_name(f'{name}_', taken)
