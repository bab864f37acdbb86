# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Robots of the tests: random families, arms of the textbooks, real arms and mechanisms."""
