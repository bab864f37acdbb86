"""A node's process: arguments it cannot use end it with a sentence, signals wake it."""
import re
import signal
import threading
from types import SimpleNamespace

import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')

from robodyn_ros.ros.process import REFUSED, run, wake_on_signals  # noqa: E402


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


def test_a_signal_wakes_the_executor():
    """Its wait, unlike Python's own, does not end by itself when a signal comes."""
    woken = threading.Event()
    before = signal.signal(signal.SIGUSR1, lambda *_: None)
    try:
        wake_on_signals(SimpleNamespace(wake=woken.set))
        signal.raise_signal(signal.SIGUSR1)
        assert woken.wait(20.0)
    finally:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGUSR1, before)
