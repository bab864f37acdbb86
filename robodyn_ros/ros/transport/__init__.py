# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Messages as bytes: CDR in place, and middleware calls without Python objects. May import ROS."""
