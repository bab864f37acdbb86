# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Show which terms of the torques of an arm matter at a speed, and which may be left out.

    robodyn_ros terms arm.urdf --speed 0.3

Every joint swings through its range. Its fastest speed is the given share of its velocity limit. A
table has the shares of gravity, inertia, velocities and friction in each torque. Below it are the
single terms that matter, such as `qd1 qd2`, with joints counted from 1.
"""

import argparse
import sys

from robodyn_ros import RobodynError
from robodyn_ros.console.robot_arguments import RobotParser, add_robot, model_of, refuse, within
from robodyn_ros.demonstration.text_table import aligned
from robodyn_ros.formulations.torque_terms import KINDS, swing, torque_terms
from robodyn_ros.robot.robot import Robot

MOST_TERMS = 8  # on a line


def main(args=None):
    """Print the tables.

    Returns the exit code: 1 if the description is refused, else 0.
    """
    parser = RobotParser(
        prog='robodyn_ros terms',
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_robot(parser)
    parser.add_argument(
        '--speed',
        type=float,
        nargs='+',
        default=[0.1, 1.0],
        help='shares of the velocity limits (default: 0.1 and 1)',
    )
    parser.add_argument(
        '--limit',
        type=within(float, 0.0, 100.0),
        default=1.0,
        help='allowed error of a torque in percent (%(default)s)',
    )
    options = parser.parse_args(args)
    try:
        robot = Robot(model_of(options))
        for speed in options.speed:
            terms = torque_terms(robot, *swing(robot, speed))
            print('\n'.join(report(terms, speed, options.limit / 100.0)), end='\n\n')
    except RobodynError as error:
        return refuse(error)
    return 0


def report(terms, speed, limit):
    """Yield lines about the terms at one speed.

    `speed`: share of the velocity limits.
    `limit`: share of a torque that may be left out.
    """
    yield f'At {100.0 * speed:g} % of the velocity limits: root mean square of each torque, and'
    yield 'of its parts in percent of it (parts may cancel, so they do not add up to 100).'
    head = ('joint', 'torque', *KINDS)
    cells = [
        (name, f'{size:.3g}', *(f'{100.0 * share:.3g}' for share in shares))
        for name, size, shares in zip(terms.joint_names, terms.size(), terms.of_kinds())
    ]
    yield aligned((head, *cells))
    for joint, name in enumerate(terms.joint_names):
        left, lost = terms.negligible(joint, limit)
        yield _sentence(terms, joint, name, left, lost)


def _sentence(terms, joint, name, left, lost):
    """Return which terms of a joint matter, and how many do not."""
    shares = terms.shares()[joint]
    kept = [k for k in shares.argsort()[::-1] if shares[k] > 0.0 and k not in left]
    shown = ', '.join(f'{terms.names[k]} {100.0 * shares[k]:.3g} %' for k in kept[:MOST_TERMS])
    more = f', and {len(kept) - MOST_TERMS} more' if len(kept) > MOST_TERMS else ''
    rest = f'; the other {len(left)} make {100.0 * lost:.3g} %' if left else ''
    return f'{name}: {shown or "nothing"}{more}{rest}.'


if __name__ == '__main__':
    sys.exit(main())
