# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""`play` drives the arm through the trajectory of a file, and says why where it cannot."""

import threading

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from robodyn_ros.cli import play
from robodyn_ros.ros.common import trajectory_player
from support.nodes.node_harness import TWO_LINK

pytestmark = pytest.mark.ros
pytest_plugins = ['robodyn_ros.testing.fixtures']

START, END = (0.3, 0.2), (0.5, -0.1)


@pytest.fixture
def arm(controlled_robot):
    """An arm that holds its posture."""
    robot = controlled_robot(TWO_LINK, initial_position=START)
    robot.advance(0.02)
    return robot


def played(arm, *arguments):
    """Run the command while simulated time passes; return its exit code."""
    codes = []
    thread = threading.Thread(target=lambda: codes.append(play.main(list(map(str, arguments)))))
    thread.start()
    while thread.is_alive():
        if arm.status.endswith('FOLLOWING'):
            arm.advance(0.1)
        thread.join(0.001)
    return codes[0]


def motion(tmp_path, joints=('joint1', 'joint2'), end=END):
    """Return a file with a motion that begins away from the arm, and ends at `end`."""
    path = tmp_path / 'motion.csv'
    header = ','.join(['time', *(f'{joint}.position' for joint in joints)])
    rows = [(0.0, 0.4, 0.1), (2.0, *end)]
    path.write_text('\n'.join([header, *(','.join(map(str, row)) for row in rows)]))
    return path


def test_a_file_is_played_to_its_end(arm, tmp_path, capsys):
    assert played(arm, motion(tmp_path), '--approach', 2) == 0
    assert 'Playing 2 points in 4 s.' in capsys.readouterr().out
    assert arm.status == 'HOLD TRAJECTORY_END'
    np.testing.assert_allclose(arm.reference[0], END, atol=1e-12)
    np.testing.assert_allclose(arm.position, END, atol=5e-3)


@pytest.mark.parametrize(
    'changes, arguments, words',
    [
        ({'joints': ('joint1', 'elbow')}, (), "lacks the joints ['joint2']"),
        ({'end': (9.0, 0.0)}, (), 'joint1'),
        ({}, ('--approach', 0), 'start'),
    ],
    ids=['joints', 'limits', 'far away'],
)
def test_what_the_controller_refuses_is_reported(arm, tmp_path, capsys, changes, arguments, words):
    before = arm.status
    assert played(arm, motion(tmp_path, **changes), *arguments) == 1
    told = capsys.readouterr().err
    assert told.startswith('Refused: the controller refuses the trajectory: ') and words in told
    assert arm.status == before


def test_a_missing_controller_is_reported(ros_domain, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(trajectory_player, 'PATIENCE', 0.2)
    assert play.main([str(motion(tmp_path)), '--controller', 'nobody']) == 1
    assert "there is no controller '/nobody'" in capsys.readouterr().err
