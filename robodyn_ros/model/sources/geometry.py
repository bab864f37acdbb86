# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Shapes of the links of a URDF: its visual or its collision elements. Meshes are not opened."""

import contextlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from robodyn_ros.errors import ModelError, short_repr, shorten
from robodyn_ros.model import xml_text
from robodyn_ros.model.description import Placement
from robodyn_ros.model.sources import package_path
from robodyn_ros.model.urdf_elements import (
    abbreviated,
    read_name,
    read_number,
    read_placement,
    read_value,
    read_vector,
    required_attribute,
    required_child,
)

ELEMENTS = ('visual', 'collision')
#: Attributes of a primitive that are lengths, each larger than 0.
LENGTHS = {
    'sphere': ('radius',),
    'cylinder': ('radius', 'length'),
    'capsule': ('radius', 'length'),
}
KINDS = ('box', *LENGTHS, 'mesh')
FILE = 'file://'


@dataclass(frozen=True, eq=False)
class Shape:
    """A primitive or a mesh that is fixed to a link.

    `link`: name of the link.
    `placement`: pose of the shape in the link.
    `kind`: its form; the centre of a primitive is at its origin, the length along z.
    `size`: edges of a box, radius, radius and length [m]; factors along the axes of a mesh [-].
    `color`: red, green, blue and opacity, each 0 to 1; None where the URDF has none.
    `file`: name of the file of a mesh as the URDF has it, or ''.
    """

    link: str
    placement: Placement
    kind: str
    size: tuple[float, ...]
    color: tuple[float, ...] | None = None
    file: str = ''

    __repr__ = short_repr


def shapes(source, element='visual', links=None, notes=None):
    """Return the shapes of links of a URDF, in document order.

    `source` (str, bytes or path): URDF text, or the path of a file.
    `element` ({'visual', 'collision'}): which shapes.
    `links` (collection of str): names of the links; all by default.
    `notes` (list of str): receives a sentence about each shape or colour that is malformed, which
      is left out.
    Raises ModelError: for a shape that is malformed, without `notes`; the sentence names its link.
    """
    root, colors, found = xml_text.root_element(source), {}, []
    for each in (*root.findall('material'), *root.findall('link/visual/material')):
        with _noted(notes):
            if color := _color(each, f'material {abbreviated(each.get("name", ""))!r}'):
                colors[each] = color
                colors.setdefault(each.get('name'), color)
    for link in root.findall('link'):
        name = read_name(link, 'name', 'a <link> element')
        for each in link.findall(element) if links is None or name in links else ():
            with _noted(notes):
                found.append(_shape(each, name, f'link {name!r} {element}', colors))
    return tuple(found)


@contextlib.contextmanager
def _noted(notes):
    """Put the sentence of an error into notes, if there are any."""
    try:
        yield
    except ModelError as error:
        if notes is None:
            raise
        if str(error) not in notes:
            notes.append(str(error))


def mesh_path(file, folder):
    """Return the path of the file of a mesh.

    `file`: `package://<name>/<path>`, `file://<path>`, or a path, which may be relative.
    `folder` (path): where relative paths begin: the folder of the URDF.
    Raises ModelError: if there is no such file.
    """
    found = package_path.resolved(file, folder)
    path = Path(folder, str(found).removeprefix(FILE))
    if '://' in str(found).removeprefix(FILE):
        raise ModelError(
            f'got {shorten(file, 300)}; expected a path, {FILE}<path> or '
            f'{package_path.SCHEME}<name>/<path>'
        )
    if not path.is_file():
        raise ModelError(f'there is no file {shorten(str(path), 300)}')
    return path


def _shape(element, link, where, colors):
    """Return one shape of a link; `colors` are by material element and by name."""
    geometry = required_child(element, 'geometry', where)
    if not len(geometry) or geometry[0].tag not in KINDS:
        tags = ', '.join(abbreviated(child.tag) for child in geometry)
        raise ModelError(
            f'{where} geometry has {tags or "nothing"}; expected one of {", ".join(KINDS)}'
        )
    form = geometry[0]  # the first counts, as for urdfdom
    kind, where, file = form.tag, f'{where} {form.tag}', ''
    if kind == 'mesh':
        file = required_attribute(form, 'filename', where)
        size = tuple(read_vector(form, 'scale', where, (1.0, 1.0, 1.0)).tolist())
    elif kind == 'box':
        required_attribute(form, 'size', where)
        size = tuple(read_vector(form, 'size', where, None).tolist())
    else:
        size = tuple(read_number(form, key, where) for key in LENGTHS[kind])
    if min(size) <= 0.0 if kind != 'mesh' else 0.0 in size:
        raise ModelError(f'{where} has size {size}; expected lengths larger than 0')
    material = element.find('material')
    color = None
    if material is not None:
        color = colors.get(material) or colors.get(material.get('name'))
    return Shape(link, read_placement(element, where), kind, size, color, file)


def _color(material, where):
    """Return four numbers from 0 to 1, or None for a material without a colour."""
    color = material.find('color')
    if color is None:
        return None
    words = required_attribute(color, 'rgba', where).split()
    if len(words) != 4:
        raise ModelError(f'{where} has a colour of {len(words)} numbers; expected four')
    values = [read_value(word, f'{where} attribute {"rgba"!r}') for word in words]
    return tuple(np.clip(values, 0.0, 1.0).tolist())
