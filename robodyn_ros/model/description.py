"""What an author wrote about a robot: links and joints by name, SI units, nothing merged yet."""

from dataclasses import dataclass, field
from math import inf, nan

import numpy as np

from robodyn_ros.model.rotation import clean

MOVING_TYPES = ('revolute', 'continuous', 'prismatic')
JOINT_TYPES = MOVING_TYPES + ('fixed', 'floating', 'planar')


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

    axis : (3,) in joint axes, any length; damping [N m s/rad or N s/m], friction [N m or N] and
    rotor_inertia [kg m2 or kg] act along it; mimic names the joint that this one follows, or ''.
    """

    name: str
    type: str
    parent: str
    child: str
    placement: Placement = field(default_factory=Placement)
    axis: np.ndarray = field(default_factory=lambda: np.array([1.0, 0.0, 0.0]))
    limit: Limit = Limit()
    damping: float = 0.0
    friction: float = 0.0
    rotor_inertia: float = 0.0
    mimic: str = ''


@dataclass(frozen=True, eq=False)
class RobotDescription:
    """A robot as its author described it: links and joints in the order of the document."""

    name: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
