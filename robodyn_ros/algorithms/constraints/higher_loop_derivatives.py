# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Third and fourth derivatives of the dependent joints of loops, along several directions.

They are symmetric forms T of their directions. So they follow from those of equal directions (the
polarisation of forms), which loop_derivatives.py computes:

    T(a, a, b, b) = (T4(a + b) + T4(a - b) - 2 T4(a) - 2 T4(b)) / 12,   T4(w) = T(w, w, w, w).
"""

import numpy as np

from robodyn_ros.algorithms.constraints.expansion import (
    add_rate_of_expansion,
    expand_positions,
    independent,
)
from robodyn_ros.algorithms.constraints.loop_derivatives import (
    FOURTH,
    THIRD,
    next_derivative,
    second_derivatives,
    third_derivative,
)
from robodyn_ros.model.layout import COORDINATE, COUNT, FIRST
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.types import Block, Stack, Table, Topology, Vector, Work


@primitive
def fourth_derivative(topology, constants, work, w, fourth):
    """Compute the fourth derivative of all joints along w. Needs `expand_positions`.

    `w` (nv,): direction.
    `fourth` (n,), written: fourth derivatives.
    """
    n = topology.shape[0] - 1
    bent, third, none = np.zeros(n), np.zeros(n), np.zeros(n)
    add_rate_of_expansion(topology, constants, work, w, w, bent)
    next_derivative(topology, constants, work, w, bent, none, THIRD, third)
    next_derivative(topology, constants, work, w, bent, third, FOURTH, fourth)


@primitive
def leaders(topology):
    """Return the independent velocities that dependent joints of loops follow."""
    nv = independent(topology)
    leads = np.zeros(nv)
    for i in range(1, topology.shape[0]):
        if topology[i, COORDINATE] >= nv:
            for m in range(topology[i, COUNT]):
                leads[topology[i, FIRST] + m] = 1.0
    return np.flatnonzero(leads)


@primitive
def write_third_derivatives(topology, constants, work, found):
    """Compute the third derivatives of all joints along three units. Needs `expand_positions`.

    `found` (nv, nv, nv, n), written: those along e_a, e_b and e_c at [a, b, c].
    """
    n, nv = topology.shape[0] - 1, independent(topology)
    w, units = np.zeros(nv), leaders(topology)
    one, other = np.zeros(n), np.zeros(n)
    found[:] = 0.0
    for a in units:
        w[:] = 0.0
        w[a] = 1.0
        third_derivative(topology, constants, work, w, found[a, a, a])
    for a in units:
        for b in units:
            if b < a:
                w[:] = 0.0
                w[a], w[b] = 1.0, 1.0
                third_derivative(topology, constants, work, w, one)
                w[b] = -1.0
                third_derivative(topology, constants, work, w, other)
                for i in range(n):
                    of_a = (one[i] - other[i] - 2.0 * found[b, b, b, i]) / 6.0
                    of_b = (one[i] + other[i] - 2.0 * found[a, a, a, i]) / 6.0
                    found[a, a, b, i] = found[a, b, a, i] = found[b, a, a, i] = of_a
                    found[b, b, a, i] = found[b, a, b, i] = found[a, b, b, i] = of_b
    for a in units:
        for b in units:
            for c in units:
                if c < b and b < a:
                    w[:] = 0.0
                    w[a], w[b], w[c] = 1.0, 1.0, 1.0
                    third_derivative(topology, constants, work, w, one)
                    for i in range(n):
                        twice = found[a, a, b, i] + found[a, a, c, i] + found[b, b, a, i]
                        twice += found[b, b, c, i] + found[c, c, a, i] + found[c, c, b, i]
                        alone = found[a, a, a, i] + found[b, b, b, i] + found[c, c, c, i]
                        entry = (one[i] - alone - 3.0 * twice) / 6.0
                        found[a, b, c, i] = found[a, c, b, i] = found[b, a, c, i] = entry
                        found[b, c, a, i] = found[c, a, b, i] = found[c, b, a, i] = entry


@primitive
def write_fourth_derivatives(topology, constants, work, qd, found):
    """Compute the fourth derivatives of all joints along (qd, qd, e_a, e_b).

    Those along (u, u, x, x) are found first, with u along qd and as long as a unit, and x = e_a or
    e_a + e_b. Needs `expand_positions`.

    `found` (nv, nv, n), written: those of e_a and e_b at [a, b].
    """
    n, nv, size = topology.shape[0] - 1, independent(topology), 0.0
    w, u, units = np.zeros(nv), np.zeros(nv), leaders(topology)
    found[:] = 0.0
    for k in units:
        size = max(size, abs(qd[k]))
    if size == 0.0:
        return
    fourth, alone = np.zeros(n), np.zeros(n)
    for k in units:
        u[k] = qd[k] / size
    fourth_derivative(topology, constants, work, u, alone)
    for a in units:
        for b in units:
            if b <= a:
                for of_velocity, share in ((1.0, 1.0), (-1.0, 1.0), (0.0, -2.0)):
                    for k in units:
                        w[k] = of_velocity * u[k] + (1.0 if k == a or k == b else 0.0)
                    fourth_derivative(topology, constants, work, w, fourth)
                    for i in range(n):
                        found[a, b, i] += share * fourth[i]
                for i in range(n):
                    found[a, b, i] = size * size * (found[a, b, i] - 2.0 * alone[i]) / 12.0
    for a in units:
        for b in units:
            if b < a:
                for i in range(n):
                    found[a, b, i] = 0.5 * (found[a, b, i] - found[a, a, i] - found[b, b, i])
                    found[b, a, i] = found[a, b, i]


@primitive
def loop_forms(
    topology: Topology,
    constants: Table,
    work: Work,
    q: Vector,
    qd: Vector,
    second: Stack,
    third: Block,
    fourth: Stack,
):
    """Compute the derivatives of all joints that second derivatives of dynamics need.

    For m leaders of loops O(m^3) sweeps over the bodies, each with a solve of the closures.

    `second` (nv, nv, n), written: second derivatives of the joints along e_a and e_b at [a, b].
    `third` (nv, nv, nv, n), written: third derivatives along e_a, e_b and e_c at [a, b, c].
    `fourth` (nv, nv, n), written: fourth derivatives along qd, qd, e_a and e_b at [a, b].
    """
    expand_positions(topology, constants, work, q)
    second[:] = second_derivatives(topology, constants, work)
    write_third_derivatives(topology, constants, work, third)
    write_fourth_derivatives(topology, constants, work, qd, fourth)
