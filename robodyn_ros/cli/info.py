# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Operations of each quantity of one robot, before and after each step of the normal form.

robodyn_ros info arm.urdf --counts
"""

import argparse
import sys

from robodyn_ros import RobodynError
from robodyn_ros.codegen.derivative_registry import DERIVATIVES
from robodyn_ros.codegen.registry import FRAME_RECIPES, FURTHER_RECIPES, RECIPES
from robodyn_ros.codegen.specialise import counts
from robodyn_ros.console.robot_arguments import RobotParser, add_robot, model_of, refuse
from robodyn_ros.errors import ModelError
from robodyn_ros.model.normal_form import EXACT, cleaned_cosines

STEPS = ('as described', 'cleaned', 'aligned', 'regrouped', 'compiled')


def main(args=None):
    """Print the table.

    Returns the exit code: 1 if the description is refused, else 0.
    """
    parser = RobotParser(
        prog='robodyn_ros info',
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_robot(parser)
    parser.add_argument('--counts', action='store_true', help='operations of every quantity')
    parser.add_argument(
        '--frame', help='frame of pose, velocity, Jacobian, ...; by default the last'
    )
    options = parser.parse_args(args)
    try:
        model = model_of(options)
        frame = options.frame or tuple(model.frames)[-1]
        model.frame(frame)
    except RobodynError as error:
        return refuse(error)
    print(f'{model.name}: {model.nv} joints, {len(model.frames)} frames')
    if options.counts:
        print('\n'.join(cleaning_lines(model)))
        print('\n'.join(count_lines(model, frame)))
    return 0


def cleaning_lines(model):
    """Yield lines about constants that were made exact, by the parser and after it."""
    yield from (note for note in model.report.notes if 'direction cosine' in note)
    changes = cleaned_cosines(model)
    yield f'{len(changes)} more direction cosines within {EXACT:g} of 0 or +-1 are made exact'
    for name, row, column, value in changes:
        yield f'  {name!r}, entry ({row}, {column}): {value!r} becomes {round(value)}'


def count_lines(model, frame):
    """Yield the table of all quantities, with the savings by each step of the normal form.

    `frame`: frame for quantities of frames.
    """
    yield 'multiplications + additions (divisions) of the code for this robot, after each step'
    yield f'{"":32}' + ''.join(f'{step:>18}' for step in STEPS)
    for name in (*RECIPES, *FURTHER_RECIPES, *FRAME_RECIPES):
        try:
            table = counts(model, name, frame if name in FRAME_RECIPES else None)
        except ModelError:
            yield f'{name:32}{"not recorded for this robot":>90}'
            continue
        yield f'{name:32}' + ''.join(f'{operations_text(table[step]):>18}' for step in STEPS)
        yield f'{"  saved by the step":32}' + ''.join(
            f'{number:>18}' for number in ('', *savings(table))
        )
    for name, recipe in DERIVATIVES.items():
        try:
            final = operations_text(recipe.recorder(name, recipe, model).counts())
        except ModelError:
            final = 'not recorded for this robot'
        yield f'{name:32}{final:>90}'


def savings(table):
    """Return the multiplications and additions that each step saves.

    `table` (dict): {step: {kind: number}}, see codegen.specialise.counts.
    """
    totals = [table[step]['multiplications'] + table[step]['additions'] for step in STEPS]
    return [
        f'{100.0 * (before - after) / max(before, 1):.0f} %'
        for before, after in zip(totals, totals[1:])
    ]


def operations_text(numbers):
    """Return the numbers of operations as text, such as '304 + 293'.

    `numbers` (dict): {kind: number}.
    Returns multiplications + additions, then divisions in parentheses if there are any.
    """
    divisions = f' ({numbers["divisions"]})' if numbers['divisions'] else ''
    return f'{numbers["multiplications"]} + {numbers["additions"]}{divisions}'


if __name__ == '__main__':
    sys.exit(main())
