# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Refuse values that no robot can have, with a sentence that names them.

All comparisons are false for NaN.
"""

import numpy as np

from robodyn_ros.errors import ModelError
from robodyn_ros.model import joint_types
from robodyn_ros.model.layout import (
    BALL_X,
    BALL_Y,
    BALL_Z,
    COORDINATE,
    COUNT,
    EMBEDDED_TOPOLOGY_COLUMNS,
    FIRST,
    HELICAL,
    INERTIA,
    KIND,
    MASS,
    PARENT,
    PRISMATIC,
    ROTOR,
    TOPOLOGY_COLUMNS,
)
from robodyn_ros.model.rigid_body import unpack

SMALLEST_MASS = 1e-12  # [kg] a smaller mass suggests a wrong exponent
LARGEST_MASS = 1e9  # [kg]
LARGEST_INERTIA = 1e12  # [kg m2]
LARGEST_LENGTH = 1e6  # [m]
NOT_A_ROTATION = 1e-9
SHORTEST_AXIS, LONGEST_AXIS = 1e-6, 1e6  # lengths of a direction; they should be 1
NO_INERTIA = 1e-15  # [kg m2] rounding of a zero inertia
# Inertias are written with five or six digits. By their rounding that of a thin rod may be
# indefinite.
PRINTED = 1e-5
ON_AXIS = 1e-12  # share of the trace: rounding of the inertia of a mass on the axis


def mass(subject, value):
    """Refuse a mass that is neither 0 nor between 1e-12 and 1e9 kg.

    `value`: mass [kg].
    Raises ModelError: for any other mass.
    """
    if not (value == 0.0 or SMALLEST_MASS <= value <= LARGEST_MASS):
        raise ModelError(
            f'{subject}: mass is {value:g} kg; expected 0 or a mass between '
            f'{SMALLEST_MASS:g} and {LARGEST_MASS:g} kg'
        )


def length(subject, what, vector):
    """Refuse a vector with an entry beyond 1e6 m.

    `what`: name of the vector, for the message.
    `vector` (3,): vector [m].
    Raises ModelError: for such a vector.
    """
    if not np.max(np.abs(vector)) <= LARGEST_LENGTH:
        entries = ' '.join(f'{x:g}' for x in vector)
        raise ModelError(
            f'{subject}: {what} is [{entries}] m; expected at most {LARGEST_LENGTH:g}'
        )


def placement(subject, placement):
    """Refuse a placement whose matrix is not a rotation or whose origin is beyond 1e6 m.

    Raises ModelError: for such a placement.
    """
    R = placement.rotation
    if not np.max(np.abs(R @ R.T - np.eye(3))) <= NOT_A_ROTATION or np.linalg.det(R) < 0.0:
        raise ModelError(
            f'{subject}: rotation is {R.tolist()}; expected three orthogonal '
            'columns of length 1, right-handed'
        )
    length(subject, 'origin', placement.translation)


def inertia(subject, matrix):
    """Refuse an inertia that no rigid body has; see `inertia_fault`.

    `matrix` (3, 3): inertia [kg m^2].
    Raises ModelError: for such an inertia.
    """
    fault = inertia_fault(matrix)
    if fault:
        raise ModelError(f'{subject}: {fault}')


def inertia_fault(matrix):
    """Return why an inertia is impossible: huge, not symmetric, or indefinite.

    A principal moment may be negative by the rounding of five printed digits.

    `matrix` (3, 3): inertia [kg m^2].
    """
    size = np.max(np.abs(matrix))
    if not size <= LARGEST_INERTIA:
        return f'inertia has entries up to {size:g} kg m2; expected at most {LARGEST_INERTIA:g}'
    if np.max(np.abs(matrix - matrix.T)) > ON_AXIS * size:
        return 'inertia is not a symmetric matrix'
    moments = np.linalg.eigvalsh(matrix)
    if moments[0] < -max(PRINTED * size, NO_INERTIA):
        return (
            f'principal moments of inertia are '
            f'{", ".join(f"{moment:.6g}" for moment in moments)} kg m2; '
            'expected none below zero'
        )
    return ''


def joint(robot, joint):
    """Refuse a moving joint without direction, with inverted limits or with negative constants.

    `robot`: name of the robot, for messages.
    Raises ModelError: for such a joint.
    """
    subject = f'robot {robot!r}: joint {joint.name!r}'
    axes = () if joint.type in ('floating', 'spherical') else (joint.axis, joint.second_axis)
    for axis in axes:
        if not SHORTEST_AXIS <= np.max(np.abs(axis)) <= LONGEST_AXIS:
            raise ModelError(f'{subject} has axis {axis}; expected a direction of length 1')
    if not abs(joint.pitch) <= LARGEST_LENGTH:
        raise ModelError(
            f'{subject} has pitch {joint.pitch:g} m/rad; expected at most {LARGEST_LENGTH:g}'
        )
    names, given = joint_types.velocity_names(joint), joint_types.limits(joint)
    if len(given) != len(names):
        raise ModelError(
            f'{subject} has {len(given)} limits; expected one, or one for each of '
            f'{", ".join(names)}'
        )
    for limit, (kind, _) in zip(given, joint_types.elements(joint)):
        _limit(subject, limit, kind in (BALL_X, BALL_Y, BALL_Z))
    constants = (
        ('damping', not joint.damping >= 0.0, joint.damping),
        ('friction', not joint.friction >= 0.0, joint.friction),
        ('rotor inertia', not joint.rotor_inertia >= 0.0, joint.rotor_inertia),
        ('stiffness', not joint.stiffness >= 0.0, joint.stiffness),
    )
    for what, impossible, value in constants:
        if impossible:
            raise ModelError(f'{subject} has {what} {value:g}; expected 0 or more')


def _limit(subject, limit, of_ball):
    """Refuse impossible limits of one velocity."""
    if not limit.lower <= limit.upper:
        raise ModelError(
            f'{subject} has lower limit {limit.lower:g} above its upper limit '
            f'{limit.upper:g}; expected lower <= upper'
        )
    if of_ball and not np.isinf(limit.upper - limit.lower):
        raise ModelError(
            f'{subject} has the range {limit.lower:g} .. {limit.upper:g} for a '
            'coordinate of its angular velocity; expected none'
        )
    # A missing effort limit is nan and passes.
    for what, impossible, value in (
        ('velocity', not limit.velocity >= 0.0, limit.velocity),
        ('effort', limit.effort < 0.0, limit.effort),
    ):
        if impossible:
            raise ModelError(f'{subject} has {what} limit {value:g}; expected 0 or more')


def _coupled(topology):
    """Return a number for each body, equal for those whose joints move together."""
    groups = np.arange(len(topology))
    if topology.shape[1] > TOPOLOGY_COLUMNS:
        groups = topology[:, FIRST].copy()
    if topology.shape[1] > EMBEDDED_TOPOLOGY_COLUMNS:
        for row in np.flatnonzero(topology[1:, COORDINATE] >= topology[0, FIRST]) + 1:
            first, count = topology[row, [FIRST, COUNT]]
            own = (topology[:, COORDINATE] >= first) & (topology[:, COORDINATE] < first + count)
            together = np.append(groups[own], groups[row])
            groups[np.isin(groups, together)] = together.min()
    return groups


def idle_links(body_names, topology, constants):
    """Return the links that move no inertia: with them M is singular in every posture.

    The last body of a branch needs inertia about its axis (revolute), about every axis (spherical)
    or mass (prismatic). Any other body needs some inertia or mass, or
    must carry a body that has it. Rotor inertia at the joint is enough, too. Of coupled joints,
    such as those of one loop, a single one needs it.

    This is necessary for a regular M but not sufficient. So forward dynamics checks its pivots
    too.

    `body_names` (sequence of str): names of the bodies, in row order.
    `topology`, `constants` (ndarray): tables of the robot.
    """
    beyond = np.zeros((len(body_names), 2))  # mass, and mass + trace of inertia
    is_leaf = np.ones(len(body_names), dtype=bool)
    groups, (idle, busy) = _coupled(topology), ({}, set())
    for body in range(len(body_names) - 1, 0, -1):
        row = constants[body]
        trace = row[INERTIA] + row[INERTIA + 3] + row[INERTIA + 5]
        beyond[body] += row[MASS], row[MASS] + trace
        if topology[body, KIND] == PRISMATIC:
            moves_nothing, needed = beyond[body, 0] == 0.0, 'mass'
        elif is_leaf[body] and topology[body, KIND] == BALL_Z:
            least = np.linalg.eigvalsh(unpack(row[INERTIA : INERTIA + 6]))[0]
            moves_nothing, needed = least <= max(ON_AXIS * trace, 0.0), 'inertia about every axis'
        elif is_leaf[body] and topology[body, KIND] != HELICAL:
            moves_nothing = row[INERTIA + 5] <= max(ON_AXIS * trace, 0.0)
            needed = 'inertia about its axis'
        else:
            moves_nothing, needed = beyond[body, 1] == 0.0, 'mass or inertia'
        group = groups[body]
        if moves_nothing and row[ROTOR] == 0.0:
            idle.setdefault(group, {})[body_names[body]] = needed
        else:
            busy.add(group)
        parent = topology[body, PARENT]
        beyond[parent] += beyond[body]
        is_leaf[parent] = False
    found = {name: need for group in idle.keys() - busy for name, need in idle[group].items()}
    return {name: found[name] for name in body_names if name in found}
