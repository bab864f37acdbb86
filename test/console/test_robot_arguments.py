# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Every command takes a robot in the same words: xacro, package paths, joints that are locked."""

import importlib

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.console import robot_arguments
from robodyn_ros.errors import ModelError, UnlockedError
from robodyn_ros.model.sources import package_path

BODY = """<inertial><origin xyz="0.2 0 0.1"/><mass value="2"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.15"/></inertial>"""
LIMIT = '<limit lower="-1" upper="1" velocity="2" effort="30"/>'
ARM = f"""<robot name="arm"><link name="base"/><link name="upper">{BODY}</link>
<link name="lower">{BODY}</link>
<joint name="a" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
{LIMIT}</joint>
<joint name="b" type="revolute"><origin xyz="0.4 0 0"/><parent link="upper"/><child link="lower"/>
<axis xyz="0 1 0"/>{LIMIT}</joint></robot>"""
XACRO = ARM.replace('<robot ', '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" ').replace(
    'value="2"', 'value="${1 + 1}"'
)
COMMANDS = ('report', 'info', 'check')


@pytest.fixture
def share(monkeypatch, tmp_path):
    """The share folder of a package `my_arm`, of a workspace that has been sourced."""
    folder = tmp_path / 'install' / 'share' / 'my_arm' / 'urdf'
    folder.mkdir(parents=True)
    (folder / 'arm.urdf').write_text(ARM)
    (folder / 'arm.urdf.xacro').write_text(XACRO)
    monkeypatch.setenv('AMENT_PREFIX_PATH', f'{tmp_path / "elsewhere"}:{tmp_path / "install"}')
    monkeypatch.delenv('ROS_PACKAGE_PATH', raising=False)
    return folder


def command(name):
    """Return what runs one of the commands for people."""
    return importlib.import_module(f'robodyn_ros.cli.{name}').main


def options(*arguments):
    """Parse the arguments that describe a robot."""
    parser = robot_arguments.RobotParser()
    robot_arguments.add_robot(parser)
    return parser.parse_args(list(map(str, arguments)))


def weight(robot):
    """Return the torques that hold a robot, in a posture that is not zero."""
    return robot.gravity_torque(np.linspace(0.3, -0.4, robot.nv))


def test_a_package_path_is_the_file_in_the_share_folder(share):
    """For `from_urdf` as for the commands; the first prefix that has the file counts."""
    expected = weight(Robot.from_urdf(ARM))
    robot = Robot.from_urdf('package://my_arm/urdf/arm.urdf')
    np.testing.assert_array_equal(weight(robot), expected)
    model = robot_arguments.model_of(options('package://my_arm/urdf/arm.urdf'))
    np.testing.assert_array_equal(weight(Robot(model)), expected)


def test_a_package_path_may_name_a_xacro_file(share):
    pytest.importorskip('xacro')
    robot = Robot.from_urdf('package://my_arm/urdf/arm.urdf.xacro')
    np.testing.assert_array_equal(weight(robot), weight(Robot.from_urdf(ARM)))


def test_packages_are_found_on_ros_package_path_too(share, monkeypatch):
    monkeypatch.setenv('AMENT_PREFIX_PATH', '')
    monkeypatch.setenv('ROS_PACKAGE_PATH', str(share.parents[1]))
    assert package_path.resolved('package://my_arm/urdf/arm.urdf') == share / 'arm.urdf'


@pytest.mark.parametrize(
    'source, words',
    [
        ('package://my_arm', 'expected package://<name>/<path>'),
        ('package://no_such/arm.urdf', "a package 'no_such' on AMENT_PREFIX_PATH"),
        ('package://my_arm/urdf/leg.urdf', "leg.urdf'; 'my_arm' lies in .*share/my_arm"),
    ],
)
def test_a_package_path_to_nothing_is_a_sentence(share, source, words):
    with pytest.raises(ModelError, match=words):
        Robot.from_urdf(source)


def test_a_path_or_a_text_is_left_as_it_is(share):
    for source in (ARM, 'arm.urdf', share / 'arm.urdf', b'<robot/>', None):
        assert package_path.resolved(source) is source


@pytest.mark.parametrize('name', COMMANDS)
def test_every_command_takes_xacro_and_locked_joints(name, share, capsys):
    """The report of what is left names it; here only that none refuses, and what moves."""
    pytest.importorskip('xacro')
    path = 'package://my_arm/urdf/arm.urdf.xacro'
    assert command(name)([path, '--joints', 'b', '--locked', 'a=0.5']) == 0
    assert 'Refused' not in capsys.readouterr().err


MJCF = """<mujoco model="arm"><option gravity="0 0 -1.62"/><compiler angle="radian"/><worldbody>
<body name="upper"><joint name="a" axis="0 1 0" ref="0.5" range="-1 1"/>
<geom size="0.1" pos="1 0 0"/>
<body name="lower" pos="0.4 0 0"><joint name="b" axis="0 1 0" range="-1 1"/><geom type="mesh"
mesh="m"/></body></body></worldbody><asset><mesh name="m" file="m.obj"/></asset></mujoco>"""


@pytest.fixture
def mjcf(share):
    """An MJCF beside its mesh."""
    pytest.importorskip('mujoco')
    points = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n'
    (share / 'm.obj').write_text(points + 'f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n')
    (share / 'arm.xml').write_text(MJCF)
    return 'package://my_arm/urdf/arm.xml'


@pytest.mark.parametrize('name', COMMANDS)
def test_every_command_takes_an_mjcf(name, mjcf, capsys):
    assert command(name)([mjcf, '--locked', 'a=0.5']) == 0
    assert 'Refused' not in capsys.readouterr().err


def test_an_mjcf_of_a_command_is_that_of_python(mjcf):
    """With its gravity, unless the command gives another."""
    moon, earth = (
        Robot(robot_arguments.model_of(options(mjcf, *words)))
        for words in ([], ['--gravity', '0', '0', '-9.81'])
    )
    np.testing.assert_array_equal(weight(moon), weight(Robot.from_mjcf(mjcf)))
    np.testing.assert_array_equal(weight(moon), weight(Robot.from_urdf(mjcf)))
    np.testing.assert_allclose(weight(earth), weight(moon) * 9.81 / 1.62, rtol=1e-12)


@pytest.mark.parametrize('words', [['fit', 'motion.csv'], ['demo']])
def test_identification_of_an_mjcf_is_refused_before_any_work(words, mjcf, tmp_path, capsys):
    """A motion that excites it is found, but there is no URDF to write the result in."""
    out = ['-o', str(tmp_path / 'found')]
    assert command('identify')([words[0], mjcf, *words[1:], *out]) == 1
    assert 'the robot is an MJCF; expected a URDF of it' in capsys.readouterr().err
    assert not (tmp_path / 'found').exists()


@pytest.mark.parametrize('name', ['report', 'info', 'check', 'warmup'])
def test_every_command_names_the_joints_where_a_locked_one_is_unknown(name, share, capsys):
    arguments = [str(share / 'arm.urdf'), '--locked', 'elbow=0']
    assert command(name)(arguments) == 1
    assert "no movable joint 'elbow'" in capsys.readouterr().err


def test_emit_and_identify_take_the_same_words(share, tmp_path, capsys):
    own = ['--output', str(tmp_path / 'made')]
    assert command('emit')([str(share / 'arm.urdf'), '--locked', 'elbow=0', *own]) == 1
    assert "no movable joint 'elbow'" in capsys.readouterr().err
    words = ['excite', str(share / 'arm.urdf'), '--locked', 'elbow=0']
    assert command('identify')([*words, '-o', str(tmp_path / 'found')]) == 1
    assert "no movable joint 'elbow'" in capsys.readouterr().err


def test_locked_joints_of_a_command_are_those_of_python(share):
    given = options(share / 'arm.urdf', '--locked', 'a=0.5', '--gravity', '0', '0', '-1.62')
    expected = Robot.from_urdf(ARM, locked={'a': 0.5}, gravity=(0.0, 0.0, -1.62))
    np.testing.assert_array_equal(weight(Robot(robot_arguments.model_of(given))), weight(expected))
    assert expected.joint_names == ('b',)


def test_the_model_keeps_where_joints_are_held():
    """Given positions, and zero for what `joints` leaves out."""
    assert dict(Robot.from_urdf(ARM, locked={'a': 0.5}).model.held) == {'a': 0.5}
    assert dict(Robot.from_urdf(ARM, joints=['b']).model.held) == {'a': 0.0}
    assert not Robot.from_urdf(ARM).model.held


HEAVY = XACRO.replace('${1 + 1}', '$(arg link_mass)')


@pytest.mark.parametrize('name', COMMANDS)
def test_every_command_takes_arguments_of_a_xacro_file_wherever_they_stand(name, share, capsys):
    """As xacro takes them; a list of joints before them does not take them in."""
    pytest.importorskip('xacro')
    path = share / 'heavy.urdf.xacro'
    path.write_text(HEAVY)
    assert command(name)([str(path)]) == 1
    assert (
        'expected link_mass:=VALUE. Its arguments: link_mass (required)' in capsys.readouterr().err
    )
    assert command(name)([str(path), '--joints', 'a', 'b', 'link_mass:=3.5']) == 0
    capsys.readouterr()
    assert command(name)(['link_mass:=3.5', str(share / 'arm.urdf')]) == 1
    assert 'got xacro arguments link_mass for' in capsys.readouterr().err


def test_arguments_of_a_command_are_those_of_python(share):
    """Also of a subcommand."""
    pytest.importorskip('xacro')
    from robodyn_ros.cli import identify

    path = share / 'heavy.urdf.xacro'
    path.write_text(HEAVY)
    expected = weight(Robot.from_urdf(ARM.replace('value="2"', 'value="3.5"')))
    given = identify.parser().parse_args(['excite', 'link_mass:=3.5', str(path), '--trials', '9'])
    for found in (given, options(path, 'link_mass:=3.5')):
        robot = Robot(robot_arguments.model_of(found))
        np.testing.assert_array_equal(weight(robot), expected)
    robot = Robot.from_urdf(path, xacro_arguments={'link_mass': 3.5})
    np.testing.assert_array_equal(weight(robot), expected)


PLANAR = ARM.replace('"a" type="revolute"', '"a" type="planar"')


def test_a_hint_is_in_the_syntax_of_the_interface(tmp_path, capsys):
    """Python's for `from_urdf`, flags for a command, YAML for a node."""
    path = tmp_path / 'arm.urdf'
    path.write_text(PLANAR)
    with pytest.raises(UnlockedError, match=r"hold it still: locked=\{'a': 0.0\}$"):
        Robot.from_urdf(path)
    assert command('report')([str(path)]) == 1
    assert capsys.readouterr().err.endswith('hold it still: --locked a=0\n')
    assert command('report')([str(path), '--locked', 'a=0']) == 0


def test_a_hint_names_all_joints_at_once(tmp_path, capsys):
    """So that it has to be followed once."""
    path = tmp_path / 'arm.urdf'
    third = f"""<link name="hand">{BODY}</link><joint name="c" type="revolute">
<parent link="lower"/><child link="hand"/>{LIMIT}</joint></robot>"""
    text = PLANAR.replace('"b" type="revolute"', '"b" type="floating"')
    path.write_text(text.replace('</robot>', third))
    with pytest.raises(UnlockedError, match=r"hold them still: locked=\{'a': 0.0, 'b': 0.0\}$"):
        Robot.from_urdf(path)
    assert command('report')([str(path)]) == 1
    assert capsys.readouterr().err.endswith('hold them still: --locked a=0 b=0\n')
    assert command('report')([str(path), '--locked', 'a=0', 'b=0']) == 0
    assert Robot.from_urdf(path, locked={'a': 0.0, 'b': 0.0}).joint_names == ('c',)


def test_a_hint_of_a_node_is_yaml():
    pytest.importorskip('rclpy')
    from robodyn_ros.ros.common.robot_source import by_parameters

    with pytest.raises(UnlockedError) as caught:
        Robot.from_urdf(PLANAR)
    assert by_parameters(caught.value).endswith("hold it still: locked: ['a=0']")


@pytest.mark.parametrize(
    ('name', 'given'),
    [
        ('check', ('--seed', '-3')),
        ('terms', ('--limit', 'nan')),
        ('identify', ('excite', '--seed', '-1')),
        ('identify', ('excite', '--trials', '0')),
        ('identify', ('excite', '--period', '-1')),
        ('view', ('--port', '65536')),
    ],
)
def test_a_number_out_of_range_is_refused_before_any_work(name, given, tmp_path, capsys):
    """As argparse refuses a word: exit code 2, and the received and expected number."""
    path = tmp_path / 'arm.urdf'
    path.write_text(ARM)
    first = given[:-2]  # a subcommand comes before the robot
    with pytest.raises(SystemExit) as error:
        command(name)([*first, str(path), *given[len(first) :]])
    assert error.value.code == 2
    assert f'argument {given[-2]}: got {given[-1]}; expected a' in capsys.readouterr().err


def test_a_file_that_cannot_be_used_is_named(tmp_path, capsys):
    """In a sentence, without the number of the error."""
    path = tmp_path / 'arm.urdf'
    path.write_text(ARM)
    assert command('emit')([str(path), '--output', str(path)]) == 1
    assert capsys.readouterr().err == f"Refused: '{path}' cannot be used: File exists\n"


def test_an_argument_of_a_xacro_file_without_its_colon_is_explained(capsys):
    parser = robot_arguments.RobotParser(prog='x')
    robot_arguments.add_robot(parser)
    for words, is_told in ((['a.xacro', 'mass=2'], True), (['a.xacro', '--mass'], False)):
        with pytest.raises(SystemExit):
            parser.parse_args(words)
        told = capsys.readouterr().err
        assert ('expected name:=value for an argument of a xacro file' in told) == is_told
