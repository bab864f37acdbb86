# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Accelerations of frames due to motors, gravity and velocity."""

from robodyn_ros.algorithms.core.aba import forward_dynamics
from robodyn_ros.algorithms.core.kinematics import poses_base_to_tip
from robodyn_ros.spatial.primitive import recursion
from robodyn_ros.spatial.rotation import rotate
from robodyn_ros.spatial.types import Constant, Indices, Matrix, Table, Topology, Vector, Work
from robodyn_ros.spatial.vec3 import add, cross, load


@recursion
def task_acceleration(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    work: Work,
    q: Vector,
    qd: Vector,
    tau: Vector,
    f_ext: Matrix,
    diagonal: Vector,
    bodies: Indices,
    frames: Table,
    qdd: Vector,
    acceleration: Vector,
):
    """Compute J qdd + dJ/dt qd of m frames, with qdd by forward dynamics, in O(n + m).

    Its negative is the bracket of the operational-space bias, C_os = -Lambda {J M^-1 (tau - C qd -
    g) + dJ/dt qd} (Jain 2011, eq. 10.8). It exists even where Lambda does not. The sweeps of
    Algorithm 10.5 (eq. 10.42-10.44) are those of forward dynamics. There eta + g is minus the
    acceleration of a body, which is evaluated here at the frames.

    `acceleration` (6 m,), written: linear and angular acceleration of each frame [m/s^2, rad/s^2],
      in base axes.
    """
    status = forward_dynamics(topology, constants, gravity, work, q, qd, tau, f_ext, diagonal, qdd)
    poses_base_to_tip(topology, work)
    for k in range(bodies.shape[0]):
        body = bodies[k]
        lever = (frames[k, 9], frames[k, 10], frames[k, 11])
        w, alpha = load(work[body].omega), load(work[body].alpha)
        a = add(load(work[body].accel), add(cross(alpha, lever), cross(w, cross(w, lever))))
        a, alpha = (rotate(work[body].world_rotation, a), rotate(work[body].world_rotation, alpha))
        for i in range(3):  # the recursion lets the base accelerate with -gravity
            acceleration[6 * k + i] = a[i] + gravity[i]
            acceleration[6 * k + 3 + i] = alpha[i]
    return status
