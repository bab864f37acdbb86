# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The recursions over flexible links, in place of those over rigid ones, and their kernels."""

from robodyn_ros.algorithms.core import aba, gravity, rnea
from robodyn_ros.algorithms.core import energy as of_rigid_links
from robodyn_ros.algorithms.core import manifold as of_joints
from robodyn_ros.algorithms.flexible import (
    energy,
    forward_dynamics,
    inverse_dynamics,
    kinematics,
    manifold,
)
from robodyn_ros.algorithms.mass_matrix import mass_matrix_inverse
from robodyn_ros.compile.kernel import kernel, separate_kernel

#: Recursions over rigid links, and the recursions that a plant with flexible links runs instead.
COUNTERPARTS = {
    aba.forward_dynamics: forward_dynamics.forward_dynamics,
    mass_matrix_inverse.mass_matrix_inverse_in_place: forward_dynamics.mass_matrix_inverse,
    rnea.inverse_dynamics: inverse_dynamics.inverse_dynamics,
    gravity.gravity_torque: inverse_dynamics.gravity_torque,
    of_rigid_links.energy: energy.energy,
    of_joints.integrate: manifold.integrate,
    of_joints.position_rates: manifold.position_rates,
}

#: Kernels of these counterparts, by name.
KERNELS = {function.__name__: separate_kernel(function) for function in COUNTERPARTS.values()}
body_poses = kernel(kinematics.body_poses)


def kernel_of(kernel):
    """Return the kernel over joints and modes for a generic one.

    `kernel` (Kernel): a kernel of `generic`.
    """
    found = COUNTERPARTS.get(kernel.python)
    return KERNELS[found.__name__] if found else kernel
