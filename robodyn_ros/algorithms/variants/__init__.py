# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Other formulations of the dynamics: references, hybrid, factored, Hamilton.

May import: all other algorithms, spatial, model.layout.
"""
