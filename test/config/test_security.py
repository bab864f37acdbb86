# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The security policy names every interface of the nodes, and nothing by a wildcard."""

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')

ROOT = Path(__file__).resolve().parents[2]
POLICY = ROOT / 'config' / 'security' / 'policy.xml'


def names(enclave, kind, **permission):
    """Return the names of one kind that an enclave is allowed."""
    profile = ElementTree.parse(POLICY).find(f".//enclave[@path='/robodyn/{enclave}']//profile")
    ((key, value),) = permission.items()
    return {
        entry.text for group in profile if group.get(key) == value for entry in group.findall(kind)
    }


def test_row_72_commands_and_states_are_allowed_in_one_direction_each():
    from robodyn_ros.ros.controller.controller_parameters import CONTROLLER_PARAMETERS
    from robodyn_ros.ros.simulator.simulator_parameters import SIMULATOR_PARAMETERS

    ours, theirs = (
        {spec.name: spec.default for spec in table if spec.name.endswith('_topic')}
        for table in (CONTROLLER_PARAMETERS, SIMULATOR_PARAMETERS)
    )
    assert ours['command_topic'] in names('controller', 'topic', publish='ALLOW')
    assert 'joint_states' in names('controller', 'topic', subscribe='ALLOW')
    assert 'joint_states' not in names('controller', 'topic', publish='ALLOW')
    heard = names('simulator', 'topic', subscribe='ALLOW')
    said = names('simulator', 'topic', publish='ALLOW')
    for name, topic in theirs.items():
        assert topic in (heard if 'command' in name else said), name
        assert topic not in (said if 'command' in name else heard), name


def test_row_72_nothing_is_allowed_by_a_wildcard():
    text = POLICY.read_text()
    assert '*' not in text.split('-->')[1] and 'robodyn_controller/stop' in text
    for enclave in ('controller', 'simulator'):
        assert f'robodyn_{enclave}/set_parameters' in names(enclave, 'service', reply='ALLOW')


NODE = """
import sys
from robodyn_ros.ros.common.lifecycle_node import ManagedNode
from robodyn_ros.ros.common.process import run
sys.exit(run(lambda: ManagedNode('secured', ()), []))
"""


def test_row_72_without_a_keystore_a_node_ends_with_a_sentence(tmp_path):
    environment = {
        **os.environ,
        'ROS_SECURITY_ENABLE': 'true',
        'ROS_SECURITY_STRATEGY': 'Enforce',
        'ROS_SECURITY_KEYSTORE': str(tmp_path / 'nowhere'),
    }
    done = subprocess.run(
        [sys.executable, '-c', NODE], env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 2 and 'Traceback' not in done.stderr
    assert 'ROS does not start' in done.stderr and 'SECURITY' in done.stderr.upper()
