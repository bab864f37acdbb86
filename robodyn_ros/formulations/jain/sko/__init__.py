# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""SKO models with weights and blocks of any size: Jain, sections 9.1 and 9.6."""
