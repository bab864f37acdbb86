# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The active and the passive arm of a tree: Jain, sections 16.1 and 16.2, algorithm 16.1.

    passive hinge:  P^+ = taubar_p P,  taubar_p = 1 - G_p H_p,  G_p = P H_p' D_p^-1     (16.6)
    active hinge:   P^+ = P

An arm keeps the hinges of one kind and locks the others. A locked hinge has an H without rows. The
articulated-body inertias of the passive arm are those of algorithm 16.1. With all hinges passive
they are articulated-body inertias, with all active composite-body inertias.

Corrections to the print: (16.8) is M = P - E_psi P E_phi'; before it, K_p = E_phi G_p.
"""

from dataclasses import replace

import numpy as np

from robodyn_ros.errors import ShapeError


def chosen(tree, active):
    """Return which of the N freedoms are active.

    `tree` (Tree): bodies at one configuration.
    `active` ((n,) array_like of bool): whether the hinge of each body is driven, tips first.
    Raises ShapeError: if `active` is not one bool per body.
    """
    active = np.asarray(active)
    if active.shape != (tree.n,) or active.dtype != bool:
        raise ShapeError(
            f'got {active.dtype} of shape {active.shape} for the active hinges; expected '
            f'({tree.n},) of bool, one per body of {", ".join(tree.names)}'
        )
    return np.repeat(active, [len(H) for H in tree.H])


def active_arm(tree, active):
    """Return the tree with its passive hinges locked: H_a in place of H (16.1).

    `tree` (Tree): bodies at one configuration.
    `active` ((n,) array_like of bool): whether the hinge of each body is driven, tips first.
    """
    return _with_locked(tree, active, chosen(tree, active))


def passive_arm(tree, active):
    """Return the tree with its active hinges locked: H_p in place of H (16.1).

    `tree` (Tree): bodies at one configuration.
    `active` ((n,) array_like of bool): whether the hinge of each body is driven, tips first.
    """
    freedoms = ~chosen(tree, active)
    return _with_locked(tree, ~np.asarray(active), freedoms)


def _with_locked(tree, hinges, freedoms):
    """Return the tree with all other hinges locked."""
    return replace(
        tree,
        H=tuple(H if keep else H[:0] for H, keep in zip(tree.H, hinges)),
        dofs=tree.dofs[freedoms],
        rotor=tree.rotor[freedoms],
    )
