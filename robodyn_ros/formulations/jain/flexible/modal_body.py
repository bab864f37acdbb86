# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""One flexible body by its modes: Jain, sections 13.2, 13.2.1 and 13.2.4.

    u_nd = Pi eta,   V_fl = [etadot; V],   KE = V_fl' M_fl V_fl / 2            (13.20 to 13.26)
    M_fl(eta) = M_0 + sum eta_r M_1r + sum eta_r eta_s M_2rs, M_2 in the block rr alone (13.27)
    f_fl = M_fl alpha_fl + b_fl + K eta + D etadot                                    (13.37)
    b_fl = (dM_fl/dt) V_fl - [V_fl' (dM_fl/deta) V_fl / 2; 0] + [0; bar(V) h]         (13.38)

h = M_fl^r V_fl is the momentum. M_0, M_1 and M_2 are the modal integrals. Without M_1 and M_2 the
mass matrix does not depend on the deformation, the approximation of exercise 13.1. Modal damping D
is not in the book. A rigid body has no modes. Derivatives are as seen from the body frame.

The modes are linear in eta, so a link that spins does not stiffen. The book says so of every modal
model ("premature linearisation", section 13.7.2).

Corrections to the print: the elastic terms of (13.47) to (13.50) and (13.63) are K vartheta,
without a dot. alpha_fl of (13.32) is [etaddot; alpha]. A rigid body has n_md = 0, not n_nd = 0.
"""

from dataclasses import dataclass, replace

import numpy as np

from robodyn_ros.errors import ShapeError, short_repr
from robodyn_ros.formulations.jain.attitude import gibbs_rotation
from robodyn_ros.formulations.jain.spatial_algebra import bar, phi
from robodyn_ros.formulations.posture import skew


@dataclass(frozen=True, eq=False)
class ModalBody:
    """Modal mass, stiffness and damping of a body with n_md modes.

    `M_0`: M_fl undeformed: modal coordinates first, then the body frame.
    `M_1`: derivative of M_fl by each eta at eta = 0.
    `M_2`: second-order terms of the rigid block, symmetric in the first two indices.
    `stiffness`: modal stiffness.
    `damping`: modal damping.
    Raises ShapeError: if the shapes do not belong to one number of modes.
    """

    M_0: np.ndarray
    M_1: np.ndarray
    M_2: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray

    __repr__ = short_repr

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
        """Return M_fl of the deformed body (13.27).

        `eta` (n_md,): modal coordinates.
        """
        M = self.M_0 + np.tensordot(eta, self.M_1, 1)
        M[-6:, -6:] += np.tensordot(eta, np.tensordot(eta, self.M_2, 1), 1)
        return M

    def mass_gradient(self, eta):
        """Return dM_fl/deta.

        `eta` (n_md,): modal coordinates.
        """
        slope = self.M_1 + 0.0 * np.sum(eta)
        slope[:, -6:, -6:] += 2.0 * np.tensordot(eta, self.M_2, 1)
        return slope

    def gyroscopic(self, eta, V_fl):
        """Return the gyroscopic force b_fl (13.38).

        `eta` (n_md,): modal coordinates.
        `V_fl` (n_md + 6,): modal velocities, then the velocity of the body frame.
        """
        slope, n = self.mass_gradient(eta), self.n_md
        b = np.tensordot(V_fl[:n], slope, 1) @ V_fl
        b[:n] -= 0.5 * (slope @ V_fl) @ V_fl
        b[n:] += bar(V_fl[n:]) @ (self.mass(eta) @ V_fl)[n:]
        return b

    def strain_force(self, eta, eta_rate):
        """Return K eta + D etadot (13.39), with the damping.

        `eta` (n_md,): modal coordinates.
        `eta_rate` (n_md,): their rates.
        """
        return self.stiffness @ eta + self.damping @ eta_rate

    def with_strain(self, stiffness, damping):
        """Return the body with another stiffness and damping.

        `stiffness` (n_md, n_md): modal stiffness.
        `damping` (n_md, n_md): modal damping.
        """
        return replace(self, stiffness=stiffness, damping=damping)

    def frozen(self):
        """Return the body with a mass matrix that does not depend on its deformation (Ex 13.1)."""
        return replace(self, M_1=np.zeros_like(self.M_1), M_2=np.zeros_like(self.M_2))


def rigid(M):
    """Return a rigid body as a ModalBody without modes.

    `M` (6, 6): spatial inertia.
    """
    return ModalBody(
        M, np.zeros((0, 6, 6)), np.zeros((0, 0, 6, 6)), np.zeros((0, 0)), np.zeros((0, 0))
    )


@dataclass(frozen=True, eq=False)
class Interface:
    """A node at which a body is joined to another (13.12, 13.22).

    The node turns by delta_q = Pi_q eta. The rotation is exact, with Gibbs vector delta_q / 2. To
    first order it is the book's.

    `p`: its undeformed origin in the axes of the body [m].
    `R`: its undeformed axes in those of the body.
    `Pi`: its displacement per modal coordinate, in the axes of the body [rad; m].
    """

    p: np.ndarray
    R: np.ndarray
    Pi: np.ndarray

    __repr__ = short_repr

    def pose(self, eta):
        """Return the pose of the node on the deformed body (13.2).

        `eta` (n_md,): modal coordinates.
        Returns `R` (3, 3): axes of the node in those of the body.
        Returns `l` (3,): origin of the node in the axes of the body [m].
        """
        delta = self.Pi @ eta
        return gibbs_rotation(0.5 * delta[:3]) @ self.R, self.p + delta[3:]

    def motion(self, eta):
        """Return N, for which N etadot is the velocity of the node on the body (13.3).

        N is Pi turned into the node's axes, except for the angular part. Its exact form is
        (1 - S(delta_q) / 2) Pi_q / (1 + delta_q^2 / 4).

        `eta` (n_md,): modal coordinates.
        """
        R, _ = self.pose(eta)
        delta = (self.Pi @ eta)[:3]
        turning = self.Pi[:3] - 0.5 * skew(delta) @ self.Pi[:3]
        return np.vstack((self.R.T @ turning / (1.0 + 0.25 * (delta @ delta)), R.T @ self.Pi[3:]))

    def drift(self, eta, eta_rate):
        """Return (dN/dt) etadot, as the node sees it.

        `eta` (n_md,): modal coordinates.
        `eta_rate` (n_md,): their rates.
        """
        delta, rate = (self.Pi @ eta)[:3], (self.Pi @ eta_rate)[:3]
        moving = self.motion(eta) @ eta_rate
        slowing = -0.5 * (delta @ rate) / (1.0 + 0.25 * (delta @ delta))
        return np.concatenate((slowing * moving[:3], -np.cross(moving[:3], moving[3:])))

    def carried(self, eta):
        """Return A_fl = [N'; phi(k, node)], from forces on the node to forces on the body (13.52).

        `eta` (n_md,): modal coordinates.
        """
        R, l = self.pose(eta)  # noqa: E741  the letter of the book
        return np.vstack((self.motion(eta).T, phi(l, R)))


def fixed(p, R=None, n_md=0):
    """Return the Interface of a node that no mode moves (13.21).

    `p` ((3,) array_like): origin in the axes of the body [m].
    `R` (3, 3): axes in those of the body; the same by default.
    `n_md`: number of modes of the body.
    """
    return Interface(np.asarray(p, float), np.eye(3) if R is None else R, np.zeros((6, n_md)))
