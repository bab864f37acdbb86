# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Hamilton's canonical equations, of first order in positions and generalised momenta."""

from robodyn_ros.algorithms.centroidal.centroidal_momentum import body_momentum
from robodyn_ros.algorithms.core.gravity import gravity_torque
from robodyn_ros.algorithms.core.joint_transform import along_joint, carry_wrench
from robodyn_ros.algorithms.core.kinematics import velocities_base_to_tip
from robodyn_ros.algorithms.mass_matrix.mass_matrix_solve import mass_solve
from robodyn_ros.model.layout import PARENT, V
from robodyn_ros.spatial.primitive import recursion
from robodyn_ros.spatial.types import Constant, Table, Topology, Vector, Work
from robodyn_ros.spatial.vec3 import add, cross, load


@recursion
def hamilton_rates(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    work: Work,
    q: Vector,
    p: Vector,
    tau: Vector,
    zero: Vector,
    qd: Vector,
    pdot: Vector,
):
    """Compute qd = dH/dp = M^-1 p and pdot = -dH/dq + tau, both in O(n).

    A joint moves its composite body without a change of relative motion. So dK/dq(i) = h(i) .
    (V(i) x S(i)), with the momentum h of the composite body. The momenta are summed like forces.
    Jain 2011, eq. (4.43); Spong, problems of chapter 6.

    `p` (nv,): generalised momenta [kg m^2/s or kg m/s].
    `qd` (nv,), written: joint velocities [rad/s or m/s].
    `pdot` (nv,), written: rates of the momenta [N m or N].
    """
    gravity_torque(topology, constants, gravity, work, q, pdot)
    status = mass_solve(topology, constants, work, q, zero, p, qd)
    velocities_base_to_tip(topology, constants, work, qd)
    for i in range(1, topology.shape[0]):
        body_momentum(constants, work, i)
    for i in range(topology.shape[0] - 1, 0, -1):
        k, parent = topology[i, V], topology[i, PARENT]
        n, f = load(work[i].moment), load(work[i].force)
        w, v = load(work[i].omega), load(work[i].speed)
        turned = along_joint(topology, constants, i, add(cross(n, w), cross(f, v)), cross(f, w))
        pdot[k] = tau[k] - pdot[k] + turned
        if parent > 0:
            carry_wrench(work, i, parent, n, f)
    return status
