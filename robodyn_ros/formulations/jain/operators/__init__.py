# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The spatial operators as block matrices: formed, applied by sweeps, shown."""
