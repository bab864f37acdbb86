"""The frozen numbers of one robot: what every recursion, law and simulation reads."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from robodyn_ros.errors import ModelError, ShapeError, UnknownNameError
from robodyn_ros.model import refusals
from robodyn_ros.model.description import Inertial, Placement
from robodyn_ros.model.inertia import add_rigid_body
from robodyn_ros.model.layout import INERTIA, MASS
from robodyn_ros.model.report import ModelReport


@dataclass(frozen=True, eq=False)
class Frame:
    """A named frame fixed to a body: its placement in the body's frame."""

    body: int
    rotation: np.ndarray
    translation: np.ndarray


@dataclass(frozen=True, eq=False)
class JointLimits:
    """Limits in joint order, each (nv,): +-inf where there is none, effort nan where not given."""

    lower: np.ndarray
    upper: np.ndarray
    velocity: np.ndarray
    effort: np.ndarray


@dataclass(frozen=True, eq=False)
class RobotModel:
    """One robot as read-only arrays; columns and frames as in robodyn_ros.model.layout.

    joint_names : order of every q, qd, qdd and tau. body_names : row order, the base link first,
    then the link each moving joint carries. frames : every link name, and every joint name that is
    not also a link's. topology (nb, 5), constants (nb, 28). gravity (3,) [m/s2] in base axes.
    """

    name: str
    joint_names: tuple[str, ...]
    nq: int
    nv: int
    body_names: tuple[str, ...]
    frames: Mapping[str, Frame]
    topology: np.ndarray
    constants: np.ndarray
    gravity: np.ndarray
    limits: JointLimits
    report: ModelReport

    def frame(self, name):
        """Frame of that link or joint name; UnknownNameError lists the valid names."""
        try:
            return self.frames[name]
        except KeyError:
            raise UnknownNameError(
                f'robot {self.name!r} has no frame {name!r}; valid: {", ".join(self.frames)}'
            ) from None

    def with_gravity(self, gravity):
        """Return the same robot under another gravity acceleration (3,) [m/s2] in base axes."""
        return replace(self, gravity=finite_array(gravity, (3,), 'gravity', self.name))

    def with_constants(self, constants):
        """Return the same robot with another (nb, 28) table of constants."""
        return replace(self, constants=finite_array(
            constants, self.constants.shape, 'constants', self.name))

    def with_inertia(self, frame, mass, com, inertia):
        """Return the robot with a rigid body welded to a frame, such as a payload.

        mass [kg]; com (3,) [m] and inertia (3, 3) [kg m2] about it, both in the frame's axes.
        Raises UnknownNameError for the frame and ModelError for an impossible inertia.
        """
        carrier = self.frame(frame)
        added = Inertial(float(finite_array(mass, (), 'mass', self.name)),
                         finite_array(com, (3,), 'com', self.name),
                         finite_array(inertia, (3, 3), 'inertia', self.name))
        subject = f'robot {self.name!r}: body added to {frame!r}'
        refusals.mass(subject, added.mass)
        refusals.length(subject, 'centre of mass', added.com)
        refusals.inertia(subject, added.inertia)
        constants = self.constants.copy()
        if carrier.body > 0:
            placement = Placement(carrier.rotation, carrier.translation)
            add_rigid_body(constants[carrier.body], placement, added)
        return self.with_constants(constants)

    def with_scaled_masses(self, factors):
        """Return the robot with mass, first moment and inertia of each body times its factor.

        factors : one number, or (nb,) in row order; all of them positive.
        """
        if np.ndim(factors) == 0:
            factors = np.full(len(self.body_names), factors)
        factors = finite_array(factors, (len(self.body_names),), 'mass factors', self.name)
        if np.any(factors <= 0.0):
            raise ModelError(f'robot {self.name!r}: mass factors are {factors}; expected positive')
        constants = self.constants.copy()
        constants[:, MASS:INERTIA + 6] *= factors[:, None]
        return self.with_constants(constants)


def finite_array(values, shape, what, robot):
    """Read-only float64 copy of `values`, of exactly that shape and finite, or a ShapeError."""
    try:
        array = np.array(values, dtype=np.float64, order='C')
    except (TypeError, ValueError):
        raise ShapeError(f'robot {robot!r}: {what} is {values!r}; expected numbers of shape '
                         f'{shape}') from None
    if array.shape != shape:
        raise ShapeError(f'robot {robot!r}: {what} has shape {array.shape}; expected {shape}')
    if not np.all(np.isfinite(array)):
        raise ShapeError(f'robot {robot!r}: {what} has entries that are not finite')
    array.flags.writeable = False
    return array
