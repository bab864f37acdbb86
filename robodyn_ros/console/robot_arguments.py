# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Arguments that describe the robot of a command: file, joints, locked joints."""

import argparse
import errno
import math
import re
import sys

from robodyn_ros.errors import OpenError, ParameterError, RemedyError, UngivenError
from robodyn_ros.model.extended.joint_friction import with_joint_friction
from robodyn_ros.model.rotors import EXACT, REFLECTED, known_rotors
from robodyn_ros.model.selection import parse_locked
from robodyn_ros.model.sources import (
    closure_file,
    description_source,
    friction_file,
    rotor_file,
    xacro_file,
)
from robodyn_ros.model.sources.closure_file import near
from robodyn_ros.robot.robot import Robot

_ASSIGNED = re.compile(r'unrecognized arguments: (.* )?[A-Za-z_][\w.]*=')
OF_OUTPUT = (errno.EPIPE, errno.ENOSPC)  # errors without a file name
_XACRO_ARGUMENT = re.compile(r'[A-Za-z_][\w.-]*:=')


class RobotParser(argparse.ArgumentParser):
    """Parser of a command that takes a robot.

    Words `name:=value` are arguments of its xacro file, wherever they stand.
    """

    def parse_known_args(self, args=None, namespace=None):
        """Parse the words that are no arguments of a xacro file, and collect the others."""
        words = sys.argv[1:] if args is None else [*args]
        given = [word for word in words if _XACRO_ARGUMENT.match(word)]
        rest = [word for word in words if word not in given]
        namespace, unknown = super().parse_known_args(rest, namespace)
        # a subcommand has set it before, to none: the words are taken out here
        namespace.xacro_arguments = dict(map(xacro_file.argument, given))
        return namespace, unknown

    def error(self, message):
        """Refuse words; those with `=` may be meant for a xacro file."""
        if _ASSIGNED.match(message):
            message += '; expected name:=value for an argument of a xacro file'
        super().error(message)


def add_robot(parser, optional=False):
    """Add the arguments that describe a robot; they are the same in every command.

    `parser` (RobotParser): of the command.
    `optional`: whether the robot is optional.
    """
    parser.add_argument(
        'urdf',
        nargs='?' if optional else None,
        help='URDF, xacro or MJCF file, also as package://<name>/<path>; arguments of a xacro '
        'file follow it as name:=value',
    )
    parser.add_argument(
        '--joints',
        nargs='+',
        metavar='JOINT',
        help='joints that move, in order; all that are not locked by default',
    )
    parser.add_argument(
        '--locked',
        nargs='+',
        type=_held,
        action=_Collect,
        default={},
        metavar='JOINT=POSITION',
        help='joints held still, each as name or name=position [rad or m]',
    )
    parser.add_argument('--base', metavar='LINK', help='link that stands still; default the root')
    parser.add_argument(
        '--gravity',
        nargs=3,
        type=float,
        help='in base axes [m/s^2]; default that of an MJCF, else 0 0 -9.81',
    )
    parser.add_argument(
        '--rotor-file',
        metavar='FILE',
        help='YAML of the rotors of geared motors (see doc/robots/joints.md)',
    )
    parser.add_argument(
        '--rotor-model',
        choices=(EXACT, REFLECTED),
        default=EXACT,
        help='rotors as bodies that spin, or as inertia at their joints',
    )
    parser.add_argument(
        '--friction-file',
        metavar='FILE',
        help='YAML of friction that a URDF cannot state (see doc/robots/joints.md)',
    )
    parser.add_argument(
        '--closure-file',
        metavar='FILE',
        help='YAML of closures of loops and of couplings (see doc/robots/joints.md)',
    )


def source_of(options):
    """Return the DescriptionSource of the arguments.

    `options` (argparse.Namespace): parsed arguments.
    Raises ModelError: if there is no such description.
    """
    return description_source.opened(options.urdf, options.xacro_arguments)


def model_of(options, source=None, rotor_model=None):
    """Build the RobotModel that the arguments describe.

    `options` (argparse.Namespace): parsed arguments.
    `source` (DescriptionSource): that of the arguments, if it is open already.
    `rotor_model`: 'exact' or 'reflected'; that of the arguments by default.
    Raises RobodynError: if the robot is not valid.
    """
    loops = closure_file.loops_of(options.closure_file or ())
    robot = Robot.from_description(
        (source or source_of(options)).description(),
        joints=options.joints,
        base=options.base,
        gravity=options.gravity,
        locked=options.locked,
        rotors=rotor_file.rotors_of(options.rotor_file),
        rotor_model=rotor_model or options.rotor_model,
        closures=loops.closures,
        independent=loops.independent,
        near=loops.near,
        couplings=loops.couplings,
    )
    return with_joint_friction(robot.model, friction_file.joint_friction_of(options.friction_file))


def rotors_of(options, description):
    """Return {joint: Rotor} of the robot that the arguments describe.

    `options` (argparse.Namespace): parsed arguments.
    """
    return known_rotors(description, rotor_file.rotors_of(options.rotor_file))


def within(kind, least, most=math.inf):
    """Return the type of an option that is a number in a range.

    `kind` (type): int or float.
    `least`, `most`: the range, both ends included.
    """

    def read(text):
        try:
            value = kind(text)
        except ValueError:
            value = math.nan
        if not least <= value <= most:
            what = 'an integer' if kind is int else 'a number'
            range_ = f'of at least {least:g}' + (
                f' and at most {most:g}' if most < math.inf else ''
            )
            raise argparse.ArgumentTypeError(f'got {text}; expected {what} {range_}')
        return value

    return read


def refuse(error):
    """Print why a command is refused, with remedies in the syntax of options; return 1.

    `error` (Exception): the reason.
    Raises OSError: if nobody reads the output any more, or its disk is full; see
      `robodyn_ros.__main__`.
    """
    if isinstance(error, OSError) and not error.filename and error.errno in OF_OUTPUT:
        raise error
    sentence = error
    if isinstance(error, UngivenError):
        sentence = error.with_remedy(lambda names: ' '.join(f'{name}:=VALUE' for name in names))
    elif isinstance(error, OpenError):
        sentence = error.with_remedy(lambda joints: f'--closure-file FILE with {near(joints)}')
    elif isinstance(error, RemedyError):
        sentence = error.with_remedy(
            lambda joints: ' '.join(['--locked', *(f'{j}=0' for j in joints)])
        )
    if isinstance(error, OSError) and error.strerror:
        where = f'{error.filename!r} cannot be used: ' if error.filename else ''
        sentence = f'{where}{error.strerror}'
    print(f'Refused: {sentence}', file=sys.stderr)
    return 1


def _held(text):
    try:
        return parse_locked(text)
    except ParameterError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


class _Collect(argparse.Action):
    """Collect pairs in a dictionary."""

    def __call__(self, parser, namespace, values, option_string=None):
        setattr(namespace, self.dest, {**getattr(namespace, self.dest), **dict(values)})
