# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Joint-space PD control, with and without gravity compensation."""

from robodyn_ros.algorithms.core.gravity import gravity_torque
from robodyn_ros.compile import kernel
from robodyn_ros.control.laws.law import (
    FEEDBACK,
    GRAVITY,
    POSITION,
    POSITION_GAIN,
    VELOCITY,
    VELOCITY_GAIN,
    KernelLaw,
)
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.types import Constant, Matrix, Table, Topology, Vector, Work


@primitive
def feedback(q, qd, reference, gains, out):
    """Compute Kp e + Kd ed, with e = q_r - q and ed = qd_r - qd.

    `out` (nv,): the feedback, written.
    """
    for i in range(out.shape[0]):
        out[i] = gains[POSITION_GAIN, i] * (reference[POSITION, i] - q[i]) + gains[
            VELOCITY_GAIN, i
        ] * (reference[VELOCITY, i] - qd[i])


@kernel
def pd(
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
    """Compute the feedback term.

    `topology`, `constants`, `gravity`, `work`, `rows`: arrays of the robot and memory; see
      KernelLaw.
    `gains`: Kp and Kd [N m/rad, N m s/rad].
    `terms`: torque terms [N m or N]; one row is written.
    Returns 0.
    """
    feedback(q, qd, reference, gains, terms[FEEDBACK])
    return 0


@kernel
def pd_gravity(
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
    """Compute the terms of feedback and gravity; arguments and result as of `pd`."""
    feedback(q, qd, reference, gains, terms[FEEDBACK])
    gravity_torque(topology, constants, gravity, work, q, terms[GRAVITY])
    return 0


class PD(KernelLaw):
    """tau = Kp e + Kd ed, with e = q_r - q; gravity leaves an error at rest."""

    name = 'pd'
    equation = 'tau = Kp (q_r - q) + Kd (qd_r - qd)'
    gain_unit = ('N m/rad', 'N m s/rad')
    kernels = (pd,)


class PDGravity(KernelLaw):
    """tau = Kp e + Kd ed + g(q); the arm rests at its reference (Takegaki and Arimoto 1981)."""

    name = 'pd_gravity'
    equation = 'tau = Kp (q_r - q) + Kd (qd_r - qd) + g(q)'
    gain_unit = ('N m/rad', 'N m s/rad')
    kernels = (pd_gravity,)
