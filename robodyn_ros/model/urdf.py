# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Read a description from URDF text; errors name the link or joint, element and attribute."""

from dataclasses import replace
from math import inf, nan, pi

import numpy as np

from robodyn_ros.errors import ModelError, listed
from robodyn_ros.model import xml_text
from robodyn_ros.model.arithmetic import product
from robodyn_ros.model.dependent.coupling import with_couplings
from robodyn_ros.model.description import (
    JOINT_TYPES,
    Inertial,
    Joint,
    Limit,
    Link,
    RobotDescription,
)
from robodyn_ros.model.model_report import Findings
from robodyn_ros.model.rotors import Rotor
from robodyn_ros.model.sources import urdf_dialects, urdf_loops, urdf_mistakes
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

MOST_LINKS = 1000
#: Elements of a file that xacro has not read; others are macros that it did not know.
XACRO = tuple(
    f'xacro:{name}' for name in ('include', 'macro', 'property', 'arg', 'if', 'unless', 'element')
)
MOMENTS, PRODUCTS = ('ixx', 'iyy', 'izz'), ('ixy', 'ixz', 'iyz')
#: Elements of a joint that are read; the first of each counts, as for urdfdom.
PARTS = ('origin', 'parent', 'child', 'axis', 'limit', 'dynamics', 'mimic')
#: Joints of Drake that URDF does not have.
DRAKE_JOINT = 'drake:joint'
DRAKE_TYPES = {'ball': 'spherical', 'universal': 'universal', 'screw': 'helical'}
#: Elements of a transmission: of ROS 1, of ros2_control, of Drake (with its namespace).
GEAR_RATIO = ('mechanicalReduction', 'mechanical_reduction', 'gear_ratio')
ROTOR_INERTIA = ('motorInertia', 'rotor_inertia')


def parse(source):
    """Read a robot from URDF.

    Visual, collision and vendor elements are ignored, and meshes are never opened. Transmissions
    between one motor and one joint give the gear ratio and the inertia of the rotor. Loops are
    those of URDF+, see `sources.urdf_loops`. What urdfdom tolerates is tolerated here, with a
    finding.

    `source` (str, bytes or path): URDF text (str or UTF-8 bytes), or the path of a file.
    Returns links and joints in document order.
    Raises ModelError: for anything that is not a URDF of at most 10 MB and 1000 links.
    """
    return described(xml_text.root_element(source))


def described(root):
    """Read a robot from the root element of a URDF, as `parse` from its text.

    `root` (Element): the root element.
    Returns links and joints in document order.
    Raises ModelError: for anything that is not a URDF of at most 1000 links.
    """
    if root.tag != 'robot':
        raise ModelError(
            f'the root element is <{abbreviated(root.tag)}>; expected <robot>, a URDF '
            'after xacro has been run'
        )
    unexpanded = list(dict.fromkeys(each.tag for each in root if each.tag.startswith('xacro:')))
    if not {*unexpanded}.isdisjoint(XACRO) or (unexpanded and root.find('link') is None):
        raise ModelError(
            'the description still has xacro elements; expected the path of a file whose name '
            'ends with .xacro, or what xacro prints'
        )
    findings = Findings()
    if not root.get('name', 'robot').strip():
        findings.warn('the robot', "has an empty name; taken as 'robot'")
        root.set('name', 'robot')
    robot = read_name(root, 'name', 'the <robot> element')
    if unexpanded:
        findings.warn(
            f'robot {robot!r}',
            f'has {listed(unexpanded)}, which xacro has not expanded; what they stand for is '
            'missing',
        )
    if namespace := root.get('xmlns'):
        findings.warn(
            f'robot {robot!r}',
            f'has the default namespace {abbreviated(namespace)!r}; read as a URDF all the same',
        )
    links = root.findall('link')
    joints = [each for each in root if each.tag in ('joint', DRAKE_JOINT)]
    for what, elements in (('links', links), ('joints', joints)):
        if len(elements) > MOST_LINKS:
            raise ModelError(
                f'robot {robot!r} has {len(elements)} {what}; expected at most {MOST_LINKS}'
            )
    joints = tuple(_joint(each, findings) for each in joints)
    joints = urdf_dialects.with_mimics(root, joints, findings)
    closures = *urdf_loops.closures(root), *urdf_dialects.closures(root, joints, findings)
    urdf_dialects.warn_of_unread(root, findings)
    urdf_mistakes.warn_of_mistakes(root, findings)
    urdf_dialects.warn_of_still_effort_joints(root, joints, findings)
    description = RobotDescription(
        robot,
        tuple(_link(each, findings) for each in links),
        joints,
        _rotors(root, joints, findings),
        closures,
        urdf_loops.independent(root),
        tuple(findings),
    )
    return with_couplings(description, urdf_loops.couplings(root, joints))


def _rotors(root, joints, findings):
    """Return {joint: Rotor} of the transmissions of ROS, of ros2_control and of Drake.

    A transmission of several joints or motors, such as a differential wrist, has no single ratio.
    It is a finding, like one that cannot be read: urdfdom reads none.
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
        names = [each.get('name', '') for each in driven]
        if len(driven) > 1 or len(motors) > 1:
            which = abbreviated(element.get('name', 'without a name'))
            findings.warn(
                f'transmission {which!r}',
                f'of joints {", ".join(map(repr, names))} has several joints or motors, and is '
                'not read; couplings and rotors of a YAML file say the same',
            )
            continue
        if not driven or names[0] not in moving:
            continue
        name, where = names[0], f'the transmission of joint {names[0]!r}'
        places = (*motors, driven[0], element)
        try:
            ratio = _first(places, GEAR_RATIO, where)
            inertia = _first(places, ROTOR_INERTIA, where)
            if ratio == 0.0:
                raise ModelError(f'{where} has gear ratio 0; expected one other than 0')
            if inertia is not None and inertia < 0.0:
                raise ModelError(f'{where} has rotor inertia {inertia:g}; expected 0 or more')
        except ModelError as error:
            findings.warn(f'joint {name!r}', f'{error}; its rotor and its ratio are left out')
            continue
        before = found.get(name, Rotor(0.0))
        if None not in (ratio, before.gear_ratio) and ratio != before.gear_ratio:
            findings.warn(
                f'joint {name!r}',
                f'has transmissions with the gear ratios {before.gear_ratio:g} and {ratio:g}; '
                'the first is taken',
            )
            continue
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
            if child.tag.rpartition(':')[2] in tags:  # without the namespace, as in Drake
                text = child.get('value') or (child.text or '').strip()
                if text:
                    return read_value(text, f'{where} element <{child.tag.rpartition("}")[2]}>')
    return None


def _link(element, findings):
    """Return the Link of an element.

    One whose inertia is not complete has none, and moves without dynamics.
    """
    name = read_name(element, 'name', 'a <link> element')
    subject = f'link {name!r}'
    _warn_of_repeated(element, ('inertial',), subject, findings)
    inertial = element.find('inertial')
    if inertial is None:
        return Link(name)
    _warn_of_repeated(inertial, ('origin', 'mass', 'inertia'), f'{subject} inertial', findings)
    mass, entries = inertial.find('mass'), inertial.find('inertia')
    missing = [
        what
        for what, found in (
            ('<mass>', mass is not None),
            ('<inertia>', entries is not None),
            ("'value' of <mass>", mass is None or 'value' in mass.keys()),
            *(
                (f'{key!r} of <inertia>', entries is None or key in entries.keys())
                for key in MOMENTS
            ),
        )
        if not found
    ]
    if missing:
        sentence = f'has an inertial without {", ".join(missing)}, so that its inertia is unknown'
        findings.warn(subject, sentence)
        return Link(name, has_unknown_inertia=True)
    products = [key for key in PRODUCTS if key not in entries.keys()]
    if products:
        findings.warn(subject, f'has an inertia without {", ".join(products)}; taken as 0')
    return Link(name, _inertial(inertial, f'{subject} inertial'))


@np.errstate(over='ignore', invalid='ignore')  # an overflow is refused when the model is built
def _inertial(element, where):
    """Return the Inertial of an element, in axes of the link."""
    placement = read_placement(element, where)
    mass = read_number(required_child(element, 'mass', where), 'value', f'{where} mass')
    entries = required_child(element, 'inertia', where)
    xx, yy, zz = (read_number(entries, key, f'{where} inertia') for key in MOMENTS)
    xy, xz, yz = (read_number(entries, key, f'{where} inertia', 0.0) for key in PRODUCTS)
    R = placement.rotation
    inertia = product(product(R, [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), R.T)
    return Inertial(mass, placement.translation, inertia)


def _warn_of_repeated(element, tags, subject, findings):
    """Add a warning of each child that occurs several times; the first one counts."""
    for tag in tags:
        count = len(element.findall(tag))
        if count > 1:
            findings.warn(subject, f'has {count} <{tag}> elements; the first is taken')


def _joint(element, findings):
    """Return the Joint of an element."""
    name = read_name(element, 'name', 'a <joint> element')
    where = f'joint {name!r}'
    kind = required_attribute(element, 'type', where)
    of_drake = DRAKE_TYPES if element.tag == DRAKE_JOINT else {}
    if kind not in (*JOINT_TYPES, *of_drake):
        raise ModelError(
            f'{where} has type {abbreviated(kind)!r}; expected one of {", ".join(JOINT_TYPES)}'
        )
    _warn_of_repeated(element, PARTS, where, findings)
    parent, child = (
        read_name(required_child(element, role, where), 'link', f'{where} {role}')
        for role in ('parent', 'child')
    )
    kind = of_drake.get(kind, kind)
    joint = Joint(name, kind, parent, child, placement=read_placement(element, where))
    if kind == 'helical':
        pitch = element.find('drake:screw_thread_pitch')
        joint = replace(joint, pitch=read_number(pitch, 'value', f'{where} pitch') / (2.0 * pi))
    try:
        return _moving(element, joint, where, findings)
    except ModelError as error:
        if kind != 'fixed':
            raise
        findings.warn(where, f'{error}; it is fixed, and needs none')
        return joint


def _moving(element, joint, where, findings):
    """Return a joint with what acts on its motion."""
    dynamics, mimic = element.find('dynamics'), element.find('mimic')
    axis = None if joint.type == 'floating' else element.find('axis')
    return replace(
        joint,
        axis=read_vector(axis, 'xyz', f'{where} axis', (1.0, 0.0, 0.0)),
        limit=_limit(element.find('limit'), joint.type, f'{where} limit', findings),
        damping=read_number(dynamics, 'damping', f'{where} dynamics', 0.0),
        friction=read_number(dynamics, 'friction', f'{where} dynamics', 0.0),
        mimic='' if mimic is None else read_name(mimic, 'joint', f'{where} mimic'),
        multiplier=read_number(mimic, 'multiplier', f'{where} mimic', 1.0),
        offset=read_number(mimic, 'offset', f'{where} mimic', 0.0),
    )


def _limit(element, kind, where, findings):
    """Read the limits of a joint.

    URDF's default for lower and upper is 0. If both are missing, a range of 0 .. 0 would lock the
    joint. So the joint then counts as unlimited, and is reported. An inverted range is turned, and
    a negative limit counts as missing: urdfdom tolerates both.
    """
    lower, upper = (_bound(element, key, where, 0.0) for key in ('lower', 'upper'))
    given = element is not None and not {'lower', 'upper'}.isdisjoint(element.keys())
    if kind == 'continuous' or not given:
        lower, upper = -inf, inf
    if lower > upper:
        findings.warn(where, f'has lower {lower:g} above upper {upper:g}; taken in turned order')
        lower, upper = upper, lower
    most = {'velocity': inf, 'effort': nan}
    for key, missing in most.items():
        most[key] = _bound(element, key, where, missing)
        if most[key] < 0.0:
            findings.warn(where, f'has {key} {most[key]:g}; expected 0 or more, taken as missing')
            most[key] = missing
    return Limit(lower, upper, **most)


def _bound(element, key, where, default):
    """Return a number of a limit, which may be infinite."""
    text = '' if element is None else element.get(key, '').strip().lower()
    if text.lstrip('+-') in ('inf', 'infinity'):
        return float(text)
    return read_number(element, key, where, default)
