# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Geoms of an MJCF as shapes that are drawn."""

import numpy as np

from robodyn_ros.model.arithmetic import product
from robodyn_ros.model.description import Placement
from robodyn_ros.model.mjcf.compiled import placement
from robodyn_ros.model.sources.geometry import KINDS, Shape

#: Groups of geoms that the viewer of MuJoCo shows by default.
SHOWN_GROUPS = 3


def shapes(compiled, element='visual', links=None, notes=None):
    """Return the shapes of bodies.

    `element` ({'visual', 'collision'}): geoms that the viewer of MuJoCo shows, or those that touch
      others.
    `links` (collection of str): names of the bodies; all by default.
    `notes` (list of str): receives a sentence about each geom of a form that is not among those of
      `Shape`.
    """
    model, found = compiled.model, []
    touches = (np.array(model.geom_contype) | np.array(model.geom_conaffinity)) != 0
    chosen = touches if element == 'collision' else np.array(model.geom_group) < SHOWN_GROUPS
    for geom in np.flatnonzero(chosen):
        shape = _shape(compiled, int(geom))
        if links is not None and shape.link not in links:
            continue
        if shape.kind in KINDS:
            found.append(shape)
        elif notes is not None:
            notes.append(f'a geom of body {shape.link!r} is not shown: its form is {shape.kind}')
    return tuple(found)


def _shape(compiled, geom):
    """Return the shape of a geom."""
    model, kind = compiled.model, compiled.kind('geom', compiled.model.geom_type[geom])
    place = placement(model.geom_pos[geom], model.geom_quat[geom])
    size, file = tuple(model.geom_size[geom].tolist()), ''
    if kind == 'box':
        size = tuple(2.0 * half for half in size)
    elif kind == 'sphere':
        size = size[:1]
    elif kind in ('cylinder', 'capsule'):
        size = size[0], 2.0 * size[1]
    elif kind == 'mesh':
        mesh = model.geom_dataid[geom]
        # the compiler has moved the vertices of the file to their principal axes
        frame = placement(model.mesh_pos[mesh], model.mesh_quat[mesh])
        R = product(place.rotation, frame.rotation.T)
        place = Placement(R, place.translation - product(R, frame.translation))
        size, address = tuple(model.mesh_scale[mesh].tolist()), model.mesh_pathadr[mesh]
        if address < 0:
            kind = 'mesh without a file'
        else:
            file = bytes(model.paths)[address:].partition(b'\0')[0].decode(errors='replace')
    material = model.geom_matid[geom]
    color = model.geom_rgba[geom] if material < 0 else model.mat_rgba[material]
    name = compiled.bodies[model.geom_bodyid[geom]]
    return Shape(name, place, kind, size, tuple(np.clip(color, 0.0, 1.0).tolist()), file)
