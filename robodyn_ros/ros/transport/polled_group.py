# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A callback group that executors of rclpy never serve."""

from rclpy.callback_groups import CallbackGroup


class PolledGroup(CallbackGroup):
    """Exclude a subscription from the executor, because another thread takes its messages."""

    def can_execute(self, entity) -> bool:
        """Return False: no executor runs this group."""
        return False

    def beginning_execution(self, entity) -> bool:
        """Return False: no executor runs this group."""
        return False

    def ending_execution(self, entity):
        """Do nothing: no execution was begun."""
