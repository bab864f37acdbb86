# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The security policy names every interface of the nodes, and nothing by a wildcard."""

import subprocess
import sys

import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')

from support.patience import PATIENCE
from support.security import POLICY, allowed


def test_row_72_commands_and_states_are_allowed_in_one_direction_each():
    from robodyn_ros.ros.controller.controller_parameters import CONTROLLER_PARAMETERS
    from robodyn_ros.ros.simulator.simulator_parameters import SIMULATOR_PARAMETERS

    ours, theirs = (
        {spec.name: spec.default for spec in table if spec.name.endswith('_topic')}
        for table in (CONTROLLER_PARAMETERS, SIMULATOR_PARAMETERS)
    )
    assert ours['command_topic'] in allowed('controller', 'topic', publish='ALLOW')
    assert 'joint_states' in allowed('controller', 'topic', subscribe='ALLOW')
    assert 'joint_states' not in allowed('controller', 'topic', publish='ALLOW')
    heard = allowed('simulator', 'topic', subscribe='ALLOW')
    said = allowed('simulator', 'topic', publish='ALLOW')
    for name, topic in theirs.items():
        assert topic in (heard if 'command' in name else said), name
        assert topic not in (said if 'command' in name else heard), name


def test_row_72_nothing_is_allowed_by_a_wildcard():
    text = POLICY.read_text()
    assert '*' not in text.split('-->')[1] and 'robodyn_controller/stop' in text
    for enclave in ('controller', 'simulator'):
        assert f'robodyn_{enclave}/set_parameters' in allowed(enclave, 'service', reply='ALLOW')


NODE = """
import sys
from robodyn_ros.ros.common.lifecycle_node import ManagedNode
from robodyn_ros.ros.common.process import run_node
sys.exit(run_node(lambda: ManagedNode('secured', ()), []))
"""


@pytest.fixture
def secured(monkeypatch, tmp_path):
    """Return the function that runs a node under enforced security, with an empty keystore."""
    monkeypatch.setenv('ROS_SECURITY_ENABLE', 'true')
    monkeypatch.setenv('ROS_SECURITY_STRATEGY', 'Enforce')
    monkeypatch.setenv('ROS_SECURITY_KEYSTORE', str(tmp_path))

    def run_node():
        command = [sys.executable, '-c', NODE]
        return subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE, check=False
        )

    return run_node


def test_row_72_without_a_keystore_a_node_ends_with_a_sentence(secured):
    done = secured()
    assert done.returncode == 2 and 'Traceback' not in done.stderr
    assert 'ROS does not start' in done.stderr and 'SECURITY' in done.stderr.upper()


def test_row_72_a_node_whose_keys_cannot_be_used_ends_with_a_sentence(secured, tmp_path):
    """They are missing, or the middleware was built without security."""
    (tmp_path / 'enclaves').mkdir()
    done = secured()
    assert done.returncode == 2 and 'Traceback' not in done.stderr
    assert 'the node does not start' in done.stderr and 'SECURITY' in done.stderr.upper()
