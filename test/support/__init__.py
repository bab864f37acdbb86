# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Helpers of the tests, imported as `support`.

robots/ : robots of the tests. referees/ : independent computations. nodes/ : for node tests.
Here are comparisons, compiled packages, child processes, and the run of all tests.
"""
