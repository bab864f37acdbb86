# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The simulated robot: speed of its steps, contacts, and energy of its integrators."""
