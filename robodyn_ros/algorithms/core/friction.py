# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Friction in the joints as a smooth function of velocity, for feed-forward.

    tau = d v + (fc + a cos(w q) + b sin(w q) + s c(v)) sigma(v)

d is viscous friction, fc Coulomb friction. a and b are those of eccentric gears, whose friction
varies with the position (Craig, section 6.8). s is the static friction beyond Coulomb friction,
which falls with the Stribeck curve c(v). It is 1 / (1 + (v / vs)^2) of Hess and Soom 1990, or
exp(-(|v| / vs)^e) if an exponent e is given. With e = 1 it is that of Angeles, eq. 7.136, with
e = 2 a Gaussian.
"""

from numpy import cos, sin, tanh

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
    Q,
    V,
)
from robodyn_ros.spatial.primitive import primitive, recursion, unfused
from robodyn_ros.spatial.types import Table, Topology, Vector

#: Velocity [rad/s or m/s] at which Coulomb friction is tanh(1) of its full value.
COULOMB_VELOCITY = 0.01


@primitive
def direction(constants, i, rate):
    """Return the smooth sign of a velocity, sigma = tanh(v / v0).

    With a dead band, v^3 / (v^2 + band^2) stands for v. Well within the band this is as small as
    v^3, and well beyond it is almost v.

    `rate`: joint velocity v [rad/s or m/s].
    """
    band = constants[i, DEAD_BAND]
    if band > 0.0:
        square = rate * rate
        return tanh(rate * square / (square + band * band) / COULOMB_VELOCITY)
    return tanh(rate / COULOMB_VELOCITY)


@unfused
def stribeck_curve(exponent, ratio, sigma):
    """Return the share of static friction beyond Coulomb friction that is left; 1 at rest.

    v sigma stands for |v|. The exponential is computed by tanh, which all generated code has. The
    simulated robot has the same curve.

    `exponent`: 1 or 2, or 0 for the rational curve.
    `ratio`: v / vs.
    `sigma`: sign of v; a smooth one for feed-forward.
    """
    if exponent > 0.0:
        power = ratio * ratio if exponent > 1.0 else ratio * sigma
        half = tanh(0.5 * power)
        return (1.0 - half) / (1.0 + half)
    return 1.0 / (1.0 + ratio * ratio)


@primitive
def dry_friction(constants, i, position, rate, sigma):
    """Return the magnitude of the dry friction of body i.

    `position`: joint position [rad or m].
    `rate`: joint velocity v [rad/s or m/s].
    `sigma`: smooth sign of v, as of `direction`.
    """
    effort = constants[i, FRICTION]
    if constants[i, WAVENUMBER] > 0.0:
        angle = constants[i, WAVENUMBER] * position
        effort = effort + constants[i, COSINE] * cos(angle) + constants[i, SINE] * sin(angle)
    if constants[i, STRIBECK_VELOCITY] > 0.0:
        ratio = rate / constants[i, STRIBECK_VELOCITY]
        curve = stribeck_curve(constants[i, STRIBECK_EXPONENT], ratio, sigma)
        effort = effort + constants[i, STICTION] * curve
    return effort


@primitive
def joint_friction(constants, i, position, rate):
    """Return the friction of the joint of body i.

    `position`: joint position [rad or m].
    `rate`: joint velocity v [rad/s or m/s].
    """
    sigma = direction(constants, i, rate)
    dry = dry_friction(constants, i, position, rate, sigma) * sigma
    return constants[i, DAMPING] * rate + dry


@recursion
def friction_torque(topology: Topology, constants: Table, q: Vector, qd: Vector, tau: Vector):
    """Compute the friction of all joints.

    `tau` (nv,), written: friction [N m or N].
    """
    for i in range(1, topology.shape[0]):
        k = topology[i, V]
        tau[k] = joint_friction(constants, i, q[topology[i, Q]], qd[k])
