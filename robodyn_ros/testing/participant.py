# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A participant of the ROS graph for tests: topics, services, and waits with deadlines."""

import contextlib
import math
import os
import threading
import time
from typing import Any, Callable

import numpy as np
import rclpy
from rcl_interfaces.srv import SetParametersAtomically
from rclpy.action import ActionClient
from rclpy.exceptions import InvalidHandle
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.task import Future

from robodyn_ros.testing import ending
from robodyn_ros.testing.context import end_context, new_context

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
ALL = QoSProfile(depth=1000)
SOON = 30.0  # [s] of wall time: a deadline for failures, not a measure of speed
POLL, SLOWEST_POLL = 0.002, 0.05  # [s] between checks
LATENESS = 0.05  # of the time waited so far: what a check may come late
AGAIN = 2.0  # [s] before a service request is repeated


def wait_until(condition: Callable[[], Any], what: str, timeout: float = SOON):
    """Return the first true value of a condition.

    Parameters
    ----------
    condition : callable
        Called repeatedly.
    what : str
        Name of the awaited event, for the message.
    timeout : float
        Longest wait [s].

    Raises
    ------
    AssertionError
        If it does not happen in time.
    """
    begin = time.monotonic()
    while True:
        value = condition()
        if value:
            return value
        waited = time.monotonic() - begin
        if waited > timeout:
            raise AssertionError(f'{what}: not within {timeout} s')
        # Each check takes a processor from the nodes that are waited for.
        time.sleep(min(max(POLL, LATENESS * waited), SLOWEST_POLL))


def plain(value):
    """Return a value as a parameter can hold it: arrays and their entries become Python's own.

    Parameters
    ----------
    value : object
        Any value, such as an array, a tuple, a path or a number of NumPy.

    Returns
    -------
    bool, int, float, str or list
        The value. Numbers of a list are all floats if one is.
    """
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if not isinstance(value, (list, tuple)):
        return value
    entries = [plain(entry) for entry in value]
    if {*map(type, entries)} == {int, float}:  # which rclpy refuses
        return [float(entry) for entry in entries]
    return entries


class Inbox:
    """Received messages of one topic.

    Attributes
    ----------
    messages : list
        The messages.
    times : list of float
        When they came, by the monotonic clock [s].
    subscription : rclpy Subscription or None
        Their source; None if the caller has made it.
    """

    def __init__(self):
        self.subscription = None
        self.messages: list = []
        self.times: list[float] = []

    def __call__(self, message):
        self.times.append(time.monotonic())
        self.messages.append(message)

    def __repr__(self):
        return f'<Inbox of {len(self.messages)} messages>'

    @property
    def last(self):
        """The newest message, or None."""
        return self.messages[-1] if self.messages else None

    def clear(self):
        """Remove all messages."""
        self.messages, self.times = [], []

    def wait(self, condition=lambda _: True, what='a message', timeout=SOON):
        """Return the first message, received or future, that satisfies a condition.

        Parameters
        ----------
        condition : callable
            Called with each message; by default true of any.
        what : str
            Name of the awaited message, for the failure.
        timeout : float
            Longest wait, in wall time [s].

        Raises
        ------
        AssertionError
            If there is no such message in time.
        """
        seen = 0

        def found():
            nonlocal seen
            messages = self.messages
            while seen < len(messages):
                seen += 1
                if condition(messages[seen - 1]):
                    return messages[seen - 1]
            return None

        try:
            return wait_until(found, what, timeout)
        except AssertionError as error:
            raise AssertionError(f'{error}; the last of {seen} was {self.last}') from None


class Participant:
    """A node of a test, spun by a separate thread.

    Parameters
    ----------
    name : str
        Of the node.

    Attributes
    ----------
    node : rclpy Node
        For publishers, subscriptions and clients of the test.
    """

    def __init__(self, name: str = 'test_harness'):
        self._context = new_context()
        # the executor asks for every service anew after each message
        self.node = rclpy.create_node(name, context=self._context, start_parameter_services=False)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self.node)
        self._clients: dict = {}
        self._closing = False
        self._thread = threading.Thread(target=self._spin, name='robodyn_test', daemon=True)
        self._thread.start()

    def _spin(self):
        while not self._closing:
            # an entity that a test destroys meanwhile is missing from the next wait set
            with contextlib.suppress(InvalidHandle):
                self._executor.spin_once(timeout_sec=0.05)

    def __repr__(self):
        return f'<Participant {self.node.get_name()!r}>'

    @property
    def running(self) -> bool:
        """Whether its thread lives."""
        return self._thread.is_alive()

    def close(self):
        """Leave the ROS graph."""
        self._closing = True
        ending.join(self._thread)
        self._executor.shutdown()
        for waitable in list(self.node.waitables):
            if isinstance(waitable, ActionClient):  # which the node does not destroy
                waitable.destroy()
        self.node.destroy_node()
        end_context(self._context)

    def collect(self, kind, topic: str, qos=10) -> Inbox:
        """Return an inbox for the messages of a topic, from when its publisher has found it.

        Parameters
        ----------
        kind : message type
            Type of the topic.
        topic : str
            Name of the topic.
        qos : int or QoSProfile
            Quality of service of the subscription.
        """
        inbox = Inbox()
        inbox.subscription = self.node.create_subscription(kind, topic, inbox, qos)
        return inbox

    def publisher(self, kind, topic: str, qos=1):
        """Return a publisher that has a subscriber.

        Parameters
        ----------
        kind : message type
            Type of the topic.
        topic : str
            Name of the topic.
        qos : int or QoSProfile
            Quality of service of the publisher.
        """
        publisher = self.node.create_publisher(kind, topic, qos)
        wait_until(publisher.get_subscription_count, f'a subscriber of {topic}')
        return publisher

    def call(self, kind, name: str, request=None, timeout: float = SOON, again: bool = False):
        """Call a service.

        Parameters
        ----------
        kind : service type
            Of the service.
        name : str
            Of the service.
        request : optional
            Empty by default.
        timeout : float
            Longest wait for the service, and for its answer [s].
        again : bool
            Repeat the request every two seconds until it is answered. The first answer may get
            lost during discovery. Use it only for idempotent requests.

        Raises
        ------
        AssertionError
            If it does not answer.
        """
        # kept until the participant closes: destroying one during a spin is a race
        if (kind, name) not in self._clients:
            self._clients[kind, name] = self.node.create_client(kind, name)
        client = self._clients[kind, name]
        assert client.wait_for_service(timeout), f'there is no service {name}'
        futures: list[Future] = []
        asked = -math.inf

        def answered():
            nonlocal asked
            if not futures or again and time.monotonic() - asked > AGAIN:
                futures.append(client.call_async(request or kind.Request()))
                asked = time.monotonic()
            return next((future for future in futures if future.done()), None)

        return wait_until(answered, f'an answer of {name}', timeout).result()

    def set_parameters(self, node_name: str, **values):
        """Set parameters of a node at once.

        Parameters
        ----------
        node_name : str
            Name of the node.
        **values
            Parameters, with two underscores for a dot.

        Returns
        -------
        SetParametersResult
            Whether they were accepted, and the reason if not.
        """
        request = SetParametersAtomically.Request(
            parameters=[
                Parameter(name.replace('__', '.'), value=plain(value)).to_parameter_msg()
                for name, value in values.items()
            ]
        )
        service = f'{node_name}/set_parameters_atomically'
        return self.call(SetParametersAtomically, service, request).result
