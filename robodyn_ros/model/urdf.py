# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Read a description from URDF text; errors name the link or joint, element and attribute."""

from dataclasses import replace
from math import inf, nan

import numpy as np

from robodyn_ros.errors import ModelError
from robodyn_ros.model import xml_text
from robodyn_ros.model.arithmetic import product
from robodyn_ros.model.description import (
    JOINT_TYPES,
    Inertial,
    Joint,
    Limit,
    Link,
    RobotDescription,
)
from robodyn_ros.model.rotors import Rotor
from robodyn_ros.model.sources import urdf_loops
from robodyn_ros.model.urdf_elements import (
    abbreviated,
    only_child,
    read_name,
    read_number,
    read_placement,
    read_value,
    read_vector,
    required_attribute,
    required_child,
)

MOST_LINKS = 1000
#: Elements of a transmission: of ROS 1, of ros2_control, of Drake (with its namespace).
GEAR_RATIO = ('mechanicalReduction', 'mechanical_reduction', 'gear_ratio')
ROTOR_INERTIA = ('motorInertia', 'rotor_inertia')


def parse(source):
    """Read a robot from URDF.

    Visual, collision and vendor elements are ignored, and meshes are never opened. Transmissions
    between one motor and one joint give the gear ratio and the inertia of the rotor. Loops are
    those of URDF+, see `sources.urdf_loops`.

    Parameters
    ----------
    source : str, bytes or path
        URDF text (str or UTF-8 bytes), or the path of a file.

    Returns
    -------
    RobotDescription
        Links and joints in document order.

    Raises
    ------
    ModelError
        For anything that is not a URDF of at most 10 MB and 1000 links.
    """
    return described(xml_text.root_element(source))


def described(root):
    """Read a robot from the root element of a URDF, as `parse` from its text.

    Parameters
    ----------
    root : Element
        The root element.

    Returns
    -------
    RobotDescription
        Links and joints in document order.

    Raises
    ------
    ModelError
        For anything that is not a URDF of at most 1000 links.
    """
    if root.tag != 'robot':
        raise ModelError(
            f'the root element is <{abbreviated(root.tag)}>; expected <robot>, a URDF '
            'after xacro has been run'
        )
    if any('xacro' in element.tag for element in root):
        raise ModelError('the description still has xacro elements; run xacro on it first')
    robot = read_name(root, 'name', 'the <robot> element')
    links, joints = root.findall('link'), root.findall('joint')
    for what, elements in (('links', links), ('joints', joints)):
        if len(elements) > MOST_LINKS:
            raise ModelError(
                f'robot {robot!r} has {len(elements)} {what}; expected at most {MOST_LINKS}'
            )
    joints = tuple(map(_joint, joints))
    return RobotDescription(
        robot,
        tuple(map(_link, links)),
        joints,
        _rotors(root, joints),
        urdf_loops.closures(root),
        urdf_loops.independent(root),
    )


def _rotors(root, joints):
    """Return {joint: Rotor} of the transmissions of ROS, of ros2_control and of Drake.

    A transmission of several joints or motors, such as a differential wrist, has no single ratio.
    It is ignored, like those of unknown or fixed joints.
    """
    moving, found = {joint.name for joint in joints if joint.type != 'fixed'}, {}
    elements = [
        *root.findall('transmission'),
        *(
            each
            for system in root.findall('ros2_control')
            for each in system.findall('transmission')
        ),
    ]
    for element in elements:
        driven, motors = element.findall('joint'), element.findall('actuator')
        if len(driven) != 1 or len(motors) > 1 or driven[0].get('name') not in moving:
            continue
        name = driven[0].get('name')
        where = f'the transmission of joint {name!r}'
        places = (*motors, driven[0], element)
        ratio = _first(places, GEAR_RATIO, where)
        inertia = _first(places, ROTOR_INERTIA, where)
        if ratio == 0.0:
            raise ModelError(f'{where} has gear ratio 0; expected one other than 0')
        before = found.get(name, Rotor(0.0))
        if None not in (ratio, before.gear_ratio) and ratio != before.gear_ratio:
            raise ModelError(
                f'joint {name!r} has transmissions with the gear ratios {before.gear_ratio:g} and '
                f'{ratio:g}; expected one'
            )
        found[name] = replace(
            before,
            inertia=before.inertia if inertia is None else inertia,
            gear_ratio=before.gear_ratio if ratio is None else ratio,
        )
    return found


def _first(places, tags, where):
    """Return the first number that a child of those tags has, as its text or its `value`."""
    for place in places:
        for child in place:
            if child.tag.rpartition('}')[2] in tags:  # without the namespace, as in Drake
                text = child.get('value') or (child.text or '').strip()
                if text:
                    return read_value(text, f'{where} element <{child.tag.rpartition("}")[2]}>')
    return None


def _link(element):
    """Return the Link of an element."""
    name = read_name(element, 'name', 'a <link> element')
    inertial = only_child(element, 'inertial', f'link {name!r}')
    return Link(name, None if inertial is None else _inertial(inertial, f'link {name!r} inertial'))


@np.errstate(over='ignore', invalid='ignore')  # an overflow is refused when the model is built
def _inertial(element, where):
    """Return the Inertial of an element, in axes of the link."""
    placement = read_placement(element, where)
    mass = read_number(required_child(element, 'mass', where), 'value', f'{where} mass')
    entries = required_child(element, 'inertia', where)
    xx, xy, xz, yy, yz, zz = (
        read_number(entries, key, f'{where} inertia')
        for key in ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz')
    )
    R = placement.rotation
    inertia = product(product(R, [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), R.T)
    return Inertial(mass, placement.translation, inertia)


def _joint(element):
    """Return the Joint of an element."""
    name = read_name(element, 'name', 'a <joint> element')
    where = f'joint {name!r}'
    kind = required_attribute(element, 'type', where)
    if kind not in JOINT_TYPES:
        raise ModelError(
            f'{where} has type {abbreviated(kind)!r}; expected one of {", ".join(JOINT_TYPES)}'
        )
    parent, child = (
        read_name(required_child(element, role, where), 'link', f'{where} {role}')
        for role in ('parent', 'child')
    )
    axis = only_child(element, 'axis', where)
    dynamics = only_child(element, 'dynamics', where)
    mimic = only_child(element, 'mimic', where)
    return Joint(
        name,
        kind,
        parent,
        child,
        placement=read_placement(element, where),
        axis=read_vector(axis, 'xyz', f'{where} axis', (1.0, 0.0, 0.0)),
        limit=_limit(only_child(element, 'limit', where), kind, f'{where} limit'),
        damping=read_number(dynamics, 'damping', f'{where} dynamics', 0.0),
        friction=read_number(dynamics, 'friction', f'{where} dynamics', 0.0),
        mimic='' if mimic is None else read_name(mimic, 'joint', f'{where} mimic'),
        multiplier=read_number(mimic, 'multiplier', f'{where} mimic', 1.0),
        offset=read_number(mimic, 'offset', f'{where} mimic', 0.0),
    )


def _limit(element, kind, where):
    """Read the limits of a joint.

    URDF's default for lower and upper is 0. If both are missing, a range of 0 .. 0 would lock the
    joint. So the joint then counts as unlimited, and is reported.
    """
    lower = read_number(element, 'lower', where, 0.0)
    upper = read_number(element, 'upper', where, 0.0)
    given = element is not None and not {'lower', 'upper'}.isdisjoint(element.keys())
    if kind == 'continuous' or not given:
        lower, upper = -inf, inf
    return Limit(
        lower,
        upper,
        read_number(element, 'velocity', where, inf),
        read_number(element, 'effort', where, nan),
    )
