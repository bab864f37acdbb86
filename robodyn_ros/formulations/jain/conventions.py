# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The equations of motion by four conventions: Jain, sections 5.1.1, 5.1.3, 5.4, table 5.1.

    M(theta) = H A M A' H',    C(theta, thd) = H A (M A' a + b),    A = (1 - E_A)^-1

                                derivative      a(k)                                   b(k)
    body, B = O                 in the body     tilde(V) Delta + Hdot' thd      (5.11) bar(V) M V
    body, B away from O         in the body     phi'(O, B) a                    (5.18) bar(V) M V
    inertial derivative         inertial        a + bar(V) V - phi' bar(V_up) V_up (5.19)  (2.26)
    inertially fixed            inertial        tilde(V_I) H_I' thd + ...       (5.55) bar(V_I) h_I

Quantities of one row must not be combined with those of another. Any tree.

Corrections to the print: the left side of (5.53) is the rate of H_I'. The last terms of (5.55)
lack a factor thd. dH'/dt of (5.52), (5.55) and [Sol 5.6] is the one seen from body k, not k + 1.
They differ where a hinge turns about one axis and slides across it. The bracket of (5.61) has the
rate of H_I'.
"""

from dataclasses import dataclass

import numpy as np

from robodyn_ros.errors import short_repr
from robodyn_ros.formulations.jain.inverse_dynamics import (
    coriolis_accelerations,
    gyroscopic_forces,
)
from robodyn_ros.formulations.jain.operators.sweeps import gather, scatter
from robodyn_ros.formulations.jain.single_body import b_body, b_fixed, b_inertial, shifted
from robodyn_ros.formulations.jain.spatial_algebra import bar, tilde
from robodyn_ros.formulations.jain.tree_kinematics import (
    inertial_hinges,
    inertial_velocities,
    offset_weights,
    to_inertial,
    velocities,
)


@dataclass(frozen=True, eq=False)
class Equations:
    """Quantities of all bodies by one convention.

    `weights`: A(parent, k).
    `hinges`: h'.
    `M`: spatial inertias.
    `a`: Coriolis accelerations [rad/s2, m/s2].
    `b`: gyroscopic forces [N m, N].
    """

    weights: np.ndarray
    hinges: tuple
    M: np.ndarray
    a: np.ndarray
    b: np.ndarray

    __repr__ = short_repr


def body(tree, thd):
    """Return the quantities at the hinges, with derivatives in the bodies (5.11, 2.28).

    `tree` (Tree): bodies at one configuration.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    """
    V = velocities(tree, thd)
    return Equations(
        tree.phi,
        tuple(H.T for H in tree.H),
        tree.M,
        coriolis_accelerations(tree, V, thd),
        gyroscopic_forces(tree, V),
    )


def offset(tree, thd, offsets):
    """Return the quantities at body frames B_k away from the hinges (5.18, 5.27 to 5.31).

    H_B = H Delta^-1, M_B = Delta M Delta', with Delta = phi(B, O).

    `tree` (Tree): bodies at one configuration.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    `offsets` (n, 6, 6): phi(O_k, B_k).
    """
    at_joint = body(tree, thd)
    M = np.array([shifted(M, np.linalg.inv(off)) for M, off in zip(tree.M, offsets)])
    V = [off.T @ v for off, v in zip(offsets, velocities(tree, thd))]
    return Equations(
        offset_weights(tree, offsets),
        tuple(off.T @ H for off, H in zip(offsets, at_joint.hinges)),
        M,
        np.array([off.T @ a for off, a in zip(offsets, at_joint.a)]),
        np.array([b_body(inertia, v) for inertia, v in zip(M, V)]),
    )


def inertial_derivative(tree, thd):
    """Return the quantities at the hinges, with inertial derivatives (5.19, 5.20, 2.26).

    `tree` (Tree): bodies at one configuration.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    """
    V = velocities(tree, thd)
    a = coriolis_accelerations(tree, V, thd)
    for k, up in enumerate(tree.parent):
        a[k] = a[k] + bar(V[k]) @ V[k]
        if up < tree.n:
            a[k] = a[k] - tree.phi[k].T @ bar(V[up]) @ V[up]
    return Equations(
        tree.phi,
        tuple(H.T for H in tree.H),
        tree.M,
        a,
        np.array([b_inertial(M, v) for M, v in zip(tree.M, V)]),
    )


def inertially_fixed(tree, thd):
    """Return the quantities at the origin of the inertial frame (5.47 to 5.61).

    All weights are 1, as phi_I is constant. With dH'/dt as the body sees it, Hdot_I' = tilde(V_I)
    H_I' + phi'(O, I) dH'/dt.

    `tree` (Tree): bodies at one configuration.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    """
    X, V = to_inertial(tree), inertial_velocities(tree, thd)
    hinges = inertial_hinges(tree)
    M = np.array([shifted(inertia, x) for inertia, x in zip(tree.M, X)])
    a = [
        tilde(v) @ H @ thd[s] + np.linalg.solve(x.T, drift)
        for v, H, s, x, drift in zip(V, hinges, tree.slices, X, tree.hinge_drift(thd))
    ]
    return Equations(
        np.broadcast_to(np.eye(6), (tree.n, 6, 6)),
        tuple(hinges),
        M,
        np.array(a),
        np.array([b_fixed(inertia, v) for inertia, v in zip(M, V)]),
    )


def mass_matrix(tree, equations):
    """Return H A M A' H' with the inertia of the drives, column by column.

    `tree` (Tree): bodies at one configuration.
    `equations` (Equations): quantities of the bodies by one convention.
    """
    columns = []
    for unit in np.eye(tree.N):
        alpha = scatter(
            tree, [H @ unit[s] for H, s in zip(equations.hinges, tree.slices)], equations.weights
        )
        columns.append(_torques(tree, equations, [M @ x for M, x in zip(equations.M, alpha)]))
    return np.stack(columns, axis=1) + np.diag(tree.rotor)


def coriolis_torque(tree, equations):
    """Return C = H A (M A' a + b), without gravity.

    `tree` (Tree): bodies at one configuration.
    `equations` (Equations): quantities of the bodies by one convention.
    """
    alpha = scatter(tree, equations.a, equations.weights)
    return _torques(
        tree, equations, [M @ x + b for M, x, b in zip(equations.M, alpha, equations.b)]
    )


def _torques(tree, equations, forces):
    """Return H A f of forces f on the bodies."""
    f = gather(tree, forces, equations.weights)
    return np.concatenate([H.T @ each for H, each in zip(equations.hinges, f)])
