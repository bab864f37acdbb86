# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Run nodes of this package in the process of a test; compiled ones start in milliseconds."""

import contextlib
import os
import threading
from typing import Any, Callable, Mapping

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.impl import rcutils_logger

from robodyn_ros.nodes.controller import Controller
from robodyn_ros.nodes.simulator import Simulator
from robodyn_ros.ros.common.process import end_executor, spin_guarded, tasks_of
from robodyn_ros.testing import ending
from robodyn_ros.testing.context import end_context, new_context
from robodyn_ros.testing.participant import SOON, plain, wait_until

NODES = {'controller': Controller, 'simulator': Simulator}


def ros_arguments(parameters: Mapping[str, Any]) -> list[str]:
    """Return parameters as arguments of a node.

    Parameters
    ----------
    parameters : mapping of str to object
        Values by name; two underscores in a name stand for a dot.
    """
    arguments = []
    for name, value in parameters.items():
        arguments += ['-p', f'{name.replace("__", ".")}:={_yaml(value)}']
    return arguments


def _yaml(value) -> str:
    is_path, value = isinstance(value, os.PathLike), plain(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return '[' + ', '.join(map(_yaml, value)) + ']'
    text = str(value)
    if is_path or ' #' in text or ': ' in text:  # YAML ends a word there
        return "'" + text.replace("'", "''") + "'"
    return text


# rclpy distinguishes log calls by their file, except for the files named here
rcutils_logger._internal_callers.append(__file__)


class RecordedLogger(rcutils_logger.RcutilsLogger):
    """A logger that records its lines.

    Parameters
    ----------
    *arguments, **options
        As of the logger of rclpy.

    Attributes
    ----------
    lines : list of str
        The recorded lines.
    """

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.lines: list[str] = []

    def log(self, message, severity, **kwargs):
        """Log, and record the line.

        Parameters
        ----------
        message : str
            The line.
        severity : LoggingSeverity
            Its severity.
        **kwargs
            As of the logger of rclpy.
        """
        logged = super().log(message, severity, **kwargs)
        if logged:
            self.lines.append(message)
        return logged


def recorded(node_type: type) -> type:
    """Return a type of node like another one, with a recorded logger.

    Parameters
    ----------
    node_type : type
        A subclass of rclpy's Node.
    """

    class Recorded(node_type):
        _recorder = None

        def get_logger(self):
            if self._recorder is None:
                self._recorder = RecordedLogger(name=super().get_logger().name)
            return self._recorder

    return Recorded


class Hosted:
    """A node of this package, spun by a thread of this process.

    Parameters
    ----------
    name : str or type
        'controller' or 'simulator', or a subclass of ManagedNode.
    *arguments : str
        ROS arguments, as after `--ros-args`.
    context : rclpy Context, optional
        A shared context; nodes in one context run lock step without messages.
    prepare : callable, optional
        Called with the node before it is spun.

    Attributes
    ----------
    node : ManagedNode
        The node.
    """

    def __init__(
        self,
        name: str | type,
        *arguments: str,
        context: rclpy.Context | None = None,
        prepare: Callable[[Any], None] = lambda _: None,
    ):
        self._own = context is None
        self.context = context if context is not None else new_context()
        make = recorded(NODES[name] if isinstance(name, str) else name)
        # rcl confuses the /rosout publishers of nodes with one name in a process
        self.node = make(
            context=self.context, cli_args=['--ros-args', *arguments], enable_rosout=False
        )
        prepare(self.node)
        self._waiting: set = set()  # tasks that await something
        self._executor = SingleThreadedExecutor(context=self.context)
        self._executor.add_node(self.node)
        self._closing = self._closed = False
        self._thread = threading.Thread(
            target=self._spin, name=f'robodyn_{self.node.get_name()}', daemon=True
        )
        self._thread.start()

    def __repr__(self):
        return f'<Hosted {self.node.get_name()!r}, {self.node.phase}>'

    @property
    def running(self) -> bool:
        """Whether the node is being spun."""
        return self._thread.is_alive()

    @property
    def output(self) -> str:
        """The log of the node."""
        return '\n'.join(self.node.get_logger().lines)

    def settle(self) -> bool:
        """Wait until the node has done the tasks that its loop has given to its executor.

        Returns
        -------
        bool
            Whether there were any.

        Raises
        ------
        AssertionError
            If it does not, with the stack of its thread.
        """
        if not self._undone() - self._waiting:
            return False
        for _ in range(2):  # the executor runs its newest task first
            done = threading.Event()
            self._executor.create_task(done.set)
            assert done.wait(ending.END), (
                f"The node '{self.node.get_name()}' is at\n{ending.stack_of(self._thread)}"
            )
        self._waiting = self._undone()
        return True

    def _undone(self) -> set:
        return {task for task in tasks_of(self._executor) if not task.done()}

    def wait_for_output(self, text: str, timeout: float = SOON):
        """Wait until the node has logged a line that contains a text.

        Parameters
        ----------
        text : str
            Part of the line.
        timeout : float
            Longest wait, in wall time [s].

        Raises
        ------
        AssertionError
            If there is no such line in time.
        """
        try:
            wait_until(lambda: text in self.output, repr(text), timeout)
        except AssertionError as error:
            raise AssertionError(f'{error}; the node logged:\n{self.output}') from None

    def _spin(self):
        while not self._closing and self.context.ok():
            spin_guarded(self._executor, self.node)

    def close(self):
        """Shut the node down; harmless if it has ended, and a second try if it hung.

        Raises
        ------
        AssertionError
            If a thread of the node hangs, with its name and its stack.
        """
        if self._closed:
            return
        self._closing = True
        self._executor.create_task(lambda: None)  # after a mere `wake` it would wait on
        with contextlib.ExitStack() as stack:
            if self._own and self.context.ok():
                stack.callback(end_context, self.context)
            ending.join(self._thread)
            self._closed = True  # an end that hangs is not begun twice
            ending.call_until_end(self._end, f'end_of_{self.node.get_name()}')

    def _end(self):
        self.node.close()
        self.node.destroy_node()
        end_executor(self._executor)
