# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What reads the messages of a bag here."""

import importlib.util


def messages_of_ros():
    """What reads a bag where rosbags is not installed, None where it is, or nothing else is."""
    if importlib.util.find_spec('rosbags') or not importlib.util.find_spec('rosbag2_py'):
        return None
    from robodyn_ros.ros.common.rosbag2_messages import by_rosbag2_py

    return by_rosbag2_py
