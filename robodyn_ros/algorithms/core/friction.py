# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Friction in the joints as a smooth function of velocity, for feed-forward.

    tau = d v + (fc + a cos(w q) + b sin(w q) + s c(v)) sigma(v)

Viscous and Coulomb friction. Gears that are not round have a c that is a function of the position
(Craig, section 6.8). At low speed c(v) = 1 / (1 + (v / vs)^2), the Stribeck curve of Hess and Soom
1990. With an exponent e it is exp(-(|v| / vs)^e): of Angeles, eq. 7.136, for 1, a Gaussian for 2.
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
from robodyn_ros.spatial.primitive import primitive, recursion
from robodyn_ros.spatial.types import Table, Topology, Vector

#: Velocity [rad/s or m/s] at which Coulomb friction is tanh(1) of its full value.
COULOMB_VELOCITY = 0.01


@primitive
def direction(constants, i, rate):
    """Return sigma = tanh(v / v0), with v^3 / (v^2 + band^2) for v where there is a dead band.

    It is odd and smooth. Well within the band it vanishes like v^3, well beyond it is that of v.
    """
    band = constants[i, DEAD_BAND]
    if band > 0.0:
        square = rate * rate
        return tanh(rate * square / (square + band * band) / COULOMB_VELOCITY)
    return tanh(rate / COULOMB_VELOCITY)


@primitive
def stribeck_curve(exponent, ratio, sigma):
    """Return the share of static friction beyond Coulomb friction that is left; 1 at rest.

    |v| is v sigma, which is smooth. The exponential is that of tanh, which every emitter has.

    Parameters
    ----------
    exponent : float
        1 or 2, or 0 of the rational curve.
    ratio : float
        v / vs.
    sigma : float
        Smooth sign of v.
    """
    if exponent > 0.0:
        power = ratio * ratio if exponent > 1.0 else ratio * sigma
        half = tanh(0.5 * power)
        return (1.0 - half) / (1.0 + half)
    return 1.0 / (1.0 + ratio * ratio)


@primitive
def dry_friction(constants, i, position, rate, sigma):
    """Return the effort of dry friction of body i against its motion [N m or N], never below 0."""
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
    """Return the friction of body i at a position and a velocity [N m or N]."""
    sigma = direction(constants, i, rate)
    dry = dry_friction(constants, i, position, rate, sigma) * sigma
    return constants[i, DAMPING] * rate + dry


@recursion
def friction_torque(topology: Topology, constants: Table, q: Vector, qd: Vector, tau: Vector):
    """Friction of the model at q (nq,) and qd (nv,); tau (nv,) [N m or N], written."""
    for i in range(1, topology.shape[0]):
        k = topology[i, V]
        tau[k] = joint_friction(constants, i, q[topology[i, Q]], qd[k])
