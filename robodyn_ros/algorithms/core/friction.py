# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Friction in the joints as a smooth function of velocity, for feed-forward."""

import numpy as np

from robodyn_ros.model.layout import DAMPING, FRICTION, V
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.types import Table, Topology, Vector

#: Velocity [rad/s or m/s] at which Coulomb friction is tanh(1) of its full value.
COULOMB_VELOCITY = 0.01


@primitive
def friction_torque(topology: Topology, constants: Table, qd: Vector, tau: Vector):
    """Viscous and Coulomb friction of the model at qd (nv,); tau (nv,) [N m or N], written."""
    for i in range(1, topology.shape[0]):
        k = topology[i, V]
        tau[k] = constants[i, DAMPING] * qd[k] + constants[i, FRICTION] * np.tanh(
            qd[k] / COULOMB_VELOCITY
        )
