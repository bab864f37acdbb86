# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The report names what is doubtful, and nothing else."""

import numpy as np
import pytest

from robodyn_ros.model import urdf
from robodyn_ros.model.build import build
from robodyn_ros.model.description import Joint, Limit, Link, RobotDescription

SOUND = (
    '<robot name="r"><link name="base"/><link name="arm"><inertial><origin xyz="0.1 0 0"/>'
    '<mass value="2"/><inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.03"/>'
    '</inertial></link><link name="tool"/>'
    '<joint name="j" type="revolute"><parent link="base"/><child link="arm"/>'
    '<axis xyz="0 0 1"/><limit lower="-1" upper="1" velocity="2" effort="3"/></joint>'
    '<joint name="grip" type="fixed"><parent link="arm"/><child link="tool"/></joint>'
    '<link name="tip"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" '
    'iyz="0" izz="1"/></inertial></link>'
    '<joint name="wrist" type="continuous"><parent link="tool"/><child link="tip"/>'
    '<limit velocity="2" effort="3"/></joint></robot>'
)

BODY = (
    '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
    '</inertial>'
)


def findings(text, **choice):
    report = build(urdf.parse(text), **choice).report
    return [(finding.severity, finding.subject, finding.sentence) for finding in report.findings]


def test_several_turns_of_a_cable_are_no_doubt():
    assert findings(SOUND.replace('lower="-1" upper="1"', 'lower="-25" upper="31"')) == []


def test_what_is_doubtful_about_a_payload_is_reported_by_the_new_robot():
    model = build(urdf.parse(SOUND))
    loaded = model.with_inertia('tip', 1.0, (0.0, 0.0, 0.1), np.diag((1.0, 1.0, 5.0)))
    (finding,) = loaded.report.findings
    assert (finding.severity, finding.subject) == ('warning', "body added to 'tip'")
    assert 'triangle inequality' in finding.sentence
    assert model.report.findings == ()
    sound = model.with_inertia('tip', 1.0, (0.0, 0.0, 0.1), np.diag((1.0, 1.0, 1.0)))
    assert sound.report == model.report


def test_a_sound_robot_has_an_empty_report():
    report = build(urdf.parse(SOUND)).report
    assert report.findings == report.warnings == report.notes == ()
    assert str(report) == "Model report of robot 'r': 0 warnings, 0 notes"


@pytest.mark.parametrize(
    ('old', 'new', 'severity', 'subject', 'words'),
    [
        (
            '<link name="base"/>',
            f'<link name="base">{BODY}</link>',
            'note',
            "link 'base'",
            'is the fixed base',
        ),
        ('izz="0.03"', 'izz="0.05"', 'warning', "link 'arm'", 'triangle inequality'),
        ('value="2"', 'value="0"', 'warning', "link 'arm'", 'inertia but no mass'),
        (
            'ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.03"',
            'ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"',
            'note',
            "link 'arm'",
            'point mass of 2 kg',
        ),
        ('xyz="0.1 0 0"', 'xyz="100 0 0"', 'warning', "link 'arm'", 'centre of mass is 100 m'),
        (
            'ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.03"',
            'ixx="20000" ixy="0" ixz="0" iyy="20000" iyz="0" izz="30000"',
            'warning',
            "link 'arm'",
            'radius of gyration is 122 m',
        ),
        ('xyz="0 0 1"', 'xyz="0 0 2"', 'warning', "joint 'j'", 'axis has length 2'),
        ('xyz="0 0 1"', 'xyz="0 0 1e-4"', 'warning', "joint 'j'", 'axis has length 0.0001'),
        ('lower="-1" upper="1"', '', 'warning', "joint 'j'", 'without a range'),
        ('lower="-1" upper="1"', 'lower="0" upper="0"', 'warning', "joint 'j'", 'empty range'),
        (
            'lower="-1" upper="1"',
            'lower="-180" upper="90"',
            'warning',
            "joint 'j'",
            '-180 .. 90 rad, 29 turns to one side; are its numbers in radians?',
        ),
        (
            'upper="1" velocity="2" effort="3"',
            'upper="1" velocity="2" effort="0"',
            'warning',
            "joint 'j'",
            'effort limit 0',
        ),
        (
            'upper="1" velocity="2"',
            'upper="1" velocity="0"',
            'warning',
            "joint 'j'",
            'velocity limit 0',
        ),
        (
            'upper="1" velocity="2" effort="3"',
            'upper="1" velocity="2"',
            'note',
            "joint 'j'",
            'no effort limit',
        ),
        (
            '<parent link="base"/>',
            '<parent link="base"/><origin rpy="1.5707963267947 0 0"/>',
            'note',
            "joint 'j'",
            'one moves by 1.97e-13',
        ),
    ],
)
def test_a_doubtful_thing_is_named(old, new, severity, subject, words):
    assert SOUND.count(old) == 1
    found = findings(SOUND.replace(old, new))
    assert [True for s, who, what in found if (s, who) == (severity, subject) and words in what], (
        found
    )


def test_a_flat_plate_printed_with_six_digits_is_sound():
    old = 'ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.03"'
    plate = 'ixx="0.0133333" ixy="0" ixz="0" iyy="0.0266667" iyz="0" izz="0.0400001"'
    assert findings(SOUND.replace(old, plate)) == []


def test_a_moving_link_without_inertia_is_named():
    text = SOUND.replace(SOUND[SOUND.index('<inertial>') : SOUND.index('</inertial>') + 11], '')
    assert findings(text) == [('warning', "link 'arm'", 'moves but has no mass')]


def test_inertia_that_does_not_move_is_only_doubtful():
    """An impossible inertia on the base side has no effect, so the robot stays usable."""
    text = SOUND.replace('izz="0.03"', 'izz="-0.03"')
    ((severity, subject, sentence),) = [
        finding for finding in findings(text, joints=['wrist']) if 'principal' in finding[2]
    ]
    assert (severity, subject) == ('warning', "link 'arm'")
    assert 'without effect' in sentence


def test_a_joint_locked_outside_its_range_is_noted():
    assert findings(SOUND, locked={'j': 0.5}) == []
    assert findings(SOUND, locked={'j': 1.5}) == [
        ('note', "joint 'j'", 'is locked at 1.5, outside its range -1 .. 1')
    ]


def test_joints_that_are_not_commanded_are_not_judged():
    assert findings(SOUND.replace('effort="3"', 'effort="0"', 1), joints=['wrist']) == []


def test_a_screw_is_judged_by_its_range():
    """As joints of URDF are: without a range it is unlimited, locked beyond it it is noted."""

    def found(limit, **choice):
        joints = (
            Joint('turn', 'continuous', 'base', 'arm', rotor_inertia=1.0),
            Joint('j', 'helical', 'arm', 'tool', pitch=0.01, limit=limit, rotor_inertia=1.0),
        )
        links = Link('base'), Link('arm'), Link('tool')
        report = build(RobotDescription('r', links, joints), **choice).report
        return ' '.join(finding.sentence for finding in report.findings if 'j' in finding.subject)

    assert 'is helical without a range' in found(Limit())
    assert 'range' not in found(Limit(-1.0, 1.0))
    assert 'range' not in found(Limit(-1.0, 1.0), locked={'j': 0.5})
    assert 'outside its range -1 .. 1' in found(Limit(-1.0, 1.0), locked={'j': 1.5})


def test_the_text_has_warnings_first_and_one_line_each():
    text = (
        SOUND.replace('<link name="base"/>', f'<link name="base">{BODY}</link>')
        .replace('izz="0.03"', 'izz="0.05"')
        .replace('xyz="0 0 1"', 'xyz="0 0 2"')
    )
    report = build(urdf.parse(text)).report
    lines = str(report).splitlines()
    assert lines[0] == "Model report of robot 'r': 2 warnings, 1 notes"
    assert [line.split()[0] for line in lines[1:]] == ['warning', 'warning', 'note']
    assert len(report.warnings) == 2 and len(report.notes) == 1
    assert all(line in str(report) for line in (*report.warnings, *report.notes))


@pytest.mark.parametrize(
    'rpy', ['1.5707963267948966 0 -3.141592653589793', '0.3 -1 2', '1.57079632679 0 0']
)
def test_exact_and_meant_angles_are_no_news(rpy):
    sound = '<parent link="base"/>'
    assert SOUND.count(sound) == 1
    assert findings(SOUND.replace(sound, f'{sound}<origin rpy="{rpy}"/>')) == []
