# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Calls of kernels from Python without Numba's dispatcher.

The only files that know the layout of CPython and NumPy objects. May import: compile.
"""
