# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Identify the dynamic parameters of a robot from a recorded motion.

    robodyn_ros identify excite arm.urdf            an exciting motion
    robodyn_ros identify fit arm.urdf motion.csv    or a rosbag2 of joint states
    robodyn_ros identify demo arm.urdf              all steps, on a simulated arm

A CSV has a header and a column time [s]. Each joint has <joint>.position [rad or m] and
<joint>.effort [N m or N]. Efforts are those of the motors at the joint, gravity included.

`fit` and `demo` write files of the identified robot for both nodes. They are a URDF, its rotors,
and parameters with their paths. From a recording that looks defective, such as with efforts of
reversed sign, they are written with --force only. With --verify, `fit` compiles the robot of these
files, and compares its torques with those of a second motion. `demo` always does.
"""

import argparse
import contextlib
import sys
from pathlib import Path

import numpy as np

from robodyn_ros.console.robot_arguments import (
    RobotParser,
    add_robot,
    model_of,
    refuse,
    source_of,
    within,
)
from robodyn_ros.demonstration import identification_report, identified_robot, identify_demo
from robodyn_ros.demonstration.result_files import ResultFolder, add_force
from robodyn_ros.errors import ModelError, ParameterError, RobodynError
from robodyn_ros.identification import (
    Parameters,
    base_parameters,
    excite,
    identify,
    read_csv,
    with_slow_passages,
    write_csv,
    write_table,
)
from robodyn_ros.identification.joint_state_bag import read_bag
from robodyn_ros.model.sources.description_source import MJCF
from robodyn_ros.nodes.start import require
from robodyn_ros.robot.robot import Robot
from robodyn_ros.ros.common.rosbag2_messages import messages_of_ros

OWN = Path('identification-demo')  # folder of the demonstration
FILES = (*identification_report.FILES, *identified_robot.FILES)
RATE = 100.0  # [Hz] of the motion written by `excite`


def main(args=None):
    """Run one of the commands.

    Returns the exit code: 1 if an argument is refused, else 0.
    """
    options = parser().parse_args(args)
    if options.run is not run_excite:
        require('matplotlib', 'scipy')
    try:
        source = source_of(options)
        if source.root.tag == MJCF and options.run is not run_excite:
            raise ModelError(
                'the identified robot is written as a URDF, and the robot is an MJCF; expected a '
                'URDF of it'
            )
        options.run(Robot(model_of(options, source)), options)
    except (RobodynError, OSError) as error:
        return refuse(error)
    return 0


def parser():
    """Return the parser of the command line."""
    result = RobotParser(
        prog='robodyn_ros identify',
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = result.add_subparsers(dest='command', required=True)
    for run in (run_excite, run_fit, run_demo):
        sentence = (run.__doc__ or '').partition('\n')[0]
        text = sentence[:1].lower() + sentence[1:].rstrip('.')
        command = commands.add_parser(run.__name__.removeprefix('run_'), help=text)
        command.set_defaults(run=run)
        add_force(command)
        add_robot(command)
        command.add_argument('--rotors', action='store_true', help='identify rotor inertias, too')
        command.add_argument('--no-friction', action='store_true', help='identify no friction')
        command.add_argument(
            '-o',
            '--output',
            type=Path,
            default=OWN if run is run_demo else Path('identification'),
            metavar='FOLDER',
            help='folder for the results (%(default)s)',
        )
        if run is not run_fit:
            command.add_argument(
                '--period', type=within(float, 0.1, 3600.0), default=10.0, help='[s] (%(default)s)'
            )
            command.add_argument(
                '--trials',
                type=within(int, 1, 1e6),
                default=400,
                help='random motions (%(default)s)',
            )
            command.add_argument(
                '--seed',
                type=within(int, 0),
                default=0,
                help='seed of the random motions (%(default)s)',
            )
        if run is not run_excite:
            command.add_argument(
                '--cutoff',
                type=float,
                default=5.0,
                help='cut-off frequency of the filter [Hz] (%(default)s)',
            )
            command.add_argument(
                '--ordinary',
                action='store_true',
                help='assume the same noise in all joints, instead of one for each',
            )
            command.add_argument(
                '--trust',
                type=float,
                default=1.0,
                help='weight of the description in the search for possible bodies (%(default)s)',
            )
        if run is run_fit:
            command.add_argument('recording', help='CSV file, or rosbag2 folder or file')
            command.add_argument(
                '--topic', default='/joint_states', help='topic of a bag (%(default)s)'
            )
            command.add_argument(
                '--verify',
                metavar='RECORDING',
                help='recording of a second motion, to compare with',
            )
    return result


def run_excite(robot, options):
    """Find a motion within the limits, and write it to excitation.csv."""
    results = ResultFolder(options, ('excitation.csv',))
    found = _excited(robot, options)
    motion = with_slow_passages(robot, found.motion)
    t = np.arange(0.0, motion.period, 1.0 / RATE)
    states = [np.vstack((each, each[:1])) for each in motion.at(t)]  # it ends where it begins
    t = np.append(t, motion.period)
    header = [
        'time',
        *(
            f'{joint}.{what}'
            for what in ('position', 'velocity', 'acceleration')
            for joint in robot.joint_names
        ),
    ]
    with results.whole('excitation.csv') as part:
        write_table(part, header, np.column_stack((t, *states)))
    print(
        f'Condition number {found.condition:.3g} after {found.tried} motions; from rest to rest '
        f'in {motion.period:g} s: {results.path / "excitation.csv"}'
    )


def run_fit(robot, options):
    """Identify from a recording; write identification.json and .png, and the robot."""
    results = ResultFolder(options, FILES)
    recording = _recording(robot, options.recording, options)
    second = _recording(robot, options.verify, options) if options.verify else None
    _identified(robot, recording, options, results, second)


def run_demo(robot, options):
    """Excite, record and identify a simulated arm that differs from its description."""
    results = ResultFolder(options, ('motion.csv', *FILES), own=OWN)
    true = identify_demo.true_robot(robot)
    motion = with_slow_passages(robot, _excited(robot, options).motion)
    options.seed, options.trials = options.seed + 1, max(1, options.trials // 10)
    second = identify_demo.record(true, robot, _excited(robot, options).motion, periods=1)
    recording = identify_demo.record(true, robot, motion)
    with results.whole('motion.csv') as part:
        write_csv(part, robot.joint_names, recording.time, recording.q, recording.tau)
    found = _identified(robot, recording, options, results, second)
    print()
    for sentence in identify_demo.verdict(true, found, options.period):
        print(sentence)


def _excited(robot, options):
    """Return an exciting motion."""
    parameters = _parameters(robot, options)
    with _bar('searching a motion') as progress:
        return excite(
            robot,
            base_parameters(parameters),
            parameters,
            period=options.period,
            trials=options.trials,
            seed=options.seed,
            progress=progress,
        )


def _recording(robot, path, options):
    """Return the recording of a file."""
    if path.endswith('.csv'):
        return read_csv(path, robot.joint_names)
    return read_bag(path, robot.joint_names, options.topic, messages_of_ros())


def _identified(robot, recording, options, results, second):
    """Identify a robot, print the table, and write all files."""
    found = identify(
        robot,
        recording,
        cutoff=options.cutoff,
        rotors=options.rotors,
        friction=not options.no_friction,
        weighted=not options.ordinary,
        trust=options.trust,
    )
    print(identification_report.table(found))
    for path in identification_report.write(found, results):
        print(path)
    if found.defects and not options.force:
        kinds = '; '.join(f'{each.kind} of {", ".join(each.joints)}' for each in found.defects)
        raise ParameterError(
            f'the recording has defects ({kinds}), so {identified_robot.URDF} was not written; '
            'expected a recording without them'
            + (', or --force to write it all the same' if found.consistent else '')
        )
    for path in identified_robot.write(found, source_of(options).text, results):
        print(path)
    if second:
        print()
        for sentence in identified_robot.verification(found, results.path, second, options.cutoff):
            print(sentence)
    return found


def _parameters(robot, options):
    """Return the parameters to identify."""
    return Parameters(robot, options.rotors, not options.no_friction)


@contextlib.contextmanager
def _bar(title):
    """Yield a function (done, all, condition number) that shows a bar; None without rich."""
    try:
        from rich.progress import Progress
    except ImportError:
        yield None
        return
    with Progress(transient=True) as progress:
        task = progress.add_task(title)
        yield lambda done, count, condition: progress.update(
            task, completed=done, total=count, description=f'{title}: condition {condition:.3g}'
        )


if __name__ == '__main__':
    sys.exit(main())
