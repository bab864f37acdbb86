# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The spatial operators of a robot as dense matrices: Jain, chapters 3, 7, 9 and 10.

    from robodyn_ros.formulations.jain.operators.spatial_operators import operators
    ops = operators(robot, q)
    ops.H @ ops.phi @ ops.M @ ops.phi.T @ ops.H.T      the mass matrix, (4.6)
    ops.phi['base_link', 'hand']                        one block, 6 x 6
    print(ops.as_table());   ops.draw()                 list of operators, and block patterns

Dense matrices with named blocks. The order is the book's: tips first, angular part first, every
body in its own axes. `ops.permutation` maps to the robot's order. Dense operators cost O(n^2) to
O(n^3) and are for reading and testing. `ops.gather(x)` and `ops.scatter(x)` apply them in O(n).
The modules of robodyn_ros.formulations.jain take `ops.tree` and build on these sweeps.

    phi = (1 - E_phi)^-1,  psi = (1 - E_psi)^-1,  E_psi = E_phi taubar,  K = E_phi G
    mass matrix = H phi M phi' H' = [1 + H phi K] D [1 + H phi K]'                  (4.6, 7.14)
    its inverse = [1 - H psi K]' D^-1 [1 - H psi K]                                     (7.18)
"""

import functools
from dataclasses import dataclass

import numpy as np

from robodyn_ros.errors import ShapeError
from robodyn_ros.formulations.jain import digraph
from robodyn_ros.formulations.jain.articulated_bodies import articulated
from robodyn_ros.formulations.jain.body_tree import Tree, tree_at
from robodyn_ros.formulations.jain.operators import operator_picture, operator_table, sweeps
from robodyn_ros.formulations.jain.operators.block_matrix import BlockMatrix, Blocks

__all__ = ['BlockMatrix', 'SpatialOperators', 'operators']


def operators(robot, q):
    """Return the spatial operators of a robot at given coordinates.

    `q` ((nq,) array_like): joint coordinates [rad, m].
    Raises ShapeError: if q has another shape, is not finite, or has a quaternion of length zero.
    """
    return SpatialOperators(tree_at(robot, q))


@dataclass(frozen=True, eq=False, repr=False)
class SpatialOperators:
    """All spatial operators of a Tree or an SkoModel, each computed at its first use.

    They are 6n x 6n unless stated otherwise: n bodies, N degrees of freedom. For an SkoModel, read
    the sum of its sizes in place of 6n, and its weights A in place of phi.

    `tree`: system at one configuration.
    """

    tree: Tree

    @property
    def names(self):
        """Names of the bodies, tips first: the names of all blocks."""
        return self.tree.names

    @functools.cached_property
    def permutation(self):
        """Permutation matrix (N, N): x_ours = p x_jain, M_ours = p M_jain p'."""
        return self.tree.permutation()

    @functools.cached_property
    def bodies(self):
        """Partition of the 6n rows into bodies."""
        return Blocks(self.names, self.tree.sizes)

    @functools.cached_property
    def hinges(self):
        """Partition of the N rows into the hinges of the bodies."""
        return Blocks(self.names, tuple(len(H) for H in self.tree.H))

    @functools.cached_property
    def articulated(self):
        """Articulated-body quantities P, D, G and others of every body (Algorithm 6.1)."""
        return articulated(self.tree)

    @functools.cached_property
    def one(self):
        """The unit operator of 6n rows."""
        return BlockMatrix(np.eye(self.bodies.total), self.bodies, self.bodies)

    @functools.cached_property
    def one_hinges(self):
        """The unit operator of N rows."""
        return BlockMatrix(np.eye(self.tree.N), self.hinges, self.hinges)

    @functools.cached_property
    def E_phi(self):  # noqa: N802  the book's letter
        """Block (parent(k), k) is phi(parent(k), k); nilpotent (3.30, 8.29)."""
        return self._on_edges(self.tree.weights)

    @functools.cached_property
    def phi(self):
        """(1 - E_phi)^-1: block (i, j) carries forces from body j to its ancestor i (3.36)."""
        return self._resolvent(self.E_phi)

    @functools.cached_property
    def phi_tilde(self):
        """phi - 1 = E_phi phi = phi E_phi (3.40)."""
        return self.phi - self.one

    @functools.cached_property
    def H(self):  # noqa: N802
        """Block diagonal, N x 6n: row j is the axis of freedom j; Delta_V = H' thd (3.7)."""
        return self._diagonal(self.tree.H, self.hinges, self.bodies)

    @functools.cached_property
    def M(self):  # noqa: N802
        """Block diagonal: the spatial inertias of the bodies (2.8)."""
        return self._diagonal(self.tree.M, self.bodies, self.bodies)

    @functools.cached_property
    def R(self):  # noqa: N802
        """Block diagonal: composite inertias, M = R - E_phi R E_phi' (4.9)."""
        tree = self.tree
        return self._diagonal(
            sweeps.forward_diagonal(tree, tree.M, tree.weights, tree.weights),
            self.bodies,
            self.bodies,
        )

    @functools.cached_property
    def J_rotor(self):  # noqa: N802
        """Diagonal, N x N: reflected inertia of the drives, which the book leaves out."""
        return BlockMatrix(np.diag(self.tree.rotor), self.hinges, self.hinges)

    @functools.cached_property
    def P(self):  # noqa: N802
        """Block diagonal: articulated-body inertias, M = P - E_psi P E_phi' (7.7)."""
        return self._diagonal(self.articulated.P, self.bodies, self.bodies)

    @functools.cached_property
    def P_plus(self):  # noqa: N802
        """Block diagonal: the part of P felt across the hinge, taubar P (6.25)."""
        return self._diagonal(self.articulated.P_plus, self.bodies, self.bodies)

    @functools.cached_property
    def D(self):  # noqa: N802
        """Block diagonal, N x N: articulated inertia about the hinges, H P H' (6.13)."""
        return self._diagonal(self.articulated.D, self.hinges, self.hinges)

    @functools.cached_property
    def D_inverse(self):  # noqa: N802
        """Block diagonal, N x N: D^-1."""
        return self._diagonal(
            [np.linalg.inv(D) for D in self.articulated.D], self.hinges, self.hinges
        )

    @functools.cached_property
    def G(self):  # noqa: N802
        """Block diagonal, 6n x N: P H' D^-1, the Kalman gain (6.13)."""
        return self._diagonal(self.articulated.G, self.bodies, self.hinges)

    @functools.cached_property
    def tau(self):
        """Block diagonal: G H, the projection onto the motions that the hinge allows (6.17)."""
        return self._diagonal(self.articulated.tau, self.bodies, self.bodies)

    @functools.cached_property
    def tau_bar(self):
        """Block diagonal: 1 - tau, the complementary projection (6.18)."""
        return self._diagonal(self.articulated.taubar, self.bodies, self.bodies)

    @functools.cached_property
    def K(self):  # noqa: N802
        """E_phi G, 6n x N: from a hinge to the parent of its body (7.3)."""
        return self.E_phi @ self.G

    @functools.cached_property
    def E_psi(self):  # noqa: N802
        """E_phi taubar (7.4)."""
        return self._on_edges(self.articulated.psi)

    @functools.cached_property
    def psi(self):
        """(1 - E_psi)^-1: phi of the tree with free hinges (7.5)."""
        return self._resolvent(self.E_psi)

    @functools.cached_property
    def psi_tilde(self):
        """psi - 1 = E_psi psi = psi E_psi."""
        return self.psi - self.one

    @functools.cached_property
    def mass_matrix(self):
        """H phi M phi' H', N x N, plus the inertia of the drives (4.6)."""
        return self.H @ self.phi @ self.M @ self.phi.T @ self.H.T + self.J_rotor

    @functools.cached_property
    def innovations_factor(self):
        """1 + H phi K, N x N, unit lower triangular: mass matrix = L D L' (7.14)."""
        return self.one_hinges + self.H @ self.phi @ self.K

    @functools.cached_property
    def inverse_factor(self):
        """1 - H psi K, N x N: the inverse of the innovations factor (7.17)."""
        return self.one_hinges - self.H @ self.psi @ self.K

    @functools.cached_property
    def mass_matrix_inverse(self):
        """[1 - H psi K]' D^-1 [1 - H psi K], N x N (7.18, 9.51)."""
        return self.inverse_factor.T @ self.D_inverse @ self.inverse_factor

    @functools.cached_property
    def Omega(self):  # noqa: N802
        """psi' H' D^-1 H psi: acceleration of body k per force on body j (10.11).

        Computed block by block from Upsilon, along the paths of the tree (Lem 10.1).
        """
        psi = self.articulated.psi
        blocks = sweeps.backward_lyapunov(self.tree, self._hinge_compliance, psi, psi)
        return BlockMatrix(sweeps.dense(blocks), self.bodies, self.bodies)

    @functools.cached_property
    def Upsilon(self):  # noqa: N802
        """Block diagonal of Omega: Ups(k) = psi' Ups(parent) psi + H' D^-1 H (10.15)."""
        psi = self.articulated.psi
        kernel = sweeps.backward_diagonal(self.tree, self._hinge_compliance, psi, psi)
        return self._diagonal(kernel, self.bodies, self.bodies)

    def gather(self, x, free=False, strictly=False):
        """Return phi x by a sweep from tips to base, in O(n) (Lem 3.1, 9.1).

        `x` ((n, 6) array_like): one spatial vector per body, tips first; n arrays (m,) for an
          SkoModel.
        `free`: whether the hinges are free: psi in place of phi.
        `strictly`: whether to leave out each body's own share: phi - 1 in place of phi (Ex 3.7,
          9.1).
        Raises ShapeError: if x has another shape.
        """
        sweep = sweeps.gather_strictly if strictly else sweeps.gather
        return sweep(self.tree, self._checked(x), self._weights(free))

    def scatter(self, x, free=False, strictly=False):
        """Return phi' x by a sweep from base to tips, in O(n) (Lem 3.2, 9.2).

        `x` ((n, 6) array_like): one spatial vector per body, tips first; n arrays (m,) for an
          SkoModel.
        `free`: whether the hinges are free: psi in place of phi.
        `strictly`: whether to leave out each body's own share: phi - 1 in place of phi (Ex 3.7,
          9.1).
        Raises ShapeError: if x has another shape.
        """
        sweep = sweeps.scatter_strictly if strictly else sweeps.scatter
        return sweep(self.tree, self._checked(x), self._weights(free))

    def as_table(self):
        """Return a table of the operators: symbol, size, nonzero blocks, equation, meaning."""
        return operator_table.as_table(self)

    def bodies_table(self):
        """Return a table of the bodies: number in the book, name, parent, hinge, entries of qd."""
        return operator_table.bodies_table(self)

    def draw(self, names=operator_picture.DEFAULT):
        """Draw the digraph of the robot and the block patterns of operators.

        `names` (sequence of str): names of the operators.
        Returns the picture.
        Raises UnknownNameError: if a name is not that of an operator.
        """
        return operator_picture.draw(self, names)

    def __repr__(self):
        """Return the numbers of bodies and freedoms, and the names of the bodies."""
        return (
            f'SpatialOperators of {self.tree.n} bodies with {self.tree.N} degrees of freedom, '
            f'tips first: {self.bodies.text()}'
        )

    def _checked(self, x):
        """Return x with one vector for each body, or raise a ShapeError."""
        x, sizes = sweeps.stacked(x), self.tree.sizes
        got = [np.shape(each) for each in x]
        if got != [(m,) for m in sizes]:
            raise ShapeError(
                f'got an array of shape {x.shape}; expected ({self.tree.n}, 6), one '
                f'spatial vector each of {self.bodies.text()}'
                if isinstance(x, np.ndarray) and set(sizes) == {6}
                else f'got arrays of shapes {got}; expected one vector each of '
                f'{self.bodies.text()}, of sizes {sizes}'
            )
        return x

    def _weights(self, free):
        """Return psi or phi of every edge."""
        return self.articulated.psi if free else self.tree.weights

    @functools.cached_property
    def _hinge_compliance(self):
        """H' D^-1 H of every body."""
        return [H.T @ np.linalg.solve(D, H) for H, D in zip(self.tree.H, self.articulated.D)]

    def _resolvent(self, E):
        """Return (1 - E)^-1."""
        return E.same(digraph.resolvent(E.array, E.rows.sizes, self.tree.parent))

    def _on_edges(self, weights):
        """Return an operator with one block for each edge (parent(k), k)."""
        array, rows = np.zeros((self.bodies.total,) * 2, self.tree.dtype), self.tree.rows
        for k, up in enumerate(self.tree.parent):
            if up < self.tree.n:
                array[rows[up], rows[k]] = weights[k]
        return BlockMatrix(array, self.bodies, self.bodies)

    def _diagonal(self, blocks, rows, columns):
        """Return a block-diagonal operator."""
        array = np.zeros((rows.total, columns.total), self.tree.dtype)
        for name, block in zip(self.names, blocks):
            array[rows[name], columns[name]] = block
        return BlockMatrix(array, rows, columns)
