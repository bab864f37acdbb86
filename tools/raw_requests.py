# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Requests of a service as arbitrary bytes, since rclpy sends only valid ones.

The bytes are published on the DDS topic of the requests, which has no name in rclpy.
"""

import ctypes

from rclpy.serialization import serialize_message

from robodyn_ros.ros.transport.rcl_ffi import OK, declare, library, rmw_library
from robodyn_ros.ros.transport.request_port import MessageStructure

_POINTER = ctypes.c_void_p


class _Quality(ctypes.Structure):
    """The structure rmw_qos_profile_t; every duration stays 0, which is "unspecified"."""

    _fields_ = [
        ('history', ctypes.c_int),
        ('depth', ctypes.c_size_t),
        ('reliability', ctypes.c_int),
        ('durability', ctypes.c_int),
        ('deadline', ctypes.c_uint64 * 2),
        ('lifespan', ctypes.c_uint64 * 2),
        ('liveliness', ctypes.c_int),
        ('lease', ctypes.c_uint64 * 2),
        ('raw_name', ctypes.c_bool),
    ]


class _Options(ctypes.Structure):
    """The structure rmw_publisher_options_t."""

    _fields_ = [('payload', _POINTER), ('unique', ctypes.c_int)]


class RawRequests:
    """Publishes bytes as requests of a service.

    Parameters
    ----------
    node : rclpy.node.Node
        The node that publishes.
    kind : type
        Type of the service.
    name : str
        Absolute name of the service.

    Raises
    ------
    OSError
        If the middleware creates no such publisher.
    """

    def __init__(self, node, kind, name):
        self.good = serialize_message(kind.Request())
        self._library, self._node = library(), node.handle
        rmw = rmw_library(ctypes.CDLL)
        rcl = ctypes.PyDLL('librcl.so')
        self._quality = _Quality(history=1, depth=10, reliability=1, durability=2, raw_name=True)
        self._options = _Options()
        handle = declare(rcl.rcl_node_get_rmw_handle, _POINTER, _POINTER)
        create = declare(
            rmw.rmw_create_publisher,
            _POINTER,
            _POINTER,
            _POINTER,
            ctypes.c_char_p,
            *[_POINTER] * 2,
        )
        self._destroy = declare(rmw.rmw_destroy_publisher, ctypes.c_int, *[_POINTER] * 2)
        self._count = declare(
            rmw.rmw_publisher_count_matched_subscriptions, ctypes.c_int, *[_POINTER] * 2
        )
        with self._node:
            self._place = handle(self._node.pointer)
            self._publisher = create(
                self._place,
                MessageStructure(kind.Request).support,
                f'rq{name}Request'.encode(),
                ctypes.addressof(self._quality),
                ctypes.addressof(self._options),
            )
        if not self._publisher:
            raise OSError(f'the middleware makes no publisher of requests to {name}')

    @property
    def heard(self):
        """Whether a service receives the requests."""
        count = ctypes.c_size_t()
        return self._count(self._publisher, ctypes.byref(count)) == OK and count.value > 0

    def publish(self, data):
        """Send bytes; return whether the middleware accepted them."""
        octets = self._library.octets(max(1, len(data)))
        ctypes.memmove(octets.buffer, data, len(data))
        octets.length = len(data)
        status = self._library.rmw_publish(self._publisher, ctypes.addressof(octets), None)
        self._library.free(ctypes.addressof(octets))
        return status == OK

    def close(self):
        """Destroy the publisher."""
        self._destroy(self._place, self._publisher)
