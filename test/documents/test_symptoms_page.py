# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The page by symptom names reasons, parameters, fields and commands that exist."""

import re
from pathlib import Path

import pytest

from robodyn_msgs.msg import ControllerState, ControllerStatus
from robodyn_ros.__main__ import COMMANDS
from robodyn_ros.control.laws.law_registry import BUILT_IN
from robodyn_ros.control.supervisor.controller_states import Reason, State
from tools.pages.parameter_tables import TABLES

PAGE = (Path(__file__).resolve().parents[2] / 'doc' / 'nodes' / 'symptoms.md').read_text()
CODE = re.findall(r'`([^`\n]+)`', PAGE)
REFUSED_COMMANDS = {'WRONG_LENGTH', 'UNKNOWN_JOINT', 'WRONG_MODE'}  # of the simulated robot
SENT = {'missed', *ControllerState.get_fields_and_field_types()}
SENT |= set(ControllerStatus.get_fields_and_field_types())
PARAMETERS = {spec.name for table in TABLES.values() for spec in table}
#: Names of the system, of a topic and of a gain without its joint.
OTHERS = {'joint_states', 'robot_description', 'ROS_DOMAIN_ID', 'p', 'd', 'minimum_time'}


def test_reasons_and_states_exist():
    named = {code for code in CODE if re.fullmatch(r'[A-Z][A-Z_]+', code)} - OTHERS
    assert len(named) > 10
    reasons = {value for name, value in vars(Reason).items() if name.isupper()}
    assert named - reasons - set(State.__members__) - REFUSED_COMMANDS == set()


def test_parameters_and_fields_exist():
    named = {code for code in CODE if re.fullmatch(r'[a-z][a-z_.]*', code)}
    named = {name for name in named if not name.startswith('robodyn_ros.')}
    assert len(named) > 20
    assert named - PARAMETERS - SENT - OTHERS - set(BUILT_IN) == set()


@pytest.mark.parametrize('word', sorted(set(re.findall(r'`robodyn_ros (\w+) ', PAGE))))
def test_commands_exist(word):
    assert word in COMMANDS


def test_values_of_parameters_are_possible():
    """Such as `stuck_action: warn`."""
    specs = {spec.name: spec for table in TABLES.values() for spec in table}
    pairs = [code.split(': ') for code in CODE if re.fullmatch(r'[a-z_.]+: \w+', code)]
    pairs.remove(['interface_name', 'effort'])  # of ros2_control
    assert len(pairs) >= 3
    for name, value in pairs:
        choices = specs[name].choices or ('true', 'false')
        assert value in choices, name
