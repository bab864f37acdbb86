# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Closures of loops in a URDF+, the extension of Chignoli, Slotine, Wensing and Kim (2024).

<loop name="pin" type="revolute">                     as a joint, also written <constraint>
  <predecessor link="coupler"><origin xyz="0.5 0 0"/></predecessor>
  <successor link="rocker"><origin xyz="0.4 0 0"/></successor>
  <axis xyz="0 0 1"/>                                 in axes of both frames
</loop>

<joint ... independent="true"> names the independent joints of the loops.
"""

from robodyn_ros.errors import ModelError
from robodyn_ros.model.dependent.closures import Closure
from robodyn_ros.model.description import Placement
from robodyn_ros.model.rotation_matrix import unit_axis, z_to_axis
from robodyn_ros.model.urdf_elements import (
    abbreviated,
    read_name,
    read_placement,
    read_vector,
    required_attribute,
    required_child,
)

#: Motions that each joint type constrains, in a frame with z along the axis.
STOPS = {
    'fixed': ('x', 'y', 'z', 'rx', 'ry', 'rz'),
    'revolute': ('x', 'y', 'z', 'rx', 'ry'),
    'continuous': ('x', 'y', 'z', 'rx', 'ry'),
    'prismatic': ('x', 'y', 'rx', 'ry', 'rz'),
    'spherical': ('x', 'y', 'z'),
    'planar': ('z', 'rx', 'ry'),
}


def closures(root):
    """Return the closures of a URDF+.

    Parameters
    ----------
    root : Element
        The <robot> element.

    Returns
    -------
    tuple of Closure
        Closures.

    Raises
    ------
    ModelError
        For an element that is not valid; the message names it.
    """
    for element in root.findall('coupling'):
        if element.find('predecessor') is not None:
            raise ModelError(
                f'coupling {abbreviated(element.get("name", "without a name"))!r} is not '
                'supported; expected <mimic> in its joint'
            )
    found = [*root.findall('loop'), *root.findall('constraint')]
    return tuple(_closure(element) for element in found if element.find('predecessor') is not None)


def independent(root):
    """Return the names of the joints that are marked as independent.

    Parameters
    ----------
    root : Element
        The <robot> element.

    Returns
    -------
    tuple of str
        Names.
    """
    return tuple(
        joint.get('name', '')
        for joint in root.findall('joint')
        if joint.get('independent', 'false').strip().lower() == 'true'
    )


def _closure(element):
    """Return the closure of one element."""
    name = read_name(element, 'name', f'a <{element.tag}> element')
    where = f'{element.tag} {name!r}'
    kind = required_attribute(element, 'type', where)
    if kind not in STOPS:
        raise ModelError(
            f'{where} has type {abbreviated(kind)!r}; expected one of {", ".join(STOPS)}'
        )
    axis = read_vector(element.find('axis'), 'xyz', f'{where} axis', (1.0, 0.0, 0.0))
    if not axis.any():
        raise ModelError(f'{where} has an axis of length 0; expected a direction')
    turn, sides = Placement(z_to_axis(unit_axis(axis))), []
    for tag in ('predecessor', 'successor'):
        side = required_child(element, tag, where)
        link = read_name(side, 'link', f'{where} {tag}')
        sides.append((link, read_placement(side, f'{where} {tag}') @ turn))
    (a, place_a), (b, place_b) = sides
    return Closure(name, a, b, 'weld', STOPS[kind], place_a, place_b)
