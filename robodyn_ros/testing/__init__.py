# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Simulated hardware for integration tests: nodes to test against, in this process.

`fixtures` are for pytest, `robots` what they return, `hosting` the nodes in this process.
`participant` is what a test speaks through; `domain` keeps tests on one machine apart.
"""
