# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The figures of the demonstration that no clock and no processor may change, bit by bit.

    python -m support.demonstration_figures FOLDER/report.json > test/cli/demonstration.json

writes those of `demo --duration 5` anew, for a change that is meant.
"""

import json
import sys
from pathlib import Path

import numpy as np

from robodyn_ros import Robot
from robodyn_ros.cli.demo import MODES, URDF, parameters
from robodyn_ros.control.laws.law_registry import law_class
from robodyn_ros.control.reference.trajectory import Trajectory
from robodyn_ros.control.supervisor.supervisor import Supervisor
from robodyn_ros.demonstration.motion import swaying_motion
from robodyn_ros.demonstration.tracking_report import root_mean_square
from robodyn_ros.model.sources.examples import package_file
from robodyn_ros.ros.controller.controller_parameters import (
    CONTROLLER_PARAMETERS,
    control_settings,
)
from robodyn_ros.ros.controller.law_parameters import gain_parameters
from robodyn_ros.ros.simulator import simulated_plant
from robodyn_ros.ros.simulator.simulator_parameters import SIMULATOR_PARAMETERS
from robodyn_ros.simulation.lock_step import LockStep
from robodyn_ros.simulation.runner import Runner

PAGE = Path(__file__).resolve().parents[1] / 'cli' / 'demonstration.json'
DURATION = 5.0  # [s] of each tracking run, the shortest that the command takes
RATE = 1000  # steps per second
EVERY, FIRST = 5, 1  # steps between records, and that of the first
KNOT, DIGITS = 0.1, 9  # [s] between points of the trajectory, and digits of those
#: Entries of a report that are of clocks and machines.
OF_CLOCKS = {'loop', 'real_time', 'machine'}


def figures(report):
    """Return a report without clocks, its numbers as text with every bit."""
    if isinstance(report, dict):
        return {name: figures(each) for name, each in report.items() if name not in OF_CLOCKS}
    if isinstance(report, list):
        return [figures(each) for each in report]
    return report.hex() if isinstance(report, float) else report


def by_direct_calls():
    """Return {mode: figures of the tracking run}: supervisor and plant in turn, without ROS."""
    robot = Robot.from_urdf(package_file(URDF))
    return {mode: figures(_tracked(robot, mode)) for mode in MODES}


def _tracked(robot, mode):
    motion = swaying_motion(robot.limits, DURATION)
    law, (given, simulated) = law_class(mode)(robot), parameters(robot, mode, motion.centre)
    specs = (*CONTROLLER_PARAMETERS, *gain_parameters(robot.joint_names, type(law)))
    settings = control_settings(_defaults(specs) | given, robot, law)
    supervisor, errors = Supervisor(robot, law, settings), []
    run, sensor = _simulation(robot, _defaults(SIMULATOR_PARAMETERS) | simulated)
    run.goal, none = round(DURATION * RATE), np.full(robot.nv, np.nan)
    number = np.arange(1, round(DURATION / KNOT) + 1)
    whole, rest = np.divmod(number * round(KNOT * 1e9), 10**9)
    while True:
        now = 1e-9 * run.time
        supervisor.accept_state(np.array((sensor.position, sensor.velocity)), now)
        supervisor.tick(now)
        if run.step % EVERY == FIRST:
            errors.append(supervisor.reference[0] - supervisor.q)
        run.answer('a', 1, run.step, supervisor.command.copy() if supervisor.publishing else none)
        if run.step == 0:
            assert supervisor.activate(now) == ''
            points = (np.round(x, DIGITS) for x in motion.at(KNOT * number))
            assert supervisor.follow(Trajectory(whole + 1e-9 * rest, *points), now) == ''
        if not run.advance():
            break
    error = np.array(errors)
    return {
        'rms_error_rad': dict(zip(robot.joint_names, map(root_mean_square, error.T))),
        'max_error_rad': dict(zip(robot.joint_names, np.abs(error).max(axis=0).tolist())),
        'rms_error_all_rad': root_mean_square(error),
        'samples': len(error),
    }


def _simulation(robot, values):
    simulated = simulated_plant.simulated_robot(values, robot)
    sensor = simulated_plant.make_sensor(values, simulated)
    runner = Runner(simulated_plant.make_plant(values, simulated), sensor, RATE)
    return LockStep(runner, RATE, ('a',), 1), sensor


def _defaults(specs):
    return {spec.name: spec.convert(spec.default) for spec in specs}


def main():
    """Print the figures of a report."""
    report = json.loads(Path(sys.argv[1]).read_text())
    sys.stdout.write(json.dumps(figures(report), indent=1) + '\n')


if __name__ == '__main__':
    main()
