# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Measurements that anyone can repeat: counts are gates, times are reported.

dynamics/ : kernels and code for one robot. simulation/ : the simulated robot. nodes/ : nodes.
Here are robots, tables and other libraries for all of them.
"""
