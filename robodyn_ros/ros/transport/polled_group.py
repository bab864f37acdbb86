# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A callback group that executors never serve."""

from rclpy.callback_groups import CallbackGroup


class PolledGroup(CallbackGroup):
    """Exclude entities from the executor, because another thread or a waitable serves them."""

    def can_execute(self, entity) -> bool:
        """Return False: no executor runs this group.

        `entity` (object): subscription, service or guard condition; unused.
        """
        return False

    def beginning_execution(self, entity) -> bool:
        """Return False: no executor runs this group.

        `entity` (object): subscription, service or guard condition; unused.
        """
        return False

    def ending_execution(self, entity):
        """Do nothing, as no execution begins.

        `entity` (object): subscription, service or guard condition; unused.
        """
