# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The emergency stop, which waits for nothing that the controller's executor does."""

import contextlib
from threading import Thread
from typing import Callable

import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from std_msgs.msg import Bool
from std_srvs.srv import Trigger


class EmergencyStop:
    """`~/stop` and `~/emergency_stop`, served by a node, an executor and a thread of their own.

    Both keep the names that the controller has, with its remappings. A message that says false
    does nothing: what ends a stop is `~/reset`.

    Args:
      node: the controller.
      stop: called from the thread; '' or the sentence that says why nothing was stopped.

    """

    def __init__(self, node, stop: Callable[[], str]):
        self._stop = stop
        self._node = rclpy.create_node(
            f'_{node.get_name()}_stop',  # hidden from `ros2 node list`
            context=node.context,
            namespace=node.get_namespace(),
            use_global_arguments=False,
            enable_rosout=False,
            start_parameter_services=False,
        )
        self._node.create_service(Trigger, node.resolve_service_name('~/stop'), self._serve)
        topic = node.resolve_topic_name('~/emergency_stop')
        self._node.create_subscription(Bool, topic, self._hear, 1)
        self._executor = SingleThreadedExecutor(context=node.context)
        self._executor.add_node(self._node)
        self._closing = False
        self._end = self._node.create_guard_condition(lambda: None)
        self._thread = Thread(target=self._run, name='robodyn_stop', daemon=True)
        self._thread.start()

    def close(self):
        """End the thread; nothing listens any more."""
        self._closing = True
        self._end.trigger()  # a shutdown under a spinning executor is lost now and then
        self._thread.join()
        self._executor.shutdown()
        self._node.destroy_node()

    def _run(self):
        # Whatever a caller does wrong, the next one is served.
        while self._executor.context.ok() and not self._closing:
            with contextlib.suppress(Exception, ExternalShutdownException):
                self._executor.spin_once()

    def _serve(self, _, response):
        response.message = self._stop()
        response.success = not response.message
        return response

    def _hear(self, message: Bool):
        if message.data:
            self._stop()
