# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""SKO models: a tree, joint maps H, weights A and inertias M of any size (Jain, section 9.1).

    V = A' (H' thd),  alpha = A' (H' thdd + a),  f = A (M alpha + b),  T = H f               (9.1)
    mass matrix = H A M A' H',  C = H A (M A' a + b)                                         (9.3)
    A = (1 - E_A)^-1,  E_A(parent(k), k) = A(parent(k), k), (m_parent, m_k)             (8.3, 9.2)

Node k has m_k velocities: 6 of a rigid body, 12 of a link with its motor. A node of n_S bodies has
6 n_S. `sweeps`, `articulated`, `mass_matrix`, `operational_space_operators` and `SpatialOperators`
take an SkoModel or a Tree, whose weights are phi.
"""

import functools
from dataclasses import dataclass

import numpy as np

from robodyn_ros.errors import short_repr


class SkoStructure:
    """Sizes, children and paths that follow from `parent` and `H` of an SKO model."""

    @property
    def n(self):
        """Number of nodes."""
        return len(self.parent)

    @functools.cached_property
    def N(self):  # noqa: N802  the book's letter
        """Number of degrees of freedom."""
        return sum(len(H) for H in self.H)

    @functools.cached_property
    def sizes(self):
        """Number of velocities m_k of every node."""
        return tuple(H.shape[1] for H in self.H)

    @functools.cached_property
    def dtype(self):
        """Complex at a complex configuration, else float."""
        return np.result_type(float, *self.weights, *self.H, *self.M)

    @functools.cached_property
    def slices(self):
        """Slice of every node's hinge among the N velocities."""
        return _slices(len(H) for H in self.H)

    @functools.cached_property
    def owners(self):
        """Node of every one of the N velocities."""
        return tuple(k for k, H in enumerate(self.H) for _ in H)

    @functools.cached_property
    def rows(self):
        """Slice of every node in a stacked vector of sum(sizes) rows."""
        return _slices(self.sizes)

    @functools.cached_property
    def children(self):
        """Children of every node; the last entry has those of the inertial frame."""
        found = [[] for _ in range(self.n + 1)]
        for k, up in enumerate(self.parent):
            found[up].append(k)
        return tuple(map(tuple, found))

    def path(self, k):
        """Yield the indices from node k to its root.

        `k`: a node.
        """
        while k < self.n:
            yield k
            k = self.parent[k]


def _slices(sizes):
    """Return consecutive slices of the given sizes."""
    sizes = list(sizes)
    ends = np.cumsum(sizes)
    return tuple(slice(int(end) - size, int(end)) for end, size in zip(ends, sizes))


@dataclass(frozen=True, eq=False)
class SkoModel(SkoStructure):
    """An SKO model of n nodes with N degrees of freedom at one state, tips first.

    `names`: names of the nodes.
    `parent`: parent of each node, parent[k] > k; n for a root.
    `weights`: A(parent(k), k); of a root (6, m_k), to the inertial frame.
    `H`: joint maps.
    `M`: inertias.
    `rotor`: reflected inertia of the drives, which the book leaves out [kg m2 or kg].
    `a`: Coriolis accelerations.
    `b`: gyroscopic forces.
    `dofs`: index of each velocity in the system that the model was made of.
    Raises ValueError: if the parents or the shapes are not those of an SKO model.
    """

    names: tuple
    parent: tuple
    weights: tuple
    H: tuple
    M: tuple
    rotor: np.ndarray
    a: tuple
    b: tuple
    dofs: np.ndarray

    __repr__ = short_repr

    def __post_init__(self):
        """Raise an error that names the node, unless this is an SKO model."""
        for k, (up, H, M, A) in enumerate(zip(self.parent, self.H, self.M, self.weights)):
            m = H.shape[1]
            above = self.H[up].shape[1] if up < self.n else 6
            if not k < up <= self.n:
                raise ValueError(
                    f'got node {up} as the parent of node {k}; expected a canonical tree, '
                    f'{k + 1} to {self.n}'
                )
            if M.shape != (m, m) or A.shape != (above, m):
                raise ValueError(
                    f'node {self.names[k]!r}: got an inertia {M.shape} and a weight {A.shape} '
                    f'with a joint map {H.shape}; expected {(m, m)} and {(above, m)}'
                )
