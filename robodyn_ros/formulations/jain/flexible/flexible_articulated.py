# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Articulated-body inertias of flexible links: Jain, section 13.7.1, algorithms 13.5 and 13.6.

    Gamma = phi(O_(k-1)^+, k-1) P_pr^+(k-1) phi',  P_fl = A_fl Gamma A_fl' + M_fl           (13.69)
    D_m = H_M P_fl H_M',  mu = [P^rf, P^rr] H_M',  g = mu D_m^-1,  P_pr = P^rr - g mu'
    D_pr = H_B P_pr H_B',  G_pr = P_pr H_B' D_pr^-1,  P_pr^+ = (1 - G_pr H_B) P_pr
    D_m^-1 = L - U Gamma (1 + O Gamma)^-1 U',  L = (H_M M_fl H_M')^-1,               (13.70, 13.71)
        zeta = H_M A_fl,  U = L zeta,  O = zeta' U

H_M = [1, -Pi_B']. Modes are eliminated first, then hinges. O(n). The inverse D_m^-1 is cubic in
the modes of a body. With (13.70) it is quadratic, as L is computed once. The standard form,
algorithm 13.3, is `articulated_bodies.articulated` of the FlexibleTree.

Corrections to the print: (13.66) has the two stages in the other order. Its matrix has all
n_md + 6 rows. Gamma of (13.70) is singular, P^+ H' = 0, and needs the form above. L is
n_md x n_md.
"""

from typing import NamedTuple

import numpy as np

from robodyn_ros.errors import ParameterError


class TwoStages(NamedTuple):
    """Articulated-body quantities of every body in full size (13.67).

    P, P_cr and P_plus are (n_md + 6, n_md + 6).

    `P`: inertia before elimination.
    `D_m`: inertia about the modes.
    `G_m`: gain of the modes.
    `P_cr`: inertia after elimination of the modes.
    `D_cr`: inertia about the hinge.
    `G_cr`: gain of the hinge.
    `P_plus`: inertia after elimination of the hinge.
    """

    P: tuple
    D_m: tuple
    G_m: tuple
    P_cr: tuple
    D_cr: tuple
    G_cr: tuple
    P_plus: tuple


class Simplified(NamedTuple):
    """Articulated-body quantities of every body in rigid-body size (13.69).

    `D_m_inverse`: D_m^-1.
    `g`: gain of the modes.
    `P_pr`: inertia after elimination of the modes.
    `D_pr`: inertia about the hinge.
    `G_pr`: gain of the hinge.
    """

    D_m_inverse: tuple
    g: tuple
    P_pr: tuple
    D_pr: tuple
    G_pr: tuple


def two_stages(tree):
    """Return the articulated-body quantities in full size: Algorithm 13.5.

    `tree` (FlexibleTree): bodies at one configuration.
    """
    P, rows = [np.array(M) for M in tree.M], []
    for k, up in enumerate(tree.parent):
        n = tree.modes[k]
        H_M, H_R = tree.H[k][:n], tree.H[k][n:]
        D_m = H_M @ P[k] @ H_M.T
        G_m = np.linalg.solve(D_m, H_M @ P[k]).T
        P_cr = P[k] - G_m @ H_M @ P[k]
        D_cr = H_R @ P_cr @ H_R.T
        G_cr = np.linalg.solve(D_cr, H_R @ P_cr).T
        P_plus = P_cr - G_cr @ H_R @ P_cr
        if up < tree.n:
            P[up] = P[up] + tree.weights[k] @ P_plus @ tree.weights[k].T
        rows.append((P[k], D_m, G_m, P_cr, D_cr, G_cr, P_plus))
    return TwoStages(*zip(*rows))


def modal_inverses(tree):
    """Return L of every body, valid at all configurations of these bodies (13.71).

    `tree` (FlexibleTree): bodies at one configuration.
    Raises ParameterError: if M_fl or Pi_B depends on the deformation, or H_M M_fl H_M' is
      singular. A mode without mass of its own makes it singular.
    """
    found = []
    for k, body in enumerate(tree.bodies):
        modal, n = body.modal, tree.modes[k]
        if modal.M_1.any() or modal.M_2.any() or body.root.Pi.any():
            raise ParameterError(
                f'body {body.name!r}: got a mass matrix or a root that depends on the modes; '
                'expected a body that is `frozen` and clamped at its root'
            )
        M = modal.M_0[:n, :n]  # H_M M_fl H_M' of a clamped body
        if np.linalg.matrix_rank(M) < n:
            raise ParameterError(
                f'body {body.name!r}: got a mode without a mass of its own; expected modes whose '
                'mass matrix has an inverse'
            )
        found.append(np.linalg.inv(M))
    return tuple(found)


def simplified(tree, L=None):
    """Return the articulated-body quantities in rigid-body size: Algorithm 13.6.

    `tree` (FlexibleTree): bodies at one configuration.
    `L` (tuple of ndarray): `modal_inverses` of the same bodies. With it, D_m^-1 is by (13.70).
    """
    P, rows = [np.array(M) for M in tree.M], []
    passed = [[] for _ in range(tree.n)]  # (A_fl, Gamma) of the children
    for k, up in enumerate(tree.parent):
        n, Pi_B, H_B = tree.modes[k], tree.Pi_B[k], tree.H_B[k]
        P_fr, P_rr = P[k][:n, n:], P[k][n:, n:]
        mu = P_fr.T - P_rr @ Pi_B
        if L is None:
            D_m_inverse = np.linalg.inv(P[k][:n, :n] - P_fr @ Pi_B - Pi_B.T @ mu)
        else:
            D_m_inverse = _updated_inverse(L[k], Pi_B, passed[k])
        g = mu @ D_m_inverse
        P_pr = P_rr - g @ mu.T
        P_pr = 0.5 * (P_pr + P_pr.T)
        D_pr = H_B @ P_pr @ H_B.T
        G_pr = np.linalg.solve(D_pr, H_B @ P_pr).T
        if up < tree.n:
            Gamma = tree.phi[k] @ (P_pr - G_pr @ H_B @ P_pr) @ tree.phi[k].T
            P[up] = P[up] + tree.A[k] @ Gamma @ tree.A[k].T
            passed[up].append((tree.A[k], Gamma))
        rows.append((D_m_inverse, g, P_pr, D_pr, G_pr))
    return Simplified(*zip(*rows))


def _updated_inverse(L, Pi_B, passed):
    """Return D_m^-1 by (13.70), one child after the other."""
    inverse, n = L, len(L)
    for A, Gamma in passed:
        zeta = A[:n] - Pi_B.T @ A[n:]
        U = inverse @ zeta
        inverse = inverse - U @ Gamma @ np.linalg.solve(np.eye(6) + zeta.T @ U @ Gamma, U.T)
    return inverse
