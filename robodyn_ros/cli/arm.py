# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Run the controller and the simulated robot together, without `ros2 launch`.

    robodyn_ros arm                        the example arm franka_like
    robodyn_ros arm arm.urdf --law pd_gravity --params-file arm.yaml

The controller configures and activates itself. Ctrl-C ends both nodes; one that ends takes the
other with it. `ros2 launch robodyn_ros simulated_arm.launch.py` does the same, and has more
options.
"""

import argparse
import ctypes
import signal
import subprocess
import sys
import time
from pathlib import Path

from robodyn_ros.console.robot_arguments import RobotParser, refuse
from robodyn_ros.errors import RobodynError
from robodyn_ros.middleware.parameter_files import readers
from robodyn_ros.model.sources import package_path
from robodyn_ros.model.sources.examples import example, package_file
from robodyn_ros.model.sources.xacro_file import SIGN
from robodyn_ros.nodes.start import require
from robodyn_ros.robot import child_process

EFFORTS = 'forward_effort_controller/commands'
GRACE = 4.0  # [s] of wall time for the nodes to end before they are killed
PR_SET_PDEATHSIG = 1  # of prctl
POLL = 0.1  # [s]


def main(args=None):
    """Run both nodes until a signal, or until one of them ends.

    Returns the exit code: 0 after a signal, else that of the node that ended, and at least 1.
    """
    parser = RobotParser(
        prog='robodyn_ros arm',
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        'urdf',
        nargs='?',
        help='URDF, xacro or MJCF file, also as package://<name>/<path>; arguments of a xacro '
        'file follow it as name:=value; the example franka_like by default',
    )
    parser.add_argument(
        '--law', default='computed_torque', help='law of the controller (%(default)s)'
    )
    parser.add_argument(
        '--params-file',
        metavar='FILE',
        default=package_file(Path('config', 'simulated_arm.yaml')),
        help='YAML of the parameters of both nodes (%(default)s)',
    )
    options = parser.parse_args(args)
    require('rclpy', 'robodyn_msgs')
    try:
        urdf = package_path.resolved(options.urdf or example('franka_like'))
        urdf = Path(urdf).resolve(strict=True)
        params = Path(options.params_file).resolve(strict=True)
    except (RobodynError, OSError) as error:
        return refuse(error)
    both = ['-p', f'urdf_path:={urdf}', '-p', 'end_when_refused:=true']
    if given := options.xacro_arguments:
        both += ['-p', f'xacro_arguments:={[SIGN.join(each) for each in given.items()]}']
    named = readers(str(params), [f'/robodyn_{name}' for name in ('simulator', 'controller')])
    own = {
        'simulator': [f'effort_command_topic:={EFFORTS}'],
        'controller': [f'command_topic:={EFFORTS}', f'law:={options.law}', 'autostart:=true'],
    }
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    nodes = []
    try:
        for name, values in own.items():
            words = ['--params-file', params] if f'/robodyn_{name}' in named else []
            words += [*both, *(word for value in values for word in ('-p', value))]
            nodes.append(
                child_process.start(
                    'robodyn_ros',
                    name,
                    '--ros-args',
                    *map(str, words),
                    preexec_fn=_end_with_parent,
                )
            )
        while all(node.poll() is None for node in nodes):
            time.sleep(POLL)
        return max(1, *(node.returncode or 0 for node in nodes))
    except KeyboardInterrupt:
        return 0
    finally:
        _end(nodes)


def _end_with_parent():
    """Let the kernel end this child by SIGTERM when its parent is gone, as after kill -9."""
    if sys.platform == 'linux':
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def _end(nodes):
    """End the nodes by SIGINT, and by SIGKILL those that do not obey within GRACE."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a second Ctrl-C
    for node in nodes:
        node.send_signal(signal.SIGINT)
    deadline = time.monotonic() + GRACE
    for node in nodes:
        try:
            node.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            node.kill()
            node.wait()


if __name__ == '__main__':
    sys.exit(main())
