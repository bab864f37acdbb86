# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Correct the velocities of a step so that the energy changes by the work of the joints."""

from numpy import sqrt

from robodyn_ros.algorithms.core.energy import energy
from robodyn_ros.simulation.joint_table import DAMPING
from robodyn_ros.spatial.primitive import unfused

#: [-] A relative error of the energy below this is rounding. In slow motion it is not corrected.
ROUNDING = 4e-15
#: [-] Motion is fast if the kinetic energy is a larger share of all energy than this. Then small
#: errors are corrected too, or they would add up. Rounding moves nothing beyond ROUNDING / FAST.
FAST = 1e-3
#: [-] Largest correction as a share of the kinetic energy; a step that needs more is too long.
LARGEST = 0.01
#: [-] An error beyond LARGEST that is below this share of all energy is rounding in slow motion.
SLOW = 1e-12
#: [-] Share of the kinetic energy that viscous friction may take in a step. Beyond it the damping
#: is stiff: an L-stable step is right without knowing the work of friction.
DAMPED = 0.1


@unfused
def total_energy(topology, constants, gravity, work, q, qd):
    """Return the sum of kinetic and potential energy."""
    energies = work[0].speed[:2]  # of the base, which is unused here
    energy(topology, constants, gravity, work, q, qd, energies)
    return energies[0] + energies[1]


@unfused
def balance_energy(topology, constants, gravity, work, expected, locked, drift, q, qd):
    """Scale qd - drift so that the energy is the expected one, unless the step is too long.

    For a free flyer, drift is the motion with its momentum and all joints locked. It is orthogonal
    to the rest of qd in the norm of the mass matrix. A single body has no other motion. Its energy
    is kept to order p, as is that of a flyer whose joints hardly move.

    This projection changes qd least in the norm of the mass matrix. Source: Hairer, Lubich and
    Wanner, Geometric Numerical Integration, section IV.4. An error of order p + 1 gives a
    correction of the same order, so the order p stays.

    `expected`: energy after the correction [J].
    `locked`: kinetic energy of `drift` [J].
    `drift` (nv,): part of the velocities that stays; zero unless the robot is a free flyer.
    Returns whether the step is short enough.
    """
    energies = work[0].speed[:2]
    energy(topology, constants, gravity, work, q, qd, energies)
    kinetic, wanted = energies[0] - locked, expected - energies[1] - locked
    error, size = abs(wanted - kinetic), energies[0] + abs(energies[1])
    if not error <= LARGEST * kinetic:  # nor NaN
        return error <= SLOW * size or error <= LARGEST * energies[0]
    if error > ROUNDING * size or kinetic > FAST * size:
        # sqrt(wanted / kinetic) - 1 without cancellation, whose rounding errors have a bias
        growth = (wanted - kinetic) / (kinetic + sqrt(wanted * kinetic))
        for k in range(qd.shape[0]):
            qd[k] = qd[k] + (qd[k] - drift[k]) * growth
    return True


@unfused
def is_lost(work, expected, kinetic):
    """Return whether a piece that was not corrected has a large error of the energy, or no number.

    A piece in which a joint comes to rest may have a large one in the kinetic energy after it. In
    that before it this is small.

    `work`: memory of the recursions, with the energies after the piece.
    `expected`: energy that it should have [J].
    `kinetic`: kinetic energy before the piece [J].
    """
    energies = work[0].speed[:2]
    error = abs(expected - energies[0] - energies[1])
    return not error <= LARGEST * max(kinetic, energies[0])


@unfused
def is_damped(joints, h, kinetic, qd):
    """Return whether viscous friction takes more than DAMPED of the kinetic energy in a step.

    `kinetic`: kinetic energy before it [J].
    `qd` (nv,): velocities before it [rad/s or m/s].
    """
    taken = 0.0
    for k in range(qd.shape[0]):
        taken = taken + h * joints[k, DAMPING] * qd[k] * qd[k]
    return taken > DAMPED * kinetic


@unfused
def is_pushed(f_ext):
    """Return whether an external wrench acts, whose work is unknown."""
    for i in range(f_ext.shape[0]):
        for k in range(6):
            if f_ext[i, k] != 0.0:
                return True
    return False
