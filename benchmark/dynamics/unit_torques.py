# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Derivatives of forward dynamics by motions due to unit torques, or by products with M^-1.

All are for any robot. `sweeps` is the recursion of robodyn_ros. `products` forms all derivatives
of torques, inverts the mass matrix and multiplies. Its products are those of kernels for robots
with dependent joints, whose sums stay in registers. `loops` has products that a compiler makes of
loops over columns. All ways take turns.
"""

import time

import numpy as np

from benchmark import table
from benchmark.chains import read
from robodyn_ros import Robot
from robodyn_ros.algorithms.core import working_memory
from robodyn_ros.algorithms.core.aba import forward_dynamics
from robodyn_ros.algorithms.core.matrices import negative_products
from robodyn_ros.algorithms.derivatives.forward_dynamics_derivatives import (
    forward_dynamics_derivatives,
)
from robodyn_ros.algorithms.derivatives.inverse_dynamics_derivatives import (
    add_rotors,
    by_motion,
    composite_wrenches,
    within_joints,
)
from robodyn_ros.algorithms.derivatives.tiles import body_by_body
from robodyn_ros.algorithms.derivatives.unit_torques import memory
from robodyn_ros.algorithms.mass_matrix.symmetric_inverse import (
    factorise_rows,
    inverse_of_rows,
    subtract_products,
)
from robodyn_ros.compile.kernel import Kernel
from robodyn_ros.compile.rebound import rebound
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.row_products import aligned
from robodyn_ros.spatial.types import Constant, Matrix, Table, Topology, Vector, Work

SIZES, ROUNDS, CALLS = (7, 14, 30, 48), 60, 40  # joints, rounds, calls of a measurement


def derivatives_by_products(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    work: Work,
    q: Vector,
    qd: Vector,
    tau: Vector,
    f_ext: Matrix,
    diagonal: Vector,
    bias: Vector,
    wide: Matrix,
    by_q: Matrix,
    by_qd: Matrix,
    by_tau: Matrix,
):
    """Compute what `forward_dynamics_derivatives` does, with dense matrices, in O(n^3)."""
    status = forward_dynamics(
        topology, constants, gravity, work, q, qd, tau, f_ext, diagonal, bias
    )
    composite_wrenches(topology, constants, gravity, work, q, qd, bias, f_ext)
    by_motion(topology, work, by_q, by_qd, by_tau)
    within_joints(topology, body_by_body(topology, work), by_q)
    add_rotors(topology, constants, by_tau)
    factorise_rows(by_tau, bias)
    inverse_of_rows(by_tau, wide, by_tau)
    negative_products(by_tau, by_q, by_qd, wide)
    return status


@primitive
def subtract_in_loops(X, target, count, A, row, begin, end):
    """Subtract A[row, k] X[k] from X[target], a row at a time, so that columns are neighbours."""
    for k in range(begin, end):
        factor = A[row, k]
        for column in range(count):
            X[target, column] = X[target, column] - factor * X[k, column]


@primitive
def products_in_loops(A, B, C, spare):
    """Replace B by -A B and C by -A C."""
    n = A.shape[0]
    for row in range(n):
        for column in range(n):
            spare[row, column], spare[row, n + column] = B[row, column], C[row, column]
            B[row, column] = C[row, column] = 0.0
    for row in range(n):
        for k in range(n):
            factor = A[row, k]
            for column in range(n):
                B[row, column] = B[row, column] - factor * spare[k, column]
            for column in range(n):
                C[row, column] = C[row, column] - factor * spare[k, n + column]


def measure():
    """Return {joints: {way: us}}, the least of interleaved rounds."""
    rows = {subtract_products: subtract_in_loops}
    kernels = {
        'sweeps': Kernel(forward_dynamics_derivatives),
        'products': Kernel(rebound(derivatives_by_products, rows)),
        'loops': Kernel(
            rebound(derivatives_by_products, rows | {negative_products: products_in_loops})
        ),
    }
    for kernel in kernels.values():
        vars(kernel)['_code'] = None  # two have one name in the cache
    return {str(joints): _alternating(kernels, joints) for joints in SIZES}


def _alternating(kernels, joints):
    """Return the least time of a call of each kernel [us]."""
    model = Robot.from_urdf(read(joints)).model
    n, topology = model.nv, model.topology
    states = np.random.default_rng(joints).uniform(-1.0, 1.0, (3, n))
    bodies = topology, model.constants, model.gravity, working_memory.allocate(topology)
    given = (*bodies, *states, np.zeros((len(topology), 6)))
    given += np.zeros(n), np.empty(n), aligned(memory(n))
    found = {way: np.empty((3, n, n)) for way in kernels}
    for way, kernel in kernels.items():
        assert kernel(*given, *found[way]) == 0
    size = np.abs(found['products']).max(axis=(1, 2), keepdims=True)
    assert all((np.abs(each - found['products']) <= 1e-11 * size).all() for each in found.values())
    best = dict.fromkeys(kernels, np.inf)
    for _ in range(ROUNDS):
        for way, kernel in kernels.items():
            call, results = kernel.vectorcall, tuple(found[way])
            begin = time.perf_counter()
            for _ in range(CALLS):
                call(*given, *results)
            best[way] = min(best[way], 1e6 * (time.perf_counter() - begin) / CALLS)
    return best


def show(result):
    """Show all times, and their ratios to the first."""
    table.show(
        'derivatives of forward dynamics, for any robot [us]',
        ('joints', 'sweeps', 'products', 'loops', 'products / sweeps', 'loops / products'),
        [
            (n, *(f'{row[way]:.2f}' for way in ('sweeps', 'products', 'loops')),
             f'{row["products"] / row["sweeps"]:.2f}', f'{row["loops"] / row["products"]:.2f}')
            for n, row in ((n, result[n]) for n in map(str, SIZES))
        ],
    )  # fmt: skip
