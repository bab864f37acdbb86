# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Recursions over independent coordinates, for robots with dependent joints.

Positions and rates of all joints follow from the independent ones: rates = E qd, with a sparse E.
A recursion over the tree takes those of all joints. Its result is projected: tau = E^T tau_tree
(Jain 2011, chapter 15). Algorithms that need the inverse of the mass matrix are written anew here.

May import: spatial, model.layout, algorithms.core, algorithms.derivatives, algorithms.mass_matrix,
algorithms.task_space.
"""
