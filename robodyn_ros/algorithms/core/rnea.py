# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Inverse dynamics: the recursive Newton-Euler algorithm with one matrix A for each body.

tau = M(q) qdd + C(q, qd) qd + g(q) - J^T f_ext. Turney-Mudge-Lee 1980, section 5, eq. (5.1)-(5.2);
Angeles, Algorithms 7.4.1 and 7.4.2; Craig, eq. (6.45)-(6.53). With A = [omega]^2 + [alpha], the
acceleration of a point r of the body is a + A r, and the inertia force is m a + A h. The inertia
moment is tr(I) alpha - v(A I), where v(.) is the axial vector.
"""

from robodyn_ros.algorithms.core.joint_transform import (
    along_joint,
    axes_turning,
    carry_wrench,
    joint_transforms,
    to_child,
)
from robodyn_ros.model.layout import (
    BALL_Z,
    INERTIA,
    KIND,
    MASS,
    MOMENT,
    PARENT,
    PITCH,
    PRISMATIC,
    ROTOR,
    V,
)
from robodyn_ros.spatial.primitive import primitive, recursion
from robodyn_ros.spatial.rotation import rotate
from robodyn_ros.spatial.types import Constant, Matrix, Table, Topology, Vector, Work
from robodyn_ros.spatial.vec3 import accumulate, add, cross, load, scale, store


@primitive
def store_rate(work, i, w, alpha):
    """Store A = [omega]^2 + [alpha] of body i (Turney-Mudge-Lee, eq. 5.1).

    `w`: angular velocity [rad/s].
    `alpha`: angular acceleration [rad/s^2].
    """
    xx, yy, zz = w[0] * w[0], w[1] * w[1], w[2] * w[2]
    xy, xz, yz = w[0] * w[1], w[0] * w[2], w[1] * w[2]
    store(work[i].rate, (-(yy + zz), xy - alpha[2], xz + alpha[1]))
    store(work[i].rate, (xy + alpha[2], -(xx + zz), yz - alpha[0]), 3)
    store(work[i].rate, (xz - alpha[1], yz + alpha[0], -(xx + yy)), 6)


@primitive
def start_at_base(work, gravity):
    """Initialise the base: it does not rotate, and accelerates with -gravity."""
    for k in range(9):
        work[0].rate[k] = 0.0
    store(work[0].omega, (0.0, 0.0, 0.0))
    store(work[0].alpha, (0.0, 0.0, 0.0))
    store(work[0].accel, (-gravity[0], -gravity[1], -gravity[2]))


@primitive
def propagate_motion(topology, constants, work, first, last, qd, qdd):
    """Compute the motion of bodies first to last from that of their parents.

    It is angular velocity, angular acceleration, and acceleration of the origin.
    """
    for i in range(first, last + 1):
        parent, k = topology[i, PARENT], topology[i, V]
        w = to_child(work, i, load(work[parent].omega))
        alpha = to_child(work, i, load(work[parent].alpha))
        lever = rotate(work[parent].rate, load(work[i].position))
        a = to_child(work, i, add(load(work[parent].accel), lever))
        rate, acceleration = qd[k], qdd[k]
        if topology[i, KIND] == PRISMATIC:
            twice = rate + rate
            a = (a[0] + w[1] * twice, a[1] - w[0] * twice, a[2] + acceleration)
        else:
            twice = constants[i, PITCH] * (rate + rate)
            a = (
                a[0] + w[1] * twice,
                a[1] - w[0] * twice,
                a[2] + constants[i, PITCH] * acceleration,
            )
            alpha = (alpha[0] + w[1] * rate, alpha[1] - w[0] * rate, alpha[2] + acceleration)
            w = (w[0], w[1], w[2] + rate)
            if topology[i, KIND] == BALL_Z:
                alpha = add(alpha, axes_turning(qd, qd, k))
        store(work[i].omega, w)
        store(work[i].alpha, alpha)
        store(work[i].accel, a)
        store_rate(work, i, w, alpha)


@primitive
def motion_base_to_tip(topology, constants, work, qd, qdd):
    """Compute the motion of every body. Needs `start_at_base`."""
    propagate_motion(topology, constants, work, 1, topology.shape[0] - 1, qd, qdd)


@primitive
def newton_euler(constants, work, i):
    """Compute the inertia force and moment of body i about its origin.

    f = m a + A h and n = v(A S) + h x a, with the second moments S = tr(I)/2 1 - I.
    """
    a, h = load(work[i].accel), load(constants[i], MOMENT)
    xx, xy, xz = load(constants[i], INERTIA)
    yy, yz, zz = load(constants[i], INERTIA + 3)
    top, middle = load(work[i].rate), load(work[i].rate, 3)
    bottom = load(work[i].rate, 6)
    # S is constant for a robot, so it costs nothing in recorded code
    sxx, syy, szz = 0.5 * (yy + zz - xx), 0.5 * (xx + zz - yy), 0.5 * (xx + yy - zz)
    n = (
        bottom[1] * syy
        - middle[2] * szz
        + middle[0] * xz
        - bottom[0] * xy
        + (middle[1] - bottom[2]) * yz,
        top[2] * szz - bottom[0] * sxx + bottom[1] * xy - top[1] * yz + (bottom[2] - top[0]) * xz,
        middle[0] * sxx - top[1] * syy + top[2] * yz - middle[2] * xz + (top[0] - middle[1]) * xy,
    )
    store(work[i].force, add(scale(constants[i, MASS], a), rotate(work[i].rate, h)))
    store(work[i].moment, add(n, cross(h, a)))


@primitive
def force_tip_to_base(topology, constants, work, qdd, tau):
    """Propagate wrenches to the base; the component along each joint is its torque."""
    for i in range(topology.shape[0] - 1, 0, -1):
        parent, k = topology[i, PARENT], topology[i, V]
        n, f = load(work[i].moment), load(work[i].force)
        along = along_joint(topology, constants, i, n, f)
        tau[k] = along + constants[i, ROTOR] * qdd[k]
        if parent > 0:
            carry_wrench(work, i, parent, n, f)


@recursion
def inverse_dynamics(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    work: Work,
    q: Vector,
    qd: Vector,
    qdd: Vector,
    f_ext: Matrix,
    tau: Vector,
):
    """Compute tau = M(q) qdd + C(q, qd) qd + g(q) - J^T f_ext, in O(n).

    `f_ext` (nb, 6): moment and force on each body, in its frame, about its origin [N m, N].
    """
    joint_transforms(topology, constants, work, q)
    start_at_base(work, gravity)
    motion_base_to_tip(topology, constants, work, qd, qdd)
    for i in range(1, topology.shape[0]):
        newton_euler(constants, work, i)
        accumulate(work[i].moment, scale(-1.0, load(f_ext[i])))
        accumulate(work[i].force, scale(-1.0, load(f_ext[i], 3)))
    force_tip_to_base(topology, constants, work, qdd, tau)


@recursion
def bias_torque(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    work: Work,
    q: Vector,
    qd: Vector,
    tau: Vector,
):
    """Compute tau = C(q, qd) qd + g(q), in O(n): inverse dynamics without acceleration (Angeles
    7.104).
    """
    for k in range(tau.shape[0]):
        tau[k] = 0.0  # also serves as the acceleration: entries are read before they change
    joint_transforms(topology, constants, work, q)
    start_at_base(work, gravity)
    motion_base_to_tip(topology, constants, work, qd, tau)
    for i in range(1, topology.shape[0]):
        newton_euler(constants, work, i)
    force_tip_to_base(topology, constants, work, tau, tau)


@primitive
def prescribe_motion(topology, constants, gravity, work, qd, qdd):
    """Choose an acceleration whose torque needs few operations, and compute the link wrenches.

    No body accelerates about its own joint, or along it if it is prismatic. Forward dynamics may
    start from any motion, since M (qdd' - qdd) = tau' - tau. Needs `joint_transforms`.
    """
    start_at_base(work, gravity)
    for i in range(1, topology.shape[0]):
        qdd[topology[i, V]] = 0.0
        propagate_motion(topology, constants, work, i, i, qd, qdd)
        along = work[i].accel if topology[i, KIND] == PRISMATIC else work[i].alpha
        qdd[topology[i, V]] = -along[2]
        propagate_motion(topology, constants, work, i, i, qd, qdd)
        newton_euler(constants, work, i)


@primitive
def torque_of_prescribed_motion(topology, constants, gravity, work, q, qd, qdd, tau):
    """Compute the acceleration of `prescribe_motion`, and its torque."""
    joint_transforms(topology, constants, work, q)
    prescribe_motion(topology, constants, gravity, work, qd, qdd)
    force_tip_to_base(topology, constants, work, qdd, tau)
