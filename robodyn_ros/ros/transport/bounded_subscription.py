# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Subscriptions that check the size of a message before they decode it.

rclpy holds the GIL while it takes and decodes a message, so large messages cost the control loop
its cycles. Here the functions of the middleware are called with the GIL released. Oversized
messages are dropped undecoded. Without these functions rclpy takes the messages.
"""

import ctypes
import os
import threading
import time
from typing import Any, Callable

import numpy as np
from rclpy.qos import QoSProfile
from rclpy.serialization import deserialize_message
from rclpy.waitable import NumberOfEntities, Waitable

from robodyn_ros.errors import shorten
from robodyn_ros.ros.transport.polled_group import PolledGroup
from robodyn_ros.ros.transport.rcl_ffi import FIRST_SIZE, NOTHING, OK, declare, library, view

PAUSE = 1.0  # [s] without decoding after an undecodable message
MOST_TAKEN = 100  # messages of one call of `take_waiting`
SMALL = 20_000  # bytes of a message that may be decoded with the GIL held


class BoundedSubscription(Waitable):
    """A subscription that delivers messages as bytes, up to a size.

    `node` (ManagedNode): the node that subscribes.
    `kind` (type): message type.
    `topic`: name of the topic.
    `receive` (callable): called by the executor with a serialised message (k,) uint8, which is
      valid until it returns.
    `qos` (QoSProfile or int): quality of service, or a depth.
    `most`: size of the largest message accepted [bytes].
    `refuse` (callable): called with a sentence about a larger one.
    `topic`: full name of the topic.
    `subscription` (rclpy Subscription): what the middleware knows.
    `delivered`: number of messages that were received or refused.
    """

    def __init__(
        self,
        node,
        kind,
        topic: str,
        receive: Callable[[np.ndarray], None],
        qos: QoSProfile | int,
        most: int,
        refuse: Callable[[str], None],
    ):
        super().__init__(node.default_callback_group)
        self._receive, self._most, self._refuse = receive, most, refuse
        self._node, self._index = node, None
        self.delivered = 0
        self._lock = threading.Lock()  # from taking a message until it is delivered
        functions = library()
        self._own = functions is not None
        self.subscription = node.create_subscription(
            kind,
            topic,
            self.deliver,
            qos,
            raw=True,
            callback_group=PolledGroup() if self._own else None,
        )
        self.topic = self.subscription.topic_name
        if self._own:
            self._library = functions
            rcl = ctypes.CDLL('librcl.so', os.RTLD_NOW | os.RTLD_NOLOAD)  # releases the GIL
            self._take = declare(
                rcl.rcl_take_serialized_message, ctypes.c_int, *[ctypes.c_void_p] * 4
            )
            node.add_waitable(self)

    def close(self):
        """Stop receiving."""
        if self._own:
            self._node.remove_waitable(self)
        self._node.destroy_subscription(self.subscription)

    def __enter__(self):
        self.subscription.handle.__enter__()

    def __exit__(self, *error):
        self.subscription.handle.__exit__(*error)

    def get_num_entities(self):
        """Return what the executor waits for: one subscription."""
        return NumberOfEntities(num_subs=1)

    def add_to_wait_set(self, wait_set):
        """Make the executor wait for a message."""
        self._index = wait_set.add_subscription(self.subscription.handle)

    def is_ready(self, wait_set):
        """Return whether a message waits."""
        return self._index is not None and wait_set.is_ready('subscription', self._index)

    def take_data(self):
        """Return nothing: `execute` takes the message."""

    async def execute(self, _):
        """Take and deliver the oldest message.

        `_` (None): from `take_data`.
        """
        self._take_one()

    def take_waiting(self):
        """Deliver what has arrived; a message that another thread delivers is awaited.

        Of a flood of messages it delivers the oldest ones.
        """
        handle, kind = self.subscription.handle, self.subscription.msg_type
        with self._lock:
            for _ in range(MOST_TAKEN):
                taken = handle.take_message(kind, True)
                if taken is None:
                    return
                self._judge(np.frombuffer(taken[0], np.uint8))

    def _take_one(self):
        """Deliver or refuse the oldest message; another thread may have taken it."""
        octets = self._library.octets(FIRST_SIZE)
        address = ctypes.addressof(octets)
        try:
            with self._lock:
                with self.subscription.handle:
                    status = self._take(self.subscription.handle.pointer, address, None, None)
                if status == OK:
                    self._judge(view(octets))
                elif status != NOTHING:
                    self._library.forget_error()
        finally:
            self._library.free(address)

    def deliver(self, data: bytes):
        """Deliver or refuse a message that has been taken elsewhere, in the calling thread.

        `data`: the serialised message.
        """
        with self._lock:
            self._judge(np.frombuffer(data, np.uint8))

    def _judge(self, data: np.ndarray):
        self.delivered += 1
        if len(data) > self._most:
            self._refuse(f'it has {len(data)} bytes; at most {self._most} are accepted.')
            return
        self._receive(data)


def decoder_for(kind, receive: Callable[[Any], None], refuse: Callable[[str], None]):
    """Return a callback for BoundedSubscription that decodes messages for `receive`.

    `kind` (type): message type.
    `receive`: called with the decoded message.
    `refuse`: called with a sentence about an undecodable message.
    """

    resume = 0.0

    def decode(data: np.ndarray):
        nonlocal resume
        # A flood of undecodable messages must not flood the log of the middleware.
        if time.monotonic() < resume:
            refuse('it came right after one that could not be read.')
            return
        try:
            message = deserialize_message(data.tobytes(), kind)
        except Exception as error:  # an error of the middleware, or a string that is not UTF-8
            resume = time.monotonic() + PAUSE
            refuse(f'it cannot be read: {shorten(str(error))}')
            return
        receive(message)

    return decode
