# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Time that each shortcut saves: with it and without it, alternating in one run.

Three belong to the controller and are measured in its tick over DDS. Its loop bypasses rclpy, its
executor sleeps, and it wakes ahead of its cycles. Two belong to a robot's methods. They are C
functions, beside methods in Python. And they return arrays again that nobody holds any more,
beside new ones.
"""

import functools
import os
import timeit
from types import MethodType
from unittest.mock import patch

import numpy as np

from benchmark import chains, table
from benchmark.nodes.loop import PRIORITY, _pair
from robodyn_ros import Robot
from robodyn_ros.cli.demo import URDF
from robodyn_ros.codegen.derivative_registry import DERIVATIVES
from robodyn_ros.codegen.registry import RECIPES
from robodyn_ros.compile.vectorcall.method import machine_method
from robodyn_ros.demonstration.experiment import Experiment
from robodyn_ros.demonstration.motion import swaying_motion
from robodyn_ros.model.sources.examples import package_file
from robodyn_ros.robot import dispatch, specialised_robot
from robodyn_ros.testing.domain import private_domain

ROUNDS, SECONDS, RATE = 5, 5.0, 1000.0  # of each kind of controller, in turn
CONTROLLER = 'robodyn_ros.nodes.controller'
#: Modules and parameters of the controllers: the node itself, and without one shortcut each.
WAYS = {
    'as it is': (CONTROLLER, {}),
    'by rclpy alone': ('benchmark.nodes.controller_by_rclpy', {}),
    'executor at 100 Hz': ('benchmark.nodes.controller_polling', {}),
    'wake_ahead 0': (CONTROLLER, {'wake_ahead': 0.0}),
}
JOINTS = (7, 30)
METHODS = (
    'inverse_dynamics',
    'forward_dynamics',
    'mass_matrix',
    'coriolis_matrix',
    'inverse_dynamics_derivatives',
    'forward_dynamics_derivatives',
)
BLOCKS, CALLS = 40, 500  # of each variant in turn
NEW_ARRAYS = functools.partial(machine_method, keeps=0)  # keeps no result to be used again


def measure():
    """Return the figures of all shortcuts."""
    return {'loop': _loop(), 'methods': _methods(), 'load_average': os.getloadavg()}


def _loop():
    """Return {variant: [{FIGURE: number} of each round]}."""
    lock, urdf = private_domain(), package_file(URDF)
    robot = Robot.from_urdf(urdf)
    motion = swaying_motion(robot.limits, SECONDS)
    rounds = {way: [] for way in WAYS}
    for _ in range(ROUNDS):
        for way, (module, told) in WAYS.items():
            told = {'realtime.priority': PRIORITY, **told}
            controller, simulator = _pair(robot, RATE, SECONDS, told)
            modules = {'controller': module, 'simulator': 'robodyn_ros.nodes.simulator'}
            with Experiment(urdf, controller, simulator, modules=modules) as experiment:
                experiment.settle()
                record = experiment.track(motion, robot.joint_names)
            rounds[way].append(
                {
                    'tick_p50_us': record.status.tick_p50,
                    'tick_p99_us': record.status.tick_p99,
                    'wake_p50_us': record.status.wake_p50,
                    'wake_p99_us': record.status.wake_p99,
                    'success_rate': record.cycles / (record.cycles + record.missed),
                }
            )
    if lock:
        lock.close()
    return rounds


def _methods():
    """Return [{joints, code, method, with_us, new_us, without_us}], medians over blocks."""
    rows = []
    for joints in JOINTS:
        robot, special = _robots(joints)
        with (
            patch.object(dispatch, 'machine_method', NEW_ARRAYS),
            patch.object(specialised_robot, 'machine_method', NEW_ARRAYS),
        ):
            renewing = _robots(joints)
        for code, one, other in zip(('any robot', 'one robot'), (robot, special), renewing):
            for name in METHODS:
                ways = {'with': _method(one, name), 'new': _method(other, name)}
                if one is robot:
                    owner, title = dispatch.place_of(robot, name)
                    ways['without'] = MethodType(getattr(type(owner), title), owner)
                times = _alternating(ways, joints, name)
                rows.append({'joints': joints, 'code': code, 'method': name, **times})
    return rows


def _robots(joints):
    """Return a robot with the code of any robot, and one with its own."""
    robot = Robot.from_urdf(chains.read(joints))
    return robot, robot.specialised()


def _method(robot, name):
    """Return the method of a robot or of its view."""
    owner, title = dispatch.place_of(robot, name)
    return getattr(owner, title)


def _alternating(ways, joints, name):
    """Return {way_us: median time of a call}, by blocks in turn."""
    rng = np.random.default_rng(joints)
    given = [rng.uniform(-1.0, 1.0, joints) for _ in (RECIPES | DERIVATIVES)[name].inputs]
    for method in ways.values():
        method(*given)  # compiles, and fills the case of the C function
    times = {way: [] for way in ways}
    for _ in range(BLOCKS):
        for way, method in ways.items():
            elapsed = timeit.timeit(lambda call=method: call(*given), number=CALLS)
            times[way].append(1e6 * elapsed / CALLS)
    return {f'{way}_us': float(np.median(found)) for way, found in times.items()}


def show(result):
    """Print both tables."""
    figures = ('tick_p50_us', 'tick_p99_us', 'wake_p50_us', 'wake_p99_us', 'success_rate')
    table.show(
        f'The loop, {ROUNDS} rounds of {SECONDS:g} s each way in turn: '
        'median (smallest to largest)',
        ('', *WAYS),
        [
            (
                figure,
                *(
                    f'{np.median(found):.4g} ({min(found):.4g} to {max(found):.4g})'
                    for found in ([each[figure] for each in result['loop'][way]] for way in WAYS)
                ),
            )
            for figure in figures
        ],
    )
    table.show(
        'A call from Python: as it is, with new arrays for all results, and as method in Python',
        (
            'joints',
            'code for',
            'method',
            'as it is [us]',
            'new [us]',
            'Python [us]',
            'new / as it is',
        ),
        [
            (
                row['joints'],
                row['code'],
                row['method'],
                f'{row["with_us"]:.3f}',
                f'{row["new_us"]:.3f}',
                f'{row["without_us"]:.3f}' if 'without_us' in row else '-',
                f'{row["new_us"] / row["with_us"]:.2f}',
            )
            for row in result['methods']
        ],
    )
