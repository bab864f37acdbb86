# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A trajectory is the same from CSV, JSON and YAML; what is none is refused with a sentence."""

import json

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')

from robodyn_ros.errors import ShapeError
from robodyn_ros.ros.common.trajectory_files import (
    delayed_trajectory,
    duration_of,
    read_trajectory,
)

CSV = """time,a.position,b.position,a.velocity,b.velocity,a.effort
0.0,0.1,-0.2,0.0,0.5,9
1.25,0.3,0.4,0.6,0.0,9
"""
POINTS = [
    {'positions': [0.1, -0.2], 'velocities': [0.0, 0.5], 'time_from_start': 0.0},
    {'positions': [0.3, 0.4], 'velocities': [0.6, 0.0], 'time_from_start': 1.25},
]
PARTS = [
    {**point, 'time_from_start': {whole: int(time), part: round(time % 1 * 1e9)}}
    for point, time, whole, part in zip(POINTS, (0.0, 1.25), ('sec', 'secs'), ('nanosec', 'nsecs'))
]
PLAIN = {'joint_names': ['a', 'b'], 'points': POINTS}
ECHOED = """header:
  stamp:
    sec: 0
    nanosec: 0
  frame_id: ''
joint_names:
- a
- b
points:
- positions:
  - 0.1
  - -0.2
  velocities: []
  accelerations: []
  effort: []
  time_from_start:
    sec: 0
    nanosec: 500000000
---
joint_names:
- c
points: []
---
"""
MOVEIT = {
    'trajectory_start': {'joint_state': {'name': ['a', 'b'], 'position': [0.0, 0.0]}},
    'trajectory': [
        {
            'joint_trajectory': {'header': {}, 'joint_names': ['a', 'b'], 'points': PARTS},
            'multi_dof_joint_trajectory': {'joint_names': [], 'points': []},
        }
    ],
}


def written(tmp_path, name, text):
    """Return the path of a file with that text."""
    path = tmp_path / name
    path.write_text(text)
    return path


def numbers(message):
    """Return times, positions and velocities of a message."""
    times = [p.time_from_start.sec + 1e-9 * p.time_from_start.nanosec for p in message.points]
    return (
        times,
        [list(p.positions) for p in message.points],
        [list(p.velocities) for p in message.points],
    )


@pytest.mark.parametrize(
    'name, text',
    [
        ('motion.csv', CSV),
        ('plain.json', json.dumps(PLAIN)),
        ('moveit.json', json.dumps(MOVEIT)),
        ('goal.yaml', json.dumps({'goal': {'trajectory': PLAIN}})),
    ],
)
def test_every_format_is_the_same_trajectory(tmp_path, name, text):
    message = read_trajectory(written(tmp_path, name, text))
    assert message.joint_names == ['a', 'b']
    assert numbers(message) == ([0.0, 1.25], [[0.1, -0.2], [0.3, 0.4]], [[0.0, 0.5], [0.6, 0.0]])
    assert not message.points[0].accelerations


def test_what_ros2_topic_echo_prints_is_read(tmp_path):
    """YAML of several documents: the first one counts."""
    again = read_trajectory(written(tmp_path, 'echoed.yaml', ECHOED))
    assert numbers(again) == ([0.5], [[0.1, -0.2]], [[]])


def test_a_delay_moves_all_points(tmp_path):
    message = read_trajectory(written(tmp_path, 'motion.csv', CSV))
    later = delayed_trajectory(message, 2.5)
    np.testing.assert_allclose(numbers(later)[0], [2.5, 3.75], rtol=1e-15)
    assert duration_of(later) == 3.75 and numbers(later)[1:] == numbers(message)[1:]


@pytest.mark.parametrize(
    'name, text, words',
    [
        ('motion.txt', CSV, 'ends with .csv, .json'),
        ('motion.csv', '', 'expected time and <joint>.position'),
        ('motion.csv', 'time,a\n0,1\n', 'expected time and <joint>.position'),
        ('motion.csv', 'time,a.position\n0\n', 'line 2 has 1 entries; expected 2'),
        ('motion.csv', 'time,a.position\n0,here\n', r"positions \['here'\]; expected numbers"),
        ('motion.csv', 'time,a.position\nnan,1\n', 'expected seconds'),
        ('motion.csv', 'time,a.position\n-1e99,1\n', 'expected seconds'),
        ('motion.csv', 'time,a.position\n0,inf\n', '1 finite numbers'),
        ('motion.csv', 'time,a.position\n', 'has no points'),
        ('motion.json', '{', 'no JSON'),
        ('motion.json', '[1, 2]', 'expected joint_names and points'),
        ('motion.json', json.dumps({**PLAIN, 'points': 3}), 'points is 3; expected a list'),
        ('motion.json', json.dumps({**PLAIN, 'points': [3]}), 'point 0 is 3'),
        ('motion.json', json.dumps({**PLAIN, 'joint_names': [1]}), 'expected names'),
        ('motion.json', json.dumps({**PLAIN, 'points': [{'time_from_start': 1}]}), 'no positions'),
        ('motion.yaml', 'a: [', 'no YAML'),
        ('motion.yaml', '!!python/object/apply:os.getcwd []', 'no YAML'),
        ('motion.yaml', '', 'expected joint_names and points'),
    ],
)
def test_what_is_no_trajectory_is_refused(tmp_path, name, text, words):
    path = written(tmp_path, name, text)
    with pytest.raises(ShapeError, match=words) as refusal:
        read_trajectory(path)
    assert str(path) in str(refusal.value)
