# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Messages of one ROS domain do not reach another."""

import os
import subprocess
import sys
import time

import pytest

rclpy = pytest.importorskip('rclpy', reason='rclpy is not installed')

from std_msgs.msg import String  # noqa: E402

from robodyn_ros.middleware.fast_dds import LOCALHOST, PROFILES  # noqa: E402
from robodyn_ros.testing.domain import private_domain  # noqa: E402
from support.patience import PATIENCE  # noqa: E402

NODE = """
import rclpy
rclpy.init()
node = rclpy.create_node('node')
node.destroy_node()
rclpy.shutdown()
"""


def test_row_64_no_message_crosses_domains():
    """The last of a hundred messages arrives at home, and none of them elsewhere."""
    home = int(os.environ['ROS_DOMAIN_ID'])
    domains = home, home, home + 101  # no test reserves a domain beyond 100
    contexts = [rclpy.Context() for _ in domains]
    for context, domain in zip(contexts, domains):
        rclpy.init(context=context, domain_id=domain)
    nodes = [rclpy.create_node(f'node_{k}', context=each) for k, each in enumerate(contexts)]
    publisher = nodes[0].create_publisher(String, 'efforts', 100)
    near, far = (node.create_subscription(String, 'efforts', print, 100) for node in nodes[1:])
    deadline, heard = time.monotonic() + PATIENCE, []
    while publisher.get_subscription_count() == 0 and time.monotonic() < deadline:
        time.sleep(0.01)
    for k in range(100):
        publisher.publish(String(data=str(k)))
    while '99' not in heard and time.monotonic() < deadline:
        with near.handle:
            taken = near.handle.take_message(String, False)
        heard += [taken[0].data] if taken else []
    with far.handle:
        assert heard[-1] == '99' and far.handle.take_message(String, False) is None
    assert publisher.get_subscription_count() == 1
    for node, context in zip(nodes, contexts):
        node.destroy_node()
        rclpy.shutdown(context=context)


def test_a_private_domain_is_free_and_a_chosen_one_stays(monkeypatch):
    """Two programs at once have two domains; ROS_DOMAIN_ID is the word of the user."""
    taken = []
    for _ in range(2):
        monkeypatch.delenv('ROS_DOMAIN_ID')
        lock = private_domain()
        taken.append((os.environ['ROS_DOMAIN_ID'], lock))
    assert private_domain() is None
    for _, lock in taken:
        lock.close()
    assert taken[0][0] != taken[1][0]


@pytest.mark.parametrize('period, complaint', [('sec', False), ('second', True)])
def test_fast_dds_takes_the_profile_of_one_machine(tmp_path, period, complaint):
    """It complains of a profile that it does not understand, and uses its defaults."""
    profiles = tmp_path / 'profiles.xml'
    profiles.write_text(LOCALHOST.read_text().replace('sec>', f'{period}>'))
    ran = subprocess.run(
        [sys.executable, '-c', NODE],
        env={**os.environ, PROFILES: str(profiles)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ('XMLPARSER' in ran.stdout + ran.stderr) == complaint


def test_this_session_has_the_profile_of_one_machine():
    assert os.environ[PROFILES] == str(LOCALHOST)
