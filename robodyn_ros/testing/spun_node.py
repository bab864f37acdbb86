# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A node under test in the process of the test, in step with simulated time."""

import queue
import threading
import time
from collections import deque

from rclpy.clock import ClockType
from rclpy.event_handler import EventHandler
from rclpy.executors import SingleThreadedExecutor, TimeoutException
from rclpy.parameter import Parameter
from rosgraph_msgs.msg import Clock

from robodyn_ros.ros.common.joint_messages import set_stamp
from robodyn_ros.ros.common.process import end_executor, tasks_of
from robodyn_ros.testing import ending
from robodyn_ros.testing.exchange import Exchange, Reader

FREE = 0.005  # [s] between looks of an executor while simulated time stands still
LOOK = 0.02  # [s] of wall time between looks for messages of other processes


class SpunNode:
    """A node whose callbacks one thread runs, in the order of what reaches the node.

    While simulated time stands still, the thread spins the node by itself. While it advances, the
    thread works only when asked, until nothing is left to do.

    Parameters
    ----------
    node : rclpy Node
        The node; its clock is set to simulated time.
    exchange : Exchange
        What delivers its messages.
    now : int
        Simulated time [ns].

    Attributes
    ----------
    error : BaseException or None
        What a callback has raised; the node is dead then.
    """

    def __init__(self, node, exchange: Exchange, now: int):
        self.node, self.error, self._exchange = node, None, exchange
        self._name, self._is_told = node.get_name(), False
        self._messages: deque[tuple[Reader, bytes]] = deque()
        self._requests: queue.SimpleQueue = queue.SimpleQueue()
        self._stepped = self._over = False
        self._looked = 0.0  # when the executor has last looked for more
        self._now, self._clock = -1, Clock()
        self._is_busy = False  # whether the executor has to look for more at each state
        self._use_simulated_time(now)
        exchange.join(node, self.enqueue)
        self._executor = SingleThreadedExecutor(context=node.context)
        self._executor.add_node(node)
        self._thread = threading.Thread(target=self._run, name='node_under_test', daemon=True)
        self._thread.start()

    def _use_simulated_time(self, now):
        result = self.node.set_parameters([Parameter('use_sim_time', value=True)])[0]
        assert result.successful, (
            f"The node '{self._name}' refuses the parameter use_sim_time: {result.reason}"
        )
        subscriptions = [each for each in self.node.subscriptions if each.msg_type is Clock]
        self._clocks = [each.callback for each in subscriptions]
        for subscription in subscriptions:  # a message of the middleware may come late
            subscription.callback = lambda _: None
        self._set_time(now)
        for timer in self.node.timers:  # they began on the clock of the machine
            if _is_simulated(timer) and not timer.is_canceled():
                timer.reset()

    def _set_time(self, now: int):
        if now != self._now:
            self._now = now
            set_stamp(self._clock.clock, now)
            for callback in self._clocks:
                callback(self._clock)

    def enqueue(self, reader: Reader, data: bytes):
        """Deliver a message in the thread of the node.

        Parameters
        ----------
        reader : Reader
            Its subscription.
        data : bytes
            The serialised message.
        """
        self._messages.append((reader, data))

    # Called by other threads.

    def follow(self, stepped: bool):
        """Work only when asked from now on, or on its own again.

        Parameters
        ----------
        stepped : bool
            Whether simulated time advances.
        """
        self._stepped = stepped
        if stepped:
            self._ask(self._take_stock)
        else:
            self._requests.put(None)

    def settle(self, now: int, look: bool) -> bool:
        """Let the node do what is due, and wait for it; simulated time advances.

        Parameters
        ----------
        now : int
            Simulated time [ns].
        look : bool
            Whether an answer of a service may have come.

        Returns
        -------
        bool
            Whether there was something to do.

        Raises
        ------
        BaseException
            What a callback has raised.
        AssertionError
            If a callback does not return in time, with its stack, or if the node has ended.
        """
        self.require_alive()
        self._set_time(now)
        if not (self._messages or look or self._has_timer_due() or self._may_have_more()):
            return False
        worked = self._ask(lambda: self._work(look))
        self.require_alive()
        return worked

    def require_alive(self):
        """Raise what a callback has raised.

        Raises
        ------
        BaseException
            That exception.
        AssertionError
            If the node has ended otherwise.
        """
        if self.error is not None:
            self._is_told = True
            raise self.error
        assert not self._over, (
            f"The node '{self._name}' is not spun any more: its context was shut down."
        )

    def close(self):
        """End the thread and the node.

        Raises
        ------
        BaseException
            What a callback has raised, unless it has been raised before.
        AssertionError
            If a callback hangs, with its stack.
        """
        self._over = True
        self._requests.put(None)
        ending.join(self._thread)
        self._exchange.leave(self.node)
        end_executor(self._executor)
        self.node.destroy_node()
        if self.error is not None and not self._is_told:
            raise self.error

    def _ask(self, action):
        """Return the result of a function that the thread calls; None if the thread has ended."""
        replies: queue.SimpleQueue = queue.SimpleQueue()
        self._requests.put((action, replies))
        if self._over:  # the thread may have missed the request
            return None
        try:
            return replies.get(timeout=ending.END)
        except queue.Empty:
            raise AssertionError(
                f"A callback of the node '{self._name}' has not returned within {ending.END:g} s; "
                f'it is at\n{ending.stack_of(self._thread)}'
            ) from None

    # The thread.

    def _run(self):
        while not self._over:
            try:
                request = self._requests.get(timeout=None if self._stepped else FREE)
            except queue.Empty:
                self._guard(lambda: self._work(look=True))
                continue
            if request is not None:
                action, replies = request
                replies.put(self._guard(action))
        while not self._requests.empty():
            request = self._requests.get()
            if request is not None:
                request[1].put(None)

    def _guard(self, action):
        """Call a function; an exception ends the node."""
        try:
            return action()
        except BaseException as error:  # a test has to know of SystemExit, too
            if self.node.context.ok():
                self.error = error
            self._over = True
        return None

    def _work(self, look: bool) -> bool:
        """Do what is due; return whether there was anything."""
        worked = self._has_timer_due() and self._spin()
        while True:
            if self._messages:
                self._deliver(*self._messages.popleft())
            else:
                if worked:
                    self._take_stock()
                if not ((look or self._may_have_more()) and self._spin()):
                    return worked
            worked = True

    def _deliver(self, reader: Reader, data: bytes):
        result = reader.run_callback(data)
        if reader.is_coroutine:
            self._executor.create_task(result)

    def _has_timer_due(self) -> bool:
        return any(_is_simulated(timer) and timer.is_ready() for timer in self.node.timers)

    def _may_have_more(self) -> bool:
        """Return whether the executor has to look for more than messages of this test."""
        return self._is_busy or time.monotonic() - self._looked > LOOK

    def _take_stock(self):
        """Find out whether the node awaits more than timers, messages and answers."""
        self._is_busy = (
            any(not task.done() for task in tasks_of(self._executor))
            or any(True for _ in self.node.guards)
            or any(not isinstance(each, EventHandler) for each in self.node.waitables)
        )

    def _spin(self) -> bool:
        """Run all callbacks that are ready; return whether one was."""
        worked, self._looked = False, time.monotonic()
        while True:
            try:
                task, *_ = self._executor.wait_for_ready_callbacks(timeout_sec=0)
            except TimeoutException:
                return worked
            task()
            if task.done():  # else it awaits something
                worked = True
                if task.exception() is not None:
                    raise task.exception()


def _is_simulated(timer) -> bool:
    return timer.clock.clock_type == ClockType.ROS_TIME
