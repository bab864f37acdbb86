# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The emergency stop, independent of the controller's executor."""

import contextlib
from threading import Thread
from typing import Callable

import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.parameter import Parameter
from std_msgs.msg import Bool
from std_srvs.srv import Trigger


class EmergencyStop:
    """Serve `~/stop` and `~/emergency_stop` on a separate DDS participant, executor and thread.

    The participant has its own sockets and threads. In the controller's participant a request
    would wait behind large messages. If they displaced it, the middleware would repeat it only
    seconds later.

    Both have the controller's names and remappings. A message with false does nothing: only
    `~/reset` ends a stop.

    `node` (Controller): the controller node.
    `stop` (callable): called from the thread; returns whether it stopped, and the answer.
    `node` (rclpy Node): the node of the thread.
    """

    def __init__(self, node, stop: Callable[[], tuple[bool, str]]):
        self._stop = stop
        self._context = _separate_participant(node)
        self.node = rclpy.create_node(
            f'_{node.get_name()}_stop',  # hidden from `ros2 node list`
            context=self._context,
            namespace=node.get_namespace(),
            use_global_arguments=False,
            enable_rosout=False,
            start_parameter_services=False,
            # This service would log every malformed hash that it receives.
            parameter_overrides=[Parameter('start_type_description_service', value=False)],
        )
        self.node.create_service(Trigger, node.resolve_service_name('~/stop'), self._serve)
        topic = node.resolve_topic_name('~/emergency_stop')
        self.node.create_subscription(Bool, topic, self._receive, 1)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self.node)
        self._closing = False
        self._end = self.node.create_guard_condition(lambda: None)
        self._thread = Thread(target=self._run, name='robodyn_stop', daemon=True)
        self._thread.start()
        node.context.on_shutdown(self._request_end)

    def close(self):
        """End the thread, and remove the participant."""
        self._request_end()
        self._thread.join()
        self._executor.shutdown()
        self.node.destroy_node()
        self._context.try_shutdown()
        self._context.destroy()  # at once, as in `destroy_node` of ManagedNode

    def _request_end(self):
        if not self._closing:
            self._closing = True
            self._end.trigger()

    def _run(self):
        # A faulty request must not keep the next one from being served.
        while self._context.ok() and not self._closing:
            with contextlib.suppress(Exception, ExternalShutdownException):
                self._executor.spin_once()

    def _serve(self, _, response):
        response.success, response.message = self._stop()
        return response

    def _receive(self, message: Bool):
        if message.data:
            self._stop()


def _separate_participant(node) -> rclpy.Context:
    """Return a new context in the domain and the security enclave of a node."""
    own = node.get_name(), node.get_namespace()
    enclaves = {
        tuple(name): enclave
        for *name, enclave in node.get_node_names_and_namespaces_with_enclaves()
    }
    context = rclpy.Context()
    context.init(
        ['--ros-args', '--enclave', enclaves.get(own, '/')],
        initialize_logging=False,
        domain_id=node.context.get_domain_id(),
    )
    return context
