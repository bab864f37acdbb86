# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Integrators: each advances the state of a plant by one substep.

names.py lists the integrators; each has a file of its own. events.py divides a substep where
friction changes. adaptive_steps.py divides a step as a tolerance needs. energy_balance.py and
momentum_balance.py correct the result of a substep. May import: simulation, algorithms, spatial,
model.layout.
"""
