# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Run one node in a process: executor, signals, shutdown."""

import contextlib
import inspect
import os
import resource
import signal
import sys
from pathlib import Path
from threading import Thread
from typing import Callable

import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.impl.implementation_singleton import rclpy_implementation as _rclpy
from rclpy.signals import SignalHandlerOptions
from rclpy.utilities import remove_ros_args

from robodyn_ros.middleware import parameter_files
from robodyn_ros.middleware.fast_dds import bounded_end, leave_shared_memory
from robodyn_ros.robot.background_compiler import stop_all
from robodyn_ros.ros.transport.rcl_ffi import library

POLL = 1.0  # [s] longest wait of the executor, and so for a signal that does not wake it
PATIENCE = 3.0  # [s] for the middleware to release a closed node
MOST_DATA = 2 << 30  # bytes that the process may allocate, far more than a node needs
REPEAT = 0.2  # [s] between repeated interrupts, until one takes effect

SHUT_DOWN = 3  # exit code after rclpy.shutdown() by other code
REFUSED = 2  # exit code for unusable arguments and parameters, as in argparse
USAGE = (
    'takes ROS arguments only, as in `--ros-args -p urdf_path:=arm.urdf --params-file '
    'arm.yaml`; doc/nodes lists the parameters.'
)


def end_executor(executor):
    """Shut an executor down, and close the coroutines that it will not finish.

    rclpy drops them, such as that of a goal accepted just before the end. Python then warns that
    they were never awaited.

    `executor` (rclpy Executor): the executor, which no thread spins any more.
    """
    executor.shutdown()
    for task in tasks_of(executor):
        if inspect.iscoroutine(task._handler):
            task._handler.close()


def tasks_of(executor) -> list:
    """Return the tasks of an executor that it has not discarded.

    `executor` (rclpy Executor): the executor; rclpy keeps the list to itself, and may have none in
      another version.
    """
    return [task for task, *_ in list(getattr(executor, '_tasks', ()))]


class StopSignal:
    """End the main thread's work at once on SIGINT and SIGTERM, even a long compilation.

    The handler raises KeyboardInterrupt repeatedly until it takes effect, because destructors and
    compiler callbacks discard exceptions. The handlers of rclpy are not used, because they close
    the context before the last safe command is published.
    """

    def __init__(self):
        self.received = self._shutting_down = False
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM):
            signal.signal(number, self._handle)
        signal.signal(signal.SIGUSR1, lambda *_: None)  # handled by `wake_on_signals`

    def ignore_further(self):
        """Let no further signal interrupt the shutdown, which begins now."""
        self._shutting_down = True
        signal.setitimer(signal.ITIMER_REAL, 0.0)

    def _handle(self, *_):
        self.received = True
        if not self._shutting_down:
            signal.setitimer(signal.ITIMER_REAL, REPEAT)
            raise KeyboardInterrupt


def wake_on_signals(executor, stop: Callable = lambda: None):
    """Wake the executor on signals; `spin_once` ignores them.

    Polling with short timeouts instead would compete with the loop for the GIL.

    `executor` (rclpy Executor): the executor of the main thread.
    `stop`: called on SIGUSR1 from a separate thread that never waits for the main thread.
    """
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)

    def listen():
        while number := os.read(reading, 1):
            if number[0] == signal.SIGUSR1:
                stop()
            executor.wake()

    Thread(target=listen, name='robodyn_signals', daemon=True).start()


def bound_memory(most: int = MOST_DATA):
    """Limit the memory that this process and each of its children may allocate.

    The middleware decodes a request before a node can refuse it. It allocates as many strings as
    the request claims to hold. Without a limit a request of 17 bytes exhausts the memory.

    `most`: the limit [bytes].
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if soft == resource.RLIM_INFINITY or soft > most:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


def log_folder_usable() -> bool:
    """Return whether the log folder of ROS is writable, which rcl requires at its start."""
    home = os.environ.get('ROS_HOME') or os.path.join(os.environ.get('HOME', ''), '.ros')
    folder = os.environ.get('ROS_LOG_DIR') or os.path.join(home, 'log')
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError:
        return False
    return os.path.isabs(folder) and os.access(folder, os.W_OK)


def run_node(make_node: Callable, args=None) -> int:
    """Run a ManagedNode until a signal, and close it.

    An exception in a callback is reported to the node, which continues. Unusable arguments end the
    process with a sentence. After an interrupted compilation the process ends within this call.

    `make_node`: returns the node.
    `args` (sequence of str): command line without the program; by default that of the process.
    Returns exit code of the process.
    """
    program = Path(sys.argv[0]).name
    try:
        surplus = remove_ros_args(sys.argv if args is None else [program, *args])[1:]
        if surplus in (['-h'], ['--help']):
            print(f'{program} {USAGE}')
            return 0
        if surplus:
            print(f'{program}: got {" ".join(surplus)!r}; it {USAGE}', file=sys.stderr)
            return REFUSED
        arguments = list(sys.argv[1:] if args is None else args)
        if not log_folder_usable():
            print(
                f'{program}: the log folder cannot be written; the log goes to stderr only. Set '
                'ROS_LOG_DIR to another.',
                file=sys.stderr,
            )
            arguments += ['--ros-args', '--disable-external-lib-logs']
        leave_shared_memory()
        rclpy.init(args=arguments, signal_handler_options=SignalHandlerOptions.NO)
    except RuntimeError as error:  # base class of the errors of rcl
        print(f'{program}: ROS does not start: {error}', file=sys.stderr)
        return REFUSED
    stop, node, executor, interrupt = StopSignal(), None, None, None
    try:
        try:
            node = make_node()
        except _rclpy.RCLError as error:
            print(f'{program}: the node does not start: {error}', file=sys.stderr)
            return REFUSED
        for sentence in parameter_files.for_others(arguments, node.get_fully_qualified_name()):
            node.get_logger().warning(sentence)
        executor = SingleThreadedExecutor()
        executor.add_node(node)
        wake_on_signals(executor, node.emergency_stop)
        while not (stop.received or node.refused) and rclpy.ok():
            spin_guarded(executor, node)
    except KeyboardInterrupt as raised:
        interrupt = raised  # its traceback keeps all objects of an interrupted compilation
    finally:
        stop.ignore_further()
        code = 0 if stop.received or rclpy.ok() else SHUT_DOWN
        if node is not None:
            code = REFUSED if node.refused else code
            node.close()
        with bounded_end(PATIENCE, code):
            if node is not None:
                node.destroy_node()
            if executor is not None:
                end_executor(executor)
            rclpy.try_shutdown()
    if code == SHUT_DOWN:
        print(
            f'{program}: rclpy was shut down from elsewhere; the node has ended.', file=sys.stderr
        )
    if interrupt is not None:
        _leave(code)
    return code


def _leave(code: int):
    """End the process without destructors.

    An interrupted compilation may leave an LLVM module with two owners, because llvmlite records a
    new owner late. Freeing it twice would crash the process.
    """
    stop_all()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # it is closed already
            stream.flush()
    os._exit(code)


def spin_guarded(executor, node, timeout: float = POLL):
    """Run ready callbacks; report an exception of a callback to the node and continue.

    An exception after a shutdown of rclpy is not reported, as it is no defect of a callback.

    `executor` (rclpy Executor): executor of the node.
    `timeout`: longest wait for a callback [s].
    """
    try:
        executor.spin_once(timeout_sec=timeout)
    except ExternalShutdownException:
        pass  # the caller checks rclpy.ok()
    except Exception as error:
        if node.context.ok():
            node.callback_failed(error)
    # Otherwise rclpy would print the error of an undecodable request with the next error.
    if (functions := library()) is not None:
        functions.forget_error()
