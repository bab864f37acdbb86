# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Services that check the size of a request before they decode it."""

import ctypes
import functools
import os
from typing import Any, Callable

from rclpy.qos import QoSProfile, qos_profile_services_default
from rclpy.serialization import deserialize_message
from rclpy.waitable import NumberOfEntities, Waitable

from robodyn_ros.ros.transport.bounded_subscription import SMALL
from robodyn_ros.ros.transport.polled_group import PolledGroup
from robodyn_ros.ros.transport.rcl_ffi import FIRST_SIZE, OK, declare, library, rmw_library

_POINTER = ctypes.c_void_p
WAITING = 4  # requests that are answered in one batch
MOST_TAKEN = 100  # requests that are taken in one batch, including refused ones


class _RequestId(ctypes.Structure):
    """rmw_request_id_t."""

    _fields_ = [('writer', ctypes.c_uint8 * 16), ('sequence_number', ctypes.c_int64)]


class _CType:
    """The C structure of a message class, as rclpy describes it.

    Args:
      kind: message class; rclpy keeps the functions of its type support in capsules.

    """

    def __init__(self, kind):
        support = type(kind)
        support.__import_type_support__()
        self.support = _address(support._TYPE_SUPPORT)
        self.create = ctypes.CFUNCTYPE(_POINTER)(_address(support._CREATE_ROS_MESSAGE))
        self.destroy = ctypes.CFUNCTYPE(None, _POINTER)(_address(support._DESTROY_ROS_MESSAGE))
        self.fill = ctypes.PYFUNCTYPE(ctypes.c_bool, ctypes.py_object, _POINTER)(
            _address(support._CONVERT_FROM_PY)
        )


def _address(capsule) -> int:
    api = ctypes.pythonapi
    name = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(('PyCapsule_GetName', api))
    pointer = ctypes.PYFUNCTYPE(_POINTER, ctypes.py_object, ctypes.c_char_p)(
        ('PyCapsule_GetPointer', api)
    )
    return pointer(capsule, name(capsule))


@functools.cache
def _middleware():
    """Return functions that take, serialise and answer with the GIL released.

    None without them.
    """
    try:
        rcl = ctypes.CDLL('librcl.so', os.RTLD_NOW | os.RTLD_NOLOAD)
        rmw = rmw_library(ctypes.CDLL)
        found = rcl.rcl_take_request, rmw.rmw_serialize, rcl.rcl_send_response
    except (OSError, AttributeError):
        return None
    return tuple(declare(function, ctypes.c_int, *[_POINTER] * 3) for function in found)


class BoundedService(Waitable):
    """A service that refuses an oversized request without decoding it.

    Args:
      node: the node that serves.
      kind: service type.
      name: of the service.
      answer: called by the executor with request and response; returns the response.
      refuse: called instead with a response and a sentence, for a request that is too large.
      most: octets of the largest request, serialised.
      qos: quality of service.
      waiting: number of waiting requests to answer; further ones are refused as BUSY.

    """

    def __init__(
        self,
        node,
        kind,
        name: str,
        answer: Callable[[Any, Any], Any],
        refuse: Callable[[Any, str], None],
        most: int = SMALL,
        qos: QoSProfile = qos_profile_services_default,
        waiting: int = WAITING,
    ):
        super().__init__(node.default_callback_group)
        self._kind, self._answer, self._refuse, self._most = kind, answer, refuse, most
        self._index, self._waiting = None, waiting
        self._library, functions = library(), _middleware()
        # The events executor ignores this class: with it rclpy takes and answers.
        own = (
            self._library is not None
            and functions is not None
            and node.parameters['executor'] != 'events'
        )
        self._service = node.create_service(
            kind, name, answer, qos_profile=qos, callback_group=PolledGroup() if own else None
        )
        if own:
            self._take, self._serialise, self._send = functions
            self._request, self._response = _CType(kind.Request), _CType(kind.Response)
            node.add_waitable(self)

    def __enter__(self):
        self._service.handle.__enter__()

    def __exit__(self, *error):
        self._service.handle.__exit__(*error)

    def get_num_entities(self):
        """Return the counts of entities: one service."""
        return NumberOfEntities(num_services=1)

    def add_to_wait_set(self, wait_set):
        """Make the executor wait for a request."""
        self._index = wait_set.add_service(self._service.handle)

    def is_ready(self, wait_set):
        """Return whether a request waits."""
        return self._index is not None and wait_set.is_ready('service', self._index)

    def take_data(self):
        """Take all waiting requests."""
        taken = []
        while len(taken) < MOST_TAKEN and (one := self._take_one()) is not None:
            taken.append(one)
        return taken

    def _take_one(self):
        """Return the client and the octets of a request, or their number if there are too many."""
        who, request = _RequestId(), self._request.create()
        octets = self._library.octets(FIRST_SIZE)
        try:
            with self._service.handle:
                status = self._take(self._service.handle.pointer, ctypes.addressof(who), request)
            status = status or self._serialise(
                request, self._request.support, ctypes.addressof(octets)
            )
            if status != OK:
                self._library.forget_error()
                return None
            if octets.length > self._most:
                return who, octets.length
            return who, ctypes.string_at(octets.buffer, octets.length)
        finally:
            self._library.free(ctypes.addressof(octets))
            self._request.destroy(request)

    async def execute(self, taken):
        """Answer the first requests; refuse the others, and those that are too large."""
        failure = None
        for place, (who, data) in enumerate(taken):
            try:
                self._execute_one(who, data, place)
            except Exception as error:  # the other requests are still answered
                failure = error
        if failure is not None:
            raise failure

    def _execute_one(self, who, data, place):
        response = self._kind.Response()
        if place >= self._waiting:
            self._refuse(response, f'BUSY: {place} requests came before this one.')
        elif isinstance(data, int):
            self._refuse(
                response, f'The request has {data} bytes; at most {self._most} are accepted.'
            )
        else:
            response = self._answer(deserialize_message(data, self._kind.Request), response)
        self._respond(who, response)

    def _respond(self, who, response):
        made = self._response.create()
        try:
            if not self._response.fill(response, made):
                raise TypeError(f'{type(response).__name__} could not be converted')
            with self._service.handle:
                status = self._send(self._service.handle.pointer, ctypes.addressof(who), made)
            if status != OK:  # the client is gone
                self._library.forget_error()
        finally:
            self._response.destroy(made)
