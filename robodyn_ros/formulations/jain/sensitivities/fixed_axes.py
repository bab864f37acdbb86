# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Operators of a moving tree in fixed axes: Jain, section 18.1.

    V = phi' Delta,  Delta = H' thd,  V_S(k) = V(parent(k)), zero for a root        (18.1 to 18.4)
    tilde(V^w), tilde(V_S^w), bar(V), tilde(Delta^w), bar(Delta^v): block diagonal        (18.3)

Elsewhere in the package, quantities of a body are in its own axes. This chapter differentiates for
an observer in the inertial frame. So all quantities are in inertial axes here, and the weights
contain no rotation.
"""

import functools
from dataclasses import dataclass

import numpy as np

from robodyn_ros.formulations.jain.conventions import inertial_derivative
from robodyn_ros.formulations.jain.operators.spatial_operators import SpatialOperators
from robodyn_ros.formulations.jain.sensitivities.articulated_rates import hinge_rates
from robodyn_ros.formulations.jain.sko.sko_model import SkoModel
from robodyn_ros.formulations.jain.spatial_algebra import angular, bar, linear, phi, tilde
from robodyn_ros.formulations.jain.tree_kinematics import poses, velocities


@dataclass(frozen=True, eq=False, repr=False)
class MovingOperators(SpatialOperators):
    """The spatial operators of a tree in fixed axes, and operators of its velocities.

    `tree` (SkoModel): model with a_J and b_J of inertial derivatives, without gravity.
    `thd`: hinge velocities [rad/s, m/s].
    `V`: velocity of each body [rad/s, m/s].
    `Delta`: velocity of each body relative to its parent [rad/s, m/s].
    `W`: dH'/dt as the parents see it; zero in the book.
    """

    thd: np.ndarray
    V: np.ndarray
    Delta: np.ndarray
    W: tuple

    @functools.cached_property
    def V_tilde_w(self):  # noqa: N802  the book's letter
        """tilde(V^w) (6n, 6n)."""
        return self._of_bodies([tilde(angular(V)) for V in self.V])

    @functools.cached_property
    def V_S_tilde_w(self):  # noqa: N802
        """tilde(V_S^w) (6n, 6n), of the parents."""
        return self._of_bodies([tilde(angular(V)) for V in self._parent_velocities])

    @functools.cached_property
    def V_bar(self):  # noqa: N802
        """bar(V) (6n, 6n)."""
        return self._of_bodies([bar(V) for V in self.V])

    @functools.cached_property
    def V_S_bar(self):  # noqa: N802
        """bar(V_S) (6n, 6n), of the parents."""
        return self._of_bodies([bar(V) for V in self._parent_velocities])

    @functools.cached_property
    def Delta_tilde_w(self):  # noqa: N802
        """tilde(Delta^w) (6n, 6n), which is bar(Delta^w)."""
        return self._of_bodies([tilde(angular(Delta)) for Delta in self.Delta])

    @functools.cached_property
    def Delta_tilde_v(self):  # noqa: N802
        """tilde(Delta^v) (6n, 6n)."""
        return self._of_bodies([tilde(linear(Delta)) for Delta in self.Delta])

    @functools.cached_property
    def Delta_bar_v(self):  # noqa: N802
        """bar(Delta^v) (6n, 6n)."""
        return self._of_bodies([bar(linear(Delta)) for Delta in self.Delta])

    @functools.cached_property
    def Delta_bar(self):  # noqa: N802
        """bar(Delta) = tilde(Delta^w) + bar(Delta^v) (6n, 6n)."""
        return self.Delta_tilde_w + self.Delta_bar_v

    @functools.cached_property
    def H_seen(self):  # noqa: N802
        """dH/dt as the parents see it (N, 6n): zero for the hinges of the book."""
        return self._diagonal([W.T for W in self.W], self.hinges, self.bodies)

    @property
    def _parent_velocities(self):
        """V_S, the velocity of each body's parent."""
        return np.vstack((self.V, np.zeros(6)))[list(self.tree.parent)]

    def _of_bodies(self, blocks):
        """Return a block-diagonal operator of (6, 6) blocks."""
        return self._diagonal(blocks, self.bodies, self.bodies)


def moving_operators(tree, thd):
    """Return the operators of a moving tree in fixed axes.

    `tree` (Tree): bodies at one configuration.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    Returns operators, with a_J and b_J of inertial derivatives and without gravity.
    """
    own = inertial_derivative(tree, thd)
    R = poses(tree)[:, :3, :3]
    turns = np.array([np.kron(np.eye(2), each) for each in R[:-1]])

    def turned(vectors):
        return np.array([turn @ each for turn, each in zip(turns, vectors)])

    model = SkoModel(
        tree.names,
        tree.parent,
        tuple(phi(R[up] @ l) for up, l in zip(tree.parent, tree.l)),  # noqa: E741
        tuple(H @ turn.T for H, turn in zip(tree.H, turns)),
        tuple(turn @ M @ turn.T for M, turn in zip(tree.M, turns)),
        tree.rotor,
        tuple(turned(own.a)),
        tuple(turned(own.b)),
        np.arange(tree.N),
    )
    return MovingOperators(
        model,
        thd,
        turned(velocities(tree, thd)),
        turned(tree.hinge_velocity(thd)),
        tuple(turn @ W for turn, W in zip(turns, hinge_rates(tree, thd))),
    )
