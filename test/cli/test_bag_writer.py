# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The MCAP file of the demonstration holds what was measured, on the topics of the layouts."""

from types import SimpleNamespace

import numpy as np
import pytest

from robodyn_ros import Robot, example
from robodyn_ros.control.laws.law import TERMS
from robodyn_ros.view.playback import read_motion

pytest.importorskip('rosbags', reason='rosbags is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from rosbags.rosbag2 import Reader

from robodyn_ros.demonstration import bag_writer
from robodyn_ros.model.rotation_matrix import from_quaternion

PERIOD, COUNT = 0.005, 12
SERIES = ('reference_position', 'measured_position', 'measured_velocity', *TERMS, 'effort')


@pytest.fixture(scope='module')
def written(tmp_path_factory):
    """Return a file, and the two records in it."""
    rng = np.random.default_rng(1)
    records = {
        law: SimpleNamespace(
            time=PERIOD * np.arange(COUNT),
            series={name: rng.normal(size=(COUNT, 2)) for name in SERIES},
            states=np.full(COUNT, 4),
        )
        for law in ('pd', 'computed_torque')
    }
    path = tmp_path_factory.mktemp('bag') / 'tracking.mcap'
    bag_writer.write_mcap(path, example('two_link').read_text(), records)
    return path, records


def messages(path, topic):
    """Return stamp [ns] and message of a topic."""
    types = bag_writer._types()
    with Reader(path) as bag:
        connections = [each for each in bag.connections if each.topic == topic]
        return [
            (stamp, types.deserialize_cdr(raw, connection.msgtype))
            for connection, stamp, raw in bag.messages(connections=connections)
        ]


def test_every_state_is_in_the_file_one_run_after_the_other(written):
    """With the stamps of simulated time, the law, and the errors."""
    path, records = written
    found = messages(path, bag_writer.CONTROLLER_STATES)
    assert len(found) == 2 * COUNT
    expected = [round(1e9 + 5e6 * k) for k in range(2 * COUNT)]
    assert [stamp for stamp, _ in found] == expected
    for k, (stamp, message) in enumerate(found):
        law, record = list(records.items())[k // COUNT]
        series = {name: values[k % COUNT] for name, values in record.series.items()}
        assert message.law == law and list(message.joint_names) == ['joint1', 'joint2']
        assert message.header.stamp.sec * 10**9 + message.header.stamp.nanosec == stamp
        error = series['reference_position'] - series['measured_position']
        np.testing.assert_array_equal(message.position_error, error)
        np.testing.assert_array_equal(message.effort, series['effort'])
        terms = sum(series[name] for name in TERMS)
        np.testing.assert_allclose(message.effort_unlimited, terms, rtol=1e-15)


def test_transforms_are_those_of_the_robot(written):
    """Of every link but the base, to the rounding of a quaternion."""
    path, records = written
    robot = Robot.from_urdf(example('two_link'))
    found = messages(path, bag_writer.TRANSFORMS)
    for run, record in enumerate(records.values()):
        for k in range(0, COUNT, bag_writer.TF_EVERY):
            _, message = found[run * (COUNT // bag_writer.TF_EVERY) + k // bag_writer.TF_EVERY]
            for transform in message.transforms:
                pose = robot.pose(record.series['measured_position'][k], transform.child_frame_id)
                turn, place = transform.transform.rotation, transform.transform.translation
                np.testing.assert_allclose(
                    from_quaternion(turn.x, turn.y, turn.z, turn.w), pose[:3, :3], atol=1e-14
                )
                assert [place.x, place.y, place.z] == pose[:3, 3].tolist()
    assert {each.child_frame_id for each in message.transforms} >= {'tool0'}


def test_the_view_plays_the_file(written):
    """From its joint states; the description is beside them."""
    path, records = written
    motion = read_motion(path, Robot.from_urdf(example('two_link')), '/joint_states', None)
    last = records['computed_torque'].series['measured_position'][-1]
    np.testing.assert_allclose(motion.at(motion.duration), last, atol=1e-9)
    ((_, text),) = messages(path, bag_writer.DESCRIPTION)
    assert text.data == example('two_link').read_text()
