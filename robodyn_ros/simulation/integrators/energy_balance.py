# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Projection of a step on the energy balance: the energy changes by the work of the joints."""

from numpy import sqrt

from robodyn_ros.algorithms.core import scratch as at
from robodyn_ros.algorithms.core.energy import energy
from robodyn_ros.spatial.primitive import unfused

#: [-] Share of the energy below which its error is rounding, and not corrected in slow motion.
ROUNDING = 4e-15
#: [-] Share of the kinetic energy in all energy above which motion is fast. There rounding moves
#: nothing by more than ROUNDING / FAST, and errors left alone would add up.
FAST = 1e-3
#: [-] Largest correction as a share of the kinetic energy; more is not an integration error.
LARGEST = 0.01


@unfused
def total_energy(topology, constants, gravity, scratch, q, qd):
    """Return the sum of kinetic and potential energy [J]."""
    energies = scratch[0][at.SPEED : at.SPEED + 2]  # of the base, which is unused here
    energy(topology, constants, gravity, scratch, q, qd, energies)
    return energies[0] + energies[1]


@unfused
def balance_energy(topology, constants, gravity, scratch, expected, locked, drift, q, qd):
    """Scale qd - drift so that the energy is `expected` [J].

    locked [J] is the kinetic energy of the motion drift (nv,). It is orthogonal to the rest of qd
    in the norm of the mass matrix. Both are zero, but for a free flyer: drift is then the motion
    that has its momentum. A single body has no other, and keeps its energy to order p.

    This projection changes qd least in the norm of the mass matrix. Source: Hairer, Lubich and
    Wanner, Geometric Numerical Integration, section IV.4. An error of order p + 1 gives a
    correction of the same order, so the order p stays.
    """
    energies = scratch[0][at.SPEED : at.SPEED + 2]
    energy(topology, constants, gravity, scratch, q, qd, energies)
    kinetic, wanted = energies[0] - locked, expected - energies[1] - locked
    error, size = abs(wanted - kinetic), energies[0] + abs(energies[1])
    counts = error > ROUNDING * size or kinetic > FAST * size
    if counts and error <= LARGEST * kinetic:
        # sqrt(wanted / kinetic) - 1 without cancellation: rounded beside 1, it would be biased
        growth = (wanted - kinetic) / (kinetic + sqrt(wanted * kinetic))
        for k in range(qd.shape[0]):
            qd[k] = qd[k] + (qd[k] - drift[k]) * growth


@unfused
def is_pushed(f_ext):
    """Return whether an external wrench acts, whose work is not known."""
    for i in range(f_ext.shape[0]):
        for k in range(6):
            if f_ext[i, k] != 0.0:
                return True
    return False
