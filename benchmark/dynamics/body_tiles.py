# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Derivatives of the dynamics for any robot, with eight bodies in each register, or one by one.

The second way compiles the plain functions that machine code replaces. Both ways take turns. See
robodyn_ros.compile.simd.
"""

import time
from types import FunctionType

import numpy as np

from benchmark import table
from benchmark.chains import read
from robodyn_ros import Robot
from robodyn_ros.algorithms.core import working_memory
from robodyn_ros.algorithms.derivatives import tiles
from robodyn_ros.algorithms.derivatives.forward_dynamics_derivatives import (
    forward_dynamics_derivatives,
)
from robodyn_ros.algorithms.derivatives.inverse_dynamics_derivatives import (
    by_motion,
    inverse_dynamics_derivatives,
)
from robodyn_ros.algorithms.derivatives.unit_torques import memory, products_by_unit_torques
from robodyn_ros.compile.kernel import Kernel
from robodyn_ros.compile.rebound import rebound
from robodyn_ros.spatial.primitive import inlined
from robodyn_ros.spatial.row_products import aligned

SIZES, ROUNDS, CALLS = (6, 7, 14, 30, 48), 60, 40  # joints, rounds, calls of a measurement
RECURSIONS = {'inverse': inverse_dynamics_derivatives, 'forward': forward_dynamics_derivatives}
EMITTED = (
    tiles.body_by_body,
    tiles.tile_by_tile,
    tiles.last_tile,
    tiles.numbers_in_tiles,
    tiles.wrenches_in_tiles,
    tiles.turn_joints,
    by_motion,
    products_by_unit_torques,
)


def measure():
    """Return {joints: {quantity: {'tiles', 'bodies': us}}}, the least of interleaved rounds."""
    plain = {each: inlined(_copy(each)) for each in EMITTED}
    kernels = {}
    for name, recursion in RECURSIONS.items():
        kernels[name] = {'tiles': Kernel(recursion), 'bodies': Kernel(rebound(recursion, plain))}
        for kernel in kernels[name].values():
            vars(kernel)['_code'] = None  # both have one name in the cache
    return {
        str(joints): {name: _alternating(each, joints, name) for name, each in kernels.items()}
        for joints in SIZES
    }


def _copy(function):
    """Return a copy of a plain function, which has no machine code."""
    return FunctionType(function.__code__, function.__globals__, function.__name__)


def _alternating(kernels, joints, name):
    """Return the least time of a call of each kernel [us]."""
    model = Robot.from_urdf(read(joints)).model
    n, topology = model.nv, model.topology
    states = np.random.default_rng(joints).uniform(-1.0, 1.0, (3, n))
    bodies = topology, model.constants, model.gravity, working_memory.allocate(topology)
    given = (*bodies, *states, np.zeros((len(topology), 6)))
    if name == 'forward':
        given += np.zeros(n), np.empty(n), aligned(memory(n))
    found = {way: np.empty((3, n, n)) for way in kernels}
    for way, kernel in kernels.items():
        kernel(*given, *found[way])
    size = np.abs(found['bodies']).max(axis=(1, 2), keepdims=True)
    assert (np.abs(found['tiles'] - found['bodies']) <= 1e-11 * size).all()
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
    """Show both times and their ratio."""
    table.show(
        'derivatives of the dynamics, for any robot [us]',
        ('joints', 'quantity', 'tiles', 'bodies', 'ratio'),
        [
            (joints, name, f'{row["tiles"]:.2f}', f'{row["bodies"]:.2f}',
             f'{row["bodies"] / row["tiles"]:.2f}')
            for joints in map(str, SIZES)
            for name, row in result[joints].items()
        ],
    )  # fmt: skip
