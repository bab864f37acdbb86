# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Subscriptions and services that no executor of rclpy takes from."""

from rclpy.callback_groups import CallbackGroup


class PolledGroup(CallbackGroup):
    """Keeps a subscription out of the executor, because another thread takes its messages."""

    def can_execute(self, entity) -> bool:
        """Never by an executor."""
        return False

    def beginning_execution(self, entity) -> bool:
        """Never by an executor."""
        return False

    def ending_execution(self, entity):
        """Nothing was begun."""
