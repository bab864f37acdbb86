"""What a rigid body can be: the impossible is refused, the doubtful is named."""

import numpy as np

from robodyn_ros.errors import ModelError
from robodyn_ros.model.layout import INERTIA, KIND, MASS, PARENT, REVOLUTE, ROTOR
from robodyn_ros.model.report import NOTE, WARNING, Finding

SMALLEST_MASS = 1e-12   # [kg] below this a mass is a slip of the exponent
LARGEST_MASS = 1e9      # [kg]
LARGEST_INERTIA = 1e12  # [kg m2]
FAR = 5.0               # [m] centre of mass or radius of gyration; millimetres read as metres
# Inertias are printed with five or six digits, so a thin rod may be indefinite by that much.
PRINTED = 1e-5
AXIS_TOLERANCE = 1e-3
NO_INERTIA = 1e-12  # of the trace: rounding of a mass that lies on the axis


def check_inertial(subject, inertial):
    """Refuse an impossible rigid body and return findings about a doubtful one.

    Refused: a mass that is negative or beyond 1e-12 .. 1e9 kg (zero is allowed), and an inertia
    with a negative principal moment (beyond rounding of the printed digits). Named: principal
    moments that break the triangle inequality, inertia without mass, a point mass, and a centre
    of mass or a radius of gyration beyond 5 m.
    """
    mass, com, inertia = inertial.mass, inertial.com, inertial.inertia
    if not (mass == 0.0 or SMALLEST_MASS <= mass <= LARGEST_MASS):
        raise ModelError(f'{subject}: mass is {mass:g} kg; expected 0 or a mass between '
                         f'{SMALLEST_MASS:g} and {LARGEST_MASS:g} kg')
    if not np.max(np.abs(inertia)) <= LARGEST_INERTIA:
        raise ModelError(f'{subject}: inertia has entries up to {np.max(np.abs(inertia)):g} '
                         f'kg m2; expected at most {LARGEST_INERTIA:g}')
    smallest, middle, largest = np.linalg.eigvalsh(inertia)
    size = max(abs(smallest), abs(largest))
    moments = f'{smallest:.6g}, {middle:.6g}, {largest:.6g} kg m2'
    if smallest < -PRINTED * size:
        raise ModelError(f'{subject}: principal moments of inertia are {moments}; '
                         f'expected none below zero')

    def finding(severity, sentence):
        return Finding(severity, subject, sentence)

    findings = []
    if smallest + middle < (1.0 - PRINTED) * largest:
        findings.append(finding(WARNING, f'principal moments {moments} break the triangle '
                                'inequality: no mass distribution has them'))
    if mass == 0.0:
        if size > 0.0:
            findings.append(finding(WARNING, 'has inertia but no mass'))
        return findings
    if size == 0.0:
        findings.append(finding(NOTE, f'is a point mass of {mass:g} kg'))
    distance = np.linalg.norm(com)
    if distance > FAR:
        findings.append(finding(WARNING, f'centre of mass is {distance:.3g} m from the link '
                                'origin; are its numbers in metres?'))
    gyration = np.sqrt(largest / mass)
    if gyration > FAR:
        findings.append(finding(WARNING, f'radius of gyration is {gyration:.3g} m; are the '
                                'numbers in kg and kg m2?'))
    return findings


def check_joint(robot, joint):
    """Refuse a joint that cannot move as described and return findings about a doubtful one."""
    subject = f'joint {joint.name!r}'
    limit = joint.limit
    length = np.linalg.norm(joint.axis)
    if not length > 0.0:
        raise ModelError(f'robot {robot!r}: {subject} has axis 0 0 0; expected a direction')
    if limit.lower > limit.upper:
        raise ModelError(f'robot {robot!r}: {subject} has lower limit {limit.lower:g} above its '
                         f'upper limit {limit.upper:g}; expected lower <= upper')
    for what, value in (('velocity limit', limit.velocity), ('effort limit', limit.effort),
                        ('damping', joint.damping), ('friction', joint.friction),
                        ('rotor inertia', joint.rotor_inertia)):
        if value < 0.0:
            raise ModelError(f'robot {robot!r}: {subject} has {what} {value:g}; '
                             'expected 0 or more')
    findings = []
    if abs(length - 1.0) > AXIS_TOLERANCE:
        findings.append(Finding(WARNING, subject, f'axis has length {length:.6g}; used as a '
                                'direction'))
    if joint.type != 'continuous' and np.isinf(limit.lower) and np.isinf(limit.upper):
        findings.append(Finding(WARNING, subject, f'is {joint.type} and has no range; taken as '
                                'unlimited'))
    if limit.lower == limit.upper:
        findings.append(Finding(WARNING, subject, f'has an empty range: lower and upper limit are '
                                f'both {limit.lower:g}'))
    for what, value in (('velocity', limit.velocity), ('effort', limit.effort)):
        if value == 0.0:
            findings.append(Finding(WARNING, subject, f'has {what} limit 0: none is allowed'))
    if np.isnan(limit.effort):
        findings.append(Finding(NOTE, subject, 'has no effort limit'))
    return findings


def check_movable(robot, body_names, topology, constants):
    """Refuse a joint with nothing to move: M would be singular in every posture.

    The last body of a branch needs inertia about its axis (revolute) or mass (prismatic); any
    other body needs some mass or inertia beyond it. Rotor inertia counts. A massless body with
    mass beyond it is allowed and named.
    """
    findings = []
    beyond = np.zeros(len(body_names))
    has_child = np.zeros(len(body_names), dtype=bool)
    for body in range(len(body_names) - 1, 0, -1):
        row = constants[body]
        link = f'link {body_names[body]!r}'
        revolute = topology[body, KIND] == REVOLUTE
        trace = row[INERTIA] + row[INERTIA + 3] + row[INERTIA + 5]
        own = row[MASS] if not revolute else row[MASS] + trace
        parent = topology[body, PARENT]
        if row[ROTOR] == 0.0:
            about_axis = row[INERTIA + 5] if revolute else row[MASS]
            idle = own + beyond[body] == 0.0 if has_child[body] else (
                about_axis <= NO_INERTIA * trace if revolute else about_axis == 0.0)
            if idle:
                needed = 'inertia about its axis' if revolute else 'mass'
                raise ModelError(
                    f'robot {robot!r}: {link} moves but nothing on it or beyond it has {needed}, '
                    f'so its joint has no equation of motion; expected {needed}, rotor inertia, '
                    'or a locked joint')
        if row[MASS] == 0.0:
            findings.append(Finding(WARNING, link, 'moves but has no mass'))
        beyond[parent] += row[MASS] + trace + beyond[body]
        has_child[parent] = True
    return findings[::-1]
