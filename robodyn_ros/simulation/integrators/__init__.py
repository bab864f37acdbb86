# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Schemes that advance the state of a plant by one substep.

A scheme is one file, and names.py lists them. events.py takes any of them from one change of
friction to the next, adaptive_steps.py with as many substeps as a tolerance needs. A step is
projected by energy_balance.py and momentum_balance.py. May import: simulation, algorithms,
spatial, model.layout.
"""
