# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Torques that damp a robot in velocities in which its mass matrix is 1.

M = L D L^T, eta = D^1/2 L^T qd = D^1/2 xi. In these velocities the equations of motion are
d(eta)/dt + C(q, eta) = D^-1/2 L^-1 tau, and C does no work: eta^T C = 0. See Jain 2011, chapter
19, and robodyn_ros.formulations.jain.diagonalised.
"""

from robodyn_ros.algorithms.core.articulated import (
    articulated_inertias,
    articulated_times,
    carry_inertia,
)
from robodyn_ros.algorithms.core.articulated_body_rates import (
    axis_column,
    propagate_rate,
    start_rates,
    turn_inertia,
)
from robodyn_ros.algorithms.core.joint_transform import (
    add_along_joint,
    along_joint,
    carry_wrench,
    joint_transforms,
    wrench_on_parent,
)
from robodyn_ros.algorithms.core.kinematics import velocities_base_to_tip
from robodyn_ros.model.layout import (
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
from robodyn_ros.spatial.rotational_inertia import load_symmetric, times
from robodyn_ros.spatial.types import Table, Topology, Vector, Work
from robodyn_ros.spatial.vec3 import accumulate, add, cross, dot, load, scale, store, sub


@primitive
def gyroscopic_wrenches(topology, constants, work):
    """Store bar(V) M V of each body, moment about its origin and force; set the sums to zero.

    The sums are those of the damping wrenches and of lambda. Needs the velocities V.
    """
    for i in range(1, topology.shape[0]):
        w, v = load(work[i].omega), load(work[i].speed)
        h = load(constants[i], MOMENT)
        linear = add(scale(constants[i, MASS], v), cross(w, h))
        angular = add(times(load_symmetric(constants[i], INERTIA), w), cross(h, v))
        store(work[i].moment, add(cross(w, angular), cross(v, linear)))
        store(work[i].force, cross(w, linear))
        store(work[i].b_moment, (0.0, 0.0, 0.0))
        store(work[i].b_force, (0.0, 0.0, 0.0))
    start_rates(topology, work)


@recursion
def damping_torques(
    topology: Topology,
    constants: Table,
    work: Work,
    q: Vector,
    qd: Vector,
    rates: Vector,
    diagonal: Vector,
    damping: Vector,
    coriolis: Vector,
):
    """Compute damping = -m rates m^T qd and coriolis = m C(q, eta), with M = m m^T, in O(n).

    Under both torques each eta(i) decays as exp(-rates(i) t), and the robot loses the power sum
    rates eta^2. Joints have one degree of freedom.

    Jain 2011, Algorithms 18.1 and 19.2, Lemma 19.10. m C(q, eta) collects the terms H phi [lambda
    H^T xi - (tilde(Delta^w) P - bar(V) M) V - ..] - (1 + H phi K) dD/dt xi / 2.

    `rates` (nv,): rates of decay [1/s].
    `diagonal` (nv,): added to the diagonal of the mass matrix; zeros for these torques.
    `damping` (nv,), written: damping torques [N m or N].
    `coriolis` (nv,), written: Coriolis torques [N m or N].
    """
    joint_transforms(topology, constants, work, q)
    status = articulated_inertias(topology, constants, work, diagonal)
    velocities_base_to_tip(topology, constants, work, qd)
    gyroscopic_wrenches(topology, constants, work)
    for i in range(topology.shape[0] - 1, 0, -1):
        k, parent, d = topology[i, V], topology[i, PARENT], work[i].d_inverse
        rate, is_slide = qd[k], topology[i, KIND] == PRISMATIC
        turning = 0.0 if is_slide else rate
        slide = rate if is_slide else constants[i, PITCH] * rate
        u_n, u_f = load(work[i].u_angular), load(work[i].u_linear)
        w, v = add_along_joint(
            topology, constants, i, load(work[i].omega), load(work[i].speed), -rate
        )
        xi = rate + d * (dot(u_n, w) + dot(u_f, v))
        D = along_joint(topology, constants, i, u_n, u_f) + constants[i, ROTOR] + diagonal[k]
        # momentum P V, and P+ V across the joint
        passed_n, passed_f = articulated_times(work, i, w, v)
        held_n, held_f = add(passed_n, scale(xi, u_n)), add(passed_f, scale(xi, u_f))
        turn_inertia(work, i, turning)
        column_n, column_f = axis_column(topology, constants, work, i)
        D_rate = along_joint(topology, constants, i, column_n, column_f)
        n, f = load(work[i].moment), load(work[i].force)
        n = sub(add(n, scale(xi, column_n)), scale(turning, (-held_n[1], held_n[0], 0.0)))
        f = sub(add(f, scale(xi, column_f)), scale(turning, (-held_f[1], held_f[0], 0.0)))
        b_n, b_f = load(work[i].b_moment), load(work[i].b_force)
        damped, lost = -(rates[k] * xi), -(0.5 * D_rate * xi)
        damping[k] = D * damped + along_joint(topology, constants, i, b_n, b_f)
        coriolis[k] = lost + along_joint(topology, constants, i, n, f)
        if parent > 0:
            b_n, b_f = wrench_on_parent(
                work, i, add(b_n, scale(damped, u_n)), add(b_f, scale(damped, u_f))
            )
            accumulate(work[parent].b_moment, b_n)
            accumulate(work[parent].b_force, b_f)
            n = add(n, scale(d * lost, u_n))
            n = sub(n, scale(slide, (-passed_f[1], passed_f[0], 0.0)))
            carry_wrench(work, i, parent, n, add(f, scale(d * lost, u_f)))
            propagate_rate(work, i, slide, column_n, column_f, D_rate)
            carry_inertia(work[i], work[i].P_rate, work[parent].P_rate)
    return status
