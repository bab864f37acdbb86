# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The Lagrange equations in O(n^3), as organised by Turney, Mudge and Lee, appendix.

    T_j^i = T_j^(i-1) T_(i-1)^i                                             n (n - 1) / 2 products
    T_{0,j}^i = T_0^(j-1) Q_j T_(j-1)^j, then times T_(i-1)^i                n (n - 1) / 2
    T_{0,jk}^i = T_{0,j}^(k-1) Q_k T_(k-1)^k, then times T_(i-1)^i           n (n^2 - 1) / 6
    B_q = [sum_j T_{0,j}^q thdd_j + sum_j sum_k T_{0,jk}^q thd_j thd_k] J_q
    tau_i = sum_q Tr(B_q (T_{0,i}^q)^T) - g . T_{0,i}^q m_q rbar_q

Products with Q_j exchange and negate rows. So a derivative by joint 1 needs no product. Serial
chains. A Plan counts its operations, with matrices taken as full. A product is 64 multiplications
and 48 additions, a trace 16 and 15 (Table 2, with gravity along z_0).

Corrections to the print: the brackets need 16 multiplications more for each thdd_j, or 8 n (n + 1)
in all. Their additions are counted for n^2 second derivatives, of which half are used.
"""

from collections import Counter

import numpy as np

from robodyn_ros.formulations.posture import states
from robodyn_ros.formulations.serial_chain import links_at
from robodyn_ros.formulations.turney.lagrange_4x4 import SLIDE, TURN, inertia_about


class Plan:
    """Matrices of a serial chain, and operation counts by the rows of Table 2.

    The counts are the Counters `multiplications` and `additions`, by the names of the rows.

    `links` (Links): a serial chain at one posture.
    """

    def __init__(self, links):
        self.multiplications, self.additions = Counter(), Counter()
        self.links = links
        self.single = [_step(links, i) for i in range(links.n)]  # T_(i-1)^i, given
        self.by = [TURN if revolute else SLIDE for revolute in links.revolute]
        self.T = self._transforms()
        self.first = self._first()
        self.second = self._second()

    def spend(self, row, multiplications, additions):
        """Count operations under a row of Table 2.

        `row`: name of the row.
        `multiplications`: number of multiplications.
        `additions`: number of additions.
        """
        self.multiplications[row] += multiplications
        self.additions[row] += additions

    def _product(self, row, A, B):
        """Return A B of two full matrices, counted under a row of Table 2."""
        self.spend(row, 64, 48)
        return A @ B

    def _transforms(self):
        """Return T[j, i] = T_j^i of all j < i, links counted from 0 at the base."""
        n = self.links.n
        T = {(i, i + 1): step for i, step in enumerate(self.single)}
        for span in range(2, n + 1):
            for j in range(n + 1 - span):
                i = j + span
                T[j, i] = self._product('transforms', T[j, i - 1], self.single[i - 1])
        return T

    def _first(self):
        """Return T_{0,j}^i of all j <= i, counted from 1."""
        found = {}
        for i in range(1, self.links.n + 1):
            for j in range(1, i + 1):
                turned = self.by[j - 1]
                if j == 1:
                    found[i, j] = turned @ self.T[0, i]
                elif i == j:
                    own = turned @ self.single[i - 1]
                    found[i, j] = self._product('first', self.T[0, j - 1], own)
                else:
                    found[i, j] = self._product('first', found[i - 1, j], self.single[i - 1])
        return found

    def _second(self):
        """Return T_{0,jk}^i of all j <= k <= i, counted from 1."""
        found = {}
        for i in range(1, self.links.n + 1):
            for k in range(1, i + 1):
                for j in range(1, k + 1):
                    found[i, j, k] = self._second_of(found, i, j, k)
        return found

    def _second_of(self, found, i, j, k):
        """Return T_{0,jk}^i, by those of lower i."""
        if j == 1:
            return self.by[0] @ self.first[i, k]
        if k < i:
            return self._product('second', found[i - 1, j, k], self.single[i - 1])
        own = self.by[i - 1] @ self.single[i - 1]
        if j < i:
            return self._product('second', self.first[i - 1, j], own)
        return self._product('second', self.T[0, i - 1], self.by[i - 1] @ own)

    def brackets(self, qd, qdd):
        """Return B_q of every link, the second rate of T_0^q times J_q.

        `qd` (n,): joint velocities from base to tip [rad/s, m/s].
        `qdd` (n,): joint accelerations from base to tip [rad/s2, m/s2].
        """
        found = []
        for q in range(1, self.links.n + 1):
            total = sum(self.first[q, j] * qdd[j - 1] for j in range(1, q + 1))
            for k in range(1, q + 1):
                for j in range(1, k + 1):
                    pair = qd[j - 1] * qd[k - 1]
                    total = total + self.second[q, j, k] * (pair if j == k else pair + pair)
            terms = q + q * (q + 1) // 2
            self.spend('bracket', 16 * terms + q * (q + 1) // 2, q * (q - 1) // 2)
            self.spend('bracket', 64, 16 * (terms - 1) + 48)
            found.append(total @ self._inertia(q - 1))
        return found

    def torques(self, brackets):
        """Return the torques of given brackets.

        `brackets` (list of (4, 4) ndarray): B_q, from base to tip.
        """
        n, links = self.links.n, self.links
        tau = []
        along = np.flatnonzero(links.g)
        for i in range(1, n + 1):
            total = 0.0
            for q in range(i, n + 1):
                by = self.first[q, i]
                total = total + np.sum(brackets[q - 1] * by)
                moment = self._inertia(q - 1)[:, 3]
                total = total - links.g[along] @ (by[along] @ moment)
                self.spend('trace', 16, 15)
                self.spend('gravity', 4 * len(along), 3 * len(along))
            self.spend('trace', 0, n - i)
            self.spend('gravity', 0, n - i)
            tau.append(total)
        return np.array(tau)

    def _inertia(self, i):
        """Return J (4, 4) about the far origin of link i (1.28)."""
        return inertia_about(self.links.m[i], -self.links.delta[i], self.links.I[i])


def _step(links, i):
    """Return T_(i-1)^i (4, 4), from the far frame of link i to that of the link before."""
    Q = links.Q[i]
    place = Q @ links.a[i] + links.b[i] * np.array([0.0, 0.0, 1.0])
    return np.block([[Q, place[:, None]], [np.zeros((1, 3)), np.ones((1, 1))]])


def inverse_dynamics(robot, q, qd, qdd):
    """Return the torques of a serial robot.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    `qdd` ((nv,) array_like): joint accelerations [rad/s2, m/s2].
    Raises ModelError: if the robot branches.
    Raises ShapeError: if a state has another shape.
    """
    return planned(robot, q, qd, qdd)[0]


def planned(robot, q, qd, qdd):
    """Return the torques of a serial robot, and the operation counts.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    `qdd` ((nv,) array_like): joint accelerations [rad/s2, m/s2].
    Returns `tau` (nv,): joint torques [N m, N].
    Returns `plan` (Plan): the plan with its counts.
    """
    q, qd, qdd = states(robot, q, qd, qdd)
    links = links_at(robot, q)
    plan = Plan(links)
    tau = plan.torques(plan.brackets(qd[links.order], qdd[links.order]))
    return links.joint_order(tau) + links.joint_order(links.rotor) * qdd, plan


def printed(n):
    """Return the operation counts of Table 2; they add up to 5916 and 4840 at n = 6.

    `n`: number of joints.
    """
    return {
        'transforms': (32 * n * (n - 1), 24 * n * (n - 1)),
        'first': (32 * n * (n - 1), 24 * n * (n - 1)),
        'second': (32 * n * (n * n - 1) // 3, 8 * n * (n * n - 1)),
        'bracket': ((17 * n**3 + 51 * n**2 + 418 * n) // 6, (16 * n**3 + 80 * n) // 3),
        'trace': (8 * n * n + 8 * n, 8 * n * n + 7 * n),
        'gravity': (2 * n * n + 2 * n, 2 * n * n + n),
    }
