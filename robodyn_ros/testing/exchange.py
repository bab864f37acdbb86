# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Messages between the nodes of one test, delivered in the order of their publication.

The middleware delivers at its own time, and may lose messages of best effort. Here it only finds
out who listens to whom. Other processes, and the test itself, receive its messages as ever.
"""

import bisect
import contextlib
import functools
import inspect
import math
import time
from collections import Counter
from typing import Any, Callable, Iterator, NamedTuple

from rclpy.action import ActionClient, ActionServer, get_action_server_names_and_types_by_node
from rclpy.client import Client
from rclpy.publisher import Publisher
from rclpy.qos import DurabilityPolicy, QoSCompatibility, qos_check_compatible
from rclpy.serialization import deserialize_message, serialize_message

from robodyn_ros.ros.transport.bounded_subscription import BoundedSubscription
from robodyn_ros.ros.transport.polled_group import PolledGroup
from robodyn_ros.testing.participant import SOON, wait_until

ROUNDING = 1000  # [ns] error of the source timestamps of the middleware
ACTION_CALLS = 'send_goal_async', '_cancel_goal_async'  # of an ActionClient
MOST_TIMES = 10_000  # kept times of publication of a subscription


class Reader:
    """A subscription of a node under test.

    Parameters
    ----------
    subscription : rclpy Subscription
        The subscription; the middleware then calls its callback for other messages only.
    enqueue : callable
        Takes this reader and a serialised message, and has them delivered by the node's thread.
    """

    def __init__(self, subscription, enqueue: Callable[['Reader', bytes], None]):
        self.subscription, self.enqueue = subscription, enqueue
        self._callback = subscription.callback
        self._wants_info = not _takes_one(self._callback)
        self._copies: list[list] = []  # begin and end [ns] of each publication by the middleware
        self.is_coroutine = inspect.iscoroutinefunction(self._callback)
        subscription.callback = self._take_later if self.is_coroutine else self._take

    def run_callback(self, data: bytes) -> Any:
        """Call the callback with a message; return its result.

        Parameters
        ----------
        data : bytes
            The serialised message.
        """
        message = data
        if not self.subscription.raw:
            message = deserialize_message(data, self.subscription.msg_type)
        now = time.time_ns()
        return self._call(message, {'source_timestamp': now, 'received_timestamp': now})

    def expect_copy(self, times: list):
        """Ignore what the middleware brings of a publication.

        Parameters
        ----------
        times : list of float
            Begin and end of the publication [ns].
        """
        bisect.insort(self._copies, times)
        del self._copies[:-MOST_TIMES]

    def _call(self, message, info):
        return self._callback(message, info) if self._wants_info else self._callback(message)

    def _is_copy(self, info) -> bool:
        """Return whether a message of the middleware has been delivered already."""
        sent = info['source_timestamp']
        k = bisect.bisect_right(self._copies, [sent, math.inf]) - 1
        return k >= 0 and sent <= self._copies[k][1]

    def _take(self, message, info):
        if not self._is_copy(info):
            self._call(message, info)

    async def _take_later(self, message, info):
        if not self._is_copy(info):
            await self._call(message, info)


class Input:
    """A subscription of the controller or the test, which the calling thread serves.

    Parameters
    ----------
    subscription : rclpy Subscription
        The subscription.
    """

    def __init__(self, subscription):
        self.subscription = subscription

    def deliver(self, data: bytes):
        """Call the callback with a message.

        Parameters
        ----------
        data : bytes
            The serialised message.
        """
        self.subscription.callback(deserialize_message(data, self.subscription.msg_type))


class Route(NamedTuple):
    """Where the messages of a publisher go within the test.

    Parameters
    ----------
    readers : list of Reader
        Subscriptions of nodes under test.
    inputs : list of BoundedSubscription or Input
        Subscriptions of simulator, controller and test.
    """

    readers: list[Reader]
    inputs: list


class Exchange:
    """Deliver messages between simulator, controller and nodes under test.

    What a node under test publishes has reached the controller when `publish` returns. What is
    published for a node under test waits for the thread of that node.

    Attributes
    ----------
    pending : list of Future
        Requests of nodes under test to services of any of these nodes.
    """

    def __init__(self):
        self._owners: dict[Any, Any] = {}  # publisher: its node
        self._hosted: list = []  # simulator, controller, their helper nodes, node of the test
        self._spun: list = []  # nodes under test
        self._readers: dict[Any, Reader] = {}  # of the subscriptions of nodes under test
        self._routes: dict[Any, Route] = {}  # of the publishers
        self._latched: dict[Any, tuple[bytes, list]] = {}  # last message and times, by publisher
        self._found: set = set()  # publishers that were connected once; later losses are ignored
        self._newcomer = None  # whose `enqueue` alone receives messages
        self.pending: list = []

    def join(self, node, enqueue: Callable[[Reader, bytes], None] | None = None):
        """Deliver for a node from now on.

        Parameters
        ----------
        node : rclpy Node
            The node; no thread runs it yet.
        enqueue : callable, optional
            As of Reader, for a node under test.
        """
        _call_after(node, 'create_publisher', functools.partial(self._lead, node))
        for name in ('create_subscription', 'destroy_publisher', 'destroy_subscription'):
            _call_after(node, name, lambda _: self._routes.clear())
        for publisher in node.publishers:
            self._lead(node, publisher)
        if enqueue is None:
            self._hosted += [node, *getattr(node, 'helper_nodes', ())]
        else:
            self._spun.append(node)
            _call_after(node, 'create_subscription', functools.partial(self._read, enqueue))
            _call_after(node, 'create_client', functools.partial(self._watch, node))
            add = node.add_waitable

            def add_waitable(each):
                add(each)
                self._watch(node, each)

            node.add_waitable = add_waitable
            for subscription in node.subscriptions:
                self._read(enqueue, subscription)
            for client in (*node.clients, *node.waitables):
                self._watch(node, client)
        self._routes.clear()

    def leave(self, node):
        """Deliver nothing more to a node under test.

        Parameters
        ----------
        node : rclpy Node
            The node.
        """
        self._spun.remove(node)
        self._routes.clear()

    # Discovery.

    def await_discovery(self, node):
        """Wait until the middleware has connected a node under test with the others.

        Parameters
        ----------
        node : rclpy Node
            The node.

        Raises
        ------
        AssertionError
            If it takes too long, with the topics and services that are missing.
        """
        missing: list[str] = []

        def found():
            missing[:] = self._unconnected(node)
            return not missing

        try:
            wait_until(found, 'discovery', SOON)
            self._found.update(node.publishers)
        except AssertionError:
            raise AssertionError(
                f"The node '{node.get_name()}' and the simulated robot have not found each other "
                f'within {SOON:g} s, by {", ".join(missing)}.'
            ) from None

    def _unconnected(self, node) -> list[str]:
        """Return the topics and services of a node that the middleware has not connected."""
        pairs = [
            (publisher, receiver.subscription)
            for each in (*self._spun, *self._hosted)
            for publisher in each.publishers
            for route in [self._route(publisher)]
            for receiver in (*route.readers, *route.inputs)
        ]
        listeners = Counter(publisher for publisher, _ in pairs)
        sources = Counter(subscription for _, subscription in pairs)
        own = {*node.publishers, *node.subscriptions}
        topics = {
            f"the topic '{publisher.topic_name}'"
            for publisher, subscription in pairs
            if publisher in own or subscription in own
            if _count_matched(publisher) < listeners[publisher]
            or subscription.get_publisher_count() < sources[subscription]
        }
        actions = [each for each in node.waitables if isinstance(each, ActionClient)]
        services = {
            f"the {'action' if client in actions else 'service'} '{_name(client)}'"
            for client in (*node.clients, *actions)
            if self._is_served(node, client) and not _is_ready(client)
        }
        return sorted(topics | services)

    # Messages.

    def _route(self, publisher) -> Route:
        route = self._routes.get(publisher)
        if route is None:
            readers = [
                self._readers[subscription]
                for node in self._spun
                for subscription in node.subscriptions
                if _connects(publisher, subscription)
            ]
            under_test = self._owners.get(publisher) in self._spun
            inputs = [each for each in self._inputs() if _connects(publisher, each.subscription)]
            route = self._routes[publisher] = Route(readers, inputs if under_test else [])
        return route

    def _inputs(self) -> Iterator:
        """Yield the subscriptions of simulator and controller that take messages at any time."""
        for node in self._hosted:
            yield from (each for each in node.waitables if isinstance(each, BoundedSubscription))
            for subscription in node.subscriptions:
                if not isinstance(subscription.callback_group, PolledGroup):
                    yield Input(subscription)

    def _lead(self, node, publisher):
        self._owners[publisher] = node
        publisher.exchange = self

    def receivers(self, publisher) -> int:
        """Return the number of subscriptions to which messages of a publisher are handed over.

        Parameters
        ----------
        publisher : rclpy Publisher
            Publisher of one of these nodes.
        """
        route = self._route(publisher)
        return len(route.readers) + len(route.inputs)

    def publish(self, publisher, message):
        """Publish a message.

        Parameters
        ----------
        publisher : rclpy Publisher
            Publisher of one of these nodes.
        message : ROS message or bytes
            The message.
        """
        route, known = self._route(publisher), self.receivers(publisher)
        is_latched = publisher.qos_profile.durability == DurabilityPolicy.TRANSIENT_LOCAL
        if not (known or is_latched) or not isinstance(message, (bytes, publisher.msg_type)):
            _send(publisher, message)  # which refuses another type
            return
        if route.inputs and publisher not in self._found:  # it may have been made in a callback
            self.await_discovery(self._owners[publisher])
        data = message if isinstance(message, bytes) else serialize_message(message)
        if self._newcomer is None:
            if is_latched or _count_matched(publisher) > known:
                self._send_copies(publisher, route, message, data if is_latched else None)
            else:
                for each in route.inputs:
                    each.deliver(data)
        for reader in route.readers:
            if self._newcomer in (None, reader.enqueue):
                reader.enqueue(reader, data)

    def _send_copies(self, publisher, route: Route, message, latched: bytes | None):
        """Publish by the middleware, too; it alone delivers to the inputs then."""
        times = [time.time_ns() - ROUNDING, math.inf]
        if latched is not None:
            self._latched[publisher] = latched, times
        for reader in route.readers:
            reader.expect_copy(times)
        bounded = [each for each in route.inputs if isinstance(each, BoundedSubscription)]
        before = [each.delivered for each in bounded]
        _send(publisher, message)
        times[1] = time.time_ns() + ROUNDING
        for each, count in zip(bounded, before):
            wait_until(
                functools.partial(_has_delivered, each, count),
                f'a message on {each.topic} to arrive',
            )

    @contextlib.contextmanager
    def newcomer(self, enqueue: Callable[[Reader, bytes], None]) -> Iterator[None]:
        """Deliver to one node alone meanwhile, after the last messages of latched topics.

        Parameters
        ----------
        enqueue : callable
            With which that node has joined.
        """
        for publisher, (data, times) in list(self._latched.items()):
            for reader in self._route(publisher).readers:
                durability = reader.subscription.qos_profile.durability
                if reader.enqueue == enqueue and durability == DurabilityPolicy.TRANSIENT_LOCAL:
                    reader.expect_copy(times)
                    enqueue(reader, data)
        self._newcomer = enqueue
        try:
            yield
        finally:
            self._newcomer = None

    def _read(self, enqueue, subscription):
        self._readers[subscription] = Reader(subscription, enqueue)
        self._routes.clear()

    # Requests.

    def _watch(self, node, client):
        """Note the requests of a client of a service or an action; not those for results."""
        is_action = isinstance(client, ActionClient)
        calls = ACTION_CALLS if is_action else ('call_async',) * isinstance(client, Client)
        for name in calls:
            setattr(
                client, name, functools.partial(self._noted, node, client, getattr(client, name))
            )

    def _noted(self, node, client, call, *arguments, **options):
        future = call(*arguments, **options)
        if self._is_served(node, client):
            self.pending.append(future)
        return future

    def _is_served(self, node, client) -> bool:
        name = node.resolve_service_name(_name(client))
        return any(
            name in (_actions_of(each) if isinstance(client, ActionClient) else _services_of(each))
            for each in (*self._hosted, *self._spun)
        )


def _services_of(node) -> list[str]:
    """Return the names of the services of a node."""
    return [node.resolve_service_name(service.srv_name) for service in node.services]


def _actions_of(node) -> list[str]:
    """Return the names of the actions of a node, which their servers do not tell."""
    if not any(isinstance(each, ActionServer) for each in node.waitables):
        return []
    place = node.get_name(), node.get_namespace()
    return [name for name, _ in get_action_server_names_and_types_by_node(node, *place)]


def _name(client) -> str:
    """Return the name of the service or the action of a client."""
    return client._action_name if isinstance(client, ActionClient) else client.srv_name


def _is_ready(client) -> bool:
    """Return whether the server of a client has been found."""
    is_action = isinstance(client, ActionClient)
    return client.server_is_ready() if is_action else client.service_is_ready()


def _has_delivered(subscription, count: int) -> bool:
    """Return whether a subscription has delivered more messages than a count."""
    return subscription.delivered > count


def _takes_one(callback) -> bool:
    """Return whether a callback can be called with a message alone, as rclpy decides it."""
    try:
        inspect.signature(callback).bind(object())
    except TypeError:
        return False
    return True


_send, _count_matched = Publisher.publish, Publisher.get_subscription_count


@functools.wraps(_send)
def _publish(publisher, message):
    """Publish a message, by the exchange of the publisher if it has one."""
    exchange = getattr(publisher, 'exchange', None)
    if exchange is None:
        _send(publisher, message)
    else:
        exchange.publish(publisher, message)


@functools.wraps(_count_matched)
def _get_subscription_count(publisher):
    """Count the subscriptions, those of the exchange even while the middleware has lost them."""
    exchange = getattr(publisher, 'exchange', None)
    return max(_count_matched(publisher), exchange.receivers(publisher) if exchange else 0)


# In the class, since a node may have kept `publisher.publish` before it joins.
Publisher.publish = _publish  # type: ignore
Publisher.get_subscription_count = _get_subscription_count  # type: ignore


def _call_after(node, name: str, then: Callable[[Any], None]):
    """Make a method of a node call a function with its result."""
    make = getattr(node, name)

    def made(*arguments, **options):
        result = make(*arguments, **options)
        then(result)
        return result

    setattr(node, name, made)


def _connects(publisher, subscription) -> bool:
    """Return whether the middleware connects a publisher and a subscription."""
    return (
        publisher.topic_name == subscription.topic_name
        and publisher.msg_type is subscription.msg_type
        and qos_check_compatible(publisher.qos_profile, subscription.qos_profile)[0]
        != QoSCompatibility.ERROR
    )
