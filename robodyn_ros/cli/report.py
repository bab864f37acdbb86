# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Print the model report: the contents of a robot description, and findings about it.

robodyn_ros report arm.urdf
"""

import argparse
import dataclasses
import sys

import numpy as np

from robodyn_ros import RobodynError, Robot
from robodyn_ros.console.gain_table import GAIN_COLUMNS, gain_rows, held_by_friction
from robodyn_ros.console.robot_arguments import (
    RobotParser,
    add_robot,
    model_of,
    refuse,
    rotors_of,
    source_of,
    within,
)
from robodyn_ros.console.rotor_table import ROTOR_COLUMNS, ROTOR_TABLE, rotor_rows
from robodyn_ros.control.gains import inertia_range
from robodyn_ros.control.holding import cannot_carry, cannot_hold
from robodyn_ros.model.layout import DAMPING, FIRST, FRICTION, MASS, MOMENT, RATIO, V
from robodyn_ros.model.rotors import EXACT, REFLECTED

COLUMNS = (
    'joint',
    'carries',
    'mass [kg]',
    'com from joint [m]',
    'lower',
    'upper',
    'velocity',
    'effort',
    'damping',
    'friction',
)


def rows(robot):
    """Yield the cells of the table, one row for each body, base to tip."""
    model = robot.model
    damping, friction = model.joint_values(DAMPING), model.joint_values(FRICTION)
    for body, row in enumerate(model.constants[1:], start=1):
        j = model.topology[body, V]
        if body in model.led_by_loops:
            joint = f'{model.all_joint_names[j]} (depends on a loop)'
            yield joint, model.body_names[body], f'{row[MASS]:.4g}', *['-'] * 7
            continue
        if body in model.followed:
            leader = model.joint_names[model.topology[body, FIRST]]
            joint = f'{model.all_joint_names[j]} (follows {leader}, {row[RATIO]:g} to 1)'
            yield joint, model.body_names[body], f'{row[MASS]:.4g}', *['-'] * 7
            continue
        if body in model.coupled:
            of = ' + '.join(
                f'{ratio:g} {model.joint_names[model.topology[row, FIRST]]}'
                for row, ratio in model.coupled[body].items()
            )
            yield (
                f'{model.all_joint_names[j]} (follows {of})',
                model.body_names[body],
                *[f'{row[MASS]:.4g}', *['-'] * 7],
            )
            continue
        j = model.topology[body, FIRST] if model.is_embedded else j
        distance = np.linalg.norm(row[MOMENT : MOMENT + 3]) / row[MASS] if row[MASS] else 0.0
        limits = (
            values[j]
            for values in (
                robot.limits.lower,
                robot.limits.upper,
                robot.limits.velocity,
                robot.limits.effort,
            )
        )
        yield (
            robot.joint_names[j],
            model.body_names[body],
            f'{row[MASS]:.4g}',
            f'{distance:.4g}',
            *('-' if np.isnan(value) else f'{value:.4g}' for value in limits),
            f'{damping[j]:.4g}',
            f'{friction[j]:.4g}',
        )


def print_table(table, names):
    """Print cells in columns.

    `table` (sequence of sequence of str): cells, as many in each row.
    `names`: number of columns that are aligned left; the others are aligned right.
    """
    widths = [max(len(row[k]) for row in table) for k in range(len(table[0]))]
    for row in table:
        print(
            '  '.join(
                cell.ljust(width) if k < names else cell.rjust(width)
                for k, (cell, width) in enumerate(zip(row, widths))
            )
        )


def print_gains(robot, bandwidth):
    """Print the gains for a bandwidth, and the errors at which friction holds the joints.

    `bandwidth`: natural frequency of the joints [rad/s].
    """
    if inertia_range(robot) is None:
        print('\nThere is no table of gains for quaternions, dependent joints, missing inertias.')
        return
    print(
        f'\nGains for {bandwidth:g} rad/s: p and d of laws in N m/rad, from the largest inertia '
        f'of each joint. Laws in 1/s^2 take p = {bandwidth**2:g} and d = {2.0 * bandwidth:g}. The '
        'errors are those at which dry friction may hold the joint [rad or m].'
    )
    print_table([GAIN_COLUMNS, *gain_rows(robot, bandwidth)], 1)
    print()


def main(args=None):
    """Print the report.

    Returns the exit code: 1 if the description is refused, else 0.
    """
    parser = RobotParser(
        prog='robodyn_ros report',
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_robot(parser)
    parser.add_argument(
        '--payload',
        type=_payload,
        metavar="'FRAME=MASS [X Y Z]'",
        help='a load at a frame [kg], with its centre of mass there [m]: can the joints hold it?',
    )
    parser.add_argument(
        '--bandwidth',
        type=within(float, 1e-3, 1e4),
        metavar='W',
        help='print gains in N m/rad that give each joint this natural frequency [rad/s]',
    )
    options = parser.parse_args(args)
    try:
        source = source_of(options)
        robot = Robot(model_of(options, source))
        rotors = rotors_of(options, source.description())
        load = beyond_limits(robot, *options.payload) if options.payload else ()
    except RobodynError as error:
        return refuse(error)
    print(
        f"Robot '{robot.name}': {robot.nv} joints on '{robot.model.body_names[0]}', "
        f'{robot.model.constants[:, MASS].sum():.4g} kg moving.'
    )
    print_table([COLUMNS, *rows(robot)], 2)
    if rotors:
        exact, near = (Robot(model_of(options, source, way)) for way in (EXACT, REFLECTED))
        print(f'\nRotors, in the {options.rotor_model} model. {ROTOR_TABLE}')
        print_table([ROTOR_COLUMNS, *rotor_rows(rotors, exact, near)], 1)
        print()
    if options.bandwidth:
        print_gains(robot, options.bandwidth)
    findings = (*robot.report.findings, *cannot_hold(robot), *load, *held_by_friction(robot))
    print(dataclasses.replace(robot.report, findings=findings))
    return 0


def beyond_limits(robot, frame, mass, com):
    """Return a Finding for every joint that cannot hold a payload somewhere.

    `frame`: frame of the payload.
    `com` ((3,) array_like): centre of mass in the frame [m].
    """
    return cannot_carry(robot, robot.with_payload(frame, mass, com), f'{mass:g} kg at {frame!r}')


def _payload(text):
    """Return frame, mass and centre of mass of a payload."""
    frame, _, numbers = text.partition('=')
    try:
        mass, *com = map(float, numbers.split())
    except ValueError:
        mass, com = np.nan, []
    if not (frame.strip() and 0.0 <= mass < np.inf and len(com) in (0, 3)):
        raise argparse.ArgumentTypeError(
            f"got {text!r}; expected 'FRAME=MASS' or 'FRAME=MASS X Y Z', such as 'tool0=3'"
        )
    return frame.strip(), mass, com or [0.0, 0.0, 0.0]


if __name__ == '__main__':
    sys.exit(main())
