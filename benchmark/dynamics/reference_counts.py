# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Kernels with and without the references to arrays that Numba counts, alternating in one run.

All other kernels that they call are the same in both. Times are those of calls from Python.
"""

import inspect
import os
import timeit

import numpy as np

from benchmark import table
from robodyn_ros import Robot
from robodyn_ros.cli.demo import URDF
from robodyn_ros.compile.kernel import Kernel
from robodyn_ros.control.laws.computed_torque import ComputedTorque
from robodyn_ros.control.laws.passivity import Passivity
from robodyn_ros.model.sources.examples import package_file
from robodyn_ros.simulation.integrators.euler import euler
from robodyn_ros.simulation.integrators.rosenbrock import rosenbrock
from robodyn_ros.simulation.plant import Plant

BLOCKS, CALLS = 40, 500  # of each variant in turn


def measure():
    """Return the medians of each kernel, and the load of the machine."""
    robot = Robot.from_urdf(package_file(URDF))
    rng = np.random.default_rng(0)
    plant = Plant(robot, position=robot.configuration.random(rng))
    plant.set_state(plant.q, rng.uniform(-1.0, 1.0, robot.nv))
    topology, constants, gravity, joints, scratch, work, _, f_ext = plant._arrays
    effort, start = rng.uniform(-5.0, 5.0, robot.nv), (plant.q.copy(), plant.qd.copy())
    arrays = topology, constants, gravity, joints, scratch, work, effort, f_ext
    rows = {
        scheme.__name__: _row(
            inspect.unwrap(scheme), (*arrays, 1e-3, 0.01, plant.q, plant.qd), start, False
        )
        for scheme in (euler, rosenbrock)
    }
    for law in (ComputedTorque(robot), Passivity(robot)):
        kernel, (*known, terms) = law.whole_kernel()
        reference, gains = rng.uniform(-1.0, 1.0, (3, robot.nv)), np.ones((2, robot.nv))
        given = (*known, *start, reference, gains, terms)
        rows[law.name] = _row(kernel.python, given, (), kernel.options['fastmath'])
    return {'rows': rows, 'load_average': os.getloadavg()}


def _row(function, given, start, fastmath):
    """Return {variant: median time of a call [us]}; the last arguments begin at `start`."""
    ways = {
        way: Kernel(function, f'{function.__name__}, {way}', fastmath=fastmath, _nrt=counts)
        for way, counts in (('without', False), ('with', True))
    }
    times = {way: [] for way in ways}
    for _ in range(BLOCKS):
        for way, kernel in ways.items():
            for value, first in zip(given[len(given) - len(start) :], start):
                value[:] = first
            call = kernel.vectorcall
            elapsed = timeit.timeit(lambda call=call: call(*given), number=CALLS)
            times[way].append(1e6 * elapsed / CALLS)
    return {f'{way}_us': float(np.median(found[1:])) for way, found in times.items()}


def show(result):
    """Print the table."""
    table.show(
        'Kernels without counted references, and with them',
        ('kernel', 'without [us]', 'with [us]', 'ratio'),
        [
            (
                name,
                f'{row["without_us"]:.2f}',
                f'{row["with_us"]:.2f}',
                f'{row["with_us"] / row["without_us"]:.2f}',
            )
            for name, row in result['rows'].items()
        ],
    )
