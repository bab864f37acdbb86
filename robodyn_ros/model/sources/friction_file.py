# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Friction of joints from a YAML file beside the description, which may have rotors too.

joint_friction:
  shoulder_lift_joint:
    damping: 2.0               # by default those of the URDF
    coulomb: 6.0
    static: 7.5                # the others as in robodyn_ros.model.extended.joint_friction
    stribeck_velocity: 0.02
    stribeck_exponent: 1       # the rational curve by default
    cosine: 1.1
    sine: -0.4
    wavenumber: 1
    dead_band: 0.002
"""

import os
from collections.abc import Mapping
from dataclasses import fields

from robodyn_ros.model.extended.joint_friction import JointFriction
from robodyn_ros.model.sources import yaml_file

ENTRIES = tuple(each.name for each in fields(JointFriction))


def joint_friction_of(
    source: Mapping[str, JointFriction] | str | os.PathLike | None,
) -> dict[str, JointFriction]:
    """Return the friction of joints by name.

    `source`: the friction, or the path of a YAML file, also as `package://<name>/<path>`.
    Raises ModelError: if the file cannot be read, or has an unknown entry; the message names the
      joint.
    """
    return yaml_file.of_joints(source, 'joint_friction', _friction)


def _friction(where, entries):
    """Return the JointFriction of one joint of the file."""
    yaml_file.check_names(where, entries, ENTRIES, ())
    return JointFriction(**yaml_file.scalars(where, entries))
