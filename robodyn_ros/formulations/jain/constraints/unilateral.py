# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Contact by unilateral constraints: Jain, section 11.5.

    d(theta, t) >= 0;  active where d = d' = d'' = 0, separating where d'' > 0     (11.44 to 11.46)
    d'' = d''_f + G_c M^-1 G_c' lambda,   0 <= d'' _|_ lambda >= 0                (11.48, 11.49)

With F = G_c M^-1 G_c' and f = d''_f this is a linear complementarity problem (11.51). Bilateral
constraints are solved before, as part of the free motion. `forward_dynamics` tries the previously
active contacts first. It solves the problem only if they fail, as section 11.5.2 advises.
`frictional` approximates the friction cone by a pyramid, in velocities at the end of a step. In
forces, a solution need not exist (Painleve).

Corrections to the print: (11.47) has thdd, not d''. Where contacts depend on each other, F of
(11.48) is singular, not (11.46).
"""

from typing import NamedTuple

import numpy as np

from robodyn_ros.formulations.jain.constraints.complementarity import is_solution, lemke


class Contact(NamedTuple):
    """A motion in contact.

    `thdd`: accelerations [rad/s2, m/s2].
    `multipliers`: contact forces lambda >= 0 [N].
    `gap_acceleration`: accelerations of the gaps [m/s2].
    `solved`: False where the previously active contacts were still the right ones.
    """

    thdd: np.ndarray
    multipliers: np.ndarray
    gap_acceleration: np.ndarray
    solved: bool


def problem(solve, force, G, acceleration):
    """Return F and f of (11.51), for contacts that touch at rest: d = d' = 0.

    `solve` (callable): `solve(x)` returns M^-1 x, or Y_C x where there are bilateral constraints
      too.
    `force` (N,): T - C [N m, N].
    `G` (n_c, N): gradients of the gaps.
    `acceleration` (n_c,): uacc of the gaps [m/s2].
    Returns `F` (n_c, n_c): G_c M^-1 G_c'.
    Returns `f` (n_c,): gap accelerations without contact forces [m/s2].
    """
    return G @ solve(G.T), G @ solve(force) - acceleration


def forward_dynamics(solve, force, G, acceleration, active=()):
    """Return the motion in contact; solve the full problem only if `active` fails (11.5.2).

    `solve` (callable): `solve(x)` returns M^-1 x, or Y_C x where there are bilateral constraints
      too.
    `force` (N,): T - C [N m, N].
    `G` (n_c, N): gradients of the gaps.
    `acceleration` (n_c,): uacc of the gaps [m/s2].
    `active` (sequence of int): contacts that were active before.
    """
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
    """Return velocities and impulses at the end of a time step with dry friction.

        M (thd+ - thd) = step (T - C) + N' p + D' b
        0 <= N thd+ _|_ p >= 0,   0 <= D thd+ + s _|_ b >= 0,   0 <= mu p - sum b _|_ s >= 0

    A pyramid approximates the cone, and s is the speed of sliding (Anitescu and Potra 1997).

    `solve` (callable): `solve(x)` returns M^-1 x, or Y_C x where there are bilateral constraints
      too.
    `thd` (N,): velocities at the start of the step [rad/s, m/s].
    `force` (N,): T - C [N m, N].
    `normals` (n_c, N): gradients of the gaps.
    `tangents` (n_c, edges, N): velocities of the contact points along the edges of each
      pyramid. Each edge comes with its opposite.
    `mu` (n_c,): coefficients of friction.
    `step`: length of the step [s].
    Returns `thd` (N,): velocities at the end of the step [rad/s, m/s].
    Returns `normal` (n_c,): normal impulses p [N s].
    Returns `tangential` (n_c, edges): impulses b along the edges [N s].
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
