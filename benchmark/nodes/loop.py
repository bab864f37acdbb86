# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Measure simulator and controller over DDS.

They run for a minute at 1 kHz, without priority, without waking ahead of the cycles, and at 2 kHz.
Before each run, a minimal program does the same alone.
"""

import contextlib
import os

from benchmark import table
from benchmark.nodes import machine
from benchmark.nodes.idle_prevention import Awake
from robodyn_ros import Robot
from robodyn_ros.cli.demo import URDF, parameters
from robodyn_ros.demonstration.experiment import Experiment
from robodyn_ros.demonstration.motion import swaying_motion
from robodyn_ros.model.sources.examples import package_file
from robodyn_ros.realtime.os_requests import RealTime
from robodyn_ros.ros.controller.controller_parameters import CONTROLLER_PARAMETERS
from robodyn_ros.testing.domain import private_domain

#: Rate [Hz], duration [s], and further parameters of the controller.
RUNS = (
    (1000.0, 60.0, {}),
    (1000.0, 20.0, {'realtime.priority': 0}),
    (1000.0, 20.0, {'wake_ahead': 0.0}),
    (2000.0, 20.0, {}),
)
PRIORITY = 50  # of the controller; the simulator has ten less, as a driver would
ALONE = 10.0  # [s] of the minimal program
AHEAD = next(one.default for one in CONTROLLER_PARAMETERS if one.name == 'wake_ahead')
SLACK = 0.01  # [s] largest time between the stamp of a report and its counters
GOALS = {
    'success_rate': '>= 0.995',
    'cpu_share': '<= 0.15',
    'tick_p50_us': '<= 40',
    'tick_p99_us': '<= 120',
}


def measure():
    """Track a motion at each rate, and return the reports."""
    lock = private_domain()
    urdf = package_file(URDF)
    robot = Robot.from_urdf(urdf)
    begun = os.getloadavg()
    with contextlib.closing(Awake()):
        runs = [_track(urdf, robot, *run) for run in RUNS]
    if lock:
        lock.close()
    return {
        'robot': robot.name,
        'runs': runs,
        'refused': machine.refusals(RealTime(PRIORITY)),
        'load_average': (begun, os.getloadavg()),
        'wrong_counts': [run['wrong_count'] for run in runs if run['wrong_count']],
    }


def _pair(robot, rate, duration, told):
    """Return the parameters of controller and simulator at a rate [Hz]."""
    centre = swaying_motion(robot.limits, duration).centre
    controller, simulator = parameters(robot, 'computed_torque', centre)
    # recording two hundred states per second needs a third process on two cores
    first = told.get('realtime.priority', PRIORITY)
    return (
        {
            **controller,
            'update_rate': int(rate),
            'state_publish_rate': 20.0,
            'realtime.priority': first,
            **told,
        },
        {**simulator, 'update_rate': int(rate), 'realtime.priority': max(0, first - 10)},
    )


def _track(urdf, robot, rate, duration, told):
    """Return the report of the controller on a motion at a rate [Hz] for some time [s]."""
    motion = swaying_motion(robot.limits, duration)
    alone = machine.measure(
        rate,
        ALONE,
        told.get('wake_ahead', AHEAD),
        RealTime(told.get('realtime.priority', PRIORITY)),
    )
    with Experiment(urdf, *_pair(robot, rate, duration, told)) as experiment:
        kernels = experiment.settle()
        use = machine.Use()
        record = experiment.track(motion, robot.joint_names)
        shares = use.shares()
    due, status = record.cycles + record.missed, record.status
    elapsed = record.seconds * rate
    wrong = (
        ''
        if abs(due - elapsed) <= SLACK * rate
        else (
            f'{record.cycles} cycles run and {record.missed} missed make {due}; expected '
            f'{elapsed:.1f}, the time between the two reports over the period, within '
            f'{SLACK * rate:g}'
        )
    )
    return {
        'rate_hz': rate,
        'told': told,
        'kernels': kernels,
        'seconds': record.seconds,
        'cycles': record.cycles,
        'missed': record.missed,
        'success_rate': record.cycles / due,
        'cpu_share': record.cpu_share,
        'tick_p50_us': status.tick_p50,
        'tick_p99_us': status.tick_p99,
        'compute_p50_us': status.compute_p50,
        'compute_p99_us': status.compute_p99,
        'wake_p50_us': status.wake_p50,
        'wake_p99_us': status.wake_p99,
        'state_age_p99_ms': status.state_age_p99,
        **shares,
        'alone': alone,
        'wrong_count': wrong,
    }


def show(result):
    """Print the tables."""
    for sentence in result['refused']:
        print(sentence)
    runs = (
        (
            run,
            ', '.join(
                [
                    f'{run["rate_hz"]:g} Hz',
                    *sorted({*run['kernels'].values()}),
                    *(f'{key} {value:g}' for key, value in run['told'].items()),
                ]
            ),
        )
        for run in result['runs']
    )
    for numbers, title in runs:
        alone = numbers.get('alone', {})
        rows = [
            (
                name,
                f'{value:.4g}',
                f'{alone[name]:.4g}' if name in alone else '',
                GOALS.get(name, ''),
            )
            for name, value in numbers.items()
            if isinstance(value, (int, float))
        ]
        table.show(
            f'{result["robot"]} over DDS: {title}',
            ('', 'measured', 'minimal program', 'goal'),
            rows,
        )
