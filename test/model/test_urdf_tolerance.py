# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What urdfdom tolerates is a robot here too, with a warning; what is not XML is explained."""

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.errors import ModelError
from robodyn_ros.model import urdf, xml_text

GOOD = """<robot name="arm"><link name="base"/>
<link name="upper"><inertial><origin xyz="0.1 0 0.05"/><mass value="1.5"/>
<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.015"/></inertial></link>
<link name="lower"><inertial><origin xyz="0.1 0 0.05"/><mass value="1.2"/>
<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.015"/></inertial></link>
<joint name="a" type="revolute"><origin xyz="0.2 0 0.1" rpy="0.3 -0.2 0.5"/>
<parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>
<limit lower="-2" upper="2" effort="40" velocity="3"/></joint>
<joint name="b" type="revolute"><origin xyz="0.2 0 0.1" rpy="0.3 -0.2 0.5"/>
<parent link="upper"/><child link="lower"/><axis xyz="0 1 0"/>
<limit lower="-2" upper="2" effort="40" velocity="3"/></joint></robot>"""
Q = (0.7, -0.4)


def within(text):
    """Return GOOD with elements before its end."""
    return GOOD.replace('</robot>', f'{text}</robot>')


def transmission(content, joints=('a',)):
    """Return a transmission of ROS 1."""
    driven = ''.join(f'<joint name="{name}"/>' for name in joints)
    return f'<transmission name="t">{driven}<actuator name="m">{content}</actuator></transmission>'


# Text that is the robot of GOOD, and words of its warning; none where it is nothing to warn of.
TOLERATED = {
    'default namespace': (
        GOOD.replace('<robot', '<robot xmlns="http://www.ros.org"'),
        "robot 'arm': has the default namespace 'http://www.ros.org'",
    ),
    'namespaces of others': (
        within('<drake:thing xmlns:drake="http://drake.mit.edu"/><sensor:x/>'),
        None,
    ),
    'namespace of an inner element': (within('<gazebo xmlns="http://sdformat.org"/>'), None),
    'prefix without a namespace': (within('<controller:pid a="1"/>'), None),
    'version': (GOOD.replace('<robot', '<robot version="1.0"'), None),
    'word as ratio': (
        within(transmission('<mechanicalReduction>ratio</mechanicalReduction>')),
        "joint 'a': the transmission of joint 'a' element <mechanicalReduction> is 'ratio'",
    ),
    'several ratios': (
        within(transmission('<mechanicalReduction>1</mechanicalReduction>', 'ab')),
        "transmission 't': of joints 'a', 'b' has several joints",
    ),
    'negative rotor': (
        within(transmission('<motorInertia>-1</motorInertia>')),
        "joint 'a': the transmission of joint 'a' has rotor inertia -1",
    ),
    'material without a name': (within('<material><color rgba="1 0 0 1"/></material>'), None),
    'colour of words': (within('<material name="m"><color rgba="red"/></material>'), None),
    'half a visual': (GOOD.replace('</link>', '<visual><geometry/></visual></link>', 1), None),
    'two origins': (
        GOOD.replace('<axis', '<origin xyz="9 9 9"/><axis', 1),
        "joint 'a': has 2 <origin> elements; the first is taken",
    ),
    'two inertials': (
        GOOD.replace('</inertial>', '</inertial><inertial/>', 1),
        "link 'upper': has 2 <inertial> elements; the first is taken",
    ),
    'two masses': (
        GOOD.replace('<inertia ', '<mass value="9"/><inertia ', 1),
        "link 'upper' inertial: has 2 <mass> elements; the first is taken",
    ),
    'no products of inertia': (
        GOOD.replace(' ixy="0"', '', 1).replace(' iyz="0"', '', 1),
        "link 'upper': has an inertia without ixy, iyz; taken as 0",
    ),
    'axis of a fixed joint': (
        within(
            '<link name="tool"/><joint name="weld" type="fixed"><parent link="lower"/>'
            '<child link="tool"/><axis xyz="z"/></joint>'
        ),
        "joint 'weld': joint 'weld' axis attribute 'xyz' is 'z'; expected three numbers; it is",
    ),
    'unknown elements': (
        within('<sensor name="s"><ray/></sensor><self_collide>1</self_collide>'),
        None,
    ),
    'ampersand': (
        within('<author name="A & B &nbsp;"/>'),
        'the description: has & that begins no reference; read as &amp; (line 11)',
    ),
    'two roots': (
        GOOD + '\n<robot name="other"/>',
        'the description: goes on after its root element, which is not read: \'<robot name="other',
    ),
    'macro that xacro did not know': (
        within('<xacro:sensors_of_arm/>'),
        "robot 'arm': has 'xacro:sensors_of_arm', which xacro has not expanded; what they stand",
    ),
    'document type': (
        '<!DOCTYPE robot SYSTEM "http://localhost:1/urdf.dtd">' + GOOD,
        'the description: has a <!DOCTYPE declaration, which is not read (line 1)',
    ),
    'dashes in a comment': (
        within('<!-- was -- before -->'),
        "the description: has '--' within a comment, which XML does not allow; write '- -' there "
        '(line 11)',
    ),
    'comment that ends with three': (within('<!-- was --->'), "the description: has '--' within"),
    'line of dashes': (
        '<!--------- arm ---------->' + GOOD,
        "the description: has '--' within a comment",
    ),
    'comment within a comment': (
        within('<!-- a <!-- b --> c'),
        "the description: has '--' within a comment",
    ),
    'no blank': (
        GOOD.replace('name="a" ', 'name="a"'),
        'the description: lacks a blank between two attributes (line 6)',
    ),
    'bracket in a value': (
        within('<note text="a < b"/>'),
        'the description: has < within the value of an attribute; read as &lt; (line 11)',
    ),
    'closed twice': (
        GOOD + '\n</robot>',
        "the description: goes on after its root element, which is not read: '</robot>' (line 12)",
    ),
    'control character': (
        within('<note a="\x1a"/>'),
        'the description: has the control character 0x1a; read as a blank (line 11)',
    ),
    'no character of Unicode': (
        within('<note>\uffff</note>'),
        'the description: has the control character 0xffff; read as a blank (line 11)',
    ),
    'reference to no character': (
        within('<note>&#0;&#x110000;</note>'),
        'the description: has & that begins no reference',
    ),
    'end of character data': (
        within('a ]]> b'),
        'the description: has ]]> within a text; read as ]]&gt; (line 11)',
    ),
    'declaration of elements': (
        within('<!ELEMENT robot>'),
        'the description: has a <!ELEMENT declaration, which is not read (line 11)',
    ),
    'document type within': (
        within('<!DOCTYPE robot>'),
        'the description: has a <!DOCTYPE declaration, which is not read (line 11)',
    ),
    'two declarations': (
        '<?xml version="1.0"?>\n<?xml version="1.0"?>' + GOOD,
        'the description: has <?xml elsewhere than at its beginning (line 2)',
    ),
    'other version': ('<?xml version="2.0"?>' + GOOD, None),
    'unknown encoding': ('<?xml version="1.0" encoding="x"?>' + GOOD, None),
    'text before': (
        'processed\n' + GOOD,
        "the description: has text before its root element, which is not read: 'processed'",
    ),
    'attribute of a closing tag': (
        within('<note></note a="1">'),
        'the description: has attributes in </note>, which are not read (line 11)',
    ),
    'blank before a name': (
        within('< note/>'),
        'the description: has < with a blank between it and the name of its element (line 11)',
    ),
    'blanks before the declaration': ('\n  <?xml version="1.0"?>' + GOOD, None),
}


LIMITS = {
    'inverted range': (
        'lower="-2" upper="2"',
        'lower="2" upper="-2"',
        'has lower 2 above upper -2',
    ),
    'negative velocity': ('velocity="3"', 'velocity="-1"', 'has velocity -1; expected 0 or more'),
    'negative effort': ('effort="40"', 'effort="-1"', 'has effort -1; expected 0 or more, taken'),
    'infinite numbers': (
        'lower="-2" upper="2" effort="40" velocity="3"',
        'lower="-inf" upper="Inf" effort="inf" velocity="+INF"',
        None,
    ),
}


@pytest.mark.parametrize('kind', LIMITS)
def test_limits_are_taken_in_the_sense_that_is_left(kind):
    """A range in turned order; a negative limit as if it were missing."""
    old, new, words = LIMITS[kind]
    robot = Robot.from_urdf(GOOD.replace(old, new, 1))
    found = [each for each in robot.report.warnings if 'limit: ' in each]
    assert len(found) == (words is not None)
    assert all(each.startswith(f"joint 'a' limit: {words}") for each in found)
    inf, nan = np.inf, np.nan
    expected = {
        'inverted range': (-2.0, 2.0, 3.0, 40.0),
        'negative velocity': (-2.0, 2.0, inf, 40.0),
        'negative effort': (-2.0, 2.0, 3.0, nan),
        'infinite numbers': (-inf, inf, inf, inf),
    }
    limits = robot.limits
    first = [each[0] for each in (limits.lower, limits.upper, limits.velocity, limits.effort)]
    np.testing.assert_array_equal(first, expected[kind])


@pytest.mark.parametrize('kind', TOLERATED)
def test_it_is_the_same_robot_from_a_path_bytes_and_a_text(kind, tmp_path):
    """By its mass matrix; with one warning that names the element, or none."""
    text, words = TOLERATED[kind]
    path = tmp_path / 'arm.urdf'
    path.write_text(text)
    expected = Robot.from_urdf(GOOD).mass_matrix(Q)
    for source in (path, text, text.encode()):
        robot = Robot.from_urdf(source)
        np.testing.assert_array_equal(robot.mass_matrix(Q), expected)
        warnings = robot.report.warnings
        assert len(warnings) == (words is not None), warnings
        assert words is None or warnings[0].startswith(words), warnings


@pytest.mark.parametrize('kind', [each for each in TOLERATED if each != 'document type'])
def test_pinocchio_reads_the_same_robot(kind):
    """By urdfdom: tolerance 1e-12 of numbers of the size of M."""
    pinocchio = pytest.importorskip('pinocchio')
    model = pinocchio.buildModelFromXML(TOLERATED[kind][0])
    M = pinocchio.crba(model, model.createData(), np.array(Q))
    if kind == 'no products of inertia':
        return  # urdfdom then has no inertia at all
    np.testing.assert_allclose(
        np.triu(M), np.triu(Robot.from_urdf(GOOD).mass_matrix(Q)), rtol=1e-12
    )


def test_a_string_of_c_ends_with_0():
    assert Robot.from_urdf(GOOD.encode() + b'\0').report.findings == ()


ENCODED = {
    'mark of UTF-8': (b'\xef\xbb\xbf' + GOOD.replace('arm', 'Ärm').encode(), None),
    'UTF-16': (GOOD.replace('arm', 'Ärm').encode('utf-16'), None),
    'declared Latin-1': (
        b'<?xml version="1.0" encoding="ISO-8859-1"?>'
        + GOOD.replace('arm', 'Ärm').encode('latin-1'),
        None,
    ),
    'undeclared Latin-1': (
        GOOD.replace('arm', 'Ärm').encode('latin-1'),
        'the description: is not UTF-8 text: line 1 has byte 0xc4; read as Latin-1',
    ),
}


@pytest.mark.parametrize('kind', ENCODED)
def test_encodings_and_marks_are_read(kind, tmp_path):
    content, words = ENCODED[kind]
    path = tmp_path / 'arm.urdf'
    path.write_bytes(content)
    for source in (path, content):
        found = xml_text.document(source)
        assert urdf.described(found.root).name == 'Ärm'
        assert [str(each).split('  ', 1)[1].startswith(words) for each in found.findings] == (
            [True] if words else []
        )


def test_names_of_another_alphabet_keep_their_declared_encoding():
    text = '<?xml version="1.0" encoding="gb2312"?>' + GOOD.replace('name="arm"', 'name="机"')
    assert Robot.from_urdf(text.encode('gb2312')).name == '机'


def test_an_empty_name_of_the_robot_is_replaced():
    """As urdfdom takes it; without the attribute it refuses, too."""
    robot = Robot.from_urdf(GOOD.replace('"arm"', '""'))
    assert robot.name == 'robot' and 'has an empty name' in robot.report.warnings[0]


# What is replaced in GOOD by what, and what the sentence says.
MISTAKES = {
    'no quotes': ('xyz="0 0 1"', 'xyz=1', 'line 7 has an attribute without quotes; write name="v'),
    'no quote at the end': (
        'name="a" ',
        'name="a ',
        'line 6 has \'r\' within the tag that begins in line 6; expected name="value" after a',
    ),
    'no quote at the end of a tag': (
        'xyz="0 0 1"/>',
        'xyz="0 0 1/>',
        'line 8 has < within the tag that begins in line 7; expected its > or its closing quote',
    ),
    'comma between attributes': (
        'lower="-2" upper',
        'lower="-2", upper',
        "line 8 has ',' within the tag that begins in line 8",
    ),
    'attribute without a value': ('lower="-2"', 'lower', 'line 8 has .* within the tag'),
    'tag without an end': (
        '<axis xyz="0 0 1"/>',
        '<axis xyz="0 0 1">',
        'line 8 has </joint> where <axis> of line 7 is open; expected </axis> before it',
    ),
    'wrong tag': (
        '</link>',
        '</lnk>',
        'line 3 has </lnk> where <link> of line 2 is open; expected </link>',
    ),
    'cut short': ('</robot>', '', 'it ends where <robot> of line 1 is open; expected </robot>'),
    'cut within a tag': ('<limit', '</joint></robot><limit', 'line'),
    'comment without an end': ('</robot>', '<!-- </robot>', 'line 11 begins a comment that does'),
    'attribute twice': ('lower="-2"', 'lower="-2" lower="-1"', "line 8 has the attribute 'lower'"),
    'declaration within': (
        '<axis',
        '<?xml version="1.0"?><axis',
        'line 7 has <\\?xml; expected it',
    ),
    'bare sign': ('<axis', ' 1 < 2 <axis', 'line 7 has < that begins no tag; write &lt;'),
}


@pytest.mark.parametrize('kind', MISTAKES)
def test_a_mistake_of_xml_is_explained_with_its_line(kind):
    old, new, words = MISTAKES[kind]
    if kind == 'cut within a tag':
        text = GOOD[: GOOD.index('<limit') + 9]
    else:
        text = GOOD.replace(old, new, 1)
    with pytest.raises(ModelError, match=f'is not well-formed XML: .*({words})') as caught:
        urdf.parse(text)
    assert len(str(caught.value)) < 300


# What is replaced in GOOD by what, and the warning.
UNREAD = {
    'axis as text': (
        '<axis xyz="0 0 1"/>',
        '<axis>0 0 1</axis>',
        "joint 'a': has <axis> with the text '0 0 1', which is not read; expected xyz=\"...\"",
    ),
    'misspelt axis': (
        '<axis xyz="0 0 1"/>',
        '<axis xzy="0 0 1"/>',
        "joint 'a': has <axis> with the attribute 'xzy', which is not read; expected xyz=",
    ),
    'damping as text': (
        '<axis xyz="0 0 1"/>',
        '<axis xyz="0 0 1"/><dynamics>0.1</dynamics>',
        "joint 'a': has <dynamics> with the text '0.1', which is not read; expected damping=",
    ),
    'limits as elements': (
        '<limit lower="-2" upper="2" effort="40" velocity="3"/>',
        '<limit><lower>-2</lower></limit>',
        "joint 'a': has <limit> with <lower>, which is not read; expected lower=",
    ),
    'origin of another dialect': (
        '<origin xyz="0.1 0 0.05"/>',
        '<origin pos="0.1 0 0.05"/>',
        "link 'upper' inertial: has <origin> with the attribute 'pos', which is not read",
    ),
    'origin of a link': (
        '<link name="base"/>',
        '<link name="base"><origin xyz="0 0 1"/></link>',
        "link 'base': has 'origin', which is not read there; expected in <inertial",
    ),
    'mass beside the inertial': (
        '<link name="base"/>',
        '<link name="base"><mass value="1"/><inertia ixx="1"/></link>',
        "link 'base': has 'mass', 'inertia', which is not read there",
    ),
    'inertial of a joint': (
        '<axis',
        '<inertial/><axis',
        "joint 'a': has 'inertial', which is not read there; expected in a link",
    ),
    'degrees': (
        'rpy="0.3 -0.2 0.5"',
        'rpy="0 0 90"',
        "joint 'a': has an origin with the angles 0 0 90 rad; are its numbers in radians?",
    ),
}


@pytest.mark.parametrize('kind', UNREAD)
def test_what_is_written_where_nobody_reads_it_is_a_warning(kind):
    """As urdfdom and Pinocchio, which say nothing of it; the default is taken."""
    old, new, words = UNREAD[kind]
    assert old in GOOD
    warnings = Robot.from_urdf(GOOD.replace(old, new, 1)).report.warnings
    assert warnings[0].startswith(words), warnings


def test_an_origin_may_have_a_quaternion():
    """URDF 1.1: of half the angle about an axis; four digits are rounded to a unit quaternion."""
    angle = 0.8
    turned = GOOD.replace('rpy="0.3 -0.2 0.5"', f'rpy="0 0 {angle}"', 1)
    w, z = np.cos(angle / 2), np.sin(angle / 2)
    given = GOOD.replace('rpy="0.3 -0.2 0.5"', f'quat_xyzw="0 0 {float(z)!r} {float(w)!r}"', 1)
    poses = [Robot.from_urdf(text).pose(Q, 'lower') for text in (turned, given)]
    np.testing.assert_allclose(*poses, rtol=0.0, atol=1e-15)
    short = given.replace(f'{float(z)!r} {float(w)!r}', f'{z:.4f} {w:.4f}')
    R = Robot.from_urdf(short).pose(Q, 'lower')[:3, :3]
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-15)


@pytest.mark.parametrize(
    'attributes, words',
    [
        ('quat_xyzw="0 0 1"', 'the four numbers x y z w of a unit quaternion'),
        ('quat_xyzw="0 0 1 1"', 'the four numbers x y z w of a unit quaternion'),
        ('quat_xyzw="0 0 0 0"', 'the four numbers x y z w of a unit quaternion'),
        ('quat_xyzw="0 0 0 w"', "'quat_xyzw' is 'w'; expected a finite decimal number"),
        ('rpy="0 0 0" quat_xyzw="0 0 0 1"', "attributes 'rpy' and 'quat_xyzw'; expected one"),
    ],
)
def test_an_origin_with_no_quaternion_is_refused(attributes, words):
    with pytest.raises(ModelError, match=f"joint 'a' origin .*{words}"):
        urdf.parse(GOOD.replace('rpy="0.3 -0.2 0.5"', attributes, 1))


def test_a_pointer_of_git_lfs_is_told(tmp_path):
    path = tmp_path / 'arm.urdf'
    path.write_text('version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n')
    with pytest.raises(ModelError, match='a pointer of Git LFS; expected .*`git lfs pull`'):
        Robot.from_urdf(path)
