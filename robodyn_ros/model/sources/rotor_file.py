# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rotors of geared motors from a YAML file beside the description, which may have closures too.

rotors:
  shoulder_lift_joint:
    inertia: 1.0e-4        # about the axis of the rotor, before the gear [kg m^2]
    gear_ratio: 100.0      # by default that of the URDF, or 1
    axis: [0, 0, 1]        # the others as in robodyn_ros.model.rotors.Rotor
    mass: 0.3
    position: [0, 0, 0.1]
    across: 6.0e-5
"""

import os
from collections.abc import Mapping
from dataclasses import fields

from robodyn_ros.errors import ParameterError
from robodyn_ros.model.rotors import Rotor
from robodyn_ros.model.sources import yaml_file

VECTORS = ('axis', 'position')
ENTRIES = tuple(each.name for each in fields(Rotor))
REQUIRED = ('inertia',)


def rotors_of(source: Mapping[str, Rotor] | str | os.PathLike | None) -> dict[str, Rotor]:
    """Return rotors by the names of their joints.

    `source`: the rotors, or the path of a YAML file, also as `package://<name>/<path>`.
    Raises ModelError: if the file cannot be read, or has an unknown entry; the message names the
      joint.
    """
    return yaml_file.of_joints(source, 'rotors', _rotor)


def rotor(text: str) -> tuple[str, Rotor]:
    """Return a joint and its rotor from `joint=inertia` or `joint=inertia gear_ratio`.

    `text`: such as `elbow=1e-4 100`, the inertia about the axis of the rotor, before the gear [kg
      m^2].
    Raises ParameterError: for anything else.
    """
    name, _, numbers = text.partition('=')
    try:
        inertia, *ratio = map(float, numbers.split())
    except ValueError:
        name = ''
    if not name.strip() or len(ratio) > 1:
        raise ParameterError(f"{text!r}; expected 'joint=inertia' or 'joint=inertia gear_ratio'")
    return name.strip(), Rotor(inertia, ratio[0] if ratio else None)


def _rotor(where, entries):
    """Return the Rotor of one joint of the file."""
    yaml_file.check_names(where, entries, ENTRIES, REQUIRED)
    vectors = {
        name: yaml_file.numbers(where, name, entries[name], 3)
        for name in VECTORS
        if name in entries
    }
    rest = {name: value for name, value in entries.items() if name not in VECTORS}
    return Rotor(**vectors, **yaml_file.scalars(where, rest))
