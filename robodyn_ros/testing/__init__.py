# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Simulated hardware for integration tests: nodes in the process of the test.

`fixtures` are for pytest and return objects of `robots`. `hosting` runs nodes in this process,
`started_node` in one of their own.
`participant` is the test's own node; `domain` separates tests on one machine.
"""
