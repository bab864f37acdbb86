# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Equalities of an MJCF: joints that follow others, and closures of loops."""

from robodyn_ros.model.dependent.closures import Closure
from robodyn_ros.model.dependent.mimic import Following
from robodyn_ros.model.mjcf.compiled import placement
from robodyn_ros.model.model_report import WARNING, Finding

#: Share of the largest coefficient below which a coefficient, or a contradiction, is rounding.
ROUNDING = 1e-12


def following(compiled):
    """Return what each joint follows that an equality of joints or fixed tendons determines.

    Each equality is sum c q = b. The first joint that no equality before has determined follows
    the others: `joint1`, or the last one of `tendon1`.

    Returns by name of the joint; those of joints that are held have no ratios. Leaders follow
      nothing.
    """
    solved: dict[str, Following] = {}
    findings = []
    for number in _active(compiled, 'joint', 'tendon'):
        kind = compiled.kind('eq', compiled.model.eq_type[number])
        subject = f'equality {compiled.equalities[number]!r} of {kind}s'
        coefficients, value, obstacle = _linear(compiled, kind, number)
        if obstacle:
            findings.append(Finding(WARNING, subject, f'is left out: {obstacle}'))
            continue
        least = ROUNDING * max(map(abs, coefficients.values()), default=0.0)
        unsolved = Following(coefficients, -value)
        for joint, known in solved.items():
            unsolved = _substituted(unsolved, joint, known)
        ratios = {name: ratio for name, ratio in unsolved.ratios.items() if abs(ratio) > least}
        if not ratios:
            if abs(unsolved.shift) > max(least, ROUNDING * abs(value)):
                sentence = 'is left out: it contradicts the equalities before it'
                findings.append(Finding(WARNING, subject, sentence))
            continue
        joint = next(iter(ratios))
        last = ratios.pop(joint)
        found = Following(
            {name: -ratio / last for name, ratio in ratios.items()}, -unsolved.shift / last
        )
        solved = {name: _substituted(each, joint, found) for name, each in solved.items()}
        solved[joint] = found
    return solved, findings


def closures(compiled, following):
    """Return the closures of the equalities `connect` and `weld`.

    `following` (dict of str to Following): joints that follow others.
    """
    found, findings = [], []
    for number in _active(compiled, 'connect', 'weld', 'flex', 'flexvert', 'flexstrain'):
        name, kind = compiled.equalities[number], _kind(compiled, number)
        obstacle, between = 'flexible bodies are not read', []
        if kind in ('connect', 'weld'):
            between = _joints_between(compiled, following, _bodies(compiled, number))
            obstacle = _obstacle(compiled, following, between, _bodies(compiled, number))
        if obstacle:
            subject = f'equality {name!r}, a {kind}'
            findings.append(Finding(WARNING, subject, f'is left out: {obstacle}'))
        elif between:
            found.append(_closure(compiled, number, name, kind))
    return found, findings


def _kind(compiled, number):
    """Return the kind of an equality."""
    return compiled.kind('eq', compiled.model.eq_type[number])


def _active(compiled, *kinds):
    """Return the numbers of the equalities of some kinds that are active."""
    if not (compiled.has('equality') and compiled.has('constraint')):
        return []
    active = compiled.model.eq_active0
    return [k for k in range(len(active)) if active[k] and _kind(compiled, k) in kinds]


def _linear(compiled, kind, number):
    """Return coefficients c by name and b of an equality sum c q = b, and why it has none."""
    model = compiled.model
    offset, slope, *rest = (float(each) for each in model.eq_data[number, :5])
    ends = [int(model.eq_obj1id[number]), int(model.eq_obj2id[number])]
    if ends[1] < 0:
        del ends[1]
    elif any(rest):
        return {}, 0.0, f'its polynomial is of higher order, {offset:g} {slope:g} {rest}'
    coefficients: dict[str, float] = {}
    value = offset
    for end, sign in zip(ends, (1.0, -slope)):
        weights = {end: 1.0} if kind == 'joint' else compiled.coefficients(end)
        if not weights:
            return {}, 0.0, f'its tendon {compiled.tendons[end]!r} is spatial'
        for joint, weight in reversed(weights.items()):
            name = compiled.joints[joint]
            coefficients[name] = coefficients.get(name, 0.0) + sign * weight
            value += sign * weight * compiled.position(joint)
    return coefficients, value, ''


def _substituted(following, joint, known):
    """Return what is followed after a joint is replaced by what it follows itself."""
    if joint not in following.ratios:
        return following
    share, ratios = following.ratios[joint], dict[str, float]()
    for name, ratio in following.ratios.items():
        parts = known.ratios if name == joint else {name: 1.0}
        for leader, part in parts.items():
            ratios[leader] = ratios.get(leader, 0.0) + ratio * part
    return Following(ratios, following.shift + share * known.shift)


def _bodies(compiled, number):
    """Return the two bodies that an equality joins."""
    model = compiled.model
    ends = int(model.eq_obj1id[number]), int(model.eq_obj2id[number])
    return ends if _of_bodies(compiled, number) else tuple(model.site_bodyid[k] for k in ends)


def _of_bodies(compiled, number):
    """Return whether an equality joins two bodies, not two sites."""
    return compiled.model.eq_objtype[number] == int(compiled.mujoco.mjtObj.mjOBJ_BODY)


def _joints_between(compiled, following, bodies):
    """Return the joints between two bodies that are not held."""
    model, paths = compiled.model, [set(), set()]
    for path, body in zip(paths, bodies):
        while body > 0:
            first = model.body_jntadr[body]
            path.update(range(first, first + model.body_jntnum[body]))
            body = model.body_parentid[body]
    held = {name for name, each in following.items() if not each.ratios}
    return [k for k in sorted(paths[0] ^ paths[1]) if compiled.joints[k] not in held]


def _obstacle(compiled, following, between, bodies):
    """Return why a closure cannot be described, or ''."""
    model = compiled.model
    for body in bodies:
        if model.body_mocapid[model.body_rootid[body]] >= 0:
            return f'body {compiled.bodies[body]!r} is moved by hand (mocap)'
    for joint in between:
        name = compiled.joints[joint]
        if not compiled.is_scalar(joint):
            kind = compiled.kind('joint', model.jnt_type[joint])
            return f'joint {name!r} in its loop is of type {kind}'
        if name in following and len(following[name].ratios) > 1:
            return f'joint {name!r} in its loop follows several others'
    return ''


def _closure(compiled, number, name, kind):
    """Return the closure of an equality of two bodies or two sites."""
    model = compiled.model
    data = model.eq_data[number]
    numbers = model.eq_obj1id[number], model.eq_obj2id[number]
    no_turns = kind == 'connect' or data[10] == 0.0  # its torquescale
    type_ = 'ball' if no_turns else 'weld'
    if not _of_bodies(compiled, number):
        return Closure(name, *(compiled.sites[k] for k in numbers), type_)
    ends = (compiled.bodies[k] for k in numbers)
    if kind == 'connect':
        return Closure(name, *ends, type_, None, placement(data[:3]), placement(data[3:6]))
    return Closure(name, *ends, type_, None, placement(data[3:6], data[6:10]), placement(data[:3]))
