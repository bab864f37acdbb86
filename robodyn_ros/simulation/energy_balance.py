# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Projection of a step on the balance of energy: what the joints gain is what motors give."""

from numpy import sqrt

from robodyn_ros.algorithms.core import scratch as at
from robodyn_ros.algorithms.core.energy import energy
from robodyn_ros.spatial.primitive import unfused

#: [-] Share of the energy below which its error is rounding, and is left as it is.
ROUNDING = 4e-15
#: [-] Largest share of the kinetic energy that is corrected: more is no error of integration.
LARGEST = 0.01


@unfused
def total_energy(topology, constants, gravity, scratch, q, qd):
    """Kinetic and potential energy [J], summed."""
    energies = scratch[0][at.SPEED : at.SPEED + 2]  # of the base, which nothing reads any more
    energy(topology, constants, gravity, scratch, q, qd, energies)
    return energies[0] + energies[1]


@unfused
def balance_energy(topology, constants, gravity, scratch, expected, q, qd):
    """Scale qd so that the energy is `expected` [J].

    The projection on the balance that changes qd least in the norm of the mass matrix: Hairer,
    Lubich and Wanner, Geometric Numerical Integration, section IV.4. An error of order p + 1 of
    the step is corrected by as much, so the order p stays. It keeps energy, not momentum.
    """
    energies = scratch[0][at.SPEED : at.SPEED + 2]
    energy(topology, constants, gravity, scratch, q, qd, energies)
    kinetic, wanted = energies[0], expected - energies[1]
    error = abs(wanted - kinetic)
    if ROUNDING * (kinetic + abs(energies[1])) < error <= LARGEST * kinetic:
        factor = sqrt(wanted / kinetic)
        for k in range(qd.shape[0]):
            qd[k] = qd[k] * factor


@unfused
def is_pushed(f_ext):
    """Return whether an external wrench acts, whose work is not known."""
    for i in range(f_ext.shape[0]):
        for k in range(6):
            if f_ext[i, k] != 0.0:
                return True
    return False
