# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Commands for people: the demonstration, the model report, warm-up and operation counts."""
