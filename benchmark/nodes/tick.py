# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Time the control cycle without the middleware.

It times the kernel of computed torque, and the supervisor's tick. Then it times a whole cycle,
from the bytes of a joint state to those of an effort.
"""

import os
import time
from array import array

import numpy as np
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState

from benchmark import table
from robodyn_ros import Robot
from robodyn_ros.cli.demo import GAINS, URDF
from robodyn_ros.control.laws.computed_torque import ComputedTorque
from robodyn_ros.control.laws.law import TERMS
from robodyn_ros.control.laws.specialised_law import specialised_kernels
from robodyn_ros.control.supervisor.control_settings import Settings
from robodyn_ros.control.supervisor.supervisor import Supervisor
from robodyn_ros.model.sources.examples import package_file
from robodyn_ros.ros.common.joint_messages import EffortArray, JointStateReader

CYCLES, ROUNDS = 4_000, 5  # of each kind of kernels, in turn
KERNEL_GOAL, TICK_GOAL = 30.0, 40.0  # [us] p99 of the kernel, p50 of the whole tick


def _times(call):
    """Return the times of call(k), one at a time as in a loop [us]."""
    times = np.empty(CYCLES)
    for k in range(CYCLES):
        begin = time.perf_counter_ns()
        call(k)
        times[k] = time.perf_counter_ns() - begin
    return 1e-3 * times


def _percentiles(times):
    """Return p50, p99 and the largest time of all rounds."""
    found = np.percentile(np.concatenate(times), (50, 99, 100))
    return dict(zip(('p50', 'p99', 'max'), map(float, found)))


def measure():
    """Return the times of a cycle at varied states, by generic kernels and this robot's."""
    robot = Robot.from_urdf(package_file(URDF))
    kinds = {'generic': {}, 'specialised': specialised_kernels(robot.model, ComputedTorque)}
    rounds = {kind: [] for kind in kinds}
    for _ in range(ROUNDS):
        for kind, replacements in kinds.items():
            rounds[kind].append(_measure(robot, replacements))
    return {
        'robot': robot.name,
        'goals_us': {'kernel_p99': KERNEL_GOAL, 'tick_p50': TICK_GOAL},
        'kinds': {
            kind: {key: _percentiles([each[key] for each in found]) for key in found[0]}
            for kind, found in rounds.items()
        },
        'load_average': os.getloadavg(),
    }


def _measure(robot, replacements):
    n, rng = robot.nv, np.random.default_rng(0)
    law = ComputedTorque(robot)
    middle = 0.5 * (robot.limits.lower + robot.limits.upper)
    states = np.clip(
        middle + 0.2 * rng.normal(size=(CYCLES, n)),
        robot.limits.lower + 0.05,
        robot.limits.upper - 0.05,
    )
    rates = 0.1 * rng.normal(size=(CYCLES, n))
    reference, terms = rng.normal(size=(3, n)), np.zeros((6, n))
    gains = np.array([[GAINS['p']] * n, [GAINS['d']] * n])
    law.replace_kernels(replacements)
    kernel = _times(lambda k: law.torques(states[k], rates[k], reference, gains, terms))
    supervisor = Supervisor(
        robot,
        law,
        Settings(
            period=1e-3,
            gains=gains,
            enabled=[True] * len(TERMS),
            effort_limits=robot.limits.effort,
            effort_rate=np.full(n, 1000.0),
            velocity_limits=robot.limits.velocity,
            lower=robot.limits.lower,
            upper=robot.limits.upper,
            robot_compensates_gravity=False,
        ),
    )
    supervisor.replace_kernels(replacements)
    supervisor.measure(middle, np.zeros(n), 0.0)
    supervisor.tick(0.0)
    refusal = supervisor.activate(0.0)
    if refusal:
        raise RuntimeError(refusal)

    def cycle(k):
        now = 1e-3 * (k + 1)
        supervisor.measure(middle, rates[k], now)
        supervisor.tick(now)

    names = robot.joint_names
    reader, writer = JointStateReader(names), EffortArray(names)
    messages = [
        np.frombuffer(
            serialize_message(
                JointState(name=list(names), position=array('d', middle), velocity=array('d', row))
            ),
            np.uint8,
        )
        for row in rates
    ]
    result = {'kernel_us': kernel, 'cycle_us': _times(cycle)}

    def bytes_to_bytes(k):
        now = 1e-3 * (CYCLES + k + 1)
        reader.decode(messages[k])
        supervisor.accept_state(reader.state, now)
        supervisor.tick(now)
        writer.fill(supervisor.command, time.time_ns)

    return result | {'bytes_us': _times(bytes_to_bytes)}


def show(result):
    """Print the table."""
    table.show(
        f'Control cycle of {result["robot"]}, {ROUNDS * CYCLES} cycles, from Python [us]',
        ('', 'p50', 'p99', 'max'),
        [
            (f'{name}, {kind}', *(f'{value:.1f}' for value in row[key].values()))
            for name, key in (
                ('kernel (goal: p99 <= 30)', 'kernel_us'),
                ('measure and tick', 'cycle_us'),
                ('bytes to bytes (goal: p50 <= 40)', 'bytes_us'),
            )
            for kind, row in result['kinds'].items()
        ],
    )
