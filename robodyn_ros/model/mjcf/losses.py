# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Findings about what an MJCF has and a description has not.

Contacts of geoms, cameras, sensors and what is drawn are no part of a description. They are left
out without a word, and so are actuators, but for what `Actuators` says of joints.
"""

import numpy as np

from robodyn_ros.model.model_report import NOTE, WARNING, Finding


def spring_obstacle(compiled, actuators, joint):
    """Return why the spring of a joint cannot be described, or ''.

    `joint`: number of the joint.
    """
    model = compiled.model
    if not compiled.is_scalar(joint):
        return 'expected a hinge or a slide'
    if np.any(getattr(model, 'jnt_stiffnesspoly', np.zeros((model.njnt, 1)))[joint]):
        return 'expected a linear one'
    return 'expected no actuator beside it' if joint in actuators.driven else ''


def stiffness(compiled, actuators, joint):
    """Return the stiffness of a joint, as far as it can be described.

    `joint`: number of the joint.
    """
    value = float(compiled.model.jnt_stiffness[joint]) if compiled.has('spring') else 0.0
    return 0.0 if spring_obstacle(compiled, actuators, joint) else value


def findings(compiled, actuators):
    """Yield a finding for each kind of content that is left out; it names the elements."""
    model = compiled.model
    yield from _springs(compiled, actuators)
    yield from _tendons(compiled)
    bent = np.any(getattr(model, 'dof_dampingpoly', np.zeros((model.nv, 1))), axis=1)
    damped = {int(joint) for joint in model.dof_jntid[bent]} if compiled.has('damper') else ()
    ranged = [k for k in _true(model.jnt_limited) if not compiled.is_scalar(k)]
    inert = [compiled.kind('dyn', kind) != 'none' for kind in model.actuator_dyntype]
    for what, names, numbers, sentence in (
        ('gravcomp of body', compiled.bodies, _true(model.body_gravcomp), 'gravity acts in full'),
        ('plugin of body', compiled.bodies, _true(model.body_plugin >= 0), 'its forces are gone'),
        ('damping of joint', compiled.joints, damped, 'only its linear part is read'),
        ('range of joint', compiled.joints, ranged, 'a ball joint has no range here'),
        ('contact pair', compiled.pairs, range(model.npair), 'contacts are not read'),
        ('flex', compiled.flexes, range(model.nflex), 'only the bodies of its nodes are read'),
    ):
        yield from _found(WARNING, what, names, numbers, f'is left out: {sentence}')
    for option in ('density', 'viscosity'):
        if getattr(model.opt, option):
            yield Finding(WARNING, f'option {option}', 'is left out: the medium has no forces')
    mocap = _true(model.body_mocapid >= 0)
    yield from _found(NOTE, 'mocap body', compiled.bodies, mocap, 'stands still')
    sentence = 'has dynamics of its own, which are left out'
    yield from _found(NOTE, 'actuator', compiled.actuators, _true(inert), sentence)


def _true(values):
    """Return the indices of values that are not zero."""
    return np.flatnonzero(values).tolist()


def _found(severity, what, names, numbers, sentence):
    """Yield a finding about elements, if there are any."""
    if numbers:
        listed = ', '.join(repr(names[k]) for k in sorted(numbers))
        yield Finding(severity, f'{what} {listed}', sentence)


def _springs(compiled, actuators):
    """Yield findings about springs of joints."""
    model = compiled.model
    stiff = np.array(model.jnt_stiffness) != 0.0
    if hasattr(model, 'jnt_stiffnesspoly'):
        stiff |= np.any(model.jnt_stiffnesspoly, axis=1)
    groups: dict[str, list[int]] = {}
    for joint in _true(stiff) if compiled.has('spring') else ():
        groups.setdefault(spring_obstacle(compiled, actuators, joint), []).append(joint)
    free = groups.pop('', [])
    sentence = 'has no actuator beside it, so the joint has no drive'
    yield from _found(NOTE, 'spring of joint', compiled.joints, free, sentence)
    for obstacle, joints in groups.items():
        sentence = f'is left out; {obstacle}'
        yield from _found(WARNING, 'spring of joint', compiled.joints, joints, sentence)


def _tendons(compiled):
    """Yield findings about tendons."""
    model = compiled.model
    spatial = [k for k in range(model.ntendon) if not compiled.coefficients(k)]
    sentence = 'is left out, with its armature and forces: only a fixed tendon is read'
    yield from _found(WARNING, 'spatial tendon', compiled.tendons, spatial, sentence)
    for what, values, feature in (
        ('range', model.tendon_limited, 'limit'),
        ('stiffness', model.tendon_stiffness, 'spring'),
        ('damping', model.tendon_damping, 'damper'),
        ('frictionloss', model.tendon_frictionloss, 'frictionloss'),
    ):
        fixed = [k for k in _true(values) if k not in spatial] if compiled.has(feature) else ()
        yield from _found(WARNING, f'{what} of tendon', compiled.tendons, fixed, 'is left out')
