# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Differences between the reflected and the exact model of rotors, joint by joint.

In the exact model a rotor is a body that spins on its mount. The reflected model adds gear_ratio^2
times its inertia at its joint (Jain 2011, sections 12.2 and 12.3.1).
"""

import numpy as np

STATES = 100
SEED = 0

ROTOR_COLUMNS = (
    'joint',
    'rotor [kg m^2]',
    'gear ratio',
    'at the joint',
    'M differs by',
    'torque differs by',
)
ROTOR_TABLE = (
    f'Largest differences between the exact and the reflected model over {STATES} random states: '
    'of the row of the mass matrix [kg m^2 or kg], and of the torque at velocities up to the '
    'limits, or 1 rad/s [N m or N].'
)


def rotor_rows(rotors, exact, near):
    """Yield the cells of each rotor.

    `rotors` (dict): {joint: Rotor}.
    `exact`, `near` (Robot): the robot with rotors as bodies, and reflected.
    """
    inertias, torques = differences(exact, near)
    for name, rotor in rotors.items():
        at = exact.joint_names.index(name) if name in exact.joint_names else None
        yield (
            name,
            f'{rotor.inertia:.4g}',
            f'{rotor.gear_ratio:.4g}',
            f'{rotor.gear_ratio**2 * rotor.inertia:.4g}',
            *('-' if at is None else f'{each[at]:.3g}' for each in (inertias, torques)),
        )


def differences(exact, near):
    """Return the largest differences of rows of M and of bias torques, each (nv,).

    `exact`, `near` (Robot): the robot with rotors as bodies, and reflected.
    """
    rng, n = np.random.default_rng(SEED), exact.nv
    speed = np.where(np.isfinite(exact.limits.velocity), exact.limits.velocity, 1.0)
    inertias, torques = np.zeros(n), np.zeros(n)
    for _ in range(STATES):
        q, qd = exact.configuration.random(rng), speed * rng.uniform(-1.0, 1.0, n)
        apart = np.abs(exact.mass_matrix(q) - near.mass_matrix(q)).max(axis=1)
        inertias = np.maximum(inertias, apart)
        torques = np.maximum(torques, np.abs(exact.bias_torque(q, qd) - near.bias_torque(q, qd)))
    return inertias, torques
