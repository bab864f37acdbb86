# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Read joint states from a rosbag2 recording, by the package rosbags or by rosbag2_py.

A bag is not trusted: its files must be in its folder, and its own message definitions are ignored.
"""

import functools
from pathlib import Path, PurePath

from robodyn_ros.errors import ParameterError, RobodynError, ShapeError, UnknownNameError
from robodyn_ros.identification.recording import MOST_NUMBERS, require_file, resampled

TYPE = 'sensor_msgs/msg/JointState'
MOST_METADATA = 1_000_000  # bytes of metadata.yaml


def read_bag(path, joint_names, topic='/joint_states', messages=None):
    """Return the Recording of the joint states in a rosbag2 folder or file (mcap, sqlite3).

    Times are those of the message headers. Messages that do not name every joint come from other
    devices, and are ignored.

    `path` (str or path): the bag.
    `joint_names` (sequence of str): joints of the recording.
    `topic`: topic of sensor_msgs/JointState.
    `messages` (callable): called with path and topic, yields the messages; by default the package
      rosbags reads them.
    Raises ParameterError: without rosbags, and for an unreadable bag, a pipe or a device.
    Raises UnknownNameError: for an unknown topic.
    Raises ShapeError: for messages without positions or efforts.
    """
    _refuse_files_elsewhere(Path(path))
    time, q, tau = [], [], []
    try:
        for message in (messages or by_rosbags)(path, topic):
            names = list(message.name)
            if not set(joint_names) <= set(names):
                continue
            if not len(names) == len(message.position) == len(message.effort):
                raise ShapeError(
                    f'{path}: a message on {topic} has {len(names)} names, '
                    f'{len(message.position)} positions and {len(message.effort)} efforts; '
                    'expected as many of each'
                )
            places = [names.index(name) for name in joint_names]
            time.append((message.header.stamp.sec, message.header.stamp.nanosec))
            q.append([message.position[place] for place in places])
            tau.append([message.effort[place] for place in places])
            if (1 + 2 * len(places)) * len(time) > MOST_NUMBERS:
                raise ShapeError(
                    f'{path}: got more than {MOST_NUMBERS} numbers on {topic}; expected a '
                    'recording of fewer samples'
                )
    except RobodynError:
        raise
    except Exception as error:  # a damaged bag may raise any exception in its reader
        raise ParameterError(
            f'{path}: {type(error).__name__}: {error}; expected a rosbag2 folder or file'
        ) from None
    if not time:
        raise UnknownNameError(
            f'{path}: no message on {topic} names all of {", ".join(joint_names)}'
        )
    start = time[0][0]
    return resampled([sec - start + 1e-9 * nano for sec, nano in time], q, tau)


def by_rosbags(path, topic):
    """Yield the joint states on a topic, read by the package rosbags.

    `path` (str or path): the bag.
    `topic`: name of the topic.
    Raises ParameterError: if the package is not installed.
    Raises UnknownNameError: if the topic has no messages of that type.
    """
    try:
        from rosbags.rosbag2 import Reader
    except ImportError:
        raise ParameterError(
            f'{path}: reading a bag needs the package rosbags or rosbag2_py, which are not '
            'installed; expected: pip install rosbags, or a CSV file'
        ) from None
    known = _known_types()
    with Reader(Path(path)) as bag:
        of_type = [connection for connection in bag.connections if connection.msgtype == TYPE]
        wanted = [connection for connection in of_type if connection.topic == topic]
        require_topic(path, topic, {connection.topic for connection in of_type})
        for connection, _, raw in bag.messages(connections=wanted):
            yield known.deserialize_cdr(raw, connection.msgtype)


@functools.cache
def _known_types():
    """Return the known message types; each is compiled once."""
    from rosbags.typesys import Stores, get_typestore

    return get_typestore(Stores.ROS2_JAZZY)


def require_topic(path, topic, there):
    """Refuse a topic without joint states.

    `path` (str or path): the bag, for the message.
    `topic`: name of the topic.
    `there` (collection of str): topics of the bag with joint states.
    Raises UnknownNameError: the message lists the topics of the bag.
    """
    if topic not in there:
        raise UnknownNameError(
            f'{path}: no {TYPE} on {topic}; got joint states on '
            f'{", ".join(sorted(there)) or "no topic"}'
        )


def _refuse_files_elsewhere(path):
    """Refuse pipes and devices, which may never end, and metadata that names files elsewhere."""
    for entry in path.iterdir() if path.is_dir() else [path]:
        if not entry.is_dir():
            require_file(entry)
    metadata = path / 'metadata.yaml'
    if not metadata.is_file():
        return
    try:
        with metadata.open(encoding='utf-8') as file:
            text = file.read(MOST_METADATA + 1)
        if len(text) > MOST_METADATA:
            raise ValueError(f'more than {MOST_METADATA} characters')
        files = _load_yaml(text)['rosbag2_bagfile_information']['relative_file_paths']
        outside = [name for name in files if name == '..' or PurePath(name).name != name]
    except ImportError:
        return  # no reader is installed
    except Exception as error:  # a YAML parser has several exceptions
        raise ParameterError(
            f'{metadata}: {type(error).__name__}: {error}; expected the metadata of a rosbag2'
        ) from None
    if outside:
        raise ParameterError(
            f'{metadata}: names the file {outside[0]!r}; expected files of its own folder'
        )


def _load_yaml(text):
    """Read YAML by the parser of rosbags, or by that of ROS."""
    try:
        from ruamel.yaml import YAML
    except ImportError:
        from yaml import safe_load

        return safe_load(text)
    return YAML(typ='safe').load(text)
