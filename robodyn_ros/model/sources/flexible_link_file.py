# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Links that bend by modes, from a YAML file beside the description.

flexible_links:
  boom:                        # by name of the link
    beam:                      # uniform, from its joint to a point
      end: [1.2, 0, 0]         # in the frame of the link [m]
      bending: [5.0e+3, 8.0e+3]  # EI about the two axes normal to it [N m^2], one for both
      torsion: 3.0e+3          # GJ [N m^2]; rigid by default
      gyration: 0.02           # about its own axis [m], with torsion
      up: [0, 0, 1]            # second axis of bending
      modes: [2, 2, 1]         # of bending about both axes, and of torsion
      damping_ratio: 0.01      # of each natural mode, clamped at the joint
      mass: 4.0                # [kg]; by default that of the link
      loaded_tip: true         # whether its end carries a load
  upper_arm:
    nodes:                     # mode shapes at nodes, in the frame of the link
      places: [[0.2, 0, 0], [0.4, 0, 0]]             # [m]
      masses: [1.5, 1.5]                             # [kg]
      shapes: [[[0, 0, 0.4, 0, 0.1, 0]], [[0, 0, 0.6, 0, 0.3, 0]]]  # by node and mode
      stiffness: [900]         # of the modes: a diagonal, or a matrix
      damping: [2]             # likewise, or damping_ratio
      inertias: [[0, 0.01, 0.01], [0, 0.01, 0.01]]   # about each node [kg m^2]
      modal_mass: [0.4]        # in place of that of the nodes
  forearm:
    craig_bampton:             # boundary nodes, the first at the joint; then modes
      boundary: [[0, 0, 0], [0.4, 0, 0]]             # [m]
      mass: ...                # (6 b + n, 6 b + n), rotations before translations
      stiffness: ...
      damping_ratio: 0.01      # or damping (6 b - 6 + n, 6 b - 6 + n)
"""

import os
from collections.abc import Mapping
from dataclasses import MISSING, fields

from robodyn_ros.errors import ModelError, shorten
from robodyn_ros.model.extended.modal_sources import CraigBampton, ModalBeam, ModalNodes
from robodyn_ros.model.sources import yaml_file

SECTION = 'flexible_links'
KINDS = {'beam': ModalBeam, 'nodes': ModalNodes, 'craig_bampton': CraigBampton}
#: Entries of a beam that are one number.
SCALARS = ('torsion', 'damping_ratio', 'mass', 'gyration')


def flexible_links_of(
    source: Mapping[str, ModalBeam | ModalNodes | CraigBampton] | str | os.PathLike | None,
) -> dict[str, ModalBeam | ModalNodes | CraigBampton]:
    """Return flexible links by name.

    `source`: the links, or the path of a YAML file, also as `package://<name>/<path>`.
    Raises ModelError: if the file cannot be read, or has an unknown entry; the message names the
      link.
    """
    if source is None or isinstance(source, Mapping):
        return dict(source or {})
    where, content = yaml_file.sections(source, SECTION)
    return {
        name: _link(f'{where}: flexible link {name!r}', entries)
        for name, entries in yaml_file.named(where, content, SECTION)
    }


def _link(where, entries):
    """Return the source of one link of the file."""
    if not isinstance(entries, dict) or len(entries) != 1 or not {*entries} <= {*KINDS}:
        raise ModelError(f'{where} has {shorten(entries)}; expected one of {", ".join(KINDS)}')
    ((kind, given),) = entries.items()
    kind_of_link = KINDS[kind]
    names = [each.name for each in fields(kind_of_link)]
    required = [each.name for each in fields(kind_of_link) if each.default is MISSING]
    where = f'{where}, {kind}'
    yaml_file.check_names(where, given, names, required)
    if kind != 'beam':
        return kind_of_link(**{name: _numbers(value) for name, value in given.items()})
    found = dict(given)
    for name in SCALARS:
        if name in given:
            found[name] = yaml_file.scalar(where, name, given[name])
    for name in ('end', 'up'):
        if name in given:
            found[name] = yaml_file.numbers(where, name, given[name], 3)
    bending = given['bending']
    count = len(bending) if isinstance(bending, list) and len(bending) != 1 else 1
    stiffness = yaml_file.numbers(where, 'bending', bending, 2 if count > 1 else 1)
    found['bending'] = tuple(float(each) for each in stiffness) * (3 - len(stiffness))
    if 'modes' in given:
        modes = given['modes']
        found['modes'] = tuple(modes) if isinstance(modes, list) else (modes,)
    if not isinstance(given.get('loaded_tip', True), bool):
        raise ModelError(
            f'{where} has loaded_tip {shorten(given["loaded_tip"])}; expected true or false'
        )
    return kind_of_link(**found)


def _numbers(value):
    """Return nested numbers; 1e-4, without a point, is text to YAML 1.1."""
    if isinstance(value, list):
        return [_numbers(each) for each in value]
    return value if isinstance(value, (bool, type(None))) else _number(value)


def _number(value):
    """Return a value as a float if it is a number, else unchanged."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return value  # refused later, with the table that contains it
