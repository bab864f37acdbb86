# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A node's process: arguments it cannot use end it with a sentence, signals wake it."""

import gc
import os
import re
import signal
import subprocess
import sys
import threading
from types import SimpleNamespace

import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')

from rclpy.executors import SingleThreadedExecutor  # noqa: E402

from robodyn_ros.ros.common import process  # noqa: E402
from robodyn_ros.testing.context import end_context, new_context  # noqa: E402
from support.patience import PATIENCE  # noqa: E402


@pytest.mark.parametrize(
    ('arguments', 'words'),
    [
        (['arm.urdf', '--fast'], "got 'arm.urdf --fast'; it takes ROS arguments only"),
        (['--ros-args', '-p', 'law'], "ROS does not start: .*'-p law'"),
        (['--ros-args', '--log-level', 'loud'], 'ROS does not start: .*loud'),
        (['--ros-args', '--params-file', '/nowhere.yaml'], 'ROS does not start: .*/nowhere.yaml'),
        (['--ros-args', '--parameters'], 'ROS does not start: .*--parameters'),
    ],
)
def test_bad_arguments_end_with_a_sentence(arguments, words, capsys):
    assert process.run_node(None, arguments) == process.REFUSED
    assert re.search(words, capsys.readouterr().err)


@pytest.mark.parametrize('name', ['-h', '--help'])
def test_help_is_no_mistake(name, capsys):
    assert process.run_node(None, [name]) == 0
    out, err = capsys.readouterr()
    assert 'takes ROS arguments only, as in `--ros-args -p urdf_path' in out and not err


@pytest.mark.parametrize('is_alive', [True, False])
def test_what_rclpy_raises_while_it_is_shut_down_is_no_defect(is_alive):
    """Then its entities are gone in the middle of a call; the node goes on with its end."""
    told, error = [], RuntimeError('the given context is not valid')

    def spin_once(timeout_sec):
        raise error

    node = SimpleNamespace(
        context=SimpleNamespace(ok=lambda: is_alive), callback_failed=told.append
    )
    process.spin_guarded(SimpleNamespace(spin_once=spin_once), node)
    assert told == [error] * is_alive


def test_a_signal_wakes_the_executor():
    """Its wait, unlike Python's own, does not end by itself when a signal comes."""
    woken = threading.Event()
    before = signal.signal(signal.SIGUSR1, lambda *_: None)
    try:
        process.wake_on_signals(SimpleNamespace(wake=woken.set))
        signal.raise_signal(signal.SIGUSR1)
        assert woken.wait(PATIENCE)
    finally:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGUSR1, before)


def test_a_goal_accepted_just_before_the_end_leaves_no_warning(recwarn):
    """Its coroutine is pending then; Python warns of one that is dropped before its start."""

    async def goal():
        raise AssertionError('it is not begun during the shutdown')

    context = new_context()
    executor = SingleThreadedExecutor(context=context)
    executor.create_task(goal)
    process.end_executor(executor)
    del executor
    gc.collect()
    end_context(context)
    assert [str(each.message) for each in recwarn] == []


@pytest.mark.parametrize('environment', [{'ROS_LOG_DIR': '/proc/nowhere'}, {'HOME': None}])
def test_row_76_a_node_starts_without_a_folder_for_its_log(environment):
    """It says so, and its log goes to the terminal."""
    kept = {key: value for key, value in os.environ.items() if key not in ('ROS_LOG_DIR', 'HOME')}
    kept |= {key: value for key, value in environment.items() if value is not None}
    done = subprocess.run(
        [sys.executable, '-c', QUICK_NODE],
        env=kept,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    assert 'the log folder cannot be written' in done.stderr and 'it lives' in done.stderr


QUICK_NODE = """
import signal, sys
from robodyn_ros.ros.common.lifecycle_node import ManagedNode
from robodyn_ros.ros.common.process import run_node
def make():
    node = ManagedNode('quick', ())
    node.get_logger().warning('it lives')
    signal.raise_signal(signal.SIGINT)
    return node
sys.exit(run_node(make, []))
"""


def test_a_middleware_that_never_lets_go_does_not_keep_the_process():
    """It holds the GIL. The process ends with the exit code of the node, which is closed."""
    done = subprocess.run(
        [sys.executable, '-c', STUCK_NODE], capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 2, done.stderr  # that of a refused node
    assert 'it is closed' in done.stderr


STUCK_NODE = """
import ctypes
import sys

from rclpy.node import Node as RosNode

from robodyn_ros.ros.common import process


class Node(RosNode):
    def __init__(self):
        super().__init__('stuck')
        self.refused = True

    def emergency_stop(self):
        pass

    def close(self):
        self.get_logger().info('it is closed')

    def destroy_node(self):
        ctypes.PyDLL(None).sleep(10000)  # beyond any patience; PyDLL keeps the GIL


process.PATIENCE = 0.5
sys.exit(process.run_node(Node, []))
"""


def test_a_signal_within_the_compiler_does_not_crash_the_end():
    """It may come when LLVM has taken a module over, before Python knows it."""
    done = subprocess.run(
        [sys.executable, '-c', INTERRUPTED_COMPILER],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    assert 'halfway' in done.stdout


INTERRUPTED_COMPILER = """
import signal
import sys

from llvmlite import binding

from robodyn_ros.ros.common.process import run_node

CODE = 'define double @{0}(double %x) {{ ret double %x }}'


def half_link(module, other):
    with binding.ffi.OutputString() as error:
        binding.ffi.lib.LLVMPY_LinkModules(module, other, error)
        print('halfway')
        signal.raise_signal(signal.SIGTERM)
        other.detach()


def make():
    half_link(*(binding.parse_assembly(CODE.format(name)) for name in ('first', 'second')))


binding.initialize_native_target()
sys.exit(run_node(make, []))
"""
