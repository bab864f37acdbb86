# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The commands: demonstrations, model report, warm-up, operation counts and others.

Every file is a command with a `main`, listed in `robodyn_ros.__main__`. Shared code of commands is
in console/ and demonstration/.
"""
