# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Closures and couplings from a YAML file beside the description, which may have rotors too.

Any of its parts may stand alone, such as `near` for a description that has closures itself.

closures:
  knee:
    type: hinge                                       # see robodyn_ros.model.dependent.closures
    a: {link: coupler, xyz: [0.3, 0, 0], rpy: [0, 0, 0]}
    b: {link: rocker, xyz: [0.2, 0, 0]}
  rod:
    type: distance
    distance: 0.4                                     # [m]
    a: {link: crank}
    b: {link: slider}
  guide:
    stops: [x, y, rx, ry]                             # in place of a type
    a: {link: bed}
    b: {link: slider}
independent: [crank]                                  # both may be left out, see Robot.from_urdf
near: {crank: 1.0, rocker: 1.6}
couplings:
  left_motor:                                         # at 50 pitch + 50 roll + 0.1
    follows: {pitch: 50.0, roll: 50.0}
    offset: 0.1                                       # [rad or m], may be left out
"""

import os
from collections.abc import Sequence
from typing import NamedTuple

from robodyn_ros.errors import ModelError, shorten
from robodyn_ros.model.dependent.closures import Closure
from robodyn_ros.model.dependent.coupling import Coupling
from robodyn_ros.model.description import Placement
from robodyn_ros.model.rotation_matrix import from_rpy
from robodyn_ros.model.sources import yaml_file

SIDES = ('a', 'b')
ENTRIES = ('type', 'stops', *SIDES, 'distance')
PLACE = ('link', 'xyz', 'rpy')
COUPLING = ('follows', 'offset')


class Loops(NamedTuple):
    """Closures and couplings of a robot, and where its loops close.

    `independent`: joints of the loops that lead the others.
    `near`: where to seek a posture in which the loops are closed [rad or m].
    `couplings`: joints that follow several others.
    """

    closures: tuple[Closure, ...]
    independent: tuple[str, ...] | None
    near: dict[str, float]
    couplings: tuple[Coupling, ...] = ()


def loops_of(source: Sequence[Closure] | str | os.PathLike) -> Loops:
    """Return closures, and the other contents of their file.

    `source`: the closures, or the path of a YAML file, also as `package://<name>/<path>`.
    Raises ModelError: if the file cannot be read, or has an unknown entry; the message names the
      closure.
    """
    if not isinstance(source, (str, os.PathLike)):
        return Loops(tuple(source), None, {})
    where, content = yaml_file.sections(source, 'closures', 'couplings', 'near', 'independent')
    closures, near = (yaml_file.named(where, content, what) for what in ('closures', 'near'))
    chosen = content.get('independent')
    if chosen is not None and not (
        isinstance(chosen, list) and all(isinstance(name, str) for name in chosen)
    ):
        raise ModelError(
            f'{where} has independent {shorten(chosen)}; expected a list of the names of joints'
        )
    return Loops(
        tuple(_closure(f'{where}: closure {name!r}', name, each) for name, each in closures),
        None if chosen is None else tuple(chosen),
        {
            name: yaml_file.scalar(f'{where}: near', f'joint {name!r}', value)
            for name, value in near
        },
        tuple(
            _coupling(f'{where}: coupling of {name!r}', name, each)
            for name, each in yaml_file.named(where, content, 'couplings')
        ),
    )


def near(joints: Sequence[str]) -> str:
    """Return the section of the file that says where to seek a closed posture.

    `joints`: names of the joints.
    """
    return f'near: {{{", ".join(f"{joint}: POSITION" for joint in joints)}}}'


def _coupling(where, joint, entries):
    """Return one Coupling of the file."""
    yaml_file.check_names(where, entries, COUPLING, COUPLING[:1])
    leaders = yaml_file.named(where, entries, 'follows')
    offset = yaml_file.scalar(where, 'offset', entries.get('offset', 0.0))
    return Coupling(joint, yaml_file.scalars(where, dict(leaders)), offset)


def _closure(where, name, entries):
    """Return one Closure of the file."""
    yaml_file.check_names(where, entries, ENTRIES, SIDES)
    frames = [_frame(f'{where}, frame {side}', entries[side]) for side in SIDES]
    stops = entries.get('stops')
    if stops is not None and not (isinstance(stops, list) and 'type' not in entries):
        raise ModelError(f'{where} stops {shorten(stops)}; expected a list, and no type beside it')
    distance = entries.get('distance')
    return Closure(
        name,
        frames[0][0],
        frames[1][0],
        'weld' if stops else str(entries.get('type', '')),
        tuple(map(str, stops)) if stops else None,
        frames[0][1],
        frames[1][1],
        None if distance is None else yaml_file.scalar(where, 'distance', distance),
    )


def _frame(where, entries):
    """Return the link of a frame, and its placement there."""
    yaml_file.check_names(where, entries, PLACE, PLACE[:1])
    xyz, rpy = (
        yaml_file.numbers(where, name, entries.get(name, [0.0, 0.0, 0.0]), 3) for name in PLACE[1:]
    )
    return str(entries['link']), Placement(from_rpy(*rpy), xyz)
