# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Nodes talk by UDP alone; a killed one leaves no port in shared memory behind."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')

from robodyn_ros.middleware.fast_dds import (  # noqa: E402
    LOCALHOST,
    MIDDLEWARE,
    PEERS,
    PROFILES,
    RANGE,
    TRANSPORTS,
    leave_shared_memory,
)
from support.patience import PATIENCE

OWN = (MIDDLEWARE, RANGE, TRANSPORTS, PROFILES, PEERS)
LISTENER = """
import re
import sys
from pathlib import Path

import rclpy
from std_msgs.msg import String
from robodyn_ros.middleware.fast_dds import leave_shared_memory

if sys.argv[1] == 'udp':
    leave_shared_memory()
rclpy.init()
node = rclpy.create_node('listener')
heard = []
node.create_subscription(String, 'words', heard.append, 10)
files = Path('/proc/self/maps').read_text()
print(len(re.findall('/dev/shm/fast(?:rtps|dds)_port', files)), flush=True)
while not heard:
    rclpy.spin_once(node)
print(heard[0].data, flush=True)
"""
SPEAKER = """
import rclpy
from std_msgs.msg import String

rclpy.init()
node = rclpy.create_node('speaker')
words = node.create_publisher(String, 'words', 10)
node.create_timer(0.05, lambda: words.publish(String(data='word')))
rclpy.spin(node)
"""


def plain_environment(**variables):
    return {name: value for name, value in os.environ.items() if name not in OWN} | variables


@pytest.mark.parametrize('discovery', ['LOCALHOST', 'SUBNET'])
@pytest.mark.parametrize('way, ports', [('udp', False), ('as it comes', True)])
def test_a_node_without_ports_in_shared_memory_hears_one_that_has_them(discovery, way, ports):
    """The speaker has the settings of its system; only the listener is ours."""
    environment = plain_environment(**{RANGE: discovery})
    speaker = subprocess.Popen([sys.executable, '-c', SPEAKER], env=environment)
    try:
        ran = subprocess.run(
            [sys.executable, '-c', LISTENER, way],
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=True,
        )
    finally:
        speaker.kill()
        speaker.wait()
    count, word = ran.stdout.split()
    assert (int(count) > 0) == ports and word == 'word'


def test_nothing_changes_where_the_user_chose():
    for chosen in (
        {MIDDLEWARE: 'rmw_cyclonedds_cpp'},
        {TRANSPORTS: 'SHM'},
        {PROFILES: 'own.xml'},
        {RANGE: 'LOCALHOST', PEERS: '192.168.0.2'},
    ):
        environment = dict(chosen)
        leave_shared_memory(environment)
        assert environment == chosen


def test_the_range_of_one_machine_becomes_a_profile():
    """In that range rmw_fastrtps adds shared memory whatever else is asked for."""
    environment = {RANGE: 'LOCALHOST', MIDDLEWARE: 'rmw_fastrtps_dynamic_cpp'}
    for _ in range(2):  # a child of this process finds its settings
        leave_shared_memory(environment)
        assert environment[TRANSPORTS] == 'UDPv4' and environment[RANGE] == 'SYSTEM_DEFAULT'
        assert environment[PROFILES] == str(LOCALHOST) and Path(LOCALHOST).exists()
    environment = {}
    leave_shared_memory(environment)
    assert environment == {TRANSPORTS: 'UDPv4'}


ENDED_IN_TIME = """
import time
from robodyn_ros.middleware.fast_dds import bounded_end

with bounded_end(0.1, 7):
    pass
time.sleep(0.3)
raise SystemExit(5)
"""


def test_an_end_in_time_leaves_no_timer():
    """The process lives on past the time that its end was given."""
    assert subprocess.run([sys.executable, '-c', ENDED_IN_TIME], timeout=PATIENCE).returncode == 5
