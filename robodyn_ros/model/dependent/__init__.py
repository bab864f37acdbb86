# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Dependent joints, by mimic elements and closed loops, and the tables of such robots.

May import: the other modules of model.
"""
