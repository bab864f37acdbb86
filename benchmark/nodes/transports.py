# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Shared memory of Fast DDS beside UDP: restarts of a killed listener, and round trips.

A listener marks in its port whether it waits or processes a message; in between it does neither.
It is killed at any time, or in that moment. For the latter, the state that such a kill leaves is
written into the segment. The layout of the segment is that of Fast DDS 2.14.
"""

import json
import mmap
import os
import re
import select
import statistics
import subprocess
import sys
import time
from pathlib import Path

from benchmark import table
from robodyn_ros.middleware.fast_dds import PROFILES, RANGE, TRANSPORTS, leave_shared_memory
from robodyn_ros.testing.domain import reserve_domain

WAYS = 'shared memory', 'UDP'
KILLS = 5  # of each kind and transport
DEADLINE = 20.0  # [s] for the successor to hear
PATIENCE = 60.0  # [s] for the first to hear
BLOCKS, TRIPS = 20, 100  # round trips, of both transports in turn
PERIOD = 1e-3  # [s] between messages, and between round trips
LISTENERS, LISTENER, IN_USE = 1024, 20, 1  # of a port: number, bytes of each, bit of a used one


def measure():
    """Return {transport: {kills: {kind: {heard, of, median_s}}, trip_us: {p50, p99}}}."""
    domain, lock = reserve_domain()
    environments = {}
    for way in WAYS:
        plain = {k: v for k, v in os.environ.items() if k not in (TRANSPORTS, PROFILES)}
        environments[way] = {**plain, 'ROS_DOMAIN_ID': str(domain), RANGE: 'LOCALHOST'}
    leave_shared_memory(environments['UDP'])
    result = {
        way: {
            'kills': {kind: _restarts(environments[way], kind) for kind in ('anywhere', 'between')}
        }
        for way in WAYS
    }
    for way, trips in _round_trips(environments).items():
        quantiles = statistics.quantiles(trips, n=100)
        result[way]['trip_us'] = {'p50': quantiles[49], 'p99': quantiles[98]}
    lock.close()
    return result


def show(result):
    """Print both transports as a table."""
    rows = []
    for way in WAYS:
        kills, trip = result[way]['kills'], result[way]['trip_us']
        cells = [
            f'{each["heard"]} of {each["of"]}, {each["median_s"]:.2f} s' for each in kills.values()
        ]
        rows.append((way, *cells, f'{trip["p50"]:.0f}', f'{trip["p99"]:.0f}'))
    table.show(
        f'Successors of a killed listener that hear within {DEADLINE:g} s, and round trips',
        ('transport', 'killed anywhere', 'killed between', 'trip p50 [us]', 'p99 [us]'),
        rows,
    )


def _restarts(environment, kind):
    """Kill and restart a listener; return how many successors hear, and after which time."""
    times = []
    for _ in range(KILLS):
        speaker = _start('speaker', environment)
        listener = _start('listener', environment)
        if _heard_after(listener, PATIENCE) is None:
            raise RuntimeError('the first listener heard nothing')
        ports = _ports(listener)
        listener.kill()
        listener.wait()
        if kind == 'between':
            for port in ports:
                _mark_between(port)
        listener = _start('listener', environment)
        times.append(_heard_after(listener, DEADLINE))
        for process in (listener, speaker):
            process.kill()
            process.wait()
    return {
        'heard': sum(each is not None for each in times),
        'of': KILLS,
        'median_s': statistics.median(DEADLINE if each is None else each for each in times),
    }


def _mark_between(port):
    """Mark the listener of a port as neither waiting nor processing."""
    with port.open('r+b') as file, mmap.mmap(file.fileno(), 0) as segment:
        first = segment.find(b'fastrtps\0') - LISTENERS * LISTENER
        segment[first] &= IN_USE


def _round_trips(environments):
    """Return {transport: times [us]}."""
    processes = {
        way: [_start(role, environments[way], way.split()[0]) for role in ('echo', 'caller')]
        for way in WAYS
    }
    times = {way: [] for way in WAYS}
    for _ in range(BLOCKS):
        for way in WAYS:
            caller = processes[way][1]
            caller.stdin.write(b'go\n')
            times[way] += json.loads(caller.stdout.readline())
    for pair in processes.values():
        for process in pair:
            process.kill()
            process.wait()
    return times


def _start(role, environment, topic='trips'):
    process = subprocess.Popen(
        [sys.executable, '-m', 'benchmark.nodes.transports', role, topic],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,  # buffering would hide early lines from select
    )
    process.stdout.readline()  # the process is ready
    return process


def _heard_after(process, deadline):
    begin = time.monotonic()
    ready, _, _ = select.select([process.stdout], [], [], deadline)
    return time.monotonic() - begin if ready else None


def _ports(process):
    """Return the segments from which a process reads; it locks a file beside each."""
    files = (os.readlink(each) for each in Path(f'/proc/{process.pid}/fd').iterdir())
    return [Path(name[: -len('_el')]) for name in files if re.search(r'fastrtps_port\d+_el', name)]


class Party:
    """A process with a node that publishes and receives joint states as bytes."""

    def __init__(self, role, hears, says):
        import rclpy
        from rclpy.executors import SingleThreadedExecutor
        from rclpy.serialization import serialize_message
        from sensor_msgs.msg import JointState

        rclpy.init()
        self.data = serialize_message(JointState(name=['joint'] * 7, position=[1.0] * 7))
        self.heard, self.hears, self.node = [], hears, rclpy.create_node(role)
        self.publisher = self.node.create_publisher(JointState, says, 1)
        self.node.create_subscription(JointState, hears, self.heard.append, 1, raw=True)
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self.node)

    def next_message(self):
        """Wait for a message; return its bytes."""
        while not self.heard:
            self._executor.spin_once()
        return self.heard.pop()


def _speak(party):
    while True:
        party.publisher.publish(party.data)
        time.sleep(PERIOD)


def _listen(party):
    party.next_message()
    print('heard', flush=True)
    while True:
        party.next_message()


def _echo(party):
    while True:
        party.publisher.publish(party.next_message())


def _call(party):
    while not (
        party.publisher.get_subscription_count() and party.node.count_publishers(party.hears)
    ):
        time.sleep(PERIOD)
    while sys.stdin.readline():
        times = []
        for _ in range(TRIPS):
            time.sleep(PERIOD)
            begin = time.perf_counter_ns()
            party.publisher.publish(party.data)
            party.next_message()
            times.append(1e-3 * (time.perf_counter_ns() - begin))
        print(json.dumps(times), flush=True)


#: Roles of a process: its function, and the endings of the topics that it hears and publishes.
ROLES = {
    'speaker': (_speak, 'back', 'there'),
    'listener': (_listen, 'there', 'back'),
    'echo': (_echo, 'there', 'back'),
    'caller': (_call, 'back', 'there'),
}


def _play(role, topic):
    play, hears, says = ROLES[role]
    party = Party(role, f'{topic}_{hears}', f'{topic}_{says}')
    print('up', flush=True)
    play(party)


if __name__ == '__main__':
    _play(*sys.argv[1:])
