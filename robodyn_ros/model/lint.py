# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Warn of values of a robot that are possible but implausible, with the link or joint."""

import numpy as np

from robodyn_ros.model import joint_types
from robodyn_ros.model.dependent.mimic import leaders_of
from robodyn_ros.model.description import ONE_AXIS
from robodyn_ros.model.layout import FRICTION, MASS, STICTION
from robodyn_ros.model.model_report import NOTE, WARNING, Finding
from robodyn_ros.model.rotation_matrix import ROUNDING
from robodyn_ros.model.validate import NO_INERTIA, PRINTED, inertia_fault

MASSLESS = 'moves but has no mass'
HEAVY = 1000.0  # [kg] of one link; more suggests grams read as kilograms
DENSEST = 22_600.0  # [kg/m^3] osmium
FAR = 5.0  # [m] centre of mass or radius of gyration; more suggests millimetres
DEGREES = (10.0 * np.pi, 720.0)  # [rad] a limit between these is probably not in radians
QUARTER_TURN = 1e-15  # rounding of the cosines of a quarter turn
AXIS_TOLERANCE = 1e-3  # of the length of an axis that is written with three digits


def inertial(subject, body):
    """Yield findings about a rigid body: inertia that no mass has, implausible size, no mass.

    `body` (Inertial): mass and inertia.
    """
    smallest, middle, largest = np.linalg.eigvalsh(body.inertia)
    if smallest + middle < (1.0 - PRINTED) * largest - NO_INERTIA:
        yield Finding(
            WARNING,
            subject,
            f'principal moments {smallest:.6g}, {middle:.6g}, '
            f'{largest:.6g} kg m2 break the triangle inequality: no mass distribution '
            'has them',
        )
    if body.mass == 0.0:
        if largest > NO_INERTIA:
            yield Finding(WARNING, subject, 'has inertia but no mass')
        return
    if body.mass > HEAVY:
        yield Finding(WARNING, subject, f'has a mass of {body.mass:g} kg; is its number in kg?')
    # the body of least inertia for a mass and density is a ball: trace = 6/5 m r^2
    radius = (body.mass / DENSEST / (4.0 / 3.0 * np.pi)) ** (1.0 / 3.0)
    if NO_INERTIA < largest and np.trace(body.inertia) < 1.2 * body.mass * radius**2:
        yield Finding(
            NOTE,
            subject,
            f'has less inertia than a ball of osmium of {body.mass:g} kg; are its numbers in kg '
            'and kg m2?',
        )
    if largest <= NO_INERTIA:
        yield Finding(NOTE, subject, f'is a point mass of {body.mass:g} kg')
    distance = np.linalg.norm(body.com)
    if distance > FAR:
        yield Finding(
            WARNING,
            subject,
            f'centre of mass is {distance:.3g} m from the link origin; are its numbers in metres?',
        )
    gyration = np.sqrt(max(largest, 0.0) / body.mass)
    if gyration > FAR:
        yield Finding(
            WARNING,
            subject,
            f'radius of gyration is {gyration:.3g} m; are its numbers in kg and kg m2?',
        )


def resting_inertial(link, body, is_base):
    """Yield findings about a rigid body that is fixed to the base.

    `link`: name of the link.
    `body` (Inertial): its mass and inertia.
    `is_base`: whether the link is the base itself.
    """
    subject = f'link {link!r}'
    if is_base:
        yield Finding(NOTE, subject, 'is the fixed base; its inertia has no effect')
    fault = inertia_fault(body.inertia)
    if fault:
        yield Finding(WARNING, subject, f'{fault}; without effect, as the link does not move')


def joint(joint):
    """Yield findings about a commanded joint: its axis, its range and its limits."""
    subject = f'joint {joint.name!r}'
    if joint.placement.made_exact > QUARTER_TURN:
        yield Finding(
            NOTE,
            subject,
            f'direction cosines within {ROUNDING:g} of 0 or +-1 are '
            f'taken as exact; one moves by {joint.placement.made_exact:.2e}',
        )
    length = np.linalg.norm(joint.axis)
    if abs(length - 1.0) > AXIS_TOLERANCE and joint.type not in ('spherical', 'floating'):
        yield Finding(WARNING, subject, f'axis has length {length:.6g}; taken as a direction')
    for name, limit in zip(joint_types.velocity_names(joint), joint_types.limits(joint)):
        yield from _limit(f'joint {name!r}', joint, limit)


def _limit(subject, joint, limit):
    """Yield findings about the range and the limits of one velocity."""
    is_unlimited = np.isinf(limit.upper - limit.lower) and not limit.is_open
    if is_unlimited and joint.type in ('revolute', 'prismatic', 'helical'):
        yield Finding(WARNING, subject, f'is {joint.type} without a range; taken as unlimited')
    largest = max(-limit.lower, limit.upper)
    if joint.type == 'revolute' and DEGREES[0] < largest <= DEGREES[1]:
        yield Finding(
            WARNING,
            subject,
            f'has a range {limit.lower:g} .. {limit.upper:g} rad, '
            f'{largest / (2.0 * np.pi):.0f} turns to one side; are its numbers in '
            'radians?',
        )
    if limit.lower == limit.upper:
        yield Finding(
            WARNING, subject, f'has an empty range: lower and upper limit are both {limit.lower:g}'
        )
    for what, value in (('velocity', limit.velocity), ('effort', limit.effort)):
        if value == 0.0:
            yield Finding(WARNING, subject, f'has {what} limit 0, which allows none')
    if np.isnan(limit.effort) and joint.type != 'floating':
        yield Finding(NOTE, subject, 'has no effort limit')


def dry_friction(model):
    """Yield a finding about each joint whose motor cannot overcome its dry friction."""
    friction = model.joint_values(FRICTION) + model.joint_values(STICTION)
    for name, resists, drives in zip(model.joint_names, friction, model.limits.effort):
        if resists >= drives > 0.0:
            yield Finding(
                WARNING,
                f'joint {name!r}',
                f'has dry friction {resists:g} at or above its effort limit {drives:g}, so that '
                'its motor cannot move it',
            )


def held_joint(joint, position, commanded):
    """Yield findings about a joint that is locked.

    `position` (tuple of float): where it is locked.
    `commanded` (collection of str): names of the joints that move.
    """
    subject = f'joint {joint.name!r}'
    place = ' '.join(f'{x:g}' for x in position)
    if joint.type in ('revolute', 'prismatic', 'helical'):
        lower, upper = joint.limit.lower, joint.limit.upper
        if not lower <= position[0] <= upper:
            yield Finding(
                NOTE, subject, f'is locked at {place}, outside its range {lower:g} .. {upper:g}'
            )
    for leader in leaders_of(joint):
        if leader in commanded:
            yield Finding(
                WARNING,
                subject,
                f'follows {leader!r} on the robot, but is held at {place} in this model',
            )
    if joint.type not in (*ONE_AXIS, 'helical'):
        where = 'still' if position == joint_types.neutral(joint) else f'at {place}'
        yield Finding(NOTE, subject, f'is {joint.type} and held {where}')


def following_joint(joint, following):
    """Yield findings about a joint that follows others.

    `following` (Following): ratios to the joints that it follows.
    """
    subject = f'joint {joint.name!r}'
    if joint.stiffness:
        yield Finding(WARNING, subject, 'follows another joint; its spring is left out')
    if len(following.ratios) > 1:
        yield Finding(NOTE, subject, 'follows several joints; its limits are not checked')
        if joint.damping or joint.friction:
            yield Finding(
                WARNING, subject, 'follows several joints; its damping and friction are left out'
            )


def massless_bodies(body_names, constants, links):
    """Yield a finding for every moving body whose merged mass is zero, if it carries a link.

    `body_names` (sequence of str): names of the bodies, in row order.
    `constants` (nb, k): table of the robot.
    `links` (collection of str): names of links.
    """
    for name, row in zip(body_names[1:], constants[1:]):
        if row[MASS] == 0.0 and name in links:
            yield Finding(WARNING, f'link {name!r}', MASSLESS)
