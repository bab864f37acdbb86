# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Dynamics of robots: times and operation counts, beside other libraries."""
