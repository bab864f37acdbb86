# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The commands: demonstrations, model report, warm-up, operation counts and others.

Beside them lie their common arguments, and tables of the report.
"""
