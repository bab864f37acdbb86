# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Velocities after a unit impulse along a direction."""

from robodyn_ros.simulation.joint_table import INVERSE
from robodyn_ros.spatial.primitive import unfused


@unfused
def write_responses(joint_work, rows, responses, row):
    """Write F A of a direction F, a row of the Jacobian.

    `rows` (r, nv): rows of the Jacobian.
    `responses` (r, nv): row `row` is written.
    `row`: the row.
    Returns F A F^T.
    """
    n, total = rows.shape[1], 0.0
    for j in range(n):
        responses[row, j] = 0.0
    for k in range(n):
        share = rows[row, k]
        for j in range(n):
            responses[row, j] = responses[row, j] + share * joint_work[INVERSE + k, j]
    for j in range(n):
        total = total + responses[row, j] * rows[row, j]
    return total
