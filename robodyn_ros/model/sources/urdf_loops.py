# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Closures of loops in a URDF+, the extension of Chignoli, Slotine, Wensing and Kim (2024).

<loop name="pin" type="revolute">                     as a joint, also written <constraint>
  <predecessor link="coupler"><origin xyz="0.5 0 0"/></predecessor>
  <successor link="rocker"><origin xyz="0.4 0 0"/></successor>
  <axis xyz="0 0 1"/>                                 in axes of both frames
</loop>

<coupling name="gear">                                a gear train, ratio times the joints from
  <predecessor link="arm"/> <successor link="rotor"/>  the common ancestor to the predecessor is
  <ratio value="6.0"/>                                the sum of those to the successor
</coupling>

<joint ... independent="true"> names the independent joints of the loops. Where joints are marked
by independent="false" alone, all others are independent.
"""

from fractions import Fraction

from robodyn_ros.errors import ModelError
from robodyn_ros.model.dependent.closures import Closure
from robodyn_ros.model.dependent.coupling import Coupling
from robodyn_ros.model.description import Placement
from robodyn_ros.model.rotation_matrix import unit_axis, z_to_axis
from robodyn_ros.model.urdf_elements import (
    abbreviated,
    read_name,
    read_number,
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

    Raises ModelError: for an element that is not valid; the message names it.
    """
    found = [*root.findall('loop'), *root.findall('constraint')]
    return tuple(_closure(element) for element in found if element.find('predecessor') is not None)


def independent(root):
    """Return the names of the joints that are independent, as far as joints are marked."""
    marked = {'true': [], 'false': [], '': []}
    for joint in root.findall('joint'):
        if joint.get('type') != 'fixed' and joint.find('mimic') is None:
            mark = joint.get('independent', '').strip().lower()
            marked.get(mark, marked['']).append(joint.get('name', ''))
    return tuple(marked['true'] or (marked[''] if marked['false'] else ()))


def couplings(root, joints):
    """Return the couplings of a URDF+: gear trains, also several that share joints.

    Returns one for each joint that follows others. They are the joints that are not independent;
      if their number does not fit, the last joint to each successor.
    Raises ModelError: for an element that is not valid, or couplings that contradict each other.
    """
    elements = [each for each in root.findall('coupling') if each.find('predecessor') is not None]
    if not elements:
        return ()
    carried = {joint.child: joint for joint in joints}
    rows, last = [], []
    for element in elements:
        name = read_name(element, 'name', 'a <coupling> element')
        where = f'coupling {name!r}'
        ratio = read_number(required_child(element, 'ratio', where), 'value', f'{where} ratio')
        ends = (
            read_name(required_child(element, tag, where), 'link', f'{where} {tag}')
            for tag in ('predecessor', 'successor')
        )
        before, after = (path(carried, link) for link in ends)
        common = set(before) & set(after)
        row = {each: ratio for each in before if each not in common}
        row |= {each: -1.0 for each in after if each not in common}
        if not row or not [each for each in after if each not in common]:
            raise ModelError(
                f'{where} has no joint between its links that could follow; expected a successor '
                'below the common ancestor'
            )
        rows.append(row)
        last.append(next(each for each in after if each not in common))
    names = list(dict.fromkeys(each for row in rows for each in row))
    chosen = independent(root)
    dependent = [each for each in names if each not in chosen] if chosen else last
    if len(dependent) != len(rows):
        dependent = last
    free = [each for each in names if each not in dependent]
    ratios = _solved([[row.get(each, 0.0) for each in (*dependent, *free)] for row in rows])
    if len(set(dependent)) < len(rows) or ratios is None:
        raise ModelError(
            f'the couplings {", ".join(each.get("name") for each in elements)} do not determine '
            f'the joints {", ".join(dependent)}; expected others with independent="false"'
        )
    return tuple(
        Coupling(each, {name: ratio for name, ratio in zip(free, row) if ratio})
        for each, row in zip(dependent, ratios)
    )


def _solved(rows):
    """Return x of A x = -B for rows [A B] by fractions, so without rounding; None if singular."""
    count = len(rows)
    rows = [[Fraction(entry) for entry in row] for row in rows]
    for k in range(count):
        pivot = next((i for i in range(k, count) if rows[i][k]), None)
        if pivot is None:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [entry / rows[k][k] for entry in rows[k]]
        for i in range(count):
            if i != k and rows[i][k]:
                rows[i] = [x - rows[i][k] * y for x, y in zip(rows[i], rows[k])]
    return [[float(-entry) for entry in row[count:]] for row in rows]


def path(carried, link):
    """Return the names of the moving joints from a link to the root.

    `carried` (mapping of str to Joint): the joint that carries each link.
    `link`: name of the link.
    """
    names, seen = [], set()
    while link in carried and link not in seen:
        seen.add(link)
        joint = carried[link]
        if joint.type != 'fixed':
            names.append(joint.name)
        link = joint.parent
    return names


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
