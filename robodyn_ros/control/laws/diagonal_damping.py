# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Damping in velocities in which the mass matrix is 1: the arm moves as in oil, and stays."""

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
from robodyn_ros.spatial.types import Constant, Matrix, Table, Topology, Vector


@kernel
def diagonal_damping(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    scratch: Matrix,
    q: Vector,
    qd: Vector,
    gains: Matrix,
    terms: Matrix,
):
    """-m Kd m^T qd, m C(q, eta) and g(q).

    Parameters
    ----------
    q, qd : (nv,)
    gains : (2, nv)
        The second row Kd [1/s].
    terms : (6, nv)
        Zeros on entry, three rows written.

    Returns
    -------
    int
        0, or the body whose pivot is singular.
    """
    gravity_torque(topology, constants, gravity, scratch, q, terms[GRAVITY])
    return damping_torques(
        topology,
        constants,
        scratch,
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
    triangular factor of M that articulated bodies give: heavy configurations are damped more, at
    the same rates.
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
        """Write the terms of gravity, of Coriolis forces, and of damping, in O(n)."""
        return self._torques(*self._arrays, q, qd, gains, terms)
