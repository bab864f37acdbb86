# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Generators of pages, tables and pictures of doc/. Each is a command."""
