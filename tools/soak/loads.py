# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Loads of the controller, each sent by a process of its own."""

import multiprocessing
from typing import Callable, NamedTuple

import rclpy
from rcl_interfaces.srv import SetParametersAtomically
from rclpy.parameter import Parameter
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from trajectory_msgs.msg import JointTrajectory

from tools.soak.nodes import URDF
from tools.soak.watcher import NAME

_PROCESSES = multiprocessing.get_context('spawn')


class Kind(NamedTuple):
    """A kind of load: its sender, given a node and a serialised trajectory, and its rate [Hz]."""

    make: Callable
    rate: float = 10.0
    points: int = 1  # of the trajectory


def _nothing(_node, _trajectory):
    return lambda: None


def _trajectory(node, trajectory):
    publisher = node.create_publisher(JointTrajectory, f'{NAME}/joint_trajectory', 10)
    return lambda: publisher.publish(trajectory)


def _too_large(node, trajectory):
    return _trajectory(node, 5 * trajectory)


def _states(node, _trajectory):
    publisher = node.create_publisher(JointState, 'joint_states', 10)
    message = JointState(name=['x'] * 1000, position=[0.0] * 1000, velocity=[0.0] * 1000)
    return lambda: publisher.publish(message)


def _parameters(count):
    def make(node, _trajectory):
        client = node.create_client(SetParametersAtomically, f'{NAME}/set_parameters_atomically')
        setting = [Parameter('law', value='pd').to_parameter_msg()] * count
        request = SetParametersAtomically.Request(parameters=setting)

        def call():
            rclpy.spin_until_future_complete(node, client.call_async(request), timeout_sec=5.0)

        return call

    return make


def _descriptions(node, _trajectory):
    publisher = node.create_publisher(String, 'robot_description', 10)
    return lambda: publisher.publish(String(data=URDF.read_text() + ' '))


LOADS = {
    'nothing': Kind(_nothing),
    'largest trajectory, 10 Hz': Kind(_trajectory, points=40_000),
    '8 MB trajectory, 10 Hz': Kind(_too_large, points=40_000),
    'states of 1000 joints, 100 Hz': Kind(_states, 100.0),
    '900 parameters, 10 Hz': Kind(_parameters(900)),
    '20 000 parameters, 1 Hz': Kind(_parameters(20_000), 1.0),
    '100 000 parameters, 1 Hz': Kind(_parameters(100_000), 1.0),
    'descriptions, 10 Hz': Kind(_descriptions),
}


class Load:
    """One of LOADS, sent until it is closed."""

    def __init__(self, name, trajectory):
        self._over = _PROCESSES.Event()
        self._process = _PROCESSES.Process(
            target=send, args=(name, serialize_message(trajectory), self._over)
        )
        self._process.start()

    def close(self):
        """End the process."""
        self._over.set()
        self._process.join()


def send(name, trajectory, over):
    """Send the load until `over` is set."""
    rclpy.init()
    node = rclpy.create_node('load')
    load = LOADS[name].make(node, trajectory)
    while not over.wait(1.0 / LOADS[name].rate):
        load()
    node.destroy_node()
    rclpy.shutdown()
