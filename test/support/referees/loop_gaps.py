# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Gaps of closed loops from the positions of all joints: forward kinematics of its own.

It shares only the description with the package: poses are 4x4 matrices, link by link.
"""

import numpy as np


def moved(joint, x):
    """Return the 4x4 pose of a child link in its parent at the position x of their joint."""
    pose, motion = np.eye(4), np.eye(4)
    pose[:3, :3], pose[:3, 3] = joint.placement.rotation, joint.placement.translation
    u = joint.axis / np.linalg.norm(joint.axis)
    if joint.type == 'prismatic':
        motion[:3, 3] = x * u
    elif joint.type in ('revolute', 'continuous'):
        turned = np.cross(np.eye(3), -u)  # [u]
        motion[:3, :3] += np.sin(x) * turned + (1.0 - np.cos(x)) * turned @ turned
    return pose @ motion


def loop_gaps(mechanism, positions):
    """Return the gaps of all closures [m, and sines of angles]; positions : {joint: x}.

    Closures are balls, hinges or welds.
    """
    joints = {each.child: each for each in mechanism.description.joints}

    def pose(link, place):
        X = np.eye(4)
        X[:3, :3], X[:3, 3] = place.rotation, place.translation
        while link in joints:
            joint = joints[link]
            X, link = moved(joint, positions.get(joint.name, 0.0)) @ X, joint.parent
        return X

    found = []
    for closure in mechanism.closures:
        A, B = pose(closure.a, closure.place_a), pose(closure.b, closure.place_b)
        found.append(B[:3, 3] - A[:3, 3])
        aligned = {'ball': (), 'hinge': (2,), 'weld': (0, 1, 2)}[closure.type]
        found += [np.cross(A[:3, k], B[:3, k]) for k in aligned]
    return np.concatenate(found)


def loop_gap_rates(mechanism, positions, velocities, h=1e-3):
    """Return the rates of all gaps along velocities, by differences of sixth order."""

    def along(t):
        return loop_gaps(mechanism, {name: x + t * velocities[name] for name, x in positions})

    positions = positions.items()
    one, two, three = (along(k * h) - along(-k * h) for k in (1, 2, 3))
    return (45.0 * one - 9.0 * two + three) / (60.0 * h)
