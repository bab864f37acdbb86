# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Coordinates of any tree, as many as velocities, and its energies (4.24 to 4.27).

    theta(x) = theta_0 + N(theta_0) x,    thetadot = N(theta) beta,    beta = A(x) xdot      (4.45)

The velocities of ball joints and free bodies are not rates of their coordinates. So x moves their
quaternion in the tangent plane at theta_0. Three numbers replace four, and reach every rotation
but half turns. A = 1 at x = 0. All of section 4.2 then holds for these hinges too. Rolling is not
holonomic, so it has no such x.
"""

from dataclasses import dataclass

import numpy as np

from robodyn_ros.errors import ModelError, short_repr
from robodyn_ros.formulations.jain import composite_bodies as composite
from robodyn_ros.formulations.jain import tree_kinematics
from robodyn_ros.formulations.jain.body_tree import tree_of
from robodyn_ros.formulations.jain.single_body import components, kinetic_energy

#: Entries of the quaternion among the coordinates of a hinge that has one.
QUATERNIONS = {'spherical': slice(0, 4), 'free': slice(0, 4)}


@dataclass(frozen=True, eq=False)
class Coordinates:
    """Coordinates x (N,) of a tree, zero at q, in the order of the Tree.

    `bodies`: the bodies, from base to tip.
    `q`: configuration at x = 0, see `tree_of` [rad, m].
    `gravity`: acceleration of free fall in the inertial frame [m/s2].
    Raises ModelError: if a hinge that is neither spherical nor free has more coordinates than
      velocities.
    """

    bodies: tuple
    q: np.ndarray
    gravity: tuple = (0.0, 0.0, -9.81)

    __repr__ = short_repr

    def __post_init__(self):
        for body in self.bodies:
            if body.hinge.nq != body.hinge.nv and body.hinge.name not in QUATERNIONS:
                raise ModelError(
                    f'body {body.name!r}: got a {body.hinge.name} hinge; expected '
                    'one whose velocities are independent rates of coordinates'
                )

    def tree(self, x):
        """Return the Tree at given coordinates.

        `x` ((N,) array_like): coordinates, real or complex.
        """
        return tree_of(self.bodies, self._place(np.asarray(x)), self.gravity)

    def velocity_map(self, x):
        """Return the block-diagonal A(x) with beta = A(x) xdot.

        `x` ((N,) array_like): coordinates, real or complex.
        """
        x = np.asarray(x)
        A, q = np.zeros((len(x), len(x)), np.result_type(x, float)), self._place(x)
        for body, rows in self._rows():
            theta, hinge = q[list(body.coordinates)], body.hinge
            N = _rates(hinge, theta)
            if hinge.nq > hinge.nv:  # the length of the quaternion completes N to a square
                length = np.zeros((hinge.nq, 1), q.dtype)
                length[QUATERNIONS[hinge.name], 0] = theta[QUATERNIONS[hinge.name]]
                N = np.hstack((N, length))
            start = _rates(hinge, self.q[list(body.coordinates)])
            A[rows, rows] = np.linalg.solve(N, start)[: hinge.nv]
        return A

    def mass_matrix(self, x):
        """Return the mass matrix of xdot, A' M A (4.50).

        `x` ((N,) array_like): coordinates, real or complex.
        """
        A = self.velocity_map(x)
        return A.T @ composite.mass_matrix(self.tree(x)) @ A

    def momentum(self, x, xd):
        """Return dL/dxdot = A' M A xdot.

        `x` ((N,) array_like): coordinates, real or complex.
        `xd` ((N,) array_like): their rates.
        """
        return self.mass_matrix(x) @ xd

    def kinetic_energy(self, x, xd):
        """Return the kinetic energy of the bodies and of the drives (4.1).

        `x` ((N,) array_like): coordinates, real or complex.
        `xd` ((N,) array_like): their rates.
        """
        tree, beta = self.tree(x), self.velocity_map(x) @ xd
        V = tree_kinematics.velocities(tree, beta)
        return sum(kinetic_energy(M, v) for M, v in zip(tree.M, V)) + 0.5 * beta @ (
            tree.rotor * beta
        )

    def potential_energy(self, x):
        """Return weight times height of the centre of mass.

        `x` ((N,) array_like): coordinates, real or complex.
        """
        tree = self.tree(x)
        total = composite.system_inertia(tree)
        mass, centre, _ = components(total)
        return mass * tree.g[3:] @ centre

    def _place(self, x):
        """Return the coordinates q (nq,) at x."""
        q = np.array(self.q, np.result_type(x, float))
        for body, rows in self._rows():
            own = list(body.coordinates)
            q[own] = q[own] + _rates(body.hinge, self.q[own]) @ x[rows]
        return q

    def _rows(self):
        """Yield every body with the rows of x that are its own, tips first."""
        end = 0
        for body in reversed(self.bodies):
            yield body, slice(end, end + body.hinge.nv)
            end += body.hinge.nv


def _rates(hinge, theta):
    """Return N(theta) (nq, nv) of a hinge, thetadot = N beta (3.8)."""
    return np.column_stack([hinge.rates(theta, unit) for unit in np.eye(hinge.nv)])
