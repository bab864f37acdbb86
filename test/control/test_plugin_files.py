# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Files of robodyn_control for one robot: what they say, without compiling the dynamics."""

import re

import pytest

from robodyn_ros import Robot
from robodyn_ros.control import plugin_files

pytest.importorskip('yaml', reason='PyYAML is not installed')

BAR = """<inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>"""
BARS = (('crank', 0.0, 'frame'), ('coupler', 0.2, 'crank'), ('rocker', 0.45, 'frame'))
PIN = """<gazebo><joint name="pin" type="revolute"><pose>0.5 0 0 0 0 0</pose>
<parent>coupler</parent><child>rocker</child><axis><xyz>0 0 1</xyz></axis></joint></gazebo>"""


def test_loops_of_a_description_leave_its_independent_joints(monkeypatch, tmp_path):
    """They begin where the loops were closed: at zero this one is singular."""
    text = '<robot name="bars"><link name="frame"/>' + ''.join(
        f'<link name="{name}">{BAR}</link><joint name="{name}" type="continuous">'
        f'<origin xyz="{at} 0 0"/><parent link="{parent}"/><child link="{name}"/>'
        '<axis xyz="0 0 1"/><limit velocity="9" effort="50"/></joint>'
        for name, at, parent in BARS
    )
    text = f'{text}{PIN}</robot>'
    monkeypatch.setattr(plugin_files, '_compile', lambda *_: None)
    files = plugin_files.plugin_files(text, tmp_path, False)
    control = files.description[files.description.index('<ros2_control') :]
    assert re.findall('<joint name="(.*?)"', control) == ['crank']
    (start,) = map(float, re.findall('initial_value">(.*?)<', control))
    assert start == Robot.from_urdf(text).model.closed_posture[0] != 0.0
    assert 'joints:\n    - crank\n' in files.parameters.read_text()
