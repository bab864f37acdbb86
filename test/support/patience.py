# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""How long a test waits for what always comes."""

PATIENCE = 900.0  # [s] beside any other work of the machine; only what hangs takes as long
