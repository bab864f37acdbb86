# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Shapes and obstacles from a YAML file beside the description.

Such a file::

    shapes:
      fingertip: {link: tool0, sphere: 0.02, xyz: [0, 0, 0.05]}
      forearm: {link: link5, capsule: [0.05, 0.3], rpy: [0, 1.57, 0]}   # radius, length
      gripper: {link: link7, box: [0.1, 0.2, 0.05]}                     # edges
    collision_links: [link3, link4]   # their <collision> primitives too
    obstacles:
      floor: {plane: [0, 0, 1], xyz: [0, 0, 0], friction: 0.8}
      table: {box: [0.6, 0.8, 0.04], xyz: [0.5, 0, 0.3], friction: 0.6, restitution: 0.1}
"""

from __future__ import annotations

import os

from robodyn_ros.errors import ModelError, shorten
from robodyn_ros.model.contacts import Contacts, Obstacle, box, capsule, collision_shapes, sphere
from robodyn_ros.model.sources import yaml_file

LENGTHS = {'sphere': 1, 'capsule': 2, 'box': 3}
KINDS = {'plane': 3, 'box': 3}
POSE = ('xyz', 'rpy')
SURFACE = ('friction', 'restitution')


def contacts_of(source: str | os.PathLike, urdf=None) -> Contacts:
    """Return the shapes and obstacles of a YAML file.

    Parameters
    ----------
    source : str or path
        Path of the file, also as `package://<name>/<path>`.
    urdf : str, bytes or path, optional
        Description whose <collision> primitives `collision_links` takes.

    Returns
    -------
    Contacts

    Raises
    ------
    ModelError
        If the file cannot be read, or has an unknown entry; the message names the entry.
    """
    where, content = yaml_file.sections(source, 'obstacles')
    shapes = [
        _shape(f'{where}: shape {name!r}', each)
        for name, each in yaml_file.named(where, content, 'shapes')
    ]
    links = content.get('collision_links', [])
    if not isinstance(links, list) or not all(isinstance(link, str) for link in links):
        raise ModelError(
            f'{where} has the collision_links {shorten(links)}; expected a list of links'
        )
    if links and urdf is None:
        raise ModelError(f'{where} has collision_links, and there is no URDF; expected shapes')
    if links:
        shapes.extend(collision_shapes(urdf, links))
    obstacles = [
        _obstacle(f'{where}: obstacle {name!r}', name, each)
        for name, each in yaml_file.named(where, content, 'obstacles')
    ]
    return Contacts(shapes, obstacles)


def _shape(where, entries):
    """Return one shape of the file."""
    yaml_file.check_names(where, entries, ('link', *LENGTHS, *POSE), ('link',))
    form, link = _only(where, entries, LENGTHS), entries['link']
    size = yaml_file.numbers(where, form, entries[form], LENGTHS[form])
    centre, rpy = _pose(where, entries)
    if form == 'box':
        return box(link, size, centre, rpy)
    return sphere(link, *size, centre) if form == 'sphere' else capsule(link, *size, centre, rpy)


def _obstacle(where, name, entries):
    """Return one obstacle of the file."""
    yaml_file.check_names(where, entries, (*KINDS, *POSE, *SURFACE), ())
    kind = _only(where, entries, KINDS)
    size = yaml_file.numbers(where, kind, entries[kind], KINDS[kind])
    surface = yaml_file.scalars(where, {key: entries[key] for key in SURFACE if key in entries})
    pose = _pose(where, entries)
    if kind == 'plane':
        return Obstacle.plane(size, pose[0], name=name, **surface)
    return Obstacle.box(size, *pose, name=name, **surface)


def _only(where, entries, choices):
    """Return the one of the choices that is among the entries."""
    found = [each for each in choices if each in entries]
    if len(found) != 1:
        raise ModelError(
            f'{where} has {" and ".join(found) or "no form"}; expected one of {", ".join(choices)}'
        )
    return found[0]


def _pose(where, entries):
    """Return position [m] and roll, pitch and yaw [rad] of an entry."""
    return [yaml_file.numbers(where, key, entries.get(key, [0, 0, 0]), 3) for key in POSE]
