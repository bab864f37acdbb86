"""Joint states out of a rosbag2 recording, without ROS: needs the package rosbags."""
from pathlib import Path

from robodyn_ros.errors import ParameterError, ShapeError, UnknownNameError
from robodyn_ros.identification import resampled

TYPE = 'sensor_msgs/msg/JointState'


def read_bag(path, joint_names, topic='/joint_states'):
    """The Recording in a rosbag2 folder or file (mcap or sqlite3) of sensor_msgs/JointState.

    Times are those of the message headers. Messages that do not name every joint are passed over,
    as they come from other devices. Raises ParameterError without rosbags and for a bag that
    cannot be read, UnknownNameError for a topic that is not there, ShapeError for messages without
    positions or efforts.
    """
    try:
        from rosbags.highlevel import AnyReader, AnyReaderError
        from rosbags.typesys import Stores, get_typestore
    except ImportError:
        raise ParameterError(f'{path}: reading a bag needs the package rosbags, which is not '
                             'installed; expected: pip install rosbags, or a CSV file') from None
    time, q, tau = [], [], []
    try:
        with AnyReader([Path(path)], default_typestore=get_typestore(Stores.ROS2_JAZZY)) as bag:
            wanted = [connection for connection in bag.connections
                      if connection.topic == topic and connection.msgtype == TYPE]
            if not wanted:
                there = {connection.topic for connection in bag.connections
                         if connection.msgtype == TYPE}
                raise UnknownNameError(f'{path}: no {TYPE} on {topic}; got joint states on '
                                       f'{", ".join(sorted(there)) or "no topic"}')
            for connection, _, raw in bag.messages(connections=wanted):
                message = bag.deserialize(raw, connection.msgtype)
                if not set(joint_names) <= set(message.name):
                    continue
                places = [message.name.index(name) for name in joint_names]
                if not len(message.name) == len(message.position) == len(message.effort):
                    raise ShapeError(
                        f'{path}: a message on {topic} has {len(message.name)} names, '
                        f'{len(message.position)} positions and {len(message.effort)} efforts; '
                        'expected as many of each')
                stamp = message.header.stamp
                time.append((stamp.sec, stamp.nanosec))
                q.append(message.position[places])
                tau.append(message.effort[places])
    except (AnyReaderError, FileNotFoundError) as error:
        raise ParameterError(f'{path}: {error}; expected a rosbag2 folder or file') from None
    if not time:
        raise UnknownNameError(f'{path}: no message on {topic} names all of '
                               f'{", ".join(joint_names)}')
    start = time[0][0]
    return resampled([sec - start + 1e-9 * nano for sec, nano in time], q, tau)
