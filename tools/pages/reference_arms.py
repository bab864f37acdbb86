# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Arms with published operation counts, and a general one."""

import numpy as np

from robodyn_ros.model import build, dh
from robodyn_ros.model.arithmetic import added


def general_arm(n, seed=0):
    """Return a revolute arm in which no constant vanishes.

    It has skew axes, offsets, full inertias, and gravity along no axis.
    """
    return build.build(general_description(n, seed), gravity=(1.3, -2.1, -9.2))


def general_description(n, seed=0):
    """Return the description of the general arm."""
    rng = np.random.default_rng(seed)
    rows = [
        dh.DHRow(
            a=rng.uniform(0.1, 0.4),
            alpha=rng.uniform(0.4, 1.2),
            d=rng.uniform(0.1, 0.4),
            **_full_inertia(rng),
        )
        for _ in range(n)
    ]
    return dh.describe(rows, convention='modified', name=f'general_{n}R')


def stanford_arm():
    """Return the Stanford arm with full inertias: five revolute joints, the third one
    prismatic."""
    right, rng = np.pi / 2, np.random.default_rng(1)
    table = (
        (0.0, -right, 0.4, 'revolute'),
        (0.0, right, 0.15, 'revolute'),
        (0.0, 0.0, 0.5, 'prismatic'),
        (0.0, -right, 0.0, 'revolute'),
        (0.0, right, 0.0, 'revolute'),
        (0.0, 0.0, 0.26, 'revolute'),
    )
    rows = [
        dh.DHRow(a=a, alpha=alpha, d=d, joint=joint, **_full_inertia(rng))
        for a, alpha, d, joint in table
    ]
    return build.build(dh.describe(rows, convention='standard', name='Stanford-like'))


def puma_arm():
    """Return the Puma 560 with full inertias."""
    right, rng = np.pi / 2, np.random.default_rng(2)
    table = (
        (0.0, right, 0.67),
        (0.4318, 0.0, 0.0),
        (0.0203, -right, 0.15),
        (0.0, right, 0.4318),
        (0.0, -right, 0.0),
        (0.0, 0.0, 0.0),
    )
    rows = [dh.DHRow(a=a, alpha=alpha, d=d, **_full_inertia(rng)) for a, alpha, d in table]
    return build.build(dh.describe(rows, convention='standard', name='Puma-like'))


def _full_inertia(rng):
    """Return mass, centre and inertia of a random cloud of points."""
    points, masses = rng.uniform(-0.2, 0.2, (6, 3)), rng.uniform(0.2, 1.0, 6)
    # sums in a fixed order, so that the counts of the page do not depend on the processor
    mass, moment = added(masses), added(masses[:, None] * points)
    arms = points - moment / mass
    squares = added([m * np.multiply.outer(arm, arm) for m, arm in zip(masses, arms)])
    trace = squares[0, 0] + squares[1, 1] + squares[2, 2]
    return {'mass': mass, 'com': moment / mass, 'inertia': trace * np.eye(3) - squares}
