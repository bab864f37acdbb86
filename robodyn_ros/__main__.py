# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""One command for people: `robodyn_ros <what> ...`, or `python -m robodyn_ros <what> ...`."""

import errno
import os
import select
import sys
from pathlib import Path

import robodyn_ros
from robodyn_ros.nodes.start import run_module

COMMANDS = {
    'demo': 'the simulated arm under four control modes, over real DDS',
    'report': 'what a URDF says, and everything about it that is doubtful',
    'terms': 'which terms of the torques matter at a speed, and which may be left out',
    'info': 'operation counts of the recursions of one robot',
    'check': 'one robot by every formulation of the books, and what must hold of any robot',
    'warmup': 'compile the kernels of one robot ahead of time',
    'emit': 'the dynamics of one robot as a package in C or C++',
    'identify': 'inertial parameters from a recorded motion, and motions worth recording',
    'play': 'a trajectory of a CSV, JSON or YAML file on the arm that the controller holds',
    'view': 'the robot in the browser: sliders, gravity torques, inertia, motions',
    'arm': 'the controller and the simulated robot together, as by ros2 launch',
    'controller': 'the controller node, as by ros2 run',
    'simulator': 'the simulated robot, as by ros2 run',
}

NODES = ('controller', 'simulator')


CLOSED_PIPE = 141  # exit code of a shell for what SIGPIPE ends


def main(arguments=None):
    """Run a command of robodyn_ros.cli; exit code 2 where there is none of that name.

    If nobody reads the output any more, as behind `| head`, the command ends in silence.
    """
    try:
        try:
            return _run(sys.argv[1:] if arguments is None else arguments)
        finally:
            if sys.stdout:
                sys.stdout.flush()
    except OSError as error:
        if isinstance(error, BrokenPipeError) and _is_closed(sys.stdout):
            code = CLOSED_PIPE
        elif error.errno == errno.ENOSPC and error.filename is None:
            print(f'The output cannot be written: {error.strerror}.', file=sys.stderr)
            code = 1
        else:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for the flush at exit
        return code


def _is_closed(stream):
    """Return whether nobody reads the pipe of a stream any more."""
    polled = select.poll()
    polled.register(stream, 0)
    return bool(polled.poll(0))


def _run(arguments):
    """Run a command."""
    if arguments and arguments[0] == '--version':
        print(f'robodyn_ros {robodyn_ros.__version__}')
        return 0
    if not arguments or arguments[0] in ('-h', '--help'):
        print('robodyn_ros <command> ...        robodyn_ros --version\n')
        for name, text in COMMANDS.items():
            print(f'  {name:<10} {text}')
        return 0 if arguments else 2
    name, *rest = arguments
    if name not in COMMANDS:
        print(
            f'There is no command {name!r}; expected one of {", ".join(COMMANDS)}.',
            file=sys.stderr,
        )
        return 2
    folder = 'nodes' if name in NODES else 'cli'
    return run_module(f'robodyn_ros.{folder}.{name}', f'robodyn_ros {name}', rest)


def named():
    """Run the command whose name this executable has, as `ros2 run robodyn_ros report` does."""
    return main([Path(sys.argv[0]).name, *sys.argv[1:]])


if __name__ == '__main__':
    sys.exit(main())
