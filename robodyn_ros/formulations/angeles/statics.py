# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The torque that balances a wrench at the end effector, by recursion: Angeles, Exercise 7.9.

    f_i = Q_(i+1) f_(i+1),    n_i = Q_(i+1) n_(i+1) + a_i x f_i,    tau_i = e_i . Q_i n_i

which is -J^T w, without J. The exercise asks for its cost: at most 22 multiplications and 14
additions per revolute joint. J^T w alone takes 6 and 5 for each column of J, without the cost of
J. Serial chains, O(n). A prismatic joint adds b_(i+1) e_(i+1) to a_i, and its own force is e_i .
Q_i f_i. The text leaves the recursion to the reader; its steps are those of Algorithm 7.4.2 at
rest.
"""

import numpy as np

from robodyn_ros.formulations.posture import cross
from robodyn_ros.formulations.serial_chain import Z, links_at


def balancing_torque(robot, q, wrench):
    """Return the torques that hold a weightless serial robot against a wrench.

    The wrench acts at the origin of the last link's joint, which slides with a prismatic joint.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `wrench` ((6,) array_like): force [N], then moment [N m], by the surroundings on the last link,
      in base axes.
    Raises ModelError: if the robot branches.
    Raises ShapeError: if q has another shape.
    """
    links = links_at(robot, q)
    f, n = -np.asarray(wrench[:3]), -np.asarray(wrench[3:])
    for R in (links.base, *links.Q):
        f, n = R.T @ f, R.T @ n
    tau = np.empty(links.n, np.result_type(f, n))
    for i in reversed(range(links.n)):
        if i + 1 < links.n:
            n = n + cross(links.a[i] + links.b[i + 1] * Z, f)
        f, n = links.Q[i] @ f, links.Q[i] @ n
        tau[i] = n[2] if links.revolute[i] else f[2]
    return links.joint_order(tau)
