"""What an author wrote about a robot: links and joints by name, SI units, nothing merged yet."""

from dataclasses import dataclass, field
from math import inf, nan

import numpy as np

from robodyn_ros.model.rotation import clean

ONE_AXIS = ('revolute', 'continuous', 'prismatic')
JOINT_TYPES = ONE_AXIS + ('fixed', 'floating', 'planar')  # those of URDF
#: Those that URDF has no word for.
MORE_TYPES = ('helical', 'cylindrical', 'universal', 'spherical')
#: Those that move only when asked to: in a URDF they often stand for a robot that is carried.
ASKED_TYPES = ('floating', 'planar')


@dataclass(frozen=True, eq=False)
class Placement:
    """Where a frame sits in another one: v_A = rotation v_B, origin at `translation` [m].

    made_exact : the largest change of a direction cosine from what the author wrote.
    """

    rotation: np.ndarray = field(default_factory=lambda: np.eye(3))
    translation: np.ndarray = field(default_factory=lambda: np.zeros(3))
    made_exact: float = 0.0

    def __matmul__(self, other):
        """Place `other` in the frame that holds this one: X_AC = X_AB X_BC."""
        return Placement(clean(self.rotation @ other.rotation),
                         self.translation + self.rotation @ other.translation)


@dataclass(frozen=True, eq=False)
class Inertial:
    """Mass [kg], centre of mass (3,) [m] and inertia (3, 3) [kg m2] about it, in link axes."""

    mass: float
    com: np.ndarray
    inertia: np.ndarray


@dataclass(frozen=True)
class Link:
    """A rigid link; `inertial` is None where the author gave none."""

    name: str
    inertial: Inertial | None = None


@dataclass(frozen=True)
class Limit:
    """Range of a joint: +-inf where there is none, effort nan where the author gave none."""

    lower: float = -inf
    upper: float = inf
    velocity: float = inf
    effort: float = nan


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint, placed in its parent link; its child link's frame coincides with it at q = 0.

    type : of JOINT_TYPES or MORE_TYPES. axis : (3,) in joint axes, any length: of a planar joint
    the normal of the plane, of a universal one the axis fixed to the parent. second_axis : (3,) of
    a universal joint, fixed to the child. pitch : travel of a helical joint by angle [m/rad].
    limit : a Limit, or a tuple of them, one for each velocity. damping [N m s/rad or N s/m],
    friction [N m or N] and rotor_inertia [kg m2 or kg] act on each velocity. mimic names the joint
    that this one follows, or ''.
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
    pitch: float = 0.0
    second_axis: np.ndarray = field(default_factory=lambda: np.array([0.0, 1.0, 0.0]))


@dataclass(frozen=True, eq=False)
class RobotDescription:
    """A robot as its author described it: links and joints in the order of the document."""

    name: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]


def on_free_base(description, root, ordered):
    """Return a description whose root hangs on a floating joint, and the names of that joint and
    of the new base.

    root, ordered : as tree.base_to_tip gives them; what is not below the root is left out.
    """
    links = {link.name: link for link in description.links}
    taken = {*links, *(joint.name for joint in description.joints)}
    base, free = (_unused(name, taken) for name in ('world', 'free_base'))
    joint = Joint(free, 'floating', base, root)
    kept = [links[root], *(links[joint.child] for joint in ordered)]
    return RobotDescription(description.name, (Link(base), *kept), (joint, *ordered)), free, base


def _unused(name, taken):
    return name if name not in taken else _unused(f'{name}_', taken)
