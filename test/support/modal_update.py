# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Two ways to g and nu_m of one body with modes, by loops that count: by factors, by (13.70).

Both get the modal inertia `own` (n, n) of the body alone, and of each child zeta (n, 6) and Gamma
(6, 6). X = Gamma zeta' is part of A_fl Gamma A_fl', which both need, so it costs neither anything.
"""

import numpy as np

from robodyn_ros.algorithms.flexible.forward_dynamics import factorise_modes, solve_modes


def by_factors(own, children, mu, eps):
    """Return (g (6, n), nu (n,)) by the functions of the compiled recursion: cubic in n."""
    n = len(eps)
    D = own.copy()
    for zeta, _, X in children:
        for r in range(n):
            for s in range(r + 1):
                D[r, s] = D[r, s] + zeta[r] @ X[:, s]
    room = np.concatenate((D.ravel(), mu.T.ravel(), eps))
    assert factorise_modes(room, 0, n)
    for k in range(6):
        solve_modes(room, 0, n, n * n + k, 6)
    solve_modes(room, 0, n, n * n + 6 * n, 1)
    return room[n * n : n * n + 6 * n].reshape(n, 6).T, room[n * n + 6 * n :]


def by_update(L, children, mu, eps):
    """Return the same from L, the inverse of `own`, by (13.70): quadratic in n.

    D_m^-1 is never formed. Every child takes its share off the products with L.
    """
    g, nu, parts = mu @ L, L @ eps, []
    for zeta, Gamma, _ in children:
        U = L @ zeta
        for before, Y in parts:
            U = U - before @ (Y @ zeta)
        O = symmetric(zeta.T, U)  # noqa: E741  the letter of the book
        one = np.eye(6) + O @ Gamma
        Y = Gamma @ solved(one, U.T)
        parts.append((U, Y))
        g, nu = g - (mu @ U) @ Y, nu - U @ (Y @ eps)
    return g, nu


def symmetric(A, B):
    """Return the symmetric product A B, by its lower half."""
    found = np.empty((len(A), len(A)), dtype=B.dtype)
    for r in range(len(A)):
        for s in range(r + 1):
            found[r, s] = found[s, r] = A[r] @ B[:, s]
    return found


def solved(A, B):
    """Return A^-1 B by elimination without pivoting, as its diagonal is near or above one."""
    A, B = A.copy(), B.copy()
    for k in range(len(A)):
        inverse = 1.0 / A[k, k]
        for r in range(k + 1, len(A)):
            share = A[r, k] * inverse
            A[r, k + 1 :] = A[r, k + 1 :] - share * A[k, k + 1 :]
            B[r] = B[r] - share * B[k]
        B[k] = B[k] * inverse
        A[k, k + 1 :] = A[k, k + 1 :] * inverse
    for k in range(len(A) - 2, -1, -1):
        for r in range(k + 1, len(A)):
            B[k] = B[k] - A[k, r] * B[r]
    return B
