# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Damping in velocities in which the mass matrix is 1: the robot comes to rest where it is."""

from robodyn_ros.algorithms.core.gravity import gravity_torque
from robodyn_ros.algorithms.variants.damping_torques import damping_torques
from robodyn_ros.compile import kernel
from robodyn_ros.control.laws.law import (
    CORIOLIS,
    FEEDBACK,
    GRAVITY,
    OTHER,
    VELOCITY_GAIN,
    ControlLaw,
    model_arrays,
)
from robodyn_ros.spatial.types import Constant, Matrix, Table, Topology, Vector, Work


@kernel
def diagonal_damping(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    work: Work,
    q: Vector,
    qd: Vector,
    gains: Matrix,
    terms: Matrix,
):
    """Compute -m Kd m^T qd, m C(q, eta) and g(q).

    `gains`: Kd [1/s] in the second row.
    `terms`: torque terms [N m or N], zeros on entry; three rows are written.
    Returns 0, or the body whose pivot is singular.
    """
    gravity_torque(topology, constants, gravity, work, q, terms[GRAVITY])
    return damping_torques(
        topology,
        constants,
        work,
        q,
        qd,
        gains[VELOCITY_GAIN],
        terms[OTHER],  # zeros: nothing is added to the mass matrix
        terms[FEEDBACK],
        terms[CORIOLIS],
    )


class DiagonalDamping(ControlLaw):
    """tau = g(q) + m C(q, eta) - m Kd eta, with eta = m^T qd and M = m m^T (Jain, lemma 19.10).

    With an exact model d(eta)/dt = -Kd eta: each diagonal velocity decays separately. The kinetic
    energy eta.eta/2 falls at the rate eta.Kd eta. C does no work, so the power is the same without
    it (`compensate.coriolis`). There is no reference, and no posture to return to. m is the
    triangular factor of M from the articulated-body recursion. So configurations with a large
    inertia get more damping torque, and velocities decay at the same rates.

    `robot` (Robot): the robot under control.
    """

    name = 'diagonal_damping'
    stateful = False
    tracks = False
    equation = 'tau = g(q) + m C(q, eta) - m Kd eta, eta = m^T qd, M(q) = m m^T'
    gain_unit = ('', '1/s')
    kernels = (diagonal_damping,)

    def __init__(self, robot):
        super().__init__(robot)
        self._arrays = model_arrays(robot)

    def torques(self, q, qd, reference, gains, terms):
        """Write the terms of gravity, of Coriolis forces, and of damping, in O(n).

        Returns 0, or the body whose pivot is singular.
        """
        return self._torques(*self._arrays, q, qd, gains, terms)
