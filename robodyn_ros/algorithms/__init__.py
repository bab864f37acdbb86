# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Recursions over bodies: one algorithm per file, plain functions over the model's arrays.

Bodies are numbered base to tip (parent < child), row 0 is the world. Quantities are in the frame
of their body, z along the joint, angular parts first. Accelerations are classical, not spatial.
The base accelerates with -gravity (Angeles 7.44). doc/architecture.md compares the letters with
those of other sources. May import: spatial, model.layout.
"""
