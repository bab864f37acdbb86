# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The regressor: torques as a linear function of the inertial parameters.

Each body has ten parameters, as in its row of the model. They are mass, first moment (3), and
inertia about its origin (xx xy xz yy yz zz). In the reference motion a point r of a body has the
acceleration a + A r with A = [omega_r][omega] + [alpha_r]. This is the rate of J qd_r along the
actual motion. The torque of a body is the integral of (dp/dq)^T (a + A r) over its mass. So it is
linear in the parameters. The second derivatives of p are symmetric, so the matrix of qd_r is that
of the Christoffel symbols. With qd_r = qd this is inverse dynamics (rnea.py).
"""

from robodyn_ros.algorithms.core.jacobian import world_axis
from robodyn_ros.algorithms.core.joint_transform import axes_turning, joint_transforms, to_child
from robodyn_ros.algorithms.core.kinematics import poses_base_to_tip
from robodyn_ros.algorithms.core.rnea import start_at_base
from robodyn_ros.model.layout import BALL_Z, KIND, PARENT, PITCH, PRISMATIC, V
from robodyn_ros.spatial.primitive import primitive, recursion
from robodyn_ros.spatial.rotation import rotate, rotate_inverse
from robodyn_ros.spatial.types import Constant, Matrix, Table, Topology, Vector, Work
from robodyn_ros.spatial.vec3 import add, cross, load, scale, store, sub

PARAMETERS = 10  # of a body


@primitive
def store_reference_rate(work, i, w, w_r, alpha):
    """Store A = [omega_r][omega] + [alpha_r] of body i.

    `w`: angular velocity omega [rad/s].
    `w_r`: reference angular velocity omega_r [rad/s].
    `alpha`: reference angular acceleration alpha_r [rad/s^2].
    """
    xx, yy, zz = w_r[0] * w[0], w_r[1] * w[1], w_r[2] * w[2]
    store(work[i].rate, (-(yy + zz), w[0] * w_r[1] - alpha[2], w[0] * w_r[2] + alpha[1]))
    store(work[i].rate, (w[1] * w_r[0] + alpha[2], -(xx + zz), w[1] * w_r[2] - alpha[0]), 3)
    store(work[i].rate, (w[2] * w_r[0] - alpha[1], w[2] * w_r[1] + alpha[0], -(xx + yy)), 6)


@primitive
def reference_base_to_tip(topology, constants, work, qd, qd_r, qdd_r):
    """Compute the reference accelerations of every body along the actual motion.

    Needs `joint_transforms` and `start_at_base`.

    `qdd_r` (nv,): reference accelerations [rad/s^2 or m/s^2].
    """
    store(work[0].omega_r, (0.0, 0.0, 0.0))
    for i in range(1, topology.shape[0]):
        parent, k = topology[i, PARENT], topology[i, V]
        w = to_child(work, i, load(work[parent].omega))
        w_r = to_child(work, i, load(work[parent].omega_r))
        alpha = to_child(work, i, load(work[parent].alpha))
        lever = rotate(work[parent].rate, load(work[i].position))
        a = to_child(work, i, add(load(work[parent].accel), lever))
        rate, wanted, acceleration = qd[k], qd_r[k], qdd_r[k]
        if topology[i, KIND] == PRISMATIC:
            a = (
                a[0] + w[1] * wanted + w_r[1] * rate,
                a[1] - w[0] * wanted - w_r[0] * rate,
                a[2] + acceleration,
            )
        else:
            pitch = constants[i, PITCH]
            a = (
                a[0] + pitch * (w[1] * wanted + w_r[1] * rate),
                a[1] - pitch * (w[0] * wanted + w_r[0] * rate),
                a[2] + pitch * acceleration,
            )
            alpha = (alpha[0] + w[1] * wanted, alpha[1] - w[0] * wanted, alpha[2] + acceleration)
            w = (w[0], w[1], w[2] + rate)
            w_r = (w_r[0], w_r[1], w_r[2] + wanted)
            if topology[i, KIND] == BALL_Z:
                alpha = add(alpha, axes_turning(qd, qd_r, k))
        store(work[i].omega, w)
        store(work[i].omega_r, w_r)
        store(work[i].alpha, alpha)
        store(work[i].accel, a)
        store_reference_rate(work, i, w, w_r, alpha)


@primitive
def store_row(work, i, turn, slide, Y, row, column):
    """Write ten entries: the power of the wrench of each unit parameter on a motion of body i.

    f = m a + A h and n = h x a + v(A S), where v(.) is the axial vector and S = tr(I)/2 1 - I are
    the second moments, as in rnea.newton_euler.

    `turn`, `slide`: angular and linear part of the motion of its origin, 3-vectors.
    `Y` (nv, 10 (nb - 1)): regressor.
    `row`: row of Y.
    `column`: first of ten columns of Y.
    """
    a = load(work[i].accel)
    xx, xy, xz = load(work[i].rate)
    yx, yy, yz = load(work[i].rate, 3)
    zx, zy, zz = load(work[i].rate, 6)
    x, y, z = turn
    Y[row, column] = slide[0] * a[0] + slide[1] * a[1] + slide[2] * a[2]
    moment = add(rotate_inverse(work[i].rate, slide), cross(a, turn))
    Y[row, column + 1], Y[row, column + 2], Y[row, column + 3] = moment
    Y[row, column + 4] = 0.5 * (x * (zy - yz) + y * (xz + zx) - z * (yx + xy))
    Y[row, column + 5] = y * zy - x * zx + z * (xx - yy)
    Y[row, column + 6] = x * yx - z * yz + y * (zz - xx)
    Y[row, column + 7] = 0.5 * (y * (xz - zx) - x * (zy + yz) + z * (yx + xy))
    Y[row, column + 8] = z * xz - y * xy + x * (yy - zz)
    Y[row, column + 9] = 0.5 * (z * (yx - xy) + x * (zy + yz) - y * (xz + zx))


@recursion
def regressor(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    work: Work,
    q: Vector,
    qd: Vector,
    qd_r: Vector,
    qdd_r: Vector,
    Y: Matrix,
):
    """Compute Y with Y theta = M(q) qdd_r + C(q, qd) qd_r + g(q), in O(n depth).

    C is that of the Christoffel symbols (Spong, eq. 6.122; Slotine and Li 1987, eq. 10). With qd_r
    = qd it is inverse dynamics. theta are the columns MASS to INERTIA + 5 of each moving body, in
    row order. Rotor inertias are excluded.

    `qdd_r` (nv,): reference accelerations [rad/s^2 or m/s^2].
    `Y` (nv, 10 (nb - 1)), written: regressor, ten columns for each moving body.
    """
    joint_transforms(topology, constants, work, q)
    poses_base_to_tip(topology, work)
    start_at_base(work, gravity)
    reference_base_to_tip(topology, constants, work, qd, qd_r, qdd_r)
    for row in range(Y.shape[0]):
        for column in range(Y.shape[1]):
            Y[row, column] = 0.0
    for i in range(1, topology.shape[0]):
        j = i
        while j > 0:
            z = rotate_inverse(work[i].world_rotation, world_axis(work, j))
            if topology[j, KIND] == PRISMATIC:
                turn, slide = (0.0, 0.0, 0.0), z
            else:
                reach = sub(load(work[i].world_position), load(work[j].world_position))
                turn = z
                slide = add(
                    cross(z, rotate_inverse(work[i].world_rotation, reach)),
                    scale(constants[j, PITCH], z),
                )
            store_row(work, i, turn, slide, Y, topology[j, V], PARAMETERS * (i - 1))
            j = topology[j, PARENT]
