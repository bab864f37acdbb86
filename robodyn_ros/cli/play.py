# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Play a trajectory from a file on an arm under the controller.

    robodyn_ros play excitation.csv
    robodyn_ros play plan.yaml --approach 0        JSON or YAML of MoveIt, as it is

The arm first moves to the start of the trajectory. The command ends with the trajectory and
returns 0. If the controller refuses or aborts it, the command prints a sentence and returns 1.
"""

import argparse
import contextlib
import sys

from robodyn_ros.console.robot_arguments import refuse
from robodyn_ros.errors import RobodynError

APPROACH = 5.0  # [s] for the motion to the start


def main(args=None):
    """Play a trajectory.

    Returns the exit code: 1 if the trajectory is refused or aborted, else 0.
    """
    parser = argparse.ArgumentParser(
        prog='robodyn_ros play',
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument('file', help='CSV, JSON or YAML file of a trajectory')
    parser.add_argument(
        '--approach',
        type=float,
        default=APPROACH,
        metavar='SECONDS',
        help='time for the motion to the first point; 0 plays the file as it is (%(default)s)',
    )
    parser.add_argument(
        '--controller', default='/robodyn_controller', help='full name of the node (%(default)s)'
    )
    options = parser.parse_args(args)
    if not 0.0 <= options.approach <= 1e6:
        parser.error(f'--approach: got {options.approach:g}; expected 0 s or more')
    from robodyn_ros.ros.common.trajectory_files import delayed_trajectory, read_trajectory
    from robodyn_ros.ros.common.trajectory_player import Player

    try:
        message = delayed_trajectory(read_trajectory(options.file), options.approach)
        with contextlib.closing(Player(f'/{options.controller.strip("/")}')) as player:
            player.play(message)
    except KeyboardInterrupt:
        print(
            'The controller continues the trajectory; ~/emergency_stop stops it.', file=sys.stderr
        )
        return 1
    except (RobodynError, OSError) as error:
        return refuse(error)
    return 0


if __name__ == '__main__':
    sys.exit(main())
