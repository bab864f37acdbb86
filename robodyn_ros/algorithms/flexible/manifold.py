# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Positions of joints and modes: integration and rates. Modes behave as prismatic joints do."""

from robodyn_ros.algorithms.core import manifold
from robodyn_ros.model.layout import FIRST_POSITION, FIRST_VELOCITY
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.types import Scalar, Topology, Vector


@primitive
def integrate(topology: Topology, q: Vector, qd: Vector, dt: Scalar, moved: Vector):
    """Compute the positions after a time at constant velocity; see core.manifold.integrate.

    `dt`: time [s].
    `moved` (nq,), written: positions. May be q.
    """
    manifold.integrate(topology, q, qd, dt, moved)
    k = topology[0, FIRST_POSITION]
    for r in range(q.shape[0] - k):
        moved[k + r] = q[k + r] + dt * qd[topology[0, FIRST_VELOCITY] + r]


@primitive
def position_rates(topology: Topology, q: Vector, qd: Vector, rates: Vector):
    """Compute dq/dt; see core.manifold.position_rates.

    `rates` (nq,), written: rates of the positions.
    """
    manifold.position_rates(topology, q, qd, rates)
    k = topology[0, FIRST_POSITION]
    for r in range(q.shape[0] - k):
        rates[k + r] = qd[topology[0, FIRST_VELOCITY] + r]
