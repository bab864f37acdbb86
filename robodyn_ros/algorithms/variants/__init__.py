# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The same dynamics by the other routes of the books: references, hybrid, factored, Hamilton.

May import: all other algorithms, spatial, model.layout.
"""
