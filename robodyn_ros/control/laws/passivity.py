# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Passivity-based control: feedback dissipates the error energy, and no dynamics are cancelled."""

from robodyn_ros.algorithms.core.coriolis import coriolis_matrix
from robodyn_ros.algorithms.core.crba import mass_matrix
from robodyn_ros.algorithms.core.friction import friction_torque
from robodyn_ros.algorithms.core.gravity import gravity_torque
from robodyn_ros.compile import kernel
from robodyn_ros.control.laws.computed_torque import multiply
from robodyn_ros.control.laws.law import (
    ACCELERATION,
    CORIOLIS,
    FEEDBACK,
    FRICTION,
    GRAVITY,
    INERTIA,
    POSITION,
    POSITION_GAIN,
    VELOCITY,
    VELOCITY_GAIN,
    KernelLaw,
)
from robodyn_ros.control.laws.pd import feedback
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.types import Constant, Matrix, Table, Topology, Vector, Work


@primitive
def modified_reference(q, qd, reference, gains, v, a):
    """Compute v = qd_r + Lambda e and a = qdd_r + Lambda ed.

    Lambda = Kp/Kd, and 0 where Kd is 0.

    `v`, `a` (nv,): modified reference [rad/s or m/s, rad/s^2 or m/s^2], written.
    """
    for i in range(v.shape[0]):
        rate = 0.0
        if gains[VELOCITY_GAIN, i] > 0.0:
            rate = gains[POSITION_GAIN, i] / gains[VELOCITY_GAIN, i]
        v[i] = reference[VELOCITY, i] + rate * (reference[POSITION, i] - q[i])
        a[i] = reference[ACCELERATION, i] + rate * (reference[VELOCITY, i] - qd[i])


@primitive
def passive_terms(
    topology, constants, gravity, work, matrix, v, a, q, qd, reference, gains, terms
):
    """Compute all terms but 'other', and the modified reference.

    `v`, `a` (nv,): modified reference, written.
    """
    modified_reference(q, qd, reference, gains, v, a)
    feedback(q, qd, reference, gains, terms[FEEDBACK])
    mass_matrix(topology, constants, work, q, matrix)
    multiply(matrix, a, terms[INERTIA])
    coriolis_matrix(topology, constants, work, q, qd, matrix)
    multiply(matrix, v, terms[CORIOLIS])
    gravity_torque(topology, constants, gravity, work, q, terms[GRAVITY])
    friction_torque(topology, constants, q, reference[VELOCITY], terms[FRICTION])


@kernel
def passivity(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    work: Work,
    rows: Matrix,
    q: Vector,
    qd: Vector,
    reference: Matrix,
    gains: Matrix,
    terms: Matrix,
):
    """Compute all terms but 'other'.

    `topology`, `constants`, `gravity`, `work`, `rows`: arrays of the robot and memory; see
      KernelLaw.
    `gains`: Kp and Kd [N m/rad, N m s/rad].
    `terms`: torque terms [N m or N], written.
    Returns 0.
    """
    n = qd.shape[0]
    matrix, v, a = rows[:n], rows[n], rows[n + 1]
    passive_terms(topology, constants, gravity, work, matrix, v, a, q, qd, reference, gains, terms)
    return 0


class Passivity(KernelLaw):
    """tau = M(q) a + C(q, qd) v + g(q) - Kd r, plus friction at the reference velocity.

    v = qd_r + Lambda e, a = dv/dt, r = qd - v (Slotine and Li 1987; Spong, section 6.5: Mdot - 2 C
    is skew). With an exact model M rd + C r + Kd r = 0, so r.M r/2 decays at the rate r.Kd r. The
    error e follows with the time constants 1/Lambda. With Kp = Kd Lambda the gains and the
    feedback -Kd r = Kp e + Kd ed are those of PD control.

    `robot` (Robot): the robot under control.
    """

    name = 'passivity'
    equation = (
        'tau = M(q) (qdd_r + L (qd_r - qd)) + C(q, qd) (qd_r + L (q_r - q)) + g(q)'
        ' + Kp (q_r - q) + Kd (qd_r - qd) + friction(qd_r), L = Kp/Kd'
    )
    gain_unit = ('N m/rad', 'N m s/rad')
    kernels = (passivity,)
