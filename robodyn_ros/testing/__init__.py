# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Simulated hardware for integration tests: nodes to test against, in this process.

`fixtures` are for pytest, `robots` what they return; `launch` is for launch_testing.
`hosting` runs nodes in this process, `processes` in processes of their own.
"""
