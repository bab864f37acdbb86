# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Contexts of rclpy whose start and end take effect in the ROS graph at once."""

import rclpy
from rclpy.signals import SignalHandlerOptions


def new_context() -> rclpy.Context:
    """Return an initialised context, for one node or several."""
    context = rclpy.Context()
    rclpy.init(args=[], context=context, signal_handler_options=SignalHandlerOptions.NO)
    return context


def end_context(context: rclpy.Context):
    """Shut a context down, and release its participant in the ROS graph at once.

    Otherwise this waits for the garbage collector, which an active controller prevents. With some
    thirty participants the middleware stops discovering new ones.

    Parameters
    ----------
    context : rclpy Context
        The context; its nodes have ended.
    """
    context.try_shutdown()
    context.destroy()
