# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rotors of geared motors from a YAML file beside the description.

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
from numbers import Real

import numpy as np

from robodyn_ros.errors import ModelError, ParameterError, shorten
from robodyn_ros.model.rotors import Rotor
from robodyn_ros.model.sources import package_path

MOST_BYTES = 1_000_000
VECTORS = ('axis', 'position')
ENTRIES = tuple(each.name for each in fields(Rotor))


def rotors_of(source: Mapping[str, Rotor] | str | os.PathLike | None) -> dict[str, Rotor]:
    """Return rotors by the names of their joints.

    Parameters
    ----------
    source : mapping of str to Rotor, str or path
        The rotors, or the path of a YAML file, also as `package://<name>/<path>`.

    Returns
    -------
    dict
        Rotor of each joint.

    Raises
    ------
    ModelError
        If the file cannot be read, or has what is not known here; the message names the joint.
    """
    if source is None or isinstance(source, Mapping):
        return dict(source or {})
    where = f'rotor file {shorten(os.fspath(source))}'
    content = _content(package_path.resolved(source), where)
    if not isinstance(content, dict) or list(content) != ['rotors']:
        raise ModelError(f'{where} has {shorten(content)}; expected one entry, rotors')
    joints = content['rotors']
    if not isinstance(joints, dict) or not all(isinstance(name, str) for name in joints):
        raise ModelError(f'{where} has the rotors {shorten(joints)}; expected names of joints')
    return {name: _rotor(f'{where}: joint {name!r}', each) for name, each in joints.items()}


def rotor(text: str) -> tuple[str, Rotor]:
    """Return a joint and its rotor from `joint=inertia` or `joint=inertia gear_ratio`.

    Parameters
    ----------
    text : str
        Such as `elbow=1e-4 100`, the inertia about the axis of the rotor, before the gear
        [kg m^2].

    Returns
    -------
    tuple of str and Rotor

    Raises
    ------
    ParameterError
        For anything else.
    """
    name, _, numbers = text.partition('=')
    try:
        values = tuple(map(float, numbers.split()))
    except ValueError:
        values = ()
    if not name.strip() or len(values) not in (1, 2):
        raise ParameterError(f"{text!r}; expected 'joint=inertia' or 'joint=inertia gear_ratio'")
    return name.strip(), Rotor(*values)


def _rotor(where, entries):
    """Return the Rotor of one joint of the file."""
    if not isinstance(entries, dict) or 'inertia' not in entries:
        raise ModelError(f'{where} has {shorten(entries)}; expected at least inertia')
    values = {}
    for name, value in entries.items():
        if name not in ENTRIES:
            raise ModelError(
                f'{where} has the entry {shorten(name)}; expected some of {", ".join(ENTRIES)}'
            )
        given = value if isinstance(value, list) else [value]
        numbers = [number for number in map(_number, given) if number is not None]
        if not len(numbers) == len(given) == (3 if name in VECTORS else 1):
            expected = 'three numbers' if name in VECTORS else 'a number'
            raise ModelError(f'{where} has {name} {shorten(value)}; expected {expected}')
        values[name] = np.array(numbers) if name in VECTORS else numbers[0]
    return Rotor(**values)


def _number(value):
    """Return a number; 1e-4, without a point, is text to YAML 1.1. None for anything else."""
    if isinstance(value, bool) or not isinstance(value, (str, Real)):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


def _content(path, where):
    """Return what the YAML file says."""
    try:
        import yaml  # comes with ROS; needed here only
    except ModuleNotFoundError:
        raise ModelError(
            f'{where} is YAML, and PyYAML is not installed; expected `pip install PyYAML`, or '
            'rotors={joint: Rotor(inertia, gear_ratio)}'
        ) from None
    try:
        with open(path, 'rb') as file:
            octets = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise ModelError(f'{where} cannot be read: {error.strerror}') from None
    if len(octets) > MOST_BYTES or b'&' in octets:  # an anchor can multiply without end
        raise ModelError(f'{where} is larger than 1 MB or has anchors; expected plain YAML')
    try:
        return yaml.safe_load(octets)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ModelError(f'{where} is no YAML: {shorten(error)}') from None
