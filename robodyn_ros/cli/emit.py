# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Emit the dynamics of one robot as a package in C99 or C++17.

    robodyn_ros emit arm.urdf --prefix arm --output arm_dynamics --frames tool0

The package builds with plain CMake and with colcon; `ctest` compares it with known answers.
"""

import argparse
import sys
from pathlib import Path

from robodyn_ros import RobodynError
from robodyn_ros.codegen.emission import c_package, c_selection
from robodyn_ros.codegen.emission.c_cost import cost
from robodyn_ros.codegen.emission.emit_c import Style
from robodyn_ros.console.robot_arguments import RobotParser, add_robot, model_of, refuse, source_of
from robodyn_ros.control.laws.law_recipes import LAW_RECIPES, chosen_laws
from robodyn_ros.demonstration.result_files import ResultFolder, add_force


def main(args=None):
    """Write the package.

    Returns the exit code: 1 if an argument is refused, else 0.
    """
    parser = RobotParser(
        prog='robodyn_ros emit',
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_robot(parser)
    parser.add_argument(
        '-o', '--output', type=Path, required=True, metavar='FOLDER', help='folder of the package'
    )
    add_force(parser)
    parser.add_argument('--prefix', default='arm', help='first part of every name (%(default)s)')
    parser.add_argument('--language', choices=('c', 'c++'), default='c', help='%(default)s')
    parser.add_argument(
        '--real', choices=('double', 'float'), default='double', help='%(default)s'
    )
    parser.add_argument(
        '--lanes',
        type=int,
        choices=(1, 4, 8),
        default=1,
        help='emit every function for so many states at once, too',
    )
    parser.add_argument(
        '--quantities', nargs='+', metavar='NAME', help=f'of {", ".join(c_selection.QUANTITIES)}'
    )
    parser.add_argument(
        '--frames',
        nargs='+',
        default=[],
        metavar='FRAME',
        help='frames for quantities of frames; left,right for the coupling of two',
    )
    parser.add_argument(
        '--prescribed',
        nargs='+',
        default=[],
        metavar='JOINT',
        help='joints whose motion is given, for hybrid_dynamics',
    )
    parser.add_argument(
        '--positions',
        choices=c_selection.POSITIONS,
        default='independent',
        help='what q of a robot with closed loops has; functions from the positions of all joints '
        f'end in {c_selection.FROM_ALL} (%(default)s)',
    )
    parser.add_argument(
        '--payload',
        nargs='+',
        default=[],
        metavar='FRAME',
        help='frames of payloads; <function>_loaded then has them as an argument',
    )
    parser.add_argument(
        '--laws',
        nargs='+',
        default=[],
        choices=tuple(LAW_RECIPES),
        metavar='LAW',
        help=f'control laws, term by term, of {", ".join(LAW_RECIPES)}',
    )
    parser.add_argument(
        '--passive',
        nargs='+',
        default=[],
        metavar='JOINT',
        help='joints without motor, for the law underactuated_computed_torque',
    )
    parser.add_argument(
        '--cost', action='store_true', help='compile by gcc, and print bytes of code and of stack'
    )
    options = parser.parse_args(args)
    frames = [tuple(name.split(',')) if ',' in name else name for name in options.frames]
    try:
        source = source_of(options)
        model = model_of(options, source)
        chosen = c_selection.selected_functions(
            model,
            options.quantities,
            frames,
            options.prescribed,
            chosen_laws(model, options.laws, options.passive),
            options.payload,
            options.positions,
        )
        emitted = c_selection.record_all(model, chosen, options.real)
        style = Style(options.prefix, options.language, options.real, options.lanes)
        texts = c_package.files(model, source.text, emitted, style)
        results = ResultFolder(options, texts)
        for name, contents in texts.items():
            results.write(name, contents)
        names = [one.name for one in emitted]
        bytes_of = cost(options.output, names, style) if options.cost else {}
    except (RobodynError, OSError) as error:
        return refuse(error)
    for one in emitted:
        line = f'{style.own(one.name)}: {_operations(one.recording)}'
        if options.cost:
            code, stack = bytes_of[one.name]
            line += f'; {code} bytes of code, {stack} of stack'
        print(line)
    print(f'written to {options.output}')
    return 0


def _operations(recording):
    """Return the operations of one call as text."""
    counts = recording.counts()
    return (
        f'{counts["multiplications"]} multiplications, {counts["additions"]} additions, '
        f'{counts["divisions"]} divisions, {counts["trigonometric"]} sin, cos and tanh'
    )


if __name__ == '__main__':
    sys.exit(main())
