# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Take a joint state and publish an effort after a sleep, as in a control cycle.

This is done in turn by functions of the middleware (ros/transport/rcl_ffi.py), as bytes by rclpy,
and as messages by rclpy.
"""

import os
import subprocess
import sys
import time
import tracemalloc
from array import array

import numpy as np
import rclpy
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from benchmark import table
from robodyn_ros.errors import RobodynError
from robodyn_ros.ros.common.joint_messages import EffortArray
from robodyn_ros.ros.controller.state_intake import STATE_QOS, PolledGroup
from robodyn_ros.ros.transport.rcl_ffi import BufferPublisher, BufferSubscription, library
from robodyn_ros.testing.domain import private_domain

JOINTS = tuple(f'joint{k}' for k in range(1, 8))
BLOCKS, CYCLES = 30, 100  # of each way in turn, so that its data are in the caches
PERIOD = 2e-3  # [s] of sleep before each cycle
PATIENCE = 20.0  # [s] for the peer to be found
COMMAND_QOS = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE)


def peer():
    """Publish joint states at 1 kHz and take efforts, in a process of its own, until killed."""
    rclpy.init()
    node = rclpy.create_node('benchmark_peer')
    states = node.create_publisher(JointState, 'joint_states', 1)
    efforts = node.create_subscription(Float64MultiArray, 'efforts', lambda _: None, 1)
    data = serialize_message(
        JointState(name=list(JOINTS), position=array('d', range(7)), velocity=array('d', range(7)))
    )
    while True:
        time.sleep(0.5 * PERIOD)
        states.publish(data)
        with efforts.handle:
            efforts.handle.take_message(Float64MultiArray, True)


def measure():
    """Return the times of both calls by each way [us], and the bytes of objects that each
    makes."""
    lock = private_domain()
    rclpy.init()
    node = rclpy.create_node('benchmark_wire')
    subscription = node.create_subscription(
        JointState,
        'joint_states',
        lambda _: None,
        STATE_QOS,
        raw=True,
        callback_group=PolledGroup(),
    )
    publisher = node.create_publisher(Float64MultiArray, 'efforts', COMMAND_QOS)
    other = subprocess.Popen([sys.executable, '-m', 'benchmark.nodes.wire'])
    writer = EffortArray(JOINTS)
    incoming, outgoing = (
        BufferSubscription(subscription),
        BufferPublisher(publisher, writer.message.buffer),
    )
    message = Float64MultiArray(data=array('d', range(7)))
    handle = subscription.handle
    ways = {
        'middleware': (incoming.take_message, outgoing.publish),
        'rclpy bytes': (
            lambda: handle.take_message(JointState, True),
            lambda: publisher.publish(bytes(writer.message.buffer)),
        ),
        'rclpy messages': (
            lambda: handle.take_message(JointState, False),
            lambda: publisher.publish(message),
        ),
    }
    try:
        deadline = time.monotonic() + PATIENCE
        while not publisher.get_subscription_count() or incoming.take_message() is None:
            if time.monotonic() > deadline:
                raise RobodynError(f'no peer was found within {PATIENCE:g} s')
            time.sleep(PERIOD)
        times, load = _times(ways), os.getloadavg()
        made = {way: [_bytes(call) for call in calls] for way, calls in ways.items()}
    finally:
        other.kill()
        other.wait()
        incoming.close()
        outgoing.close()
        node.destroy_node()
        rclpy.shutdown()
        if lock:
            lock.close()
    return {
        'direct': library() is not None,
        'load_average': load,
        'ways': {
            way: {
                f'{verb}_us': {
                    name: float(value)
                    for name, value in zip(('p50', 'p99'), np.percentile(found, (50, 99)))
                }
                | {'count': len(found), 'bytes': size}
                for verb, found, size in zip(('take', 'publish'), times[way], made[way])
            }
            for way in ways
        },
    }


def _times(ways):
    """Return {way: ([us] of taking a message, [us] of publishing)}."""
    times = {way: ([], []) for way in ways}
    for way, (take, publish) in [*ways.items()] * BLOCKS:
        taking, publishing = times[way]
        for _ in range(CYCLES):
            time.sleep(PERIOD)
            begin = time.perf_counter_ns()
            taken = take()
            middle = time.perf_counter_ns()
            publish()
            end = time.perf_counter_ns()
            if taken is not None:
                taking.append(1e-3 * (middle - begin))
            publishing.append(1e-3 * (end - middle))
    return times


def _bytes(call):
    """Return the largest number of bytes of Python objects during a call."""
    tracemalloc.start()
    try:
        for _ in range(2):  # the first call may fill caches
            time.sleep(5.0 * PERIOD)
            tracemalloc.reset_peak()
            before, _ = tracemalloc.get_traced_memory()
            kept = call()
            _, peak = tracemalloc.get_traced_memory()
            del kept
        return peak - before
    finally:
        tracemalloc.stop()


def show(result):
    """Print the table."""
    rows = [
        (f'{verb}, {way}', f'{found["p50"]:.1f}', f'{found["p99"]:.1f}', found['bytes'])
        for verb in ('take', 'publish')
        for way, found in ((way, row[f'{verb}_us']) for way, row in result['ways'].items())
    ]
    table.show(
        f'A joint state in, an effort out, seven joints, after a sleep of {1e3 * PERIOD:g} ms',
        ('', 'p50 [us]', 'p99 [us]', 'bytes made'),
        rows,
    )


if __name__ == '__main__':
    peer()
