# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A flexible body as rigid nodes, its lumped form: Jain, section 13.1, and its modes, 13.2.

    V(O^j) = phi'(k, O^j) V(k) + udot(O^j),   l(k, O^j) = l_0 + delta_l          (13.1 to 13.7)
    B = [phi(k, O^1), phi(k, O^2), ...],   V_nd = B' V + udot_nd                  (13.7, 13.8)
    f_nd = C_fl f^r + M_nd alpha_nd + b_nd + K_st u_nd,   f^r = B f_nd           (13.9 to 13.19)
    M_fl = [Pi'; B] M_nd [Pi, B'],   K = Pi' K_st Pi                             (13.27, 13.39)

The lumped form is the modal one with Pi = 1 for all nodes but that of the frame. M_nd is constant
in the axes of the body: the rotation delta_q of a node does not turn its inertia. That makes
M_fl^ff constant, as in the book. b_fl by (13.38) follows from b_nd where nodes are point masses.
"""

from dataclasses import dataclass

import numpy as np

from robodyn_ros.errors import ShapeError, short_repr
from robodyn_ros.formulations.jain.flexible.modal_body import Interface, ModalBody
from robodyn_ros.formulations.jain.spatial_algebra import bar, phi, tilde


@dataclass(frozen=True, eq=False)
class NodalBody:
    """A body with m nodes, in its axes throughout.

    `p`: undeformed positions of the nodes [m].
    `M`: spatial inertias about the nodes.
    `stiffness`: K_st, for the displacements [rotation; translation] node by node.
    Raises ShapeError: if the shapes do not belong to one number of nodes.
    """

    p: np.ndarray
    M: np.ndarray
    stiffness: np.ndarray

    __repr__ = short_repr

    def __post_init__(self):
        """Refuse shapes that do not belong to one number of nodes."""
        m = len(self.p)
        if self.M.shape != (m, 6, 6) or self.stiffness.shape != (6 * m, 6 * m):
            raise ShapeError(
                f'got inertias of shape {self.M.shape} and a stiffness matrix of shape '
                f'{self.stiffness.shape}; expected {(m, 6, 6)} and {(6 * m, 6 * m)} with {m} nodes'
            )

    @property
    def structural_mass(self):
        """M_nd (6 m, 6 m), block diagonal (13.11)."""
        m = len(self.p)
        M = np.zeros((m, 6, m, 6))
        M[range(m), :, range(m)] = self.M
        return M.reshape(6 * m, 6 * m)

    def carried(self, u):
        """Return B of the deformed body (13.8).

        `u` (6 m,): displacements of the nodes [rad, m].
        """
        return np.hstack(
            [phi(p + each[3:], np.eye(3)) for p, each in zip(self.p, u.reshape(-1, 6))]
        )

    def velocities(self, V, u, u_rate):
        """Return the velocities of the nodes, V_nd = B' V + udot (13.7).

        `V` (6,): velocity of the body frame [rad/s, m/s].
        `u` (6 m,): displacements of the nodes [rad, m].
        `u_rate` (6 m,): their rates [rad/s, m/s].
        """
        return self.carried(u).T @ V + u_rate

    def accelerations(self, V, alpha, u, u_rate, u_rate2):
        """Return the accelerations of the nodes, as the body frame sees them (13.34, 13.35).

        With Pi = 1, a_nd = (dB'/dt) V = [0; omega x deltadot_l].

        `V` (6,): velocity of the body frame [rad/s, m/s].
        `alpha` (6,): acceleration of the body frame [rad/s2, m/s2].
        `u` (6 m,): displacements of the nodes [rad, m].
        `u_rate` (6 m,): their rates [rad/s, m/s].
        `u_rate2` (6 m,): their second derivatives [rad/s2, m/s2].
        """
        bias = [
            np.concatenate((np.zeros(3), np.cross(V[:3], rate[3:])))
            for rate in u_rate.reshape(-1, 6)
        ]
        return self.carried(u).T @ alpha + u_rate2 + np.concatenate(bias)

    def gyroscopic(self, V, V_nd):
        """Return b_nd = bar([omega(k); v(O^j)]) M V(O^j), with derivatives in the body.

        `V` (6,): velocity of the body frame [rad/s, m/s].
        `V_nd` (6 m,): velocities of the nodes [rad/s, m/s].
        """
        nodes = V_nd.reshape(-1, 6)
        return np.concatenate(
            [bar(np.concatenate((V[:3], each[3:]))) @ M @ each for M, each in zip(self.M, nodes)]
        )

    def forces(self, V, alpha, u, u_rate, u_rate2):
        """Return the forces f_nd for a motion of the nodes, without a child on the body (13.9).

        `V` (6,): velocity of the body frame [rad/s, m/s].
        `alpha` (6,): acceleration of the body frame [rad/s2, m/s2].
        `u` (6 m,): displacements of the nodes [rad, m].
        `u_rate` (6 m,): their rates [rad/s, m/s].
        `u_rate2` (6 m,): their second derivatives [rad/s2, m/s2].
        """
        V_nd = self.velocities(V, u, u_rate)
        inertial = self.structural_mass @ self.accelerations(V, alpha, u, u_rate, u_rate2)
        return inertial + self.gyroscopic(V, V_nd) + self.stiffness @ u

    def interaction(self, j, weight):
        """Return C_fl of a node that carries a child (13.19).

        `j`: the node.
        `weight` (6, 6): phi(O_(k-1)^+, k-1) of the child.
        """
        C = np.zeros((6 * len(self.p), 6))
        C[6 * j : 6 * j + 6] = weight
        return C

    def modal(self, Pi, damping=None):
        """Return the body by its modes (13.27, 13.39).

        `Pi` (6 m, n_md): displacement of the nodes per modal coordinate.
        `damping` (n_md, n_md): modal damping; none by default.
        Raises ShapeError: if Pi does not have 6 m rows.
        """
        m, n = len(self.p), np.shape(Pi)[-1]
        if np.shape(Pi) != (6 * m, n):
            raise ShapeError(
                f'got modes of shape {np.shape(Pi)}; expected ({6 * m}, n_md), six rows for each '
                f'of {m} nodes'
            )
        shapes = Pi.reshape(m, 6, n)
        # [Pi'; B] of every node, and its derivative by each eta: phi depends on it linearly.
        E = np.array([np.vstack((shape.T, phi(p, np.eye(3)))) for shape, p in zip(shapes, self.p)])
        slope = np.zeros((m, n, n + 6, 6))
        for j in range(m):
            for r in range(n):
                shift = np.concatenate((np.zeros(3), shapes[j, 3:, r]))
                slope[j, r, n:] = -tilde(shift).T  # bar([0; delta]) = [0, S(delta); 0, 0]
        carried = E @ self.M
        half = np.einsum('jrac,jbc->rab', slope, carried)
        M_2 = np.einsum('jrac,jcd,jsbd->rsab', slope, self.M, slope)[..., n:, n:]
        return ModalBody(
            np.einsum('jac,jbc->ab', carried, E),
            half + half.transpose(0, 2, 1),
            0.5 * (M_2 + M_2.transpose(1, 0, 2, 3)),
            Pi.T @ self.stiffness @ Pi,
            np.zeros((n, n)) if damping is None else damping,
        )

    def lumped(self, frame):
        """Return the lumped form: a mode for every displacement (13.18).

        `frame`: node that carries the body frame, and has no displacement.
        Returns `body` (ModalBody): the body.
        Returns `Pi` (6 m, 6 m - 6): displacement of the nodes per modal coordinate.
        """
        m = len(self.p)
        moving = np.arange(6 * m) // 6 != frame
        Pi = np.eye(6 * m)[:, moving]
        return self.modal(Pi), Pi

    def interface(self, j, Pi, R=None):
        """Return a node as an Interface.

        `j`: the node.
        `Pi` (6 m, n_md): displacement of the nodes per modal coordinate.
        `R` (3, 3): axes of the node in those of the body; the same by default.
        """
        axes = np.eye(3) if R is None else R
        return Interface(self.p[j], axes, Pi[6 * j : 6 * j + 6])
