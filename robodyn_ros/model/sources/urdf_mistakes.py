# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Warnings of what a URDF has where nobody reads it, as in files written by hand."""

from itertools import chain

from robodyn_ros.errors import ModelError, listed
from robodyn_ros.model.urdf_elements import abbreviated, read_vector

#: Attributes that are read, the first one as the example.
_ATTRIBUTES = {
    'origin': ('xyz', 'rpy', 'quat_xyzw'),
    'axis': ('xyz',),
    'limit': ('lower', 'upper', 'effort', 'velocity'),
    'dynamics': ('damping', 'friction'),
    'mimic': ('joint',),
}
#: Elements of URDF that belong elsewhere.
_ELSEWHERE = {
    'link': ('origin', 'mass', 'inertia', 'axis', 'limit', 'parent', 'child'),
    'joint': ('inertial', 'mass', 'inertia', 'visual', 'collision'),
}
TURN = 7.0  # [rad] angles beyond it are probably degrees


def warn_of_mistakes(root, findings):
    """Add warnings of elements of links and joints that are not read, and of angles in degrees.

    `root` (Element): the <robot> element.
    `findings` (Findings): receives the warnings.
    """
    for element in chain(root.findall('link'), root.findall('joint')):
        subject = f'{element.tag} {abbreviated(element.get("name", ""))!r}'
        found = [each.tag for each in element if each.tag in _ELSEWHERE[element.tag]]
        if found:
            where = '<inertial>, <visual> or a joint' if element.tag == 'link' else 'a link'
            names = listed(dict.fromkeys(found))
            findings.warn(subject, f'has {names}, which is not read there; expected in {where}')
        inner = [
            (element, subject),
            *((each, f'{subject} inertial') for each in element.findall('inertial')),
        ]
        for owner, where in inner:
            for child in owner:
                _check(child, where, findings)


def _check(child, where, findings):
    """Add a warning of an element without the attributes that are read, or with large angles."""
    known = _ATTRIBUTES.get(child.tag)
    if known is None:
        return
    text = (child.text or '').strip()
    strange = [f'the text {abbreviated(text)!r}'] if text else []
    if not {*known} & {*child.keys()}:
        strange += [f'the attribute {abbreviated(name)!r}' for name in child.keys()]
        strange += [f'<{abbreviated(each.tag)}>' for each in child]
    if strange:
        findings.warn(
            where,
            f'has <{child.tag}> with {", ".join(strange)}, which is not read; expected '
            f'{known[0]}="..."',
        )
    if child.tag == 'origin' and (angles := _angles(child)) and max(map(abs, angles)) > TURN:
        findings.warn(
            where,
            f'has an origin with the angles {child.get("rpy")} rad; are its numbers in radians?',
        )


def _angles(origin):
    """Return roll, pitch and yaw [rad]; None where they are refused elsewhere."""
    try:
        return read_vector(origin, 'rpy', 'origin', (0.0, 0.0, 0.0)).tolist()
    except ModelError:
        return None
