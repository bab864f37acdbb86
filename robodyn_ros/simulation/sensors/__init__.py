# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sensors of a plant, with their errors.

May import: simulation, robot, model.
"""
