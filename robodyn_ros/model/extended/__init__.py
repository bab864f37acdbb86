# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Robots from the arrays of one: springs, beams, a free base, friction.

May import: the other modules of model.
"""
