# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""One flexible body by its modes: Jain, sections 13.2, 13.2.1 and 13.2.4.

    u_nd = Pi eta,   V_fl = [etadot; V],   KE = V_fl' M_fl V_fl / 2            (13.20 to 13.26)
    M_fl(eta) = M_0 + sum eta_r M_1r + sum eta_r eta_s M_2rs, M_2 in the block rr alone (13.27)
    f_fl = M_fl alpha_fl + b_fl + K eta + D etadot                                    (13.37)
    b_fl = (dM_fl/dt) V_fl - [V_fl' (dM_fl/deta) V_fl / 2; 0] + [0; bar(V) h]         (13.38)

h = M_fl^r V_fl is the momentum. M_0, M_1 and M_2 are the modal integrals. Without M_1 and M_2 the
body keeps its mass matrix as it bends, the approximation of exercise 13.1. Modal damping D is
beside the book. A rigid body has no modes. Derivatives are those the body frame sees.

The modes are linear in eta. The stiffening of a link that spins is missing. The book says so of
every modal model ("premature linearisation", section 13.7.2).

Corrections to the print: the elastic terms of (13.47) to (13.50) and (13.63) are K vartheta,
without a dot. alpha_fl of (13.32) is [etaddot; alpha]. A rigid body has n_md = 0, not n_nd = 0.
"""

from dataclasses import dataclass, replace

import numpy as np

from robodyn_ros.errors import ShapeError
from robodyn_ros.formulations.arm import skew
from robodyn_ros.formulations.jain.attitude import gibbs_rotation
from robodyn_ros.formulations.jain.spatial_algebra import bar, phi


@dataclass(frozen=True, eq=False)
class ModalBody:
    """Modal mass, stiffness and damping of a body with n_md modes.

    Parameters
    ----------
    M_0 : (n_md + 6, n_md + 6), modal coordinates first, then the body frame, undeformed.
    M_1 : (n_md, n_md + 6, n_md + 6), the derivative of M_fl by each eta at eta = 0.
    M_2 : (n_md, n_md, 6, 6), of the rigid block, symmetric in its first two indices.
    stiffness, damping : (n_md, n_md) each.

    Raises
    ------
    ShapeError where the sizes do not belong to one number of modes.
    """

    M_0: np.ndarray
    M_1: np.ndarray
    M_2: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray

    def __post_init__(self):
        """Refuse matrices of different numbers of modes."""
        n = len(self.stiffness)
        wanted = {
            'M_0': (n + 6, n + 6),
            'M_1': (n, n + 6, n + 6),
            'M_2': (n, n, 6, 6),
            'stiffness': (n, n),
            'damping': (n, n),
        }
        for name, shape in wanted.items():
            if np.shape(getattr(self, name)) != shape:
                raise ShapeError(
                    f'got {name} of shape {np.shape(getattr(self, name))}; expected {shape} with '
                    f'the {n} modes of the stiffness matrix'
                )

    @property
    def n_md(self):
        """Number of modes."""
        return len(self.stiffness)

    def mass(self, eta):
        """Return M_fl (n_md + 6, n_md + 6) at deformations eta (n_md,) (13.27)."""
        M = self.M_0 + np.tensordot(eta, self.M_1, 1)
        M[-6:, -6:] += np.tensordot(eta, np.tensordot(eta, self.M_2, 1), 1)
        return M

    def mass_gradient(self, eta):
        """Return dM_fl/deta (n_md, n_md + 6, n_md + 6)."""
        slope = self.M_1 + 0.0 * np.sum(eta)
        slope[:, -6:, -6:] += 2.0 * np.tensordot(eta, self.M_2, 1)
        return slope

    def gyroscopic(self, eta, V_fl):
        """Return b_fl (n_md + 6,) of a modal spatial velocity (n_md + 6,) (13.38)."""
        slope, n = self.mass_gradient(eta), self.n_md
        b = np.tensordot(V_fl[:n], slope, 1) @ V_fl
        b[:n] -= 0.5 * (slope @ V_fl) @ V_fl
        b[n:] += bar(V_fl[n:]) @ (self.mass(eta) @ V_fl)[n:]
        return b

    def strain_force(self, eta, eta_rate):
        """Return K eta + D etadot (n_md,) (13.39), with the damping."""
        return self.stiffness @ eta + self.damping @ eta_rate

    def with_strain(self, stiffness, damping):
        """Return the body with another stiffness and damping matrix (n_md, n_md)."""
        return replace(self, stiffness=stiffness, damping=damping)

    def frozen(self):
        """Return the body with a mass matrix that does not depend on its deformation (Ex 13.1)."""
        return replace(self, M_1=np.zeros_like(self.M_1), M_2=np.zeros_like(self.M_2))


def rigid(M):
    """Return the ModalBody without modes of a spatial inertia M (6, 6)."""
    return ModalBody(
        M, np.zeros((0, 6, 6)), np.zeros((0, 0, 6, 6)), np.zeros((0, 0)), np.zeros((0, 0))
    )


@dataclass(frozen=True, eq=False)
class Interface:
    """A node at which a body is joined to another (13.12, 13.22).

    p (3,) [m], R (3, 3) : its place and axes in those of the body, undeformed. Pi (6, n_md) : its
    modal spatial displacement [rad; m], in the axes of the body. The rotation by
    delta_q = Pi_q eta is exact, of the Gibbs vector delta_q / 2: to first order the book's.
    """

    p: np.ndarray
    R: np.ndarray
    Pi: np.ndarray

    def pose(self, eta):
        """Return (R (3, 3), l (3,)) of the node of a body deformed by eta (13.2)."""
        delta = self.Pi @ eta
        return gibbs_rotation(0.5 * delta[:3]) @ self.R, self.p + delta[3:]

    def motion(self, eta):
        """Return N (6, n_md), in the node's axes: N etadot is its velocity on the body (13.3).

        N is Pi turned into the node's axes, but for the angular part. Its exact form is
        (1 - S(delta_q) / 2) Pi_q / (1 + delta_q^2 / 4).
        """
        R, _ = self.pose(eta)
        delta = (self.Pi @ eta)[:3]
        turning = self.Pi[:3] - 0.5 * skew(delta) @ self.Pi[:3]
        return np.vstack((self.R.T @ turning / (1.0 + 0.25 * (delta @ delta)), R.T @ self.Pi[3:]))

    def drift(self, eta, eta_rate):
        """Return (dN/dt) etadot (6,), as the node sees it."""
        delta, rate = (self.Pi @ eta)[:3], (self.Pi @ eta_rate)[:3]
        moving = self.motion(eta) @ eta_rate
        slowing = -0.5 * (delta @ rate) / (1.0 + 0.25 * (delta @ delta))
        return np.concatenate((slowing * moving[:3], -np.cross(moving[:3], moving[3:])))

    def carried(self, eta):
        """Return A_fl (n_md + 6, 6) = [N'; phi(k, node)]: a force here on the body (13.52)."""
        R, l = self.pose(eta)  # noqa: E741  the letter of the book
        return np.vstack((self.motion(eta).T, phi(l, R)))


def fixed(p, R=None, n_md=0):
    """Return the Interface (3,), (3, 3) of a node that no mode moves (13.21)."""
    return Interface(np.asarray(p, float), np.eye(3) if R is None else R, np.zeros((6, n_md)))
