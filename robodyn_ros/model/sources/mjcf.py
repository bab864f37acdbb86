# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""MJCF text to a description: the subset of bodies, joints, inertias, sites and equalities.

Geoms, assets, actuators, sensors, contacts, springs and visual settings are ignored. Unsupported
elements that change the mechanism are refused: included files, composites, spatial tendons in
equalities.
"""

from dataclasses import replace
from math import inf, nan, radians, sqrt

import numpy as np

from robodyn_ros.errors import ModelError
from robodyn_ros.model import xml_text
from robodyn_ros.model.arithmetic import added, cosine_and_sine, norm, product
from robodyn_ros.model.dependent.closures import Closure
from robodyn_ros.model.description import Inertial, Joint, Limit, Link, Placement, RobotDescription
from robodyn_ros.model.rotation_matrix import clean

KINDS = {'hinge': 'revolute', 'slide': 'prismatic', 'ball': 'spherical', 'free': 'floating'}
ORIENTATIONS = ('quat', 'euler', 'axisangle')
#: Attributes of <compiler> by which MuJoCo changes the written masses, inertias or places.
NEUTRAL = {
    'settotalmass': ('-1',),
    'boundmass': ('0',),
    'boundinertia': ('0',),
    'inertiafromgeom': ('auto', 'false'),
    'coordinate': ('local',),
}
#: Elements of a body without effect on the model.
IGNORED = {'geom', 'camera', 'light', 'inertial', 'joint', 'freejoint', 'body', 'site', 'plugin'}


def parse(source):
    """Read a robot from MJCF.

    The world is the base link, and sites are links without mass. A joint off the origin of its
    body adds a link.

    Parameters
    ----------
    source : str or path
        MJCF text, or the path of a file.

    Returns
    -------
    RobotDescription
        Links, joints and closures.

    Raises
    ------
    ModelError
        For any other text.
    """
    root = xml_text.root_element(source)
    if root.tag != 'mujoco':
        raise ModelError(f'the root element is <{root.tag}>; expected <mujoco>, an MJCF')
    for element in root.iter():
        if element.tag in ('include', 'composite', 'flexcomp', 'replicate', 'attach', 'frame'):
            raise ModelError(
                f'the MJCF has an element <{element.tag}>; expected bodies, joints, inertias, '
                'sites and equalities only. MuJoCo writes such a file with mj_saveLastXML'
            )
    return _Reader(root).description()


def _refuse_changes(compiler):
    """Refuse a <compiler> by which MuJoCo has other inertias than those of the text."""
    for name, neutral in NEUTRAL.items():
        found = compiler.get(name, neutral[0]).strip()
        try:
            same = found in neutral or float(found) == float(neutral[0])
        except ValueError:
            same = False
        if not same:
            raise ModelError(
                f'<compiler>: got {name} {found!r}; expected {" or ".join(neutral)}, as MuJoCo '
                'writes it with mj_saveLastXML: masses are those of <inertial>'
            )


class _Reader:
    """State of the parser."""

    def __init__(self, root):
        self.root = root
        self.degrees, self.order = True, 'xyz'
        for compiler in root.findall('compiler'):
            self.degrees = compiler.get('angle', 'degree' if self.degrees else '') == 'degree'
            self.order = compiler.get('eulerseq', self.order)
            _refuse_changes(compiler)
        self.defaults = {}
        for default in root.findall('default'):
            self._default(default, {})
        self.links, self.joints = [Link('world')], []
        self.names = {'world'}

    def description(self):
        """Return the robot."""
        for world in self.root.findall('worldbody'):
            self._children(world, 'world', None)
        followers, closures = self._equalities()
        joints = tuple(replace(joint, **followers.get(joint.name, {})) for joint in self.joints)
        unknown = set(followers) - {joint.name for joint in joints}
        if unknown:
            raise ModelError(f'equality: got joint {min(unknown)!r}; expected one of the bodies')
        name = self.root.get('model', 'mjcf')
        return RobotDescription(name, tuple(self.links), joints, closures=closures)

    def _default(self, element, inherited):
        """Store the defaults of a class and of its subclasses."""
        own = {tag: dict(values) for tag, values in inherited.items()}
        for child in element:
            if child.tag != 'default':
                own.setdefault(child.tag, {}).update(child.attrib)
        self.defaults[element.get('class', 'main')] = own
        for child in element.findall('default'):
            self._default(child, own)

    def _attributes(self, element, kind):
        """Return the attributes of an element, with the defaults of its class."""
        name = element.get('class') or kind or 'main'
        if name not in self.defaults and name != 'main':
            raise ModelError(f'<{element.tag}>: got class {name!r}; expected one of <default>')
        return {**self.defaults.get(name, {}).get(element.tag, {}), **element.attrib}

    def _children(self, element, link, kind):
        """Read the bodies and sites of a link."""
        for child in element:
            if child.tag == 'site':
                values = self._attributes(child, kind)
                name = self._named(values.get('name'), f'site{len(self.links)}')
                self.links.append(Link(name))
                place = self._placement(values, f'site {name!r}')
                self.joints.append(Joint(f'{name}_site', 'fixed', link, name, place))
            elif child.tag == 'body':
                self._body(child, link, kind)
            elif child.tag not in IGNORED:
                raise ModelError(f'body {link!r}: got an element <{child.tag}> that is not known')

    def _body(self, element, parent, kind):
        """Read a body, its joints and its children."""
        kind = element.get('childclass', kind)
        name = self._named(element.get('name'), f'body{len(self.links)}')
        place = self._placement(element.attrib, f'body {name!r}')
        found = [*element.findall('joint'), *element.findall('freejoint')]
        for number, joint in enumerate(found):
            values = self._attributes(joint, kind)
            values.setdefault('type', 'free' if joint.tag == 'freejoint' else 'hinge')
            where = f'joint {values.get("name", "without a name")!r} of body {name!r}'
            anchor = Placement(translation=self._numbers(values.get('pos', '0 0 0'), 3, where))
            last = number == len(found) - 1 and not anchor.translation.any()
            child = name if last else self._named(None, f'{name}_at_{number}')
            self._joint(values, where, parent, child, place @ anchor)
            if not last:
                self.links.append(Link(child))
            parent, place = child, Placement(translation=-anchor.translation)
        self.links.append(self._link(element, name))
        if parent != name:
            title = self._joint_name(f'{name}_fixed')
            self.joints.append(Joint(title, 'fixed', parent, name, place))
        self._children(element, name, kind)

    def _joint(self, values, where, parent, child, place):
        """Read a joint."""
        if values['type'] not in KINDS:
            raise ModelError(f'{where}: got type {values["type"]!r}; expected {", ".join(KINDS)}')
        if float(values.get('ref', 0)) != 0.0:
            raise ModelError(f'{where}: got ref {values["ref"]!r}; expected 0')
        kind = KINDS[values['type']]
        turns = kind == 'revolute'
        scale = radians(1.0) if turns and self.degrees else 1.0
        limited = values.get('limited', 'auto')
        limit, low, high = Limit(), -inf, inf
        if kind in ('revolute', 'prismatic'):
            if 'range' in values and limited != 'false':
                low, high = scale * self._numbers(values['range'], 2, where)
            effort = nan
            if 'actuatorfrcrange' in values:
                effort = float(np.abs(self._numbers(values['actuatorfrcrange'], 2, where)).max())
            limit = Limit(float(low), float(high), inf, effort)
            if turns and not np.isfinite(low):
                kind = 'continuous'
        numbers = {
            ours: float(self._numbers(values.get(theirs, '0'), 1, where)[0])
            for ours, theirs in (
                ('damping', 'damping'),
                ('friction', 'frictionloss'),
                ('rotor_inertia', 'armature'),
            )
        }
        self.joints.append(
            Joint(
                self._joint_name(values.get('name', f'{child}_joint')),
                kind,
                parent,
                child,
                place,
                axis=self._numbers(values.get('axis', '0 0 1'), 3, where),
                limit=limit,
                **numbers,
            )
        )

    def _link(self, element, name):
        """Read the inertia of a body."""
        inertial = element.find('inertial')
        if inertial is None:
            if element.find('geom') is not None:
                raise ModelError(
                    f'body {name!r}: got geoms and no <inertial>; expected <inertial>, as MuJoCo '
                    'writes it with mj_saveLastXML: shapes are not read'
                )
            return Link(name)
        where = f'inertial of body {name!r}'
        place = self._placement(inertial.attrib, where)
        if 'fullinertia' in inertial.attrib:
            xx, yy, zz, xy, xz, yz = self._numbers(inertial.get('fullinertia'), 6, where)
            inertia = np.array(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))
        else:
            inertia = np.diag(self._numbers(inertial.get('diaginertia', ''), 3, where))
        R = place.rotation
        mass = float(self._numbers(inertial.get('mass', ''), 1, where)[0])
        return Link(name, Inertial(mass, place.translation, product(product(R, inertia), R.T)))

    def _equalities(self):
        """Return {joint: what it follows, its ratios and offset}, and the closures."""
        followers, closures = {}, []
        for element in (child for each in self.root.findall('equality') for child in each):
            if self._attributes(element, None).get('active', 'true') == 'false':
                continue
            if element.tag in ('connect', 'weld'):
                closures.append(self._closure(element, f'{element.tag}{len(closures) + 1}'))
                continue
            if element.tag == 'tendon' and element.get('tendon1') is not None:
                self._couple(element, followers)
                continue
            if element.tag != 'joint' or element.get('joint2') is None:
                raise ModelError(
                    f'equality: got <{element.tag}>; expected <connect>, <weld>, <tendon> with '
                    'tendon1, or <joint> with joint1 and joint2'
                )
            where = f'equality of joint {element.get("joint1")!r}'
            offset, multiplier = self._line(element, where)
            followers[element.get('joint1')] = {
                'mimic': element.get('joint2'),
                'multiplier': multiplier,
                'offset': offset,
            }
        return followers, tuple(closures)

    def _line(self, element, where):
        """Return a0 and a1 of an equality y = a0 + a1 x."""
        offset, multiplier, *rest = self._numbers(element.get('polycoef', '0 1 0 0 0'), 5, where)
        if any(rest):
            raise ModelError(
                f'{where}: got polycoef {element.get("polycoef")!r}; expected the first two '
                'numbers only, as in position = a0 + a1 x'
            )
        return float(offset), float(multiplier)

    def _couple(self, element, followers):
        """Read an equality of lengths of fixed tendons: a joint follows the others.

        It is the last joint of the first tendon that follows no other. All lengths are 0 at q = 0.
        """
        first, second = element.get('tendon1'), element.get('tendon2')
        where = f'equality of tendon {first!r}'
        offset, multiplier = self._line(element, where)
        weights = self._tendon(first, where)
        free = [name for name, weight in weights.items() if weight and name not in followers]
        if not free:
            raise ModelError(
                f'{where}: got joints that all follow others already; expected one that does not'
            )
        for name, weight in self._tendon(second, where).items() if second else ():
            weights[name] = weights.get(name, 0.0) - multiplier * weight
        last = weights.pop(free[-1])
        follows = {name: -weight / last for name, weight in weights.items() if weight}
        if not last or not follows:
            raise ModelError(
                f'{where}: got weights that leave joint {free[-1]!r} following nothing; '
                'expected weights of two joints or more'
            )
        followers[free[-1]] = {'follows': follows, 'offset': offset / last}

    def _tendon(self, name, where):
        """Return {joint: its weight} of a fixed tendon."""
        found = [each for each in self.root.findall('tendon/fixed') if each.get('name') == name]
        if not found:
            raise ModelError(f'{where}: got tendon {name!r}; expected a <fixed> of <tendon>')
        weights = {}
        for each in found[0].findall('joint'):
            joint = each.get('joint', '')
            where = f'tendon {name!r}, joint {joint!r}'
            weight = self._numbers(each.get('coef', ''), 1, where)[0]
            weights[joint] = weights.get(joint, 0.0) + float(weight)
        return weights

    def _closure(self, element, otherwise):
        """Read an equality of two bodies or sites; frames that are not given agree at zero."""
        name = element.get('name', otherwise)
        where, kind = f'equality {name!r}', 'ball' if element.tag == 'connect' else 'weld'
        if 'site1' in element.attrib:
            ends = self._ends(element, where, ('site1', 'site2'))
            return Closure(name, *ends, kind)
        a, b = self._ends(element, where, ('body1', 'body2'))
        poses = self._poses_at_zero()
        place = Placement()
        if kind == 'ball':
            place = Placement(translation=self._numbers(element.get('anchor', ''), 3, where))
        elif element.get('relpose'):
            numbers = self._numbers(element.get('relpose'), 7, where)
            if numbers[3:].any():
                R = clean(_of_quaternion(numbers[3:], where))
                return Closure(name, a, b, kind, place_a=Placement(R, numbers[:3]))
        if kind == 'weld':
            return Closure(name, a, b, kind, place_a=_inverse(poses[a]) @ poses[b])
        return Closure(name, a, b, kind, None, place, _inverse(poses[b]) @ poses[a] @ place)

    def _ends(self, element, where, keys):
        """Return the links that an equality joins; a missing second one is the world."""
        ends = element.get(keys[0]), element.get(keys[1], 'world')
        unknown = [end for end in ends if end not in self.names]
        if unknown:
            raise ModelError(
                f'{where}: got {unknown[0]!r} for one of {" and ".join(keys)}; expected a '
                f'{keys[0][:-1]} of the file'
            )
        return ends

    def _poses_at_zero(self):
        """Return {link: its pose in the world} with all joints at zero."""
        poses = {'world': Placement()}
        for joint in self.joints:  # a parent comes before its children
            poses[joint.child] = poses[joint.parent] @ joint.placement
        return poses

    def _placement(self, values, where):
        """Read pos and orientation."""
        strange = [key for key in ('xyaxes', 'zaxis') if key in values]
        if strange:
            raise ModelError(f'{where}: got {strange[0]}; expected {", ".join(ORIENTATIONS)}')
        place = self._numbers(values.get('pos', '0 0 0'), 3, where)
        R, scale = np.eye(3), radians(1.0) if self.degrees else 1.0
        if 'quat' in values:
            R = _of_quaternion(self._numbers(values['quat'], 4, where), where)
        elif 'axisangle' in values:
            *axis, angle = self._numbers(values['axisangle'], 4, where)
            R = _about(np.array(axis), scale * angle, where)
        elif 'euler' in values:
            for letter, angle in zip(self.order, self._numbers(values['euler'], 3, where)):
                turn = _about(np.eye(3)['xyz'.index(letter.lower())], scale * angle, where)
                R = product(R, turn) if letter.islower() else product(turn, R)
        exact = clean(R)
        return Placement(exact, place, float(np.abs(exact - R).max()))

    def _numbers(self, text, count, where):
        """Read finite numbers."""
        try:
            found = np.array([float(word) for word in text.split()])
        except ValueError:
            found = np.array([nan])
        if found.shape != (count,) or not np.isfinite(found).all():
            raise ModelError(f'{where}: got {text!r}; expected {count} finite numbers')
        return found

    def _named(self, name, otherwise):
        """Return a name that is unused by links."""
        if name is not None and name in self.names:
            raise ModelError(f'got two bodies or sites {name!r}; expected different names')
        name = otherwise if name is None else name
        while name in self.names:
            name += '_'
        self.names.add(name)
        return name

    def _joint_name(self, name):
        """Return a name that is unused by joints."""
        while any(joint.name == name for joint in self.joints):
            name += '_'
        return name


def _inverse(place):
    """Return the inverse of a placement."""
    R = place.rotation.T
    return Placement(R, -product(R, place.translation))


def _of_quaternion(quaternion, where):
    """Return the rotation of a quaternion (w, x, y, z) of any length but zero."""
    size = sqrt(added(quaternion * quaternion))
    if not size > 0.0:
        raise ModelError(f'{where}: got a quaternion of length 0; expected a direction')
    w, x, y, z = quaternion / size
    K = np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))
    return np.eye(3) + 2.0 * (w * K + product(K, K))


def _about(axis, angle, where):
    """Return the rotation about an axis [rad]."""
    cosine, sine = cosine_and_sine(0.5 * angle)
    size = norm(axis)
    if not size > 0.0:
        raise ModelError(f'{where}: got an axis of length 0; expected a direction')
    return _of_quaternion(np.append(cosine, sine * axis / size), where)
