# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Elements of other dialects in a URDF that close loops or let joints follow others.

- <gazebo><joint>: a joint of SDF between two links, which closes a loop, or a gearbox;
- <loop_joint> with <link1> and <link2>, of Isaac Sim and of older releases of Drake;
- plug-ins of Gazebo with <joint> and <mimicJoint>;
- <param name="mimic"> of a joint of <ros2_control>.

All others whose name tells of loops, couplings or springs are warnings.
"""

import re
from dataclasses import replace
from math import radians

import numpy as np

from robodyn_ros.errors import ModelError
from robodyn_ros.model.arithmetic import product
from robodyn_ros.model.dependent.closures import Closure
from robodyn_ros.model.description import Placement
from robodyn_ros.model.rotation_matrix import from_rpy, unit_axis, z_to_axis
from robodyn_ros.model.sources import urdf_loops
from robodyn_ros.model.sources.urdf_loops import STOPS
from robodyn_ros.model.urdf_elements import (
    abbreviated,
    read_name,
    read_value,
    read_vector,
    required_attribute,
    required_child,
)

#: Names of elements that may close a loop or move a joint.
_MOVING = re.compile(
    'joint|loop|constraint|coupl|equality|closure|mimic|gear|differential|tendon|spring|bushing'
)
_PLUGINS = re.compile('mimic|loop|constraint|coupl|tendon|gearbox')
_SPRINGS = re.compile('spring_?(stiffness|reference)|^stiffness$', re.IGNORECASE)
#: Elements of <robot> that other modules read.
_READ = ('link', 'joint', 'drake:joint', 'transmission', 'loop_joint', 'gazebo', 'ros2_control')
SDF_TYPES = {
    'revolute': 'revolute',
    'continuous': 'continuous',
    'prismatic': 'prismatic',
    'ball': 'spherical',
    'fixed': 'fixed',
}
WORLD = 'world'
GEARBOX = 'gearbox'  # type of a joint of SDF that lets one joint follow another
PARALLEL = 1e-6  # largest difference of unit vectors that count as parallel


def closures(root, joints, findings):
    """Return the closures of other dialects.

    `findings` (Findings): receives a note of each closure, and a warning of each that cannot be
      read.
    """
    poses, found = _poses_at_zero(joints), []
    elements = [
        *((each, _of_loop_joint) for each in root.findall('loop_joint')),
        *(
            (each, _of_gazebo_joint)
            for each in root.iterfind('gazebo/joint')
            if each.get('type') != GEARBOX
        ),
    ]
    for element, read in elements:
        subject = f'{_shown(element)}{" of <gazebo>" if read is _of_gazebo_joint else ""}'
        try:
            closure = read(element, poses)
        except ModelError as error:
            findings.warn(subject, f'is not read, though it may close a loop: {error}')
            continue
        if closure is None:
            continue
        found.append(closure)
        findings.note(subject, f'closes the loop of links {closure.a!r} and {closure.b!r}')
        if element.find('axis/limit/lower') is not None or element.find('limit') is not None:
            findings.warn(subject, 'has limits, which are not read')
    return tuple(found)


def with_mimics(root, joints, findings):
    """Return joints with those that follow another by Gazebo or ros2_control.

    `findings` (Findings): receives a note of each such joint, and a warning of each that cannot be
      read.
    """
    by_name = {joint.name: joint for joint in joints}
    for name, leader, numbers, source in (*_mimics(root), *_gears(root, joints, findings)):
        subject, known = f'joint {name!r}', by_name.get(name)
        try:
            multiplier, offset = (
                read_value(text, f'its {what} in {source}')
                for what, text in zip(('multiplier', 'offset'), numbers)
            )
        except ModelError as error:
            findings.warn(subject, f'follows {leader!r} by {source}, which is not read: {error}')
            continue
        if known is None or leader not in by_name:
            unknown = name if known is None else leader
            findings.warn(
                subject,
                f'follows {leader!r} by {source}, which is not read: there is no joint '
                f'{unknown!r}',
            )
        elif known.mimic:
            if (known.mimic, known.multiplier, known.offset) != (leader, multiplier, offset):
                findings.warn(
                    subject,
                    f'follows {leader!r} by {source}, and {known.mimic!r} by its <mimic>, which '
                    'is taken',
                )
        else:
            by_name[name] = replace(known, mimic=leader, multiplier=multiplier, offset=offset)
            findings.note(subject, f'follows {leader!r} by {source}')
    for joint in root.iterfind('ros2_control/joint'):
        known = by_name.get(joint.get('name'))
        if joint.get('mimic') == 'false' and known is not None and known.mimic:
            findings.warn(
                f'joint {known.name!r}',
                f'follows {known.mimic!r} by its <mimic>, and does not in <ros2_control>; it '
                'follows here',
            )
    return tuple(by_name[joint.name] for joint in joints)


def warn_of_still_effort_joints(root, joints, findings):
    """Add a warning of each joint with an effort interface and the velocity limit 0.

    `findings` (Findings): receives the warnings.
    """
    still = {joint.name for joint in joints if joint.limit.velocity == 0.0}
    for joint in root.iterfind('ros2_control/joint'):
        commands = {each.get('name') for each in joint.findall('command_interface')}
        if joint.get('name') in still and 'effort' in commands:
            findings.warn(
                f'joint {joint.get("name")!r}',
                'has an effort interface in <ros2_control> and velocity limit 0: any motion by an '
                'effort is beyond it; expected the largest speed in <limit>',
            )


def warn_of_unread(root, findings):
    """Add a warning of each element that may close a loop or move a joint, and is not read.

    `findings` (Findings): receives the warnings.
    """
    unread = 'is not read, though it may close a loop or move a joint'
    for element in root:
        of_urdf_plus = element.tag in ('loop', 'constraint', 'coupling')
        if element.tag in _READ or (of_urdf_plus and element.find('predecessor') is not None):
            continue
        if _MOVING.search(element.tag.lower()):
            findings.warn(_shown(element), unread)
    for element in root.iterfind('mujoco/equality/*'):
        findings.warn(f'{_shown(element)} of <mujoco>', unread)
    for element in root.iterfind('mujoco/tendon/*'):
        findings.warn(f'{_shown(element)} of <mujoco>', unread)
    for gazebo in root.findall('gazebo'):
        where = abbreviated(gazebo.get('reference', 'without a reference'))
        for element in gazebo.iter():
            text = (element.text or '').strip()
            if _SPRINGS.search(element.tag) and text not in ('', '0', '0.0'):
                sentence = (
                    f'has <{element.tag}> {abbreviated(text)} in <gazebo>, which is not read'
                )
                findings.warn(f'joint {where!r}', sentence)
            if element.tag == 'mimic':
                findings.warn(f'<mimic> of <gazebo> {where!r}', unread)
        for plugin in gazebo.findall('plugin'):  # a differential drive moves wheels as a motor
            title = f'{plugin.get("name", "")} {plugin.get("filename", "")}'
            if _PLUGINS.search(title.lower()) and not _is_mimic(plugin):
                findings.warn(f'plug-in {abbreviated(title.strip())!r} of <gazebo>', unread)
    for joint in root.findall('joint'):
        for element in joint.findall('dynamics'):
            for key in filter(_SPRINGS.search, element.keys()):
                if element.get(key).strip() not in ('0', '0.0'):
                    sentence = f'has {key} {abbreviated(element.get(key))}, which is not read'
                    findings.warn(f'joint {joint.get("name", "")!r}', sentence)


def _mimics(root):
    """Yield joint, leader, texts of multiplier and offset, and source of each following joint."""
    for joint in root.iterfind('ros2_control/joint'):
        values = {each.get('name'): (each.text or '').strip() for each in joint.findall('param')}
        if values.get('mimic'):
            numbers = values.get('multiplier') or '1', values.get('offset') or '0'
            yield joint.get('name', ''), values['mimic'], numbers, '<ros2_control>'
    for plugin in filter(_is_mimic, root.iterfind('gazebo/plugin')):
        numbers = plugin.findtext('multiplier') or '1', plugin.findtext('offset') or '0'
        names = (plugin.findtext(tag).strip() for tag in ('mimicJoint', 'joint'))
        yield *names, numbers, 'a plug-in of <gazebo>'


def _gears(root, joints, findings):
    """Yield what `_mimics` yields, of each gearbox of SDF."""
    for element in root.iterfind('gazebo/joint'):
        if element.get('type') != GEARBOX:
            continue
        try:
            name, leader, ratio = _gear(element, joints)
        except ModelError as error:
            sentence = f'is not read, though it moves a joint: {error}'
            findings.warn(f'{_shown(element)} of <gazebo>', sentence)
            continue
        yield name, leader, (f'{ratio!r}', '0'), f'{_shown(element)} of <gazebo>'


def _gear(element, joints):
    """Return a joint, the joint that it follows by a gearbox of SDF, and the multiplier.

    The angles are those of child and parent against a reference link, about their axes. That of
    the child is -gearbox_ratio times that of the parent.
    """
    where = f'gearbox {read_name(element, "name", "a <joint> of <gazebo>")!r}'
    poses = _poses_at_zero(joints)
    reference, parent, child = (
        _link((element.findtext(tag) or '').strip(), poses, where)
        for tag in ('gearbox_reference_body', 'parent', 'child')
    )
    ratio = read_value(element.findtext('gearbox_ratio') or '1', f'{where} gearbox_ratio')
    frame = poses[child] @ _pose(element.find('pose'), poses, child, where)
    found, multiplier = [], -ratio
    for link, tag in ((parent, 'axis'), (child, 'axis2')):
        axis = product(frame.rotation, unit_axis(_axis(element, tag, where)))
        joint, sign = _between(reference, link, joints, where)
        along = product(poses[joint.child].rotation, unit_axis(joint.axis))
        same, opposite = (np.abs(along - side * axis).max() <= PARALLEL for side in (1.0, -1.0))
        if not (same or opposite):
            raise ModelError(f'{where} has <{tag}> apart from the axis of joint {joint.name!r}')
        multiplier *= sign if same else -sign
        found.append(joint.name)
    leader, name = found
    return name, leader, float(multiplier)


def _between(reference, link, joints, where):
    """Return the one joint between two links, and 1 if it carries the second, else -1."""
    carried = {joint.child: joint for joint in joints}
    up, down = (urdf_loops.path(carried, each) for each in (reference, link))
    moving = {joint.name: joint for joint in joints}
    found = [moving[name] for name in {*up} ^ {*down}]
    if [joint.type for joint in found] not in (['revolute'], ['continuous']):
        raise ModelError(
            f'{where} has the joints {sorted({*up} ^ {*down})} between links {reference!r} and '
            f'{link!r}; expected one that is revolute'
        )
    return found[0], 1.0 if found[0].name in down else -1.0


def _is_mimic(plugin):
    """Return whether a plug-in of Gazebo has a joint that follows another."""
    return bool(plugin.findtext('joint') and plugin.findtext('mimicJoint'))


def _shown(element):
    """Return an element for a message."""
    return f'<{abbreviated(element.tag)}> {abbreviated(element.get("name", "without a name"))!r}'


def _of_loop_joint(element, poses):
    """Return the closure of a <loop_joint>."""
    name = read_name(element, 'name', 'a <loop_joint> element')
    where, ends = f'loop_joint {name!r}', []
    kind = _known(element, where, {**dict(zip(STOPS, STOPS)), 'ball': 'spherical'})
    turn = _turned_to(read_vector(element.find('axis'), 'xyz', f'{where} axis', (1.0, 0.0, 0.0)))
    for tag in ('link1', 'link2'):
        end = required_child(element, tag, where)
        xyz, rpy = (read_vector(end, key, f'{where} {tag}', np.zeros(3)) for key in ('xyz', 'rpy'))
        link = _link(end.get('link', ''), poses, f'{where} {tag}')
        ends.append((link, Placement(from_rpy(*rpy), xyz) @ turn))
    (a, place_a), (b, place_b) = ends
    return Closure(name, a, b, 'weld', STOPS[kind], place_a, place_b)


def _of_gazebo_joint(element, poses):
    """Return the closure of a <joint> of SDF; None for the weld of the base to the world.

    Its frame is fixed to the child. The parent has it where all joints are at zero.
    """
    name = read_name(element, 'name', 'a <joint> of <gazebo>')
    where = f'joint {name!r} of <gazebo>'
    kind = _known(element, where, SDF_TYPES)
    parent, child = ((element.findtext(tag) or '').strip() for tag in ('parent', 'child'))
    if kind == 'fixed' and parent == WORLD and poses and child == next(iter(poses)):
        return None
    parent, child = (_link(each, poses, where) for each in (parent, child))
    if element.find('axis2') is not None:
        raise ModelError(f'{where} has two axes; expected one')
    frame = _pose(element.find('pose'), poses, child, where)
    frame = frame @ _turned_to(_axis(element, 'axis', where))
    in_parent = _inverse(poses[parent]) @ poses[child] @ frame
    return Closure(name, parent, child, 'weld', STOPS[kind], in_parent, frame)


def _axis(element, tag, where):
    """Return the direction of an axis of a <joint> of SDF in its own frame."""
    axis = element.find(tag)
    xyz = None if axis is None else axis.find('xyz')
    strange = axis is not None and (
        (axis.findtext('use_parent_model_frame') or '').strip() in ('1', 'true')
        or (xyz is not None and xyz.get('expressed_in', '') not in ('', element.get('name')))
    )
    if strange:
        raise ModelError(f'{where} has an axis in another frame; expected one in its own')
    direction = _numbers('0 0 1' if xyz is None else xyz.text or '', 3, f'{where} {tag}')
    if not direction.any():
        raise ModelError(f'{where} has an axis of length 0; expected a direction')
    return direction


def _pose(element, poses, child, where):
    """Return the placement of a <pose> of SDF in the child link."""
    if element is None:
        return Placement()
    if element.get('rotation_format', 'euler_rpy') != 'euler_rpy':
        raise ModelError(f'{where} has a pose of another format; expected x y z roll pitch yaw')
    numbers = _numbers(element.text or '', 6, f'{where} pose')
    angles = numbers[3:]
    if element.get('degrees', 'false').strip() in ('1', 'true'):
        angles = [radians(each) for each in angles]
    base = (element.get('relative_to') or element.get('frame') or child).strip()
    base = _link(base, poses, f'{where} pose')
    frame = Placement(from_rpy(*angles), numbers[:3])
    return frame if base == child else _inverse(poses[child]) @ poses[base] @ frame


def _known(element, where, types):
    """Return the type of a joint, as STOPS names it."""
    kind = required_attribute(element, 'type', where).strip()
    if kind not in types:
        raise ModelError(
            f'{where} has type {abbreviated(kind)!r}; expected one of {", ".join(types)}'
        )
    return types[kind]


def _link(name, poses, where):
    """Return the name of a link of the tree."""
    if name not in poses:
        raise ModelError(f'{where} names link {abbreviated(name)!r}, which the robot has not')
    return name


def _numbers(text, count, where):
    """Return the numbers of a text."""
    words = text.split()
    if len(words) != count:
        raise ModelError(f'{where} is {abbreviated(text)!r}; expected {count} numbers')
    return np.array([read_value(word, where) for word in words])


def _turned_to(axis):
    """Return the placement whose z lies along an axis."""
    if not axis.any():
        raise ModelError('its axis has length 0; expected a direction')
    return Placement(z_to_axis(unit_axis(axis)))


def _inverse(place):
    """Return the inverse of a placement."""
    R = place.rotation.T
    return Placement(R, -product(R, place.translation))


def _poses_at_zero(joints):
    """Return {link: its pose in the root} with all joints at zero, root first.

    Links that no joint joins to the root are left out; the tree is checked later.
    """
    held = {joint.child for joint in joints}
    poses = {joint.parent: Placement() for joint in joints if joint.parent not in held}
    poses = dict(list(poses.items())[:1])
    left = list(joints)
    while ready := [joint for joint in left if joint.parent in poses]:
        for joint in ready:
            poses[joint.child] = poses[joint.parent] @ joint.placement
        left = [joint for joint in left if joint not in ready]
    return poses
