# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Services that check the size of a request before Python decodes it."""

from typing import Any, Callable

from rclpy.qos import QoSProfile, qos_profile_services_default
from rclpy.serialization import deserialize_message
from rclpy.waitable import NumberOfEntities, Waitable

from robodyn_ros.ros.transport.bounded_subscription import SMALL
from robodyn_ros.ros.transport.polled_group import PolledGroup
from robodyn_ros.ros.transport.request_port import RequestPort, service_functions

WAITING = 4  # requests answered in one batch; the others are refused
MOST_TAKEN = 100  # requests taken in one batch, including refused ones


class BoundedService(Waitable):
    """A service that makes no Python objects of an oversized request.

    The middleware decodes each request in C, and without the GIL, before its size is known.

    `node` (ManagedNode): the node that serves.
    `kind` (type): service type.
    `name`: name of the service.
    `answer` (callable): called by the executor with request and response; returns the response.
    `refuse` (callable or None): called instead for a request that is too large, with a response
      and a sentence. None sets the response's `message`.
    `most`: size of the largest request accepted [bytes].
    `qos` (QoSProfile): quality of service.
    `waiting`: number of waiting requests to answer; further ones are refused as BUSY.
    """

    def __init__(
        self,
        node,
        kind,
        name: str,
        answer: Callable[[Any, Any], Any],
        refuse: Callable[[Any, str], None] | None = None,
        most: int = SMALL,
        qos: QoSProfile = qos_profile_services_default,
        waiting: int = WAITING,
    ):
        super().__init__(node.default_callback_group)
        self._kind, self._answer, self._most = kind, answer, most
        self._refuse = refuse or _set_message
        self._index, self._waiting = None, waiting
        calls = service_functions()
        own = calls is not None
        self._service = node.create_service(
            kind, name, answer, qos_profile=qos, callback_group=PolledGroup() if own else None
        )
        if own:
            self._port = RequestPort(kind, self._service.handle, calls)
            node.add_waitable(self)

    def __enter__(self):
        self._service.handle.__enter__()

    def __exit__(self, *error):
        self._service.handle.__exit__(*error)

    def get_num_entities(self):
        """Return what the executor waits for: one service."""
        return NumberOfEntities(num_services=1)

    def add_to_wait_set(self, wait_set):
        """Make the executor wait for a request."""
        self._index = wait_set.add_service(self._service.handle)

    def is_ready(self, wait_set):
        """Return whether a request waits."""
        return self._index is not None and wait_set.is_ready('service', self._index)

    def take_data(self):
        """Take all waiting requests, at most MOST_TAKEN.

        Returns client and serialised request, or its size [bytes] if it is too large.
        """
        taken = []
        while len(taken) < MOST_TAKEN and (one := self._take_one()) is not None:
            taken.append(one)
        return taken

    def _take_one(self):
        """Return client and bytes of a request, or its size if it is too large."""
        with self._port.request() as taken:
            if taken is None:
                return None
            client, request = taken
            data = self._port.serialised(request, self._most)
            return None if data is None else (client, data)

    async def execute(self, taken):
        """Answer the first requests; refuse the others, and those that are too large.

        `taken` (list of tuple): requests from `take_data`.
        """
        failure = None
        for position, (client, data) in enumerate(taken):
            try:
                self._execute_one(client, data, position)
            except Exception as error:  # the other requests are still answered
                failure = error
        if failure is not None:
            raise failure

    def _execute_one(self, client, data, position):
        response = self._kind.Response()
        if position >= self._waiting:
            self._refuse(response, f'BUSY: {position} requests came before this one.')
        elif isinstance(data, int):
            self._refuse(
                response, f'The request has {data} bytes; at most {self._most} are accepted.'
            )
        else:
            request = deserialize_message(data.tobytes(), self._kind.Request)
            response = self._answer(request, response)
        self._port.respond(client, response)


def _set_message(response, sentence: str):
    response.message = sentence
