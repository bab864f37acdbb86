# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Take and publish serialised messages in a buffer, without Python objects.

rclpy makes two copies and several objects of each message, which is slow on cold caches. This
module calls the functions of rcl with the address of a publisher or subscription of rclpy. If the
functions are not found, rclpy does it all.
"""

import contextlib
import ctypes
import functools
import os
from typing import Callable

import numpy as np
from rclpy.serialization import serialize_message
from rclpy.utilities import get_rmw_implementation_identifier

OK, NOTHING = 0, 401  # rcl's return codes: success; no message to take
LARGEST_KEPT = 500_000  # bytes of a buffer that is reused; a larger one is released
FIRST_SIZE = 1024  # bytes of a new buffer; the middleware enlarges it as needed


class _Allocator(ctypes.Structure):
    """rcutils_allocator_t."""

    _fields_ = [
        (name, ctypes.c_void_p)
        for name in ('allocate', 'deallocate', 'reallocate', 'zero_allocate', 'state')
    ]


class _Octets(ctypes.Structure):
    """rcutils_uint8_array_t, which is rcl_serialized_message_t."""

    _fields_ = [
        ('buffer', ctypes.c_void_p),
        ('length', ctypes.c_size_t),
        ('capacity', ctypes.c_size_t),
        ('allocator', _Allocator),
    ]


class _Library:
    """Functions of librcl and librcutils, from the libraries that rclpy has loaded."""

    def __init__(self):
        loaded = os.RTLD_NOW | os.RTLD_NOLOAD
        # PyDLL keeps the GIL, as rclpy does, because these functions return at once.
        rcl, rcutils = (ctypes.PyDLL(name, loaded) for name in ('librcl.so', 'librcutils.so'))
        pointer = ctypes.c_void_p
        self.take = declare(rcl.rcl_take_serialized_message, ctypes.c_int, *[pointer] * 4)
        self.publish = declare(rcl.rcl_publish_serialized_message, ctypes.c_int, *[pointer] * 3)
        self.rmw_handle = declare(rcl.rcl_publisher_get_rmw_handle, pointer, pointer)
        self.rmw_publish = declare(
            rmw_library(ctypes.PyDLL).rmw_publish_serialized_message, ctypes.c_int, *[pointer] * 3
        )
        self.forget_error = declare(rcutils.rcutils_reset_error, None)
        self._initialise = declare(
            rcutils.rcutils_uint8_array_init, ctypes.c_int, pointer, ctypes.c_size_t, pointer
        )
        # CDLL releases the GIL, because freeing a large buffer takes long.
        unlocked = ctypes.CDLL('librcutils.so', loaded)
        self.free = declare(unlocked.rcutils_uint8_array_fini, ctypes.c_int, pointer)
        self._allocator = declare(rcutils.rcutils_get_default_allocator, _Allocator)()

    def octets(self, size: int) -> _Octets:
        """Return an empty buffer with a capacity [bytes] that the middleware may increase."""
        made = _Octets()
        status = self._initialise(ctypes.addressof(made), size, ctypes.addressof(self._allocator))
        if (
            status != OK
            or not made.buffer
            or (made.length, made.capacity) != (0, size)
            or (bytes(made.allocator) != bytes(self._allocator))
        ):
            raise OSError('rcutils_uint8_array_t has an unexpected layout')
        return made


class _ArrayInterface:
    """Present a buffer to NumPy without a copy."""

    def __init__(self, octets: _Octets):
        self.__array_interface__ = {
            'version': 3,
            'data': (octets.buffer, True),
            'shape': (octets.length,),
            'typestr': '|u1',
        }


def view(octets: _Octets) -> np.ndarray:
    """Return the contents of a buffer without a copy.

    A ctypes array would need a type for each length, which refers to itself, so that only the
    garbage collector frees it. An active controller turns the collector off.

    `octets`: the buffer.
    """
    return np.asarray(_ArrayInterface(octets))


def octets_of(message) -> np.ndarray:
    """Serialise a message.

    Returns the message in CDR.
    """
    return np.frombuffer(serialize_message(message), np.uint8)


def rmw_library(kind):
    """Return the middleware's library, which rclpy has loaded.

    `kind` (type): CDLL, which releases the GIL in calls, or PyDLL, which keeps it.
    Raises OSError: if the library is not found.
    """
    for name in ('librmw_implementation.so', f'lib{get_rmw_implementation_identifier()}.so'):
        with contextlib.suppress(OSError):
            return kind(name, os.RTLD_NOW | os.RTLD_NOLOAD)
    raise OSError('the library of the middleware is not found')


def declare(function, result, *arguments):
    """Declare argument and result types of a function to ctypes.

    `result` (type or None): type of the result.
    `*arguments` (type): types of the arguments.
    Returns the same function.
    """
    function.restype, function.argtypes = result, arguments
    return function


@functools.cache
def library() -> _Library | None:
    """Return the functions of the middleware, or None if they are missing or incompatible."""
    try:
        found = _Library()
        trial = found.octets(8)
    except (OSError, AttributeError):
        return None
    found.free(ctypes.addressof(trial))
    return found


class BufferSubscription:
    """Take the serialised messages of a subscription, one at a time.

    `subscription` (rclpy Subscription): created with raw=True, and in no executor. It must not be
      destroyed before `close`.
    """

    def __init__(self, subscription):
        self._handle, self._type = subscription.handle, subscription.msg_type
        self._handle.__enter__()
        self._library = library()
        self._octets, self._viewed, self._data = None, None, None
        if self._library:
            self._renew()

    def take_message(self) -> np.ndarray | None:
        """Take the oldest waiting message.

        Returns the message, valid until the next call; None if none waits.
        """
        if self._octets is not None:
            if self._octets.capacity > LARGEST_KEPT:
                self._renew()
            status, octets = self._call(), self._octets
            if status == OK:
                if (octets.buffer, octets.length) != self._viewed:
                    self._update_view(octets)
                return self._data
            if status == NOTHING:
                return None
            self._library.forget_error()
        taken = self._handle.take_message(self._type, True)
        return None if taken is None else np.frombuffer(taken[0], np.uint8)

    def _renew(self):
        """Replace the buffer, to release the memory of a large message."""
        if self._octets is not None:
            self._viewed = self._data = None
            self._library.free(ctypes.addressof(self._octets))
        self._octets = self._library.octets(FIRST_SIZE)
        octets = ctypes.addressof(self._octets)
        self._call = functools.partial(
            self._library.take, self._handle.pointer, octets, None, None
        )

    def close(self):
        """Release the subscription, which may then be destroyed."""
        if self._octets is not None:
            self._data = None
            self._library.free(ctypes.addressof(self._octets))
            self._octets = None
        self._handle.__exit__(None, None, None)

    def _update_view(self, octets):
        self._viewed = octets.buffer, octets.length
        self._data = view(octets)


class BufferPublisher:
    """Publish the contents of a buffer.

    `publisher` (rclpy Publisher): it must not be destroyed before `close`.
    `buffer` (bytearray): the serialised message; its size never changes.
    """

    def __init__(self, publisher, buffer: bytearray):
        self.publisher, self._buffer, self._library = publisher, buffer, library()
        self._handle = publisher.handle
        self._handle.__enter__()
        self._call: Callable[[], int] | None = None
        if self._library:
            memory = (ctypes.c_uint8 * len(buffer)).from_buffer(buffer)
            self._octets = _Octets(
                ctypes.addressof(memory), len(buffer), len(buffer), _Allocator()
            )
            self._memory = memory
            publisher, octets = self._handle.pointer, ctypes.addressof(self._octets)
            self._call = functools.partial(self._library.publish, publisher, octets, None)
            self._last_call = functools.partial(
                self._library.rmw_publish, self._library.rmw_handle(publisher), octets, None
            )

    def publish(self):
        """Publish the buffer; raise the same exceptions as rclpy.

        If rcl refuses after a shutdown of the context, the middleware is called directly. So the
        last safe command is still published.
        """
        if self._call is not None:
            if self._call() == OK:
                return
            self._library.forget_error()
            if self._last_call() == OK:
                return
            self._library.forget_error()
        self.publisher.publish(bytes(self._buffer))

    def close(self):
        """Release the publisher, which may then be destroyed."""
        self._call = self._last_call = None
        self._handle.__exit__(None, None, None)
