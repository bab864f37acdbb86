"""Arguments that cannot be used end a node's process with a sentence, before there is a node."""
import re

import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')

from robodyn_ros.ros.process import REFUSED, run  # noqa: E402


@pytest.mark.parametrize(('arguments', 'words'), [
    (['arm.urdf', '--fast'], "got 'arm.urdf --fast'; it takes ROS arguments only"),
    (['--ros-args', '-p', 'law'], "ROS does not start: .*'-p law'"),
    (['--ros-args', '--log-level', 'loud'], 'ROS does not start: .*loud'),
    (['--ros-args', '--params-file', '/nowhere.yaml'], 'ROS does not start: .*/nowhere.yaml'),
    (['--ros-args', '--parameters'], 'ROS does not start: .*--parameters'),
])
def test_bad_arguments(arguments, words, capsys):
    assert run(None, arguments) == REFUSED
    assert re.search(words, capsys.readouterr().err)
