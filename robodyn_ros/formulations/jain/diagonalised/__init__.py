# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Velocities in which the mass matrix of a tree is diagonal: Jain, chapter 19."""
