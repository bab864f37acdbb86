# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Read joint states of a rosbag2 recording by ROS, if the package rosbags is missing.

Commands import this module without ROS too, so each function imports what it needs.
"""

import importlib.util

from robodyn_ros.identification.joint_state_bag import TYPE, require_topic


def messages_of_ros():
    """Choose between the packages that read rosbag2 recordings.

    Returns `by_rosbag2_py` if only ROS has a reader; None if rosbags is installed, or neither.
    """
    if importlib.util.find_spec('rosbags') or not importlib.util.find_spec('rosbag2_py'):
        return None
    return by_rosbag2_py


def by_rosbag2_py(path, topic):
    """Yield the joint states on a topic, read by rosbag2_py.

    `path` (str or path): folder or file of the recording.
    `topic`: name of the topic.
    Raises ImportError: if rosbag2_py is not installed.
    Raises UnknownNameError: if the topic has no messages of that type.
    """
    from rclpy.serialization import deserialize_message
    from rosbag2_py import ConverterOptions, SequentialReader, StorageFilter, StorageOptions
    from sensor_msgs.msg import JointState

    reader = SequentialReader()
    reader.open(StorageOptions(uri=str(path), storage_id=''), ConverterOptions('cdr', 'cdr'))
    there = {each.name for each in reader.get_all_topics_and_types() if each.type == TYPE}
    require_topic(path, topic, there)
    reader.set_filter(StorageFilter(topics=[topic]))
    while reader.has_next():
        _, data, _ = reader.read_next()
        yield deserialize_message(data, JointState)
