# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Write the runs of the demonstration into an MCAP file, one after another on simulated time.

Foxglove, PlotJuggler, RViz with `ros2 bag play`, and `robodyn_ros view --play` show it. config/
has layouts for the first three.
"""

import shutil
import tempfile
from pathlib import Path

import numpy as np

from robodyn_ros.control.laws.law import TERMS
from robodyn_ros.model import urdf
from robodyn_ros.robot.robot import Robot
from robodyn_ros.spatial.turning import quaternion_of

NANOSECONDS = 1_000_000_000
BEGIN = 1.0  # [s] of simulated time, since tools take zero as unset
TF_EVERY = 4  # states between transforms
STATES, CONTROLLER_STATES = '/joint_states', '/robodyn_controller/controller_state'
DESCRIPTION, TRANSFORMS = '/robot_description', '/tf'
OWN = 'robodyn_msgs/msg/ControllerState'


def write_mcap(path, urdf_text, records):
    """Write the runs into an MCAP file, as rosbag2 does.

    `path` (path): the file.
    `urdf_text`: description of the robot.
    `records` (mapping of str to Record): run of each law, by name.
    Raises ImportError: without the packages rosbags and robodyn_msgs.
    """
    from rosbags.rosbag2 import StoragePlugin, Writer

    with tempfile.TemporaryDirectory() as folder:
        bag_folder = Path(folder) / 'bag'
        with Writer(bag_folder, version=9, storage_plugin=StoragePlugin.MCAP) as bag:
            _Recorder(bag, urdf_text).run(records)
        (file,) = bag_folder.glob('*.mcap')
        shutil.copyfile(file, path)


class _Recorder:
    """Writes the runs into an open bag."""

    def __init__(self, bag, urdf_text):
        self._bag, self._types = bag, _types()
        self._text, self._robot = urdf_text, Robot.from_urdf(urdf_text)
        links = [link.name for link in urdf.parse(urdf_text).links]
        self._base, *self._links = [name for name in links if name in self._robot.frames]
        self._topics = {
            topic: (kind, bag.add_connection(topic, kind, typestore=self._types))
            for topic, kind in (
                (DESCRIPTION, 'std_msgs/msg/String'),
                (STATES, 'sensor_msgs/msg/JointState'),
                (CONTROLLER_STATES, OWN),
                (TRANSFORMS, 'tf2_msgs/msg/TFMessage'),
            )
        }

    def run(self, records):
        """Write the description, then each run."""
        begin = BEGIN
        self._write(DESCRIPTION, round(begin * NANOSECONDS), data=self._text)
        for law, record in records.items():
            for k, time in enumerate(record.time):
                self._state(law, record, k, round((begin + time) * NANOSECONDS))
            begin += record.time[-1] + record.time[1] - record.time[0]

    def _state(self, law, record, k, stamp):
        """Write sample k of a run."""
        series = {name: values[k] for name, values in record.series.items()}
        names, header = list(self._robot.joint_names), self._header(stamp)
        measured = series['measured_position']
        self._write(
            STATES,
            stamp,
            header=header,
            name=names,
            position=measured,
            velocity=series['measured_velocity'],
            effort=series['effort'],
        )
        efforts = {name: series[name] for name in ('effort', 'reference_position', *TERMS)}
        self._write(
            CONTROLLER_STATES,
            stamp,
            header=header,
            state=int(record.states[k]),
            law=law,
            joint_names=names,
            position_error=series['reference_position'] - measured,
            measured_position=measured,
            measured_velocity=series['measured_velocity'],
            effort_unlimited=sum(series[name] for name in TERMS),
            **efforts,
        )
        if k % TF_EVERY == 0:
            self._write(TRANSFORMS, stamp, transforms=self._transforms(measured, header))

    def _transforms(self, q, header):
        """Return the messages of the link poses."""
        poses = self._robot.frames.poses(q, self._links)
        return [
            self._make(
                'geometry_msgs/msg/TransformStamped',
                header=header,
                child_frame_id=link,
                transform=self._make(
                    'geometry_msgs/msg/Transform',
                    translation=self._make(
                        'geometry_msgs/msg/Vector3', **dict(zip('xyz', pose[:3, 3].tolist()))
                    ),
                    rotation=self._make(
                        'geometry_msgs/msg/Quaternion',
                        **dict(zip('xyzw', map(float, quaternion_of(*pose[:3, :3].T)))),
                    ),
                ),
            )
            for link, pose in zip(self._links, poses)
        ]

    def _header(self, stamp):
        """Return the header of a message."""
        sec, nanosec = divmod(stamp, NANOSECONDS)
        time = self._make('builtin_interfaces/msg/Time', sec=sec, nanosec=nanosec)
        return self._make('std_msgs/msg/Header', stamp=time, frame_id=self._base)

    def _make(self, kind, **fields):
        """Return a message; arrays that are not given are empty."""
        definition = self._types.types[kind]
        empty = {
            name: np.empty(0, bool if name.endswith(('limited', 'guarded')) else float)
            for name in definition.__dataclass_fields__
            if name not in fields and not name.startswith('__')
        }
        return definition(**empty, **fields)

    def _write(self, topic, stamp, **fields):
        """Write a message."""
        kind, connection = self._topics[topic]
        message = self._make(kind, **fields)
        self._bag.write(connection, stamp, self._types.serialize_cdr(message, kind))


def _types():
    """Return the message types of ROS, and those of robodyn_msgs."""
    from rosbags.typesys import Stores, get_types_from_msg, get_typestore

    import robodyn_msgs

    types = get_typestore(Stores.ROS2_JAZZY)
    name = Path('share') / 'robodyn_msgs' / 'msg' / 'ControllerState.msg'
    for folder in Path(robodyn_msgs.__file__).resolve().parents:
        if (folder / name).is_file():
            types.register(get_types_from_msg((folder / name).read_text(), OWN))
            return types
    raise ImportError(f'{name} is not installed beside robodyn_msgs')
