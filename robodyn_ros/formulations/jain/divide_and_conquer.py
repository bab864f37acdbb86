# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Divide-and-conquer forward dynamics: Jain, section 10.4; Featherstone 1999.

    Lambda^-1 f + c = betadot          a subsystem, seen from its handles                  (10.46)
    S f + (c_2A - c_2B) = R thdd + a   two of them on a hinge, f = f_2A = -f_2B      (10.47, 10.50)
    W = S^-1 - S^-1 R E R' S^-1,   E = (R' S^-1 R + J)^-1,   S = Lambda^-1_22A + Lambda^-1_22B
    f = -W (c_2A - c_2B - a) + S^-1 R E T
    Lambda^-1_C = Lambda^-1_11 - Lambda^-1_12 W Lambda^-1_21,  c_C = c_1 + Lambda^-1_12 f  (10.48)

Subsystems are joined in pairs, from single bodies to the whole tree. Then forces and accelerations
are found from the whole back to the bodies. Joins of one pass are independent. A chain of n bodies
takes ceil(log2(n + 1)) passes on n processors, where the articulated-body sweep takes n steps. On
one processor it costs several times as much.

Without drives, W is P' [P S P']^-1 P with P R = 0, as in the book (lemma 10.6). Then
S^-1 R E = [1 - W S] R (R' R)^-1. The book leaves out J, the inertia of a drive.

Corrections to the print: the vectors of (10.48) are [f_1A; f_1B], its bracket W
(c_2A - c_2B) - [1 - W S] R T. (10.50) needs an orthonormal R, or R (R' R)^-1 T. (10.47) leaves out
the a that velocities add.
"""

from dataclasses import dataclass

import numpy as np

from robodyn_ros.errors import short_repr
from robodyn_ros.formulations.jain.inverse_dynamics import (
    coriolis_accelerations,
    gyroscopic_forces,
)
from robodyn_ros.formulations.jain.tree_kinematics import velocities


@dataclass(frozen=True, eq=False)
class Subsystem:
    """Connected bodies, seen from the hinges that are still to be joined: its handles.

    `handles`: (hinge, side) of each handle. Side 'outer' is on the hinge's own body, 'inner' on
      its parent. Both are in the axes and at the origin of the hinge's body.
    `compliance`: acceleration of the m handles per force on them.
    `c`: acceleration of the handles without force on them [rad/s2, m/s2].
    `join`: (outer part, inner part, hinge); None for a single body.
    """

    handles: tuple
    compliance: np.ndarray
    c: np.ndarray
    join: tuple | None = None

    __repr__ = short_repr

    def rows(self, handles):
        """Return the rows of some handles, in the given order.

        `handles` (sequence of tuple): handles of this subsystem.
        """
        return np.concatenate(
            [np.arange(6) + 6 * self.handles.index(handle) for handle in handles] or [np.arange(0)]
        ).astype(int)


@dataclass(frozen=True, eq=False)
class Hinge:
    """Quantities of a hinge in a join.

    `R`: joint map H'.
    `a`: Coriolis acceleration [rad/s2, m/s2].
    `T`: torques [N m, N].
    `J`: inertia of the drives [kg m2 or kg].
    """

    R: np.ndarray
    a: np.ndarray
    T: np.ndarray
    J: np.ndarray

    __repr__ = short_repr


def single_body(tree, k, b):
    """Return body k alone: Lambda^-1 = X' M^-1 X, c = -X' M^-1 b, X = phi(k, handle).

    `tree` (Tree): bodies at one configuration.
    `k`: the body.
    `b` (6,): gyroscopic force minus external force on it [N m, N].
    """
    handles = ((k, 'outer'), *((j, 'inner') for j in tree.children[k]))
    X = np.hstack([np.eye(6), *(tree.phi[j] for j in tree.children[k])])
    return Subsystem(
        handles, X.T @ np.linalg.solve(tree.M[k], X), -X.T @ np.linalg.solve(tree.M[k], b)
    )


def ground(tree, k, gravity):
    """Return the inertial frame under base hinge k: zero compliance, acceleration g (10.53).

    `tree` (Tree): bodies at one configuration.
    `k`: hinge, numbered as its body.
    `gravity`: whether gravity acts.
    """
    lift = tree.phi[k].T @ tree.g if gravity else np.zeros(6)
    return Subsystem(((k, 'inner'),), np.zeros((6, 6)), lift)


def hinge_force(hinge, S, c):
    """Return W, force and acceleration across a hinge (10.48, 10.50).

    `hinge` (Hinge): quantities of the hinge.
    `S` (6, 6): sum of the compliances of both sides.
    `c` (6,): c_2A - c_2B [rad/s2, m/s2].
    Returns `W` (6, 6): force per relative acceleration.
    Returns `f` (6,): force on the outer side [N m, N].
    Returns `thdd` (r,): acceleration of the hinge [rad/s2, m/s2].
    """
    SR = np.linalg.solve(S, hinge.R)
    E = np.linalg.inv(hinge.R.T @ SR + np.diag(hinge.J))
    W = np.linalg.inv(S) - SR @ E @ SR.T
    f = SR @ E @ hinge.T - W @ (c - hinge.a)
    return W, f, E @ (hinge.T + SR.T @ (c - hinge.a))


def joined(outer, inner, k, hinge):
    """Return two subsystems joined by a hinge: lemma 10.6.

    `outer` (Subsystem): part with the hinge's own body.
    `inner` (Subsystem): part with its parent.
    `k`: hinge, numbered as its body.
    `hinge` (Hinge): quantities of the hinge.
    """
    a2, b2 = outer.rows([(k, 'outer')]), inner.rows([(k, 'inner')])
    left, right = ([h for h in part.handles if h[0] != k] for part in (outer, inner))
    a1, b1 = outer.rows(left), inner.rows(right)
    S = outer.compliance[np.ix_(a2, a2)] + inner.compliance[np.ix_(b2, b2)]
    W, f, _ = hinge_force(hinge, S, outer.c[a2] - inner.c[b2])
    across = np.vstack((outer.compliance[np.ix_(a1, a2)], -inner.compliance[np.ix_(b1, b2)]))
    own = np.zeros((len(a1) + len(b1),) * 2)
    own[: len(a1), : len(a1)] = outer.compliance[np.ix_(a1, a1)]
    own[len(a1) :, len(a1) :] = inner.compliance[np.ix_(b1, b1)]
    return Subsystem(
        (*left, *right),
        own - across @ W @ across.T,
        np.concatenate((outer.c[a1], inner.c[b1])) + across @ f,
        (outer, inner, k),
    )


def passes(tree):
    """Return the hinges to be joined in each pass, such that no subsystem is joined twice in one.

    The number of passes is the parallel depth: ceil(log2(n + 1)) of a chain of n bodies. A body
    with many children is joined to one of them per pass.

    `tree` (Tree): bodies at one configuration.
    """
    ends = [(k, up if up < tree.n else ('ground', k)) for k, up in enumerate(tree.parent)]
    owner = {body: body for pair in ends for body in pair}
    left, schedule = list(range(tree.n)), []
    while left:
        busy, now = set(), []
        for k in left:
            parts = {owner[body] for body in ends[k]}
            if not parts & busy:
                busy |= parts
                now.append(k)
        for k in now:
            gone, into = (owner[body] for body in ends[k])
            owner = {body: into if at == gone else at for body, at in owner.items()}
        left = [k for k in left if k not in now]
        schedule.append(tuple(now))
    return tuple(schedule)


def assembled(tree, thd, T, schedule, f_ext=None, gravity=True):
    """Return the joined tree: the assembly of Algorithm 10.6.

    `tree` (Tree): bodies at one configuration.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    `T` (N,): hinge torques, in the order of the tree [N m, N].
    `schedule` (sequence of sequence of int): hinges to join in each pass.
    `f_ext` (n, 6): external force on each body, at its origin in its axes [N m, N].
    `gravity`: whether gravity acts.
    Returns `parts` (list of Subsystem): one per tree of the forest, each with the inertial frame.
    Returns `hinges` (dict of Hinge): quantities of every hinge.
    """
    V = velocities(tree, thd)
    a, b = coriolis_accelerations(tree, V, thd), gyroscopic_forces(tree, V)
    b = b if f_ext is None else b - f_ext
    hinges = {k: Hinge(tree.H[k].T, a[k], T[s], tree.rotor[s]) for k, s in enumerate(tree.slices)}
    parts = [single_body(tree, k, b[k]) for k in range(tree.n)]
    parts += [ground(tree, k, gravity) for k in tree.children[tree.n]]
    holder = {handle: part for part in parts for handle in part.handles}
    for k in (k for now in schedule for k in now):
        whole = joined(holder[k, 'outer'], holder[k, 'inner'], k, hinges[k])
        holder |= dict.fromkeys(whole.handles, whole)
        parts = [part for part in parts if part not in whole.join[:2]] + [whole]
    return parts, hinges


def forward_dynamics(tree, thd, T, schedule=None, f_ext=None, gravity=True):
    """Return accelerations and hinge forces: Algorithm 10.6.

    `tree` (Tree): bodies at one configuration.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    `T` (N,): hinge torques, in the order of the tree [N m, N].
    `schedule` (sequence of sequence of int): hinges to join in each pass, all of them in any
      order; `passes(tree)` by default.
    `f_ext` (n, 6): external force on each body, at its origin in its axes [N m, N].
    `gravity`: whether gravity acts.
    Returns `thdd` (N,): hinge accelerations [rad/s2, m/s2].
    Returns `f` (n, 6): force on each body by its parent, at its origin in its axes [N m,
      N].
    Raises LinAlgError: if a body has no inertia.
    """
    parts, hinges = assembled(tree, thd, T, schedule or passes(tree), f_ext, gravity)
    thdd, f = np.zeros(tree.N), np.zeros((tree.n, 6))
    waiting = [(part, {}) for part in parts]
    while waiting:  # back-substitution: the forces on all handles of a part are known
        part, known = waiting.pop()
        if part.join is None:
            continue
        *sides, k = part.join
        ends = (k, 'outer'), (k, 'inner')
        S, c = np.zeros((6, 6)), np.zeros(6)
        for side, end, sign in zip(sides, ends, (1.0, -1.0)):
            at = side.rows([end])
            S += side.compliance[np.ix_(at, at)]
            c += sign * side.c[at]
            for handle in side.handles:
                if handle != end:
                    c += sign * side.compliance[np.ix_(at, side.rows([handle]))] @ known[handle]
        _, f[k], thdd[tree.slices[k]] = hinge_force(hinges[k], S, c)
        known = {**known, ends[0]: f[k], ends[1]: -f[k]}
        waiting += [(side, known) for side in sides]
    return thdd, f
