# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""One substep of order 4 with closures over all joints: Runge-Kutta, then a projection.

In each stage multipliers correct the accelerations of the free tree (Jain 2011, section 11.2.2):

    qdd = qdd_f + A J^T lambda,   J qdd = -dJ/dt qd,   A = M^-1.

The scheme leaves the closures by an error of order 5 in a substep. The projection of the end moves
the state back by as much, so the order stays (Hairer, Lubich and Wanner 2006, IV.4).
"""

from robodyn_ros.algorithms.constraints.loops import column_of, row_axis
from robodyn_ros.algorithms.core.jacobian import jacobian_bias
from robodyn_ros.algorithms.core.kinematics import velocity
from robodyn_ros.algorithms.core.manifold import make_unit, position_rates
from robodyn_ros.algorithms.mass_matrix.mass_matrix_inverse import mass_matrix_inverse_in_place
from robodyn_ros.model.layout import DISTANCE, LENGTH, STOPS
from robodyn_ros.simulation.contact.arrays import Contact
from robodyn_ros.simulation.contact.closure_projection import project
from robodyn_ros.simulation.contact.closure_rows import (
    keep_closed,
    lead_velocities,
    write_closures,
)
from robodyn_ros.simulation.dry_friction import assume_frictionless
from robodyn_ros.simulation.integrators.euler import accelerate
from robodyn_ros.simulation.integrators.names import ENERGY_ROSENBROCK, ROSENBROCK
from robodyn_ros.simulation.joint_table import (
    BRAKED,
    DAMPING,
    DIAGONAL,
    GAIN,
    INVERSE,
    MEAN_QDD,
    MEAN_RATE,
    OLD_Q,
    OLD_QD,
    QDD,
    RATE,
    STATIC,
)
from robodyn_ros.simulation.servo import feeds_back, write_drive_efforts
from robodyn_ros.spatial.primitive import separate, unfused
from robodyn_ros.spatial.types import (
    Constant,
    Integer,
    Matrix,
    Scalar,
    Table,
    Topology,
    Vector,
    Work,
)
from robodyn_ros.spatial.vec3 import add, cross, dot, scale, sub


@unfused
def is_explicit(joints, method):
    """Return whether explicit stages serve a substep with closures.

    Dry friction takes an Euler step. So do viscous friction and drives with feedback, where the
    integrator is one of those that treat them implicitly.

    `method`: number of the integrator; see METHODS.
    """
    is_stiff = method == ROSENBROCK or method == ENERGY_ROSENBROCK
    for k in range(joints.shape[0]):
        if joints[k, STATIC] > 0.0:
            return False
        if is_stiff and (joints[k, DAMPING] > 0.0 or feeds_back(joints, k)):
            return False
    return True


@unfused
def three_of(vector, start):
    """Return three entries of a vector.

    `vector`: the vector.
    `start`: index of the first entry.
    """
    return vector[start], vector[start + 1], vector[start + 2]


@unfused
def bend_closures(topology, constants, work, joint_work, closing, q, qd):
    """Write -dJ/dt qd of all active closures; call write_closures before."""
    n, row = qd.shape[0], 0
    zero, moving = joint_work[RATE][:n], closing.motions
    for j in range(n):
        zero[j] = 0.0
    for k in range(closing.active.shape[0]):
        A, B, stops = 2 * k, 2 * k + 1, closing.closures[k, STOPS]
        XA = closing.poses[A]
        lever = sub(column_of(closing.poses[B], 3), column_of(XA, 3))
        if closing.active[k] > 0.0:
            for side in range(2):
                body, frame = closing.bodies[A + side], closing.frames[A + side]
                velocity(topology, constants, work, q, qd, body, frame, moving[side])
                jacobian_bias(
                    topology, constants, work, q, qd, body, frame, zero, moving[2 + side]
                )
        w_A, w_B = three_of(moving[0], 3), three_of(moving[1], 3)
        alpha_A, alpha_B = three_of(moving[2], 3), three_of(moving[3], 3)
        apart = sub(three_of(moving[1], 0), three_of(moving[0], 0))
        linear = sub(three_of(moving[3], 0), three_of(moving[2], 0))
        along = lever
        if stops & (1 << DISTANCE):
            along = scale(1.0 / closing.lengths[k, LENGTH], lever)
        for a in range(DISTANCE + 1):
            if stops & (1 << a):
                axis = row_axis(XA, stops, a, along)
                if a == DISTANCE:
                    bend = dot(axis, linear) + dot(apart, apart) / closing.lengths[k, LENGTH]
                elif a >= 3:
                    bend = dot(axis, sub(sub(alpha_B, alpha_A), cross(w_A, w_B)))
                elif stops & 7 == 7:
                    bend = dot(axis, linear)
                else:
                    turn = cross(w_A, axis)
                    bent = add(cross(alpha_A, axis), cross(w_A, turn))
                    bend = dot(axis, linear) + 2.0 * dot(turn, apart) + dot(bent, lever)
                closing.targets[row] = -bend * closing.active[k]
                row += 1


@separate
def closed_runge_kutta(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    joints: Matrix,
    work: Work,
    joint_work: Matrix,
    effort: Vector,
    f_ext: Matrix,
    h: Scalar,
    stribeck: Scalar,
    contact: Contact,
    q: Vector,
    qd: Vector,
) -> Integer:
    """Advance the state by the scheme of order 4, without dry friction and stops; O(n^3) a stage.

    Drives are those at each stage, and viscous friction, too. It is stable while h D / M < 2.8.
    """
    n, closing = qd.shape[0], contact.closing
    assume_frictionless(joint_work, n)
    for k in range(q.shape[0]):
        joint_work[GAIN, k] = 0.0
        joint_work[MEAN_RATE, k] = 0.0
        joint_work[MEAN_QDD, k] = 0.0
    for stage in range(4):
        write_drive_efforts(joints, joint_work, q, qd, effort)
        status = accelerate(
            topology,
            constants,
            gravity,
            joints,
            work,
            joint_work,
            effort,
            f_ext,
            h,
            0.0,
            stribeck,
            q,
            qd,
        )
        if status == 0:
            status = mass_matrix_inverse_in_place(
                topology, constants, work, q, joint_work[DIAGONAL], joint_work[INVERSE:]
            )
        if status != 0:
            return status
        write_closures(topology, constants, work, closing, q)
        keep_closed(joint_work, closing)
        bend_closures(topology, constants, work, joint_work, closing, q, qd)
        lead_velocities(closing, 1.0, joint_work[QDD][:n])
        weight = h / 3.0 if stage == 1 or stage == 2 else h / 6.0
        to_next = h if stage == 2 else 0.5 * h
        position_rates(topology, q, qd, joint_work[RATE])
        for k in range(q.shape[0]):
            rate = joint_work[RATE, k]
            joint_work[MEAN_RATE, k] = joint_work[MEAN_RATE, k] + weight * rate
            q[k] = joint_work[OLD_Q, k] + to_next * rate
        for k in range(n):
            slope = joint_work[QDD, k]
            joint_work[MEAN_QDD, k] = joint_work[MEAN_QDD, k] + weight * slope
            qd[k] = joint_work[OLD_QD, k] + to_next * slope
    for k in range(q.shape[0]):
        q[k] = joint_work[OLD_Q, k] + joint_work[MEAN_RATE, k]
    make_unit(topology, q)
    for k in range(n):
        qd[k] = 0.0 if joints[k, BRAKED] > 0.0 else joint_work[OLD_QD, k] + joint_work[MEAN_QDD, k]
    return project(topology, constants, joints, work, joint_work, contact, 0, q, qd)
