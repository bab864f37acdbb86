# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A description of an MJCF: bodies, inertias, joints, sites, equalities and fixed tendons.

Positions are those of MuJoCo, with the scalar of quaternions last. Actuators give effort limits.
What cannot be described is a finding.
"""

from dataclasses import replace
from math import inf

import numpy as np

from robodyn_ros.model.arithmetic import product
from robodyn_ros.model.description import (
    Inertial,
    Joint,
    Limit,
    Link,
    Placement,
    RobotDescription,
    unused_name,
)
from robodyn_ros.model.joint_types import displacement
from robodyn_ros.model.mjcf import equalities, losses
from robodyn_ros.model.mjcf.actuators import Actuators
from robodyn_ros.model.mjcf.compiled import placement

TYPES = {'hinge': 'revolute', 'slide': 'prismatic', 'ball': 'spherical', 'free': 'floating'}


def describe(compiled):
    """Return the description of an MJCF.

    The world is the base link, and sites are links without mass. Between several joints of a
    body, and behind a joint off its origin, there are links `<body>_at_<joint>`.
    """
    return _Reader(compiled).description()


class _Reader:
    """Links and joints of a compiled MJCF, as far as they are read."""

    def __init__(self, compiled):
        self._compiled, self._model = compiled, compiled.model
        self._actuators = Actuators(compiled)
        self._following, self._doubts = equalities.following(compiled)
        self._links, self._joints = [Link(compiled.bodies[0])], []
        self._link_names = {*compiled.bodies, *compiled.sites}
        self._joint_names = {*compiled.joints}

    def description(self):
        """Return the robot."""
        compiled, model = self._compiled, self._model
        for body in range(1, model.nbody):
            self._read_body(body)
        for site, name in enumerate(compiled.sites):
            self._links.append(Link(name))
            self._fix(compiled.bodies[model.site_bodyid[site]], name, compiled.site(site), 'site')
        for tendon in range(model.ntendon):
            self._read_tendon(tendon)
        closures, open_loops = equalities.closures(compiled, self._following)
        places = {
            name: compiled.position(k)
            for k, name in enumerate(compiled.joints)
            if compiled.is_scalar(k)
        }
        return RobotDescription(
            compiled.name,
            tuple(self._links),
            tuple(self._joints),
            closures=tuple(closures),
            near={name: place for name, place in places.items() if place},
            gravity=tuple(model.opt.gravity * compiled.has('gravity')),
            findings=(*losses.findings(compiled, self._actuators), *self._doubts, *open_loops),
        )

    def _read_body(self, body):
        """Add a body and its joints."""
        model, bodies = self._model, self._compiled.bodies
        name, parent = bodies[body], bodies[model.body_parentid[body]]
        place = placement(model.body_pos[body], model.body_quat[body])
        first, count = model.body_jntadr[body], model.body_jntnum[body]
        for number in range(first, first + count):
            is_free = self._compiled.kind('joint', model.jnt_type[number]) == 'free'
            anchor = Placement(translation=model.jnt_pos[number].astype(float))
            if is_free:  # its position is the pose in the world
                place = anchor = Placement()
            child = name
            if number < first + count - 1 or anchor.translation.any():
                child = self._new_link(f'{name}_at_{self._compiled.joints[number]}')
                self._links.append(Link(child, is_between_joints=True))
            self._joints.append(self._joint(number, parent, child, place @ anchor))
            parent, place = child, Placement(translation=-anchor.translation)
        self._links.append(Link(name, self._inertial(body)))
        if parent != name:
            self._fix(parent, name, place, 'fixed')

    def _joint(self, number, parent, child, place):
        """Return a joint, with what it follows."""
        model, name = self._model, self._compiled.joints[number]
        is_scalar, velocity = self._compiled.is_scalar(number), model.jnt_dofadr[number]
        limit = self._limit(number) if is_scalar else Limit()
        type_ = TYPES[self._compiled.kind('joint', model.jnt_type[number])]
        joint = Joint(
            name,
            'continuous' if type_ == 'revolute' and limit.lower == -inf else type_,
            parent,
            child,
            place,
            axis=model.jnt_axis[number].astype(float),
            limit=limit,
            damping=self._with_share('damping', number) if self._compiled.has('damper') else 0.0,
            friction=float(model.dof_frictionloss[velocity] * self._compiled.has('frictionloss')),
            rotor_inertia=self._with_share('armature', number),
            moves=True,
            stiffness=losses.stiffness(self._compiled, self._actuators, number),
            spring_rest=float(model.qpos_spring[model.jnt_qposadr[number]]) if is_scalar else 0.0,
        )
        if not is_scalar:
            return joint
        back = displacement(joint, (-self._compiled.position(number),))
        return self._led(replace(joint, placement=place @ back))

    def _led(self, joint):
        """Return a joint with what it follows; one that an equality holds is fixed there."""
        following = self._following.get(joint.name)
        if following is None:
            return joint
        if not following.ratios:
            place = joint.placement @ displacement(joint, (following.shift,))
            return Joint(joint.name, 'fixed', joint.parent, joint.child, place)
        return replace(joint, **_leaders(following.ratios), offset=following.shift)

    def _with_share(self, what, number):
        """Return damping or armature of a joint, with those of actuators."""
        own = getattr(self._model, f'dof_{what}')[self._model.jnt_dofadr[number]]
        return float(own) + self._actuators.share(what, 'joint', number)

    def _limit(self, number):
        """Return the limits of a joint of one velocity."""
        lower, upper = -inf, inf
        if self._model.jnt_limited[number] and self._compiled.has('limit'):
            lower, upper = (float(end) for end in self._model.jnt_range[number])
        return Limit(lower, upper, inf, self._actuators.effort_limit(number), is_open=True)

    def _inertial(self, body):
        """Return mass and inertia of a body, or None."""
        model, moments = self._model, self._model.body_inertia[body]
        if not model.body_mass[body] and not moments.any():
            return None
        place = self._compiled.centre(body)
        R = place.rotation
        inertia = product(product(R, np.diag(moments)), R.T)
        inertia = 0.5 * (inertia + inertia.T)
        return Inertial(float(model.body_mass[body]), place.translation, inertia)

    def _read_tendon(self, tendon):
        """Add the armature of a fixed tendon, as a rotor that moves like its length."""
        name = self._compiled.tendons[tendon]
        armature = getattr(self._model, 'tendon_armature', np.zeros(self._model.ntendon))[tendon]
        armature += self._actuators.share('armature', 'tendon', tendon)
        ratios = {
            self._compiled.joints[joint]: coefficient
            for joint, coefficient in self._compiled.coefficients(tendon).items()
            if coefficient
        }
        held = [each for each, what in self._following.items() if not what.ratios]
        ratios = {each: ratio for each, ratio in ratios.items() if each not in held}
        if not armature or not ratios:
            return
        link = self._new_link(name if name not in self._link_names else f'{name}_tendon')
        self._links.append(Link(link, is_rotor=True))
        self._joints.append(
            Joint(
                self._new_joint(name if name not in self._joint_names else f'{name}_tendon'),
                'continuous',
                self._compiled.bodies[0],
                link,
                rotor_inertia=float(armature),
                **_leaders(ratios),
            )
        )

    def _fix(self, parent, child, place, what):
        """Add a fixed joint."""
        name = self._new_joint(f'{child}_{what}')
        self._joints.append(Joint(name, 'fixed', parent, child, place))

    def _new_link(self, name):
        """Return a name that no link has yet."""
        name = unused_name(name, self._link_names)
        self._link_names.add(name)
        return name

    def _new_joint(self, name):
        """Return a name that no joint has yet."""
        name = unused_name(name, self._joint_names)
        self._joint_names.add(name)
        return name


def _leaders(ratios):
    """Return the fields of a joint that follows one joint, or several."""
    if len(ratios) > 1:
        return {'follows': ratios}
    ((leader, ratio),) = ratios.items()
    return {'mimic': leader, 'multiplier': ratio}
