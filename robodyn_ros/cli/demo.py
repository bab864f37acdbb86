# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The demonstration: a simulated arm tracks a motion under three laws, and is then pushed.

    make demo        or, in a sourced workspace,   ros2 run robodyn_ros demo

Simulated hardware and controller are two processes that communicate over DDS. The laws are
compared in lock step on simulated time, so the comparison does not depend on the machine. Ten
seconds in real time at 1 kHz then test the machine. The result is a table, report.json and
tracking.png in the folder demo/, and tracking.mcap for Foxglove, PlotJuggler and RViz.
"""

import argparse
import contextlib
import itertools
import json
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from robodyn_ros import RobodynError, Robot
from robodyn_ros.cli import view
from robodyn_ros.cli.warmup import progress_display
from robodyn_ros.compile import cache, reproducible, warm_up
from robodyn_ros.control.laws.law_registry import law_class
from robodyn_ros.demonstration import tracking_report
from robodyn_ros.demonstration.disturbance import ReferenceLost
from robodyn_ros.demonstration.motion import mid_range, swaying_motion
from robodyn_ros.demonstration.result_files import ResultFolder, add_force
from robodyn_ros.demonstration.tracking_plot import draw
from robodyn_ros.model.sources.examples import package_file
from robodyn_ros.nodes.start import require
from robodyn_ros.robot import child_process
from robodyn_ros.robot.background_compiler import forward_progress
from robodyn_ros.simulation.contact import plant_kernels
from robodyn_ros.simulation.plant_settings import PlantSettings
from robodyn_ros.testing.domain import private_domain

GAINS = {'p': 100.0, 'd': 20.0}  # [1/s^2, 1/s] each joint critically damped at 10 rad/s
DURATION = 12.0  # [s] of each tracking run
PUSH_DURATION = 8.0  # [s] of the run with pushes
PUSH_PERIOD = 1.2  # [s] of one push and its counter-push
PUSH_FORCE = 4.0  # [N]
REAL_TIME = 10.0  # [s] on the wall clock
MODES = ('pd', 'pd_gravity', 'computed_torque')
TITLES = {
    'pd': 'PD alone',
    'pd_gravity': 'PD + gravity compensation',
    'computed_torque': 'computed torque',
    'gravity_compensation': 'gravity compensation',
    'real_time': 'real time, 1 kHz',
}
RESULTS = 'report.json', 'tracking.png', 'tracking.mcap'
URDF = Path('config/urdf/franka_like.urdf')
SHOWN, NOT_SHOWN, NOT_JUDGED = 0, 1, 3  # exit codes
EXIT_CODES = f"""exit codes:
  {SHOWN}  computed torque is better by the required ratio
  {NOT_SHOWN}  it is not, or an error occurred
  {NOT_JUDGED}  with --real-time: this machine was too busy for a verdict"""


def gains(robot, law):
    """Return the gain parameters of a law, with the same nominal stiffness for all laws.

    Computed torque multiplies gains by the mass matrix. The gains of the other laws are multiplied
    by its diagonal at mid-range.

    `law`: name of the law.
    """
    scale = np.ones(robot.nv)
    if law != 'computed_torque':
        scale = np.diag(robot.mass_matrix(mid_range(robot.limits)))
    return {  # rounded, so that they are equal on every processor
        f'gains.{joint}.{kind}': float(f'{GAINS[kind] * factor:.6g}')
        for joint, factor in zip(robot.joint_names, scale)
        for kind in GAINS
    }


def parameters(robot, law, start):
    """Return the parameters of controller and simulator for a run that begins at a posture.

    In real time other load may pause a process for longer than a robot would tolerate. So the
    state timeout is the longest that the controller accepts.

    `law`: name of the law.
    `start` (nq,): the posture [rad or m].
    Returns `controller, simulator` (dict): {parameter: value} of each node.
    """
    controller = {
        'law': law,
        'robot_compensates_gravity': 'no',
        'state_timeout': 0.2,
        'state_publish_rate': 200.0,
        'max_start_error': 1.0,  # PD alone sags before the motion begins
        'following_action': 'warn',  # its errors are what is shown
        **(gains(robot, law) if law != 'gravity_compensation' else {}),
    }
    simulator = {
        'initial_position': start.tolist(),
        'joint_states_topic': '/joint_states',
        'external_wrench_timeout': 0.1,
    }
    return controller, simulator


def force(t):
    """Return the force on the flange: a push and its counter-push every two seconds.

    `t`: time [s].
    """
    number, within = divmod(t, 2.0)
    size = PUSH_FORCE * math.sin(2.0 * math.pi * within / PUSH_PERIOD)
    size = round(size, 9) if within < PUSH_PERIOD else 0.0
    return np.array((0.0, size, 0.0) if number % 2 == 0 else (size, 0.0, 0.0))


def run_laws(experiment, urdf, robot, duration, progress):
    """Run every law once.

    `experiment` (type): class of the experiment, in lock step or in real time.
    `urdf` (path): the description.
    `duration`: length of a tracking run [s].
    `progress` (callable): called with (mode, state in a word, share done).
    Returns `records` (dict): {mode: Record} of the tracking runs.
    Returns `push` (Record): the run of the pushed arm.
    """
    motion, records = swaying_motion(robot.limits, duration), {}
    for mode in (*MODES, 'gravity_compensation'):
        with experiment(
            urdf,
            *parameters(robot, mode, motion.centre),
            lambda word, share: progress(mode, word, share),
        ) as running:
            records[mode] = (
                running.track(motion, robot.joint_names)
                if mode in MODES
                else running.push('flange', force, PUSH_DURATION)
            )
        progress(mode, 'done', 1.0)
    return records, records.pop('gravity_compensation')


def in_real_time(experiment, urdf, robot, progress):
    """Run computed torque for ten seconds of wall time.

    `experiment` (type): class of the experiment in real time.
    `urdf` (path): the description.
    `progress` (callable): called with (mode, state in a word, share done).
    Returns the run, or why there is none.
    """
    motion = swaying_motion(robot.limits, REAL_TIME)
    controller, simulator = parameters(robot, 'computed_torque', motion.centre)
    generic = {'specialise': False}  # these kernels are compiled by `make setup`
    try:
        with experiment(
            urdf,
            {**controller, **generic},
            {**simulator, **generic},
            lambda word, share: progress('real_time', word, share),
        ) as running:
            record = running.track(motion, robot.joint_names)
    except RobodynError as error:  # the machine may be too slow; this is no failure of the laws
        record = str(error).splitlines()[0]
    progress('real_time', 'done', 1.0)
    return record


@contextlib.contextmanager
def shown_progress():
    """Show the progress of the demonstration.

    Yields call it with (mode, state in a word, share done).
    """
    try:
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
    except ImportError:
        printed = set()

        def report(mode, word, share):
            if (mode, word) not in printed:
                printed.add((mode, word))
                print(f'{TITLES[mode]}: {word}', flush=True)

        yield report
        return
    columns = (
        TextColumn('{task.description:<28}'),
        BarColumn(),
        TextColumn('{task.fields[word]:<9}'),
        TimeElapsedColumn(),
    )
    with Progress(*columns) as bars:
        tasks = {}

        def show(mode, word, share):
            if mode not in tasks:
                tasks[mode] = bars.add_task(TITLES[mode], total=1.0, word=word)
            bars.update(tasks[mode], completed=share, word=word)

        yield show


def main(args=None):
    """Run the demonstration.

    Returns the exit code, see EXIT_CODES.
    """
    parser = argparse.ArgumentParser(
        prog='robodyn_ros demo',
        description=__doc__,
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument('--output', type=Path, default=Path('demo'), help='folder for the results')
    add_force(parser)
    parser.add_argument(
        '--duration', type=float, default=DURATION, help='seconds of each tracking run, at least 5'
    )
    parser.add_argument(
        '--real-time', action='store_true', help='compare on the wall clock, as on a robot'
    )
    parser.add_argument(
        '--view', action='store_true', help='then play the motions in the browser, until Ctrl-C'
    )
    parser.add_argument(
        '--prepare', action='store_true', help='only compile what the comparison needs'
    )
    options = parser.parse_args(args)
    if options.prepare:
        return prepare_kernels()
    if not 5.0 <= options.duration <= 600.0:
        parser.error(f'--duration {options.duration}: expected 5 to 600 seconds')
    require('rclpy', 'robodyn_msgs', 'matplotlib')
    require(*(['rosbags', 'viser', 'trimesh'] if options.view else []))
    print('Comparing three control laws on a simulated arm.', flush=True)
    lock = private_domain()
    try:
        from robodyn_ros.demonstration.experiment import Experiment  # needs ROS
        from robodyn_ros.demonstration.lock_step_experiment import LockStepExperiment

        kind = Experiment if options.real_time else LockStepExperiment
        urdf = package_file(URDF)
        robot = Robot.from_urdf(urdf)
        results = ResultFolder(options, RESULTS, own=Path('demo'))
        with shown_progress() as progress:
            records, push = run_laws(kind, urdf, robot, options.duration, progress)
            live = None if options.real_time else in_real_time(Experiment, urdf, robot, progress)
        result = tracking_report.report(robot, records, push, live, urdf)
        results.write('report.json', json.dumps(result, indent=2) + '\n')
        tracking_report.show(result)
        _picture(records, push, live, robot, result, results)
        recording = _recording(urdf, records, results)
        if options.view and recording:
            view.main([str(urdf), '--play', str(recording)])
    except RobodynError as error:
        print(f'The demonstration stopped: {error}', file=sys.stderr)
        return NOT_JUDGED if isinstance(error, ReferenceLost) else NOT_SHOWN
    finally:
        if lock:
            lock.close()
    return {True: SHOWN, False: NOT_SHOWN, None: NOT_JUDGED}[
        result['computed_torque_against_pd']['reached']
    ]


def prepare_kernels():
    """Compile the kernels of the comparison; a child process compiles reproducible ones.

    Returns the exit code.
    """
    if reproducible.WANTED:
        with progress_display() as progress:
            warm_up(compared_kernels(), progress)
        return SHOWN
    environment = {**os.environ, 'ROBODYN_REPRODUCIBLE': '1'}
    child = child_process.start(
        'robodyn_ros', 'demo', '--prepare', env=environment, stdout=subprocess.PIPE
    )
    with cache.building(), progress_display() as progress, child.stdout as lines:
        warm_up(compared_kernels(), lambda name, done, total: progress(name, done, 2 * total))
        forward_progress(lines, lambda name, done, total: progress(name, total + done, 2 * total))
    return child.wait()


def compared_kernels():
    """Return every kernel of the two nodes with the compared laws."""
    from robodyn_ros.ros.common.session_kernels import controller_kernels  # needs ROS

    laws = [law_class(mode) for mode in (*MODES, 'gravity_compensation')]
    needed = plant_kernels.kernels_of(PlantSettings().method), *map(controller_kernels, laws)
    return list(dict.fromkeys(itertools.chain.from_iterable(needed)))


def _picture(records, push, live, robot, result, results):
    """Draw tracking.png."""
    path, verdict = results.path / 'tracking.png', tracking_report.verdict(result)
    with results.whole(path.name) as part:
        draw(records, push, live, robot.joint_names, result['clock'], verdict, part)
    print(f'The numbers are in {path.parent / "report.json"}, the picture in {path}.')


def _recording(urdf, records, results):
    """Write the MCAP file; return its path, or None without the packages that it needs."""
    path = results.path / 'tracking.mcap'
    try:
        from robodyn_ros.demonstration.bag_writer import write_mcap

        with results.whole(path.name) as part:
            write_mcap(part, urdf.read_text(), records)
    except ImportError as error:
        print(f'No recording: {error}. Install rosbags for {path}.')
        return None
    print(f'The motions are in {path}; config/ has layouts for Foxglove and PlotJuggler.')
    return path


if __name__ == '__main__':
    sys.exit(main())
