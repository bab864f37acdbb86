# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Contact geometry: shapes on the links of a robot, and obstacles fixed to its base.

May import: the other modules of model.
"""

from robodyn_ros.model.contacts.obstacles import Contacts, Obstacle
from robodyn_ros.model.contacts.shapes import box, capsule, collision_shapes, sphere

__all__ = ['Contacts', 'Obstacle', 'box', 'capsule', 'collision_shapes', 'sphere']
