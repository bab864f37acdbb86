# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Contact: constraints that only push: Jain, section 11.5.

    d(theta, t) >= 0;  active where d = d' = d'' = 0, separating where d'' > 0     (11.44 to 11.46)
    d'' = d''_f + G_c M^-1 G_c' lambda,   0 <= d'' _|_ lambda >= 0                (11.48, 11.49)

With F = G_c M^-1 G_c', f = d''_f it is a linear complementarity problem (11.51). Bilateral
constraints stay out of it: they are solved before, as part of the free motion. `forward_dynamics`
tries the contacts that were active first. It solves the problem anew only where they no longer
suffice, as section 11.5.2 advises. `frictional` has the cone of friction as a pyramid, in
velocities at the end of a step. Forces alone need not have a solution (Painleve).

Corrections to the print: (11.47) has thdd, not d''. Where contacts depend on each other, F of
(11.48) is singular, not (11.46).
"""

from typing import NamedTuple

import numpy as np

from robodyn_ros.formulations.jain.constraints.complementarity import is_solution, lemke


class Contact(NamedTuple):
    """thdd (N,), forces lambda (n_c,) >= 0, gap accelerations (n_c,), and `solved`.

    `solved` is False where the contacts that were active before still were the right ones.
    """

    thdd: np.ndarray
    multipliers: np.ndarray
    gap_acceleration: np.ndarray
    solved: bool


def problem(solve, force, G, acceleration):
    """(F (n_c, n_c), f (n_c,)) of (11.51) for contacts that touch at rest: d = d' = 0.

    Parameters
    ----------
    solve : function x -> M^-1 x, or Y_C x where there are bilateral constraints too.
    force : (N,) T - C. G : (n_c, N) gradients of the gaps. acceleration : (n_c,) Uacc.
    """
    return G @ solve(G.T), G @ solve(force) - acceleration


def forward_dynamics(solve, force, G, acceleration, active=()):
    """Return the Contact motion; solve the full problem only if `active` fails (11.5.2)."""
    F, f = problem(solve, force, G, acceleration)
    active = list(active)
    multipliers = np.zeros(len(f))
    if active:
        multipliers[active] = np.linalg.solve(F[np.ix_(active, active)], -f[active])
    solved = not is_solution(F, f, multipliers)
    if solved:
        multipliers = lemke(F, f)
    return Contact(solve(force + G.T @ multipliers), multipliers, F @ multipliers + f, solved)


def frictional(solve, thd, force, normals, tangents, mu, step):
    """(thd at the end of a step (N,), impulses of normals (n_c,), of edges (n_c, edges)).

    M (thd+ - thd) = step (T - C) + N' p + D' b, with 0 <= N thd+ _|_ p, 0 <= D thd+ + s _|_ b,
    0 <= mu p - sum b _|_ s. The pyramid stands in place of the cone (Anitescu and Potra 1997).

    Parameters
    ----------
    solve : function x -> M^-1 x. thd : (N,). force : (N,) T - C. step : [s].
    normals : (n_c, N) gradients of the gaps.
    tangents : (n_c, edges, N) velocities of the contact points along the edges of each pyramid,
        each edge with its opposite.
    mu : (n_c,) coefficients of friction.
    """
    n_c, edges, N = tangents.shape
    D = tangents.reshape(n_c * edges, N)
    rows = np.vstack((normals, D))
    E = np.kron(np.eye(n_c), np.ones((edges, 1)))
    free = thd + step * solve(force)
    size = n_c * (2 + edges)
    F = np.zeros((size, size))
    F[:-n_c, :-n_c] = rows @ solve(rows.T)
    F[n_c:-n_c, -n_c:] = E
    F[-n_c:, :n_c] = np.diag(mu)
    F[-n_c:, n_c:-n_c] = -E.T
    z = lemke(F, np.concatenate((rows @ free, np.zeros(n_c))))
    impulses = z[:-n_c]
    return (free + solve(rows.T @ impulses), impulses[:n_c], impulses[n_c:].reshape(n_c, edges))
