# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Friction of joints that a URDF cannot state: static, at low speed, and over the position.

    f(q, v) = d v + (fc + a cos(w q) + b sin(w q) + (fs - fc) c(v)) sgn v
    c(v) = 1 / (1 + (v / vs)^2), or exp(-(|v| / vs)^e)

d and fc are `damping` and `friction` of a URDF. In eccentric gears, Coulomb friction
is a function of the position (Craig, section 6.8): the wave. The rational Stribeck curve is that
of Hess and Soom 1990. The exponential with e = 1 is that of Angeles, eq. 7.136, where gamma is
1 / vs, a rate. With e = 2 it is a Gaussian (Armstrong-Helouvry, Dupont, Canudas de Wit 1994).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import hypot, isfinite

import numpy as np

from robodyn_ros.errors import ModelError, require_names, short_repr
from robodyn_ros.model.build import with_friction_checked
from robodyn_ros.model.layout import (
    COSINE,
    DAMPING,
    DEAD_BAND,
    FRICTION,
    SINE,
    STICTION,
    STRIBECK_EXPONENT,
    STRIBECK_VELOCITY,
    WAVENUMBER,
)
from robodyn_ros.model.robot_model import RobotModel


@dataclass(frozen=True)
class JointFriction:
    """Friction of one joint.

    `damping`: d, viscous [N m s/rad or N s/m]; by default that of the robot.
    `coulomb`: fc, the mean over all positions [N m or N]; by default that of the robot.
    `static`: fs >= fc, at rest [N m or N]; fc by default.
    `stribeck_velocity`: vs, at which static friction has fallen half-way to fc [rad/s or m/s].
      `static` needs it. With an exponent 37 % of fs - fc are left there.
    `stribeck_exponent`: e, 1 or 2; the rational curve by default.
    `cosine`, `sine`: a and b, with a^2 + b^2 <= fc^2 [N m or N].
    `wavenumber`: w [rad/rad or rad/m]: periods in a turn, or 2 pi over the length of one. 1 by
      default, if there is an amplitude.
    `dead_band`: velocity around zero without feed-forward of dry friction [rad/s or m/s].
    """

    damping: float | None = None
    coulomb: float | None = None
    static: float | None = None
    stribeck_velocity: float = 0.0
    stribeck_exponent: float | None = None
    cosine: float = 0.0
    sine: float = 0.0
    wavenumber: float | None = None
    dead_band: float = 0.0

    __repr__ = short_repr

    @property
    def waves(self):
        """Return w [rad/rad or rad/m], 0 without a wave."""
        if self.wavenumber is not None:
            return self.wavenumber
        return 1.0 if self.cosine or self.sine else 0.0


def with_joint_friction(model: RobotModel, joints: Mapping[str, JointFriction]) -> RobotModel:
    """Return the robot with another friction of the joints named.

    `joints`: by name of the joint, or of one velocity of a joint of several.
    Raises UnknownNameError: for a joint that does not exist, or depends on others.
    Raises ModelError: for friction that could drive a joint, or is not finite.
    """
    require_names(f'robot {model.name!r}', 'joint', joints, model.joint_names, ' for friction')
    given = {model.joint_names.index(name): each for name, each in joints.items()}
    for k, friction in given.items():
        _check(model, k, friction)
    for column, values_of in _COLUMNS.items():
        values = model.joint_values(column)
        changed = values.copy()
        for k, friction in given.items():
            changed[k] = values_of(friction, values[k], model.joint_values(FRICTION)[k])
        if not np.array_equal(changed, values):
            model = model.with_joint_values(column, changed)
    return with_friction_checked(model)


def friction_parts(model, q, qd):
    """Return the friction that the value 1 of each friction constant has, at moving states.

    The sum of these times `model.joint_values` of the columns is the friction f(q, v). At rest it
    is zero.

    `model` (RobotModel): the robot, of joints of one degree of freedom.
    """
    sign, slow = np.sign(qd), model.joint_values(STRIBECK_VELOCITY)
    exponent = model.joint_values(STRIBECK_EXPONENT)
    waves = model.joint_values(WAVENUMBER)
    ratio = np.abs(qd) / np.where(slow > 0.0, slow, 1.0)
    curve = np.where(exponent > 0.0, np.exp(-(ratio**exponent)), 1.0 / (1.0 + ratio * ratio))
    return {
        DAMPING: np.asarray(qd, float),
        FRICTION: sign,
        STICTION: np.where(slow > 0.0, sign * curve, 0.0),
        COSINE: np.where(waves > 0.0, sign * np.cos(waves * q), 0.0),
        SINE: np.where(waves > 0.0, sign * np.sin(waves * q), 0.0),
    }


def friction_of(model, q, qd):
    """Return the friction of moving joints, see `friction_parts`.

    `model` (RobotModel): the robot, of joints of one degree of freedom.
    """
    parts = friction_parts(model, q, qd)
    return sum(part * model.joint_values(column) for column, part in parts.items())


#: New value of a column: function of the JointFriction, the old value and the Coulomb friction.
_COLUMNS = {
    DAMPING: lambda given, old, _: old if given.damping is None else given.damping,
    FRICTION: lambda given, old, _: old if given.coulomb is None else given.coulomb,
    STICTION: lambda given, _, coulomb: 0.0 if given.static is None else given.static - coulomb,
    STRIBECK_VELOCITY: lambda given, *_: given.stribeck_velocity,
    STRIBECK_EXPONENT: lambda given, *_: given.stribeck_exponent or 0.0,
    COSINE: lambda given, *_: given.cosine,
    SINE: lambda given, *_: given.sine,
    WAVENUMBER: lambda given, *_: given.waves,
    DEAD_BAND: lambda given, *_: given.dead_band,
}


def _check(model, k, friction):
    """Refuse friction that could drive a joint, or that is not complete."""
    where = f'robot {model.name!r}: friction of joint {model.joint_names[k]!r}'
    coulomb = model.joint_values(FRICTION)[k] if friction.coulomb is None else friction.coulomb
    for what in ('damping', 'coulomb', 'stribeck_velocity', 'wavenumber', 'dead_band'):
        value = getattr(friction, what)
        if value is not None and not (isfinite(value) and value >= 0.0):
            raise ModelError(f'{where} has {what} {value:g}; expected a finite number, 0 or more')
    if not hypot(friction.cosine, friction.sine) <= coulomb:
        raise ModelError(
            f'{where} has the amplitudes {friction.cosine:g} and {friction.sine:g}; expected a '
            f'wave of at most its Coulomb friction, {coulomb:g}, or it would drive'
        )
    if friction.static is not None and not coulomb <= friction.static < np.inf:
        raise ModelError(
            f'{where} has static {friction.static:g}; expected at least its Coulomb friction, '
            f'{coulomb:g}'
        )
    if friction.static is not None and friction.stribeck_velocity == 0.0:
        raise ModelError(f'{where} has static friction alone; expected stribeck_velocity too')
    if friction.stribeck_exponent is not None and friction.stribeck_velocity == 0.0:
        raise ModelError(f'{where} has stribeck_exponent alone; expected stribeck_velocity too')
    if friction.stribeck_exponent not in (None, 1.0, 2.0):
        raise ModelError(
            f'{where} has stribeck_exponent {friction.stribeck_exponent:g}; expected 1, 2, or '
            'none for the rational curve'
        )
    if friction.waves > 0.0 and model.coordinates[k] < 0:
        raise ModelError(
            f'{where} varies with a position, which the velocity of a spherical joint has not; '
            'expected no wave'
        )
