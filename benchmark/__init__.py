# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Measurements that anyone can repeat; counts are gates, times are only told."""
