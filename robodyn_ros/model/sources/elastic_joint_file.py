# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Elastic joints from a YAML file beside the description, which may have rotors too.

elastic_joints:
  shoulder_lift_joint:
    stiffness: 1.2e+4      # of the spring, seen at the link [N m/rad or N/m]
    damping: 8.0           # of the damper beside it [N m s/rad or N s/m]; 0 by default
    motor_inertia: 0.6     # seen at the link [kg m^2 or kg]; by default that of the description
"""

import os
from collections.abc import Mapping
from dataclasses import fields

from robodyn_ros.errors import ParameterError
from robodyn_ros.model.extended.elastic_joints import ElasticJoint
from robodyn_ros.model.sources import yaml_file

ENTRIES = tuple(each.name for each in fields(ElasticJoint))
REQUIRED = ('stiffness',)


def elastic_joints_of(
    source: Mapping[str, ElasticJoint] | str | os.PathLike | None,
) -> dict[str, ElasticJoint]:
    """Return elastic joints by name.

    `source`: the joints, or the path of a YAML file, also as `package://<name>/<path>`.
    Raises ModelError: if the file cannot be read, or has an unknown entry; the message names the
      joint.
    """
    return yaml_file.of_joints(source, 'elastic_joints', _elastic_joint)


def elastic_joint(text: str) -> tuple[str, ElasticJoint]:
    """Return a joint's name and its spring from `joint=stiffness damping motor_inertia`.

    `text`: such as `elbow=1.2e4 8 0.6`; the last numbers may be left out.
    Raises ParameterError: for anything else.
    """
    name, _, numbers = text.partition('=')
    try:
        values = tuple(map(float, numbers.split()))
    except ValueError:
        values = ()
    if not name.strip() or len(values) not in (1, 2, 3):
        raise ParameterError(f"{text!r}; expected 'joint=stiffness damping motor_inertia'")
    return name.strip(), ElasticJoint(*values)


def _elastic_joint(where, entries):
    """Return the ElasticJoint of one joint of the file."""
    yaml_file.check_names(where, entries, ENTRIES, REQUIRED)
    return ElasticJoint(**yaml_file.scalars(where, entries))
