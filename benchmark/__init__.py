# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Measurements that anyone can repeat: wrong counts fail, times are only reported.

dynamics/ : kernels and code for one robot. simulation/ : the simulated robot. nodes/ : the nodes.
This folder has robots, tables and other libraries for all of them.
"""
