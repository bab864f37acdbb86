# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Forward dynamics of more and more bodies with closed loops, by the kernels for any robot.

A four-bar with an arm of seven more joints on its coupler is ten bodies. Several of them stand on
each other, `in a row`, or `side by side`. `closed` is by aggregated bodies, `factored` by the
factors of the mass matrix. `closing` are positions, velocities and accelerations of all joints,
which both compute first. `open` are the same bodies without the closing pins, by articulated
bodies. Every call gets another of many states. Times are minima of interleaved rounds on one core,
in microseconds.
"""

import sys
from pathlib import Path

import numpy as np

from benchmark import table
from benchmark.dynamics.closed_chains import BANK, REACH, each, minima
from robodyn_ros.robot.robot import Robot

sys.path.append(str(Path(__file__).resolve().parents[2] / 'test'))  # has the mechanisms
from support.robots.closed_loops import GRAVITY, several_four_bars  # noqa: E402

LOOPS = (1, 2, 5, 10)
WAYS = {'in a row': True, 'side by side': False}
CALLS = ('closed', 'factored', 'closing', 'open')


def measure():
    """Return {'robots': {way: [{'bodies', 'loops', 'us': {call: time}}]}}."""
    return {
        'robots': {
            way: [_measured(several_four_bars(count, in_a_row=row)) for count in LOOPS]
            for way, row in WAYS.items()
        },
        'unit': 'us',
    }


def _measured(mechanism):
    robot, rng = mechanism.robot(), np.random.default_rng(0)
    tree = Robot.from_description(mechanism.description, gravity=GRAVITY)
    q = robot.model.closed_posture + rng.uniform(-REACH, REACH, (BANK, robot.nv))
    states = q, *rng.uniform(-1.0, 1.0, (2, BANK, robot.nv))
    calls = {
        'closed': each(robot.forward_dynamics, *states),
        'factored': each(robot.variants.forward_dynamics_factored, *states),
        'closing': each(robot.expand, *states),
        'open': each(tree.forward_dynamics, *rng.uniform(-1.0, 1.0, (3, BANK, tree.nv))),
    }
    return {'bodies': tree.nv, 'loops': len(mechanism.closures), 'us': minima(calls)}


def exponents(rows, what):
    """Return the exponents of the growth from each row to the next."""
    sizes, times = (
        np.log([row[key] if key == 'bodies' else row['us'][key] for row in rows])
        for key in ('bodies', what)
    )
    return np.diff(times) / np.diff(sizes)


def show(result):
    """Print times, their ratio, and the exponents of their growth from the row before."""
    for way, rows in result['robots'].items():
        grown = {what: [np.nan, *exponents(rows, what)] for what in CALLS}
        cells = [
            [
                row['bodies'],
                row['loops'],
                *(f'{row["us"][what]:.1f} ({grown[what][k]:.2f})' for what in CALLS),
                f'{row["us"]["closed"] / row["us"]["open"]:.1f}',
            ]
            for k, row in enumerate(rows)
        ]
        table.show(
            f'Forward dynamics with loops, {way} [us], in brackets the exponent of the growth',
            ['bodies', 'loops', *CALLS, 'closed / open'],
            cells,
        )
