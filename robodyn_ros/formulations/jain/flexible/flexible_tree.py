# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A tree of flexible bodies at one configuration, as an SKO model: Jain, sections 13.2.2, 13.3.

    vartheta(k) = [eta; theta],   V_fl(k) = Phi_fl'(k+1, k) V_fl(k+1) + H_fl' varthetadot   (13.29)
    Phi_fl(k+1, k) = A_fl(k+1) [0, phi(O_k^+, k)],  A_fl = [Pi'(O_k^+); phi(k+1, O_k^+)]    (13.51)
    H_fl(k) = [1, -Pi_B'; 0, H_B],   H_B = H phi(O_k, k),  Pi_B = phi'(O_k, k) Pi(O_k)      (13.31)
    M = H_fl Phi_fl M_fl Phi_fl' H_fl',   C = H_fl Phi_fl (M_fl Phi_fl' a + b + K vartheta) (13.50)

The hinge of body k connects its node O_k to node O_k^+ of its parent. A hinge may have no freedom,
a body no modes, and a body several children. O(n).

Corrections to the print: the parent's node of body k on body k + 1 is O_k^+ throughout, also in
(13.28), (13.30) and (13.36). A_fl(k) of (13.52) thus has Pi(O_(k-1)^+). Pi_B is 6 x n_md.
"""

import functools
from dataclasses import dataclass

import numpy as np

from robodyn_ros.errors import ShapeError, short_repr
from robodyn_ros.formulations.jain.flexible.modal_body import Interface, ModalBody
from robodyn_ros.formulations.jain.hinges import Hinge
from robodyn_ros.formulations.jain.operators.sweeps import scatter
from robodyn_ros.formulations.jain.sko.sko_model import SkoModel, SkoStructure
from robodyn_ros.formulations.jain.spatial_algebra import phi, tilde


@dataclass(frozen=True, eq=False)
class FlexibleBody:
    """A flexible body and the hinge that connects it to its parent.

    `name`: name of the body.
    `parent`: name of the parent; None for the inertial frame.
    `mount`: node O_k^+ of the parent.
    `hinge`: hinge between the axes of mount and root.
    `root`: node O_k of this body.
    `modal`: mass, stiffness and damping of the body.
    """

    name: str
    parent: str | None
    mount: Interface
    hinge: Hinge
    root: Interface
    modal: ModalBody

    __repr__ = short_repr


@dataclass(frozen=True, eq=False)
class FlexibleTree(SkoStructure):
    """Tree of n flexible bodies at one configuration, tips first.

    `parent`: row of the parent of each body; n for the inertial frame.
    `eta`: modal coordinates.
    `theta`: hinge coordinates.
    `A`: A_fl of the parent at O_k^+; (6, 6) on the inertial frame.
    `phi`: phi(O_k^+, k).
    `phi_own`: phi(O_k, k).
    `Pi_B`: Pi_B of (13.31).
    `H_B`: H_B of (13.31).
    `H`: H_fl of (13.31).
    `M`: M_fl.
    `g`: pseudo-acceleration [0; -gravity] of the inertial frame [m/s2].
    `rotor`: zeros, for the algorithms of SKO models.
    `dofs`: entry of the caller's velocities of every freedom.
    """

    bodies: tuple
    parent: tuple
    eta: tuple
    theta: tuple
    A: tuple
    phi: tuple
    phi_own: tuple
    Pi_B: tuple
    H_B: tuple
    H: tuple
    M: tuple
    g: np.ndarray
    rotor: np.ndarray
    dofs: np.ndarray

    __repr__ = short_repr

    @property
    def names(self):
        """Names of the bodies, tips first."""
        return tuple(body.name for body in self.bodies)

    @property
    def modes(self):
        """Number of modes n_md of every body."""
        return tuple(body.modal.n_md for body in self.bodies)

    @functools.cached_property
    def weights(self):
        """Phi_fl(parent(k), k) of all bodies, (m_parent, m_k) (13.30)."""
        return tuple(
            np.hstack((np.zeros((len(A), n)), A @ weight))
            for A, weight, n in zip(self.A, self.phi, self.modes)
        )

    def parts(self, x, k):
        """Return the modal and the hinge part of a body in a vector.

        `x` (N,): vector in the order of the tree.
        `k`: the body.
        Returns `modes` (n_md,): modal part.
        Returns `hinge` (r,): hinge part.
        """
        own, n = x[self.slices[k]], self.modes[k]
        return own[:n], own[n:]


def flexible_tree(bodies, q, gravity=(0.0, 0.0, -9.81)):
    """Return the FlexibleTree of given bodies at given coordinates.

    The velocities have the same order as the coordinates: eta, then theta of every body in turn.
    `dofs` maps the order of the tree, tips first, to it.

    `bodies` (sequence of FlexibleBody): the bodies, from base to tip.
    `q` ((nq,) array_like): eta and theta of every body in turn, real or complex.
    `gravity` ((3,) array_like): acceleration of free fall in the inertial frame [m/s2].
    Raises ShapeError: if q has another length, or an Interface has modes of another body.
    """
    q = np.asarray(q)
    size = sum(body.modal.n_md + body.hinge.nq for body in bodies)
    if q.shape != (size,):
        raise ShapeError(f'got coordinates of shape {q.shape}; expected ({size},)')
    of = {body.name: body for body in bodies}
    for body in bodies:
        inboard = of[body.parent].modal.n_md if body.parent else 0
        for node, n in ((body.mount, inboard), (body.root, body.modal.n_md)):
            if node.Pi.shape != (6, n):
                raise ShapeError(
                    f'body {body.name!r}: got modes of shape {node.Pi.shape} at a node; '
                    f'expected {(6, n)}'
                )
    at, first, eta, theta, rows = 0, 0, {}, {}, {}
    for body in bodies:
        n, own = body.modal.n_md, body.modal.n_md + body.hinge.nv
        eta[body.name], theta[body.name] = q[at : at + n], q[at + n : at + n + body.hinge.nq]
        rows[body.name] = range(first, first + own)
        at, first = at + n + body.hinge.nq, first + own
    bodies = tuple(reversed(bodies))
    row = {body.name: k for k, body in enumerate(bodies)} | {None: len(bodies)}
    eta[None] = np.zeros(0)
    A, weights, phi_own, Pi_B, H_B, H = [], [], [], [], [], []
    for body in bodies:
        A.append(body.mount.carried(eta[body.parent]))
        R, l = body.root.pose(eta[body.name])  # noqa: E741
        inside = np.linalg.inv(phi(l, R))
        R, l = body.hinge.placement(theta[body.name])  # noqa: E741
        weights.append(phi(l, R) @ inside)
        phi_own.append(inside)
        Pi_B.append(inside.T @ body.root.motion(eta[body.name]))
        H_B.append((inside.T @ body.hinge.map(theta[body.name])).T)
        n, r = body.modal.n_md, body.hinge.nv
        H.append(np.block([[np.eye(n), -Pi_B[-1].T], [np.zeros((r, n)), H_B[-1]]]))
    return FlexibleTree(
        bodies,
        tuple(row[body.parent] for body in bodies),
        tuple(eta[body.name] for body in bodies),
        tuple(theta[body.name] for body in bodies),
        tuple(A),
        tuple(weights),
        tuple(phi_own),
        tuple(Pi_B),
        tuple(H_B),
        tuple(H),
        tuple(body.modal.mass(eta[body.name]) for body in bodies),
        np.concatenate((np.zeros(3), -np.asarray(gravity, float))),
        np.zeros(first),
        np.array([dof for body in bodies for dof in rows[body.name]], dtype=int),
    )


def velocities(tree, rate):
    """Return V_fl of all bodies (13.29).

    `tree` (FlexibleTree): bodies at one configuration.
    `rate` (N,): velocities varthetadot, in the order of the tree.
    """
    return scatter(tree, [H.T @ rate[s] for H, s in zip(tree.H, tree.slices)], tree.weights)


def coriolis_accelerations(tree, V, rate):
    """Return a_mR, the body frame's part of a_fl (13.33); the part of the modes is zero.

    The three frames O_k^+, O_k and k follow each other. Each has a = dDelta/dt + tilde(V) Delta.

    `tree` (FlexibleTree): bodies at one configuration.
    `V` (sequence of (n_md + 6,) ndarray): V_fl of each body.
    `rate` (N,): velocities varthetadot, in the order of the tree.
    """
    found = []
    for k, (body, up) in enumerate(zip(tree.bodies, tree.parent)):
        eta_rate, theta_rate = tree.parts(rate, k)
        if up < tree.n:
            eta_up = tree.eta[up]
            rate_up, _ = tree.parts(rate, up)
            V_plus = tree.A[k].T @ V[up]
            moving = body.mount.motion(eta_up) @ rate_up
            a = body.mount.drift(eta_up, rate_up) + tilde(V_plus) @ moving
        else:
            V_plus, a = np.zeros(6), np.zeros(6)
        across = tree.phi[k] @ np.linalg.inv(tree.phi_own[k])  # phi(O_k^+, O_k)
        map_, theta = body.hinge.map(tree.theta[k]), tree.theta[k]
        V_O = across.T @ V_plus + map_ @ theta_rate
        a = across.T @ a + tilde(V_O) @ (map_ @ theta_rate)
        a = a + body.hinge.map_rate(theta, theta_rate) @ theta_rate
        moving = body.root.motion(tree.eta[k]) @ eta_rate
        a = a - body.root.drift(tree.eta[k], eta_rate) - tilde(V_O) @ moving
        found.append(tree.phi_own[k].T @ a)
    return found


def bias_forces(tree, V, rate):
    """Return b_fl + K vartheta of all bodies, with the damping (13.37).

    `tree` (FlexibleTree): bodies at one configuration.
    `V` (sequence of (n_md + 6,) ndarray): V_fl of each body.
    `rate` (N,): velocities varthetadot, in the order of the tree.
    """
    found = []
    for k, body in enumerate(tree.bodies):
        b = body.modal.gyroscopic(tree.eta[k], V[k])
        eta_rate, _ = tree.parts(rate, k)
        b[: body.modal.n_md] += body.modal.strain_force(tree.eta[k], eta_rate)
        found.append(b)
    return found


def sko_model(tree, rate, gravity=True):
    """Return the SkoModel of a FlexibleTree in motion (13.49).

    Its b contains the strain forces, and a of its roots minus the acceleration of free fall.
    Algorithms 9.3, 9.4 and 9.5 for it are 13.2, 13.3 and 13.4 of this chapter.

    `tree` (FlexibleTree): bodies at one configuration.
    `rate` (N,): velocities varthetadot, in the order of the tree.
    `gravity`: whether gravity acts.
    """
    V = velocities(tree, rate)
    a = []
    for k, own in enumerate(coriolis_accelerations(tree, V, rate)):
        if gravity and tree.parent[k] == tree.n:
            own = own + tree.weights[k][:, -6:].T @ tree.g
        a.append(np.concatenate((np.zeros(tree.modes[k]), own)))
    return SkoModel(
        tree.names,
        tree.parent,
        tree.weights,
        tree.H,
        tree.M,
        tree.rotor,
        tuple(a),
        tuple(bias_forces(tree, V, rate)),
        tree.dofs,
    )


def kinetic_energy(tree, rate):
    """Return the sum of V_fl' M_fl V_fl / 2 (13.26).

    `tree` (FlexibleTree): bodies at one configuration.
    `rate` (N,): velocities varthetadot, in the order of the tree.
    """
    return sum(0.5 * V @ M @ V for V, M in zip(velocities(tree, rate), tree.M))


def potential_energy(tree):
    """Return the energy of strain and of gravity, eta' K eta / 2 + sum g' (m o + R m p).

    `tree` (FlexibleTree): bodies at one configuration.
    """
    g, total = tree.g[3:], 0.0
    place = [None] * tree.n + [(np.eye(3), np.zeros(3))]
    for k in reversed(range(tree.n)):
        X = tree.A[k][-6:] @ tree.phi[k]  # phi(up, k) = [R, S(l) R; 0, R]
        R_up, o_up = place[tree.parent[k]]
        R, S = X[3:, 3:], X[:3, 3:] @ X[3:, 3:].T
        R, o = R_up @ R, o_up + R_up @ np.array([S[2, 1], S[0, 2], S[1, 0]])
        place[k] = R, o
        M = tree.M[k][-6:, -6:]
        moment = np.array([M[2, 4], M[0, 5], M[1, 3]])  # m p
        eta = tree.eta[k]
        total = total + g @ (M[3, 3] * o + R @ moment)
        total = total + 0.5 * eta @ tree.bodies[k].modal.stiffness @ eta
    return total
