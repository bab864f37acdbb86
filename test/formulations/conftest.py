# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Make the arms these tests share importable: pytest imports test files by path."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
