# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What joint_state_broadcaster does: repeat the last state of a robot with fresh stamps."""

import threading

from sensor_msgs.msg import JointState

PERIOD = 0.005  # [s]


class Repeater:
    """Publishes the last joint state of one topic on another one, at a rate of its own."""

    def __init__(self, graph, source, topic):
        self._node, self._states = graph.node, graph.collect(JointState, source)
        self._publisher = self._node.create_publisher(JointState, topic, 1)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        while not self._stopping.wait(PERIOD):
            last = self._states.last
            if last is not None:
                again = JointState(name=last.name, position=last.position, velocity=last.velocity)
                again.header.stamp = self._node.get_clock().now().to_msg()
                self._publisher.publish(again)

    def close(self):
        """End the repetitions."""
        self._stopping.set()
        self._thread.join()
        self._node.destroy_publisher(self._publisher)
