# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Turney, Mudge and Lee 1980. May import: formulations, robot."""
