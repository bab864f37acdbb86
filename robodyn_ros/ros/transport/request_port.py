# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Take requests and send responses by the functions of rcl, with the GIL released."""

import contextlib
import ctypes
import functools
import os
from typing import Any, Callable, Iterator, cast

import numpy as np

from robodyn_ros.middleware.error_output import limited_lines
from robodyn_ros.ros.transport.rcl_ffi import (
    FIRST_SIZE,
    OK,
    _Library,
    declare,
    library,
    rmw_library,
)

POINTER = ctypes.c_void_p
COMPLAINT = b'failed to create array'  # printed by the type support about invalid lengths


class _RequestId(ctypes.Structure):
    """rmw_request_id_t."""

    _fields_ = [('writer', ctypes.c_uint8 * 16), ('sequence_number', ctypes.c_int64)]


class MessageStructure:
    """Functions that create, fill and destroy the C structure of a message class.

    `kind` (type): message class; rclpy keeps the functions of its type support in capsules.
    `support`: address of the type support.
    `create`, `destroy`, `fill` (ctypes function): functions on the address of a structure.
    """

    def __init__(self, kind):
        support = type(kind)
        support.__import_type_support__()
        self.support = _address(support._TYPE_SUPPORT)
        self.create = ctypes.CFUNCTYPE(POINTER)(_address(support._CREATE_ROS_MESSAGE))
        self.destroy = ctypes.CFUNCTYPE(None, POINTER)(_address(support._DESTROY_ROS_MESSAGE))
        self.fill = ctypes.PYFUNCTYPE(ctypes.c_bool, ctypes.py_object, POINTER)(
            _address(support._CONVERT_FROM_PY)
        )


def _address(capsule) -> int:
    """Return the address in a capsule."""
    api = ctypes.pythonapi
    name = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(('PyCapsule_GetName', api))
    pointer = ctypes.PYFUNCTYPE(POINTER, ctypes.py_object, ctypes.c_char_p)(
        ('PyCapsule_GetPointer', api)
    )
    return pointer(capsule, name(capsule))


@functools.cache
def request_functions(name: str, take: str, send: str):
    """Return two functions of a library and `rmw_serialize`.

    `name`: name of the library, which rclpy has loaded.
    `take`: its function that takes a request; its arguments are server, identity and request.
    `send`: its function that sends a response; its arguments are server, identity and response.
    """
    try:
        found = ctypes.CDLL(name, os.RTLD_NOW | os.RTLD_NOLOAD)
        raw = getattr(found, take), getattr(found, send), rmw_library(ctypes.CDLL).rmw_serialize
    except (OSError, AttributeError):
        return None
    if library() is None:
        return None
    return tuple(declare(function, ctypes.c_int, *[POINTER] * 3) for function in raw)


def service_functions():
    """Return the `request_functions` of a service, or None."""
    return request_functions('librcl.so', 'rcl_take_request', 'rcl_send_response')


def goal_functions():
    """Return the `request_functions` of goals of an action, or None."""
    return request_functions(
        'librcl_action.so', 'rcl_action_take_goal_request', 'rcl_action_send_goal_response'
    )


class RequestPort:
    """Requests and responses of one server.

    `kind` (type): type of the service.
    `handle` (rclpy handle): handle of the server.
    `calls` (tuple of callable): result of `service_functions` or `goal_functions`.
    """

    def __init__(self, kind, handle, calls: tuple[Callable, ...]):
        self._handle = handle
        self._library = cast(_Library, library())  # without it there are no calls
        self._take, self._send, self._serialise = calls
        self._request, self._response = (
            MessageStructure(kind.Request),
            MessageStructure(kind.Response),
        )

    @contextlib.contextmanager
    def request(self) -> Iterator[tuple[_RequestId, int] | None]:
        """Take the oldest request, as a context manager that releases it at the end.

        Yields client and address of the request; None if there is no readable one.
        """
        client, request = _RequestId(), self._request.create()
        try:
            yield (client, request) if self._taken(client, request) else None
        finally:
            self._request.destroy(request)

    def _taken(self, client, request) -> bool:
        with self._handle, limited_lines(COMPLAINT):
            status = self._take(self._handle.pointer, ctypes.addressof(client), request)
        if status != OK:
            self._library.forget_error()
        return status == OK

    @contextlib.contextmanager
    def filled(self, message: Any) -> Iterator[int]:
        """Convert a request to its C structure, which exists until the context ends.

        `message`: the request.
        Yields address of the structure.
        Raises TypeError: if the message cannot be converted.
        """
        made = self._request.create()
        try:
            if not self._request.fill(message, made):
                raise TypeError(f'{type(message).__name__} could not be converted')
            yield made
        finally:
            self._request.destroy(made)

    def serialised(self, request: int, most: int) -> np.ndarray | int | None:
        """Serialise a request.

        `request`: address of its C structure.
        `most`: largest size accepted [bytes].
        Returns the request in CDR, or its size if that is too large; None after an error.
        """
        octets = self._library.octets(FIRST_SIZE)
        try:
            status = self._serialise(request, self._request.support, ctypes.addressof(octets))
            if status != OK:
                self._library.forget_error()
                return None
            if octets.length > most:
                return octets.length
            copy = np.empty(octets.length, np.uint8)
            ctypes.memmove(copy.ctypes.data, octets.buffer, octets.length)  # without the GIL
            return copy
        finally:
            self._library.free(ctypes.addressof(octets))

    def respond(self, client: _RequestId, response: Any):
        """Send a response; it is dropped if the client is gone.

        `client`: the client and its request.
        Raises TypeError: if the response cannot be converted.
        """
        made = self._response.create()
        try:
            if not self._response.fill(response, made):
                raise TypeError(f'{type(response).__name__} could not be converted')
            with self._handle:
                status = self._send(self._handle.pointer, ctypes.addressof(client), made)
            if status != OK:
                self._library.forget_error()
        finally:
            self._response.destroy(made)
