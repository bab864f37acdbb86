# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Helpers of the node tests: processes, launch files, services and types of messages."""
