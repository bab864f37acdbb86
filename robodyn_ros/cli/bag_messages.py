# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Choose the library that reads the messages of a bag."""

import importlib.util


def messages_of_ros():
    """Return the reader of bags of ROS if rosbags is not installed; None if it is, or neither."""
    if importlib.util.find_spec('rosbags') or not importlib.util.find_spec('rosbag2_py'):
        return None
    from robodyn_ros.ros.common.rosbag2_messages import by_rosbag2_py

    return by_rosbag2_py
