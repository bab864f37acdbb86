# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A context of rclpy from its start to its end, which all participants of the ROS graph see at
once."""

import rclpy
from rclpy.signals import SignalHandlerOptions


def new_context() -> rclpy.Context:
    """Return an initialised context, for one node or several."""
    context = rclpy.Context()
    rclpy.init(args=[], context=context, signal_handler_options=SignalHandlerOptions.NO)
    return context


def end_context(context: rclpy.Context):
    """Shut a context down, and release its participant in the ROS graph at once.

    Otherwise that waits for the garbage collector, which a node on a robot holds off. After some
    thirty of them the middleware discovers no other participant.
    """
    context.try_shutdown()
    context.destroy()
