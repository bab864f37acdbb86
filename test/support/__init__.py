# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Referees of the dynamics: nothing in here shares a line with what it judges."""
