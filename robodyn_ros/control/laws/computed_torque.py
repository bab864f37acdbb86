# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Computed torque: the model cancels the dynamics, and every joint behaves like a unit mass."""

from robodyn_ros.algorithms.core.crba import mass_matrix
from robodyn_ros.algorithms.core.friction import friction_torque
from robodyn_ros.algorithms.core.gravity import gravity_torque
from robodyn_ros.algorithms.core.rnea import bias_torque
from robodyn_ros.compile import kernel
from robodyn_ros.control.laws.law import (
    ACCELERATION,
    CORIOLIS,
    FEEDBACK,
    FRICTION,
    GRAVITY,
    INERTIA,
    VELOCITY,
    KernelLaw,
)
from robodyn_ros.control.laws.pd import feedback
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.types import Constant, Matrix, Table, Topology, Vector, Work


@primitive
def multiply(M, x, out):
    """Compute out = M x.

    `M` (m, n): matrix.
    `out` (m,): product, written.
    """
    for i in range(M.shape[0]):
        out[i] = 0.0
        for j in range(M.shape[1]):
            out[i] += M[i, j] * x[j]


@kernel
def computed_torque(
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
    `gains`: Kp and Kd [1/s^2, 1/s].
    `terms`: torque terms [N m or N], written.
    Returns 0.
    """
    n = qd.shape[0]
    M, acceleration = rows[:n], rows[n]
    mass_matrix(topology, constants, work, q, M)
    feedback(q, qd, reference, gains, acceleration)
    multiply(M, acceleration, terms[FEEDBACK])
    multiply(M, reference[ACCELERATION], terms[INERTIA])
    gravity_torque(topology, constants, gravity, work, q, terms[GRAVITY])
    bias_torque(topology, constants, gravity, work, q, qd, terms[CORIOLIS])
    for i in range(q.shape[0]):
        terms[CORIOLIS, i] -= terms[GRAVITY, i]
    friction_torque(topology, constants, q, reference[VELOCITY], terms[FRICTION])
    return 0


class ComputedTorque(KernelLaw):
    """tau = M(q) (qdd_r + Kd ed + Kp e) + C(q, qd) qd + g(q), plus friction.

    If the model is exact, edd + Kd ed + Kp e = 0 (Craig, chapter 10). Kp = w^2 and Kd = 2 z w give
    a natural frequency w and a damping ratio z. The friction is that at the reference velocity.

    `robot` (Robot): the robot under control.
    """

    name = 'computed_torque'
    equation = (
        'tau = M(q) (qdd_r + Kd (qd_r - qd) + Kp (q_r - q)) + C(q, qd) qd + g(q) + friction(qd_r)'
    )
    gain_unit = ('1/s^2', '1/s')
    kernels = (computed_torque,)
