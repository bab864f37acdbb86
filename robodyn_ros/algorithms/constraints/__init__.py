# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Recursions over independent coordinates, of robots whose joints depend on one another.

q and rates of all joints follow from the independent ones: rates = E qd, with E of few entries. A
recursion over the tree takes them expanded, and what it gives is projected: tau = E^T tau_tree
(Jain 2011, chapter 15). What needs the inverse of the mass matrix is written here.

May import: spatial, model.layout, algorithms.core, algorithms.derivatives.
"""
