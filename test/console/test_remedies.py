# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a message tells to do helps, in the words and through the door of who reads it.

Remedies for joints that have to be locked, in all three doors, are in `test_robot_source`.
"""

import ast
import re
from pathlib import Path

import pytest

from robodyn_ros import Robot, example
from robodyn_ros.__main__ import COMMANDS, NODES, main
from robodyn_ros.errors import ModelError
from robodyn_ros.model.rotors import Rotor

ROOT = Path(__file__).resolve().parents[2]
TWO_LINK = example('two_link').read_text()
BARE = re.sub('<inertial>.*?</inertial>', '', TWO_LINK, flags=re.DOTALL)
BALL = TWO_LINK.replace('<joint name="joint1" type="revolute"', '<drake:joint name="joint1" ')
BALL = BALL.replace('<drake:joint ', '<drake:joint type="ball" ')
BALL = BALL.replace('</joint>', '</drake:joint>', 1)
MESHED = """<mujoco>{}<asset><mesh name="m" file="{}"/></asset><worldbody><body><joint name="j"/>
<geom type="mesh" mesh="m"/></body></worldbody></mujoco>"""
CUBE = ''.join(f'v {x} {y} {z}\n' for x in (0, 1) for y in (0, 1) for z in (0, 1)) + (
    'f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n'
)
DIFFERENTIAL = TWO_LINK.replace(
    '</robot>',
    '<transmission name="t"><joint name="joint1"/><joint name="joint2"/><actuator name="m"/>'
    '</transmission></robot>',
)
ARGUMENT = TWO_LINK.replace('<robot ', '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" ')
ARGUMENT = re.sub('<mass value="[^"]*"', '<mass value="$(arg link_mass)"', ARGUMENT, count=1)
FILES = {
    'rotors.yaml': 'rotors: {joint1: {inertia: 1e-3}, joint2: {inertia: 1e-3}}',
    'coupling.yaml': 'couplings: {joint2: {follows: {joint1: 2.0}}}',
}

# Name, description, words of the command, its sentence, and the words that it asks for.
COMMANDS_THAT_REFUSE = {
    'no inertias: rotors': (
        BARE,
        ['terms'],
        'expected <inertial>, rotor inertia, or locked joints',
        ['--rotor-file', 'rotors.yaml'],
    ),
    'no inertias: locked joints': (
        BARE.replace('</robot>', '<link name="l"/></robot>').replace(
            '</robot>',
            '<link name="m"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/>'
            '</inertial></link><joint name="a" type="fixed"><parent link="base_link"/>'
            '<child link="l"/></joint><joint name="b" type="continuous"><parent link="l"/>'
            '<child link="m"/></joint></robot>',
        ),
        ['terms'],
        "links 'link1', 'link2' move, .*or locked joints",
        ['--locked', 'joint1', 'joint2'],
    ),
    'quaternion: locked': (
        BALL,
        ['check'],
        'which the comparison of formulations cannot take; expected it held still: --locked '
        'joint1=0, or its position',
        ['--locked', 'joint1=0'],
    ),
    'rotors as bodies: reflected': (
        TWO_LINK,
        ['identify', 'demo', '--trials', '1', '--rotor-file', 'rotors.yaml', '-o', 'out'],
        'expected rotors as inertia at their joints',
        ['--rotor-model', 'reflected', '--force'],
    ),
    'files that are there: force': (
        TWO_LINK,
        ['identify', 'excite', '--trials', '1', '-o', '.'],
        'excitation.csv.*--force',
        ['--force'],
    ),
    'argument of a xacro file': (
        ARGUMENT,
        ['report'],
        'needs an argument that is not given; expected link_mass:=VALUE',
        ['link_mass:=2.0'],
    ),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with files that remedies name, as the current one."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize('kind', COMMANDS_THAT_REFUSE)
def test_a_command_does_what_it_said_when_it_is_told_so(kind, folder, capsys):
    text, words, sentence, remedy = COMMANDS_THAT_REFUSE[kind]
    path = folder / ('arm.urdf.xacro' if text is ARGUMENT else 'arm.urdf')
    if text is ARGUMENT:
        pytest.importorskip('xacro')
    path.write_text(text)
    (folder / 'excitation.csv').touch()
    place = 2 if words[0] == 'identify' else 1
    words = [*words[:place], str(path), *words[place:]]
    assert main(words) == 1
    assert re.search(sentence, capsys.readouterr().err)
    assert main([*words, *remedy]) == 0, capsys.readouterr().err


def test_the_rotors_and_couplings_of_a_file_say_what_a_transmission_of_two_motors_does(folder):
    """The warning names that file; in Python it is the same."""
    robot = Robot.from_urdf(DIFFERENTIAL)
    assert 'couplings and rotors of a YAML file say the same' in robot.report.warnings[0]
    with pytest.raises(ModelError, match='no Coupling; expected .*path of their file as closures'):
        Robot.from_urdf(DIFFERENTIAL, couplings='coupling.yaml')
    told = Robot.from_urdf(DIFFERENTIAL, closures='coupling.yaml', rotors='rotors.yaml')
    assert told.joint_names == ('joint1',)


def test_each_remedy_of_missing_inertias_gives_dynamics_in_python():
    with pytest.raises(ModelError, match='rotor inertia, or locked joints'):
        Robot.from_urdf(BARE).mass_matrix((0.1, 0.2))
    rotors = {'joint1': Rotor(1e-3), 'joint2': Rotor(1e-3)}
    assert Robot.from_urdf(BARE, rotors=rotors).mass_matrix((0.1, 0.2))[1, 1] == 1e-3


def test_a_mesh_of_an_mjcf_is_found_as_the_sentence_says(tmp_path):
    """From a text by its folder; from a file beside it."""
    pytest.importorskip('mujoco')
    path = tmp_path / 'arm.xml'
    text = MESHED.format('', 'cube.obj')
    path.write_text(text)
    with pytest.raises(ModelError, match='expected the path of the MJCF.*or a <compiler meshdir'):
        Robot.from_mjcf(text)
    with pytest.raises(ModelError, match='expected it beside .*arm.xml. as the file says. Copy'):
        Robot.from_mjcf(path)
    (tmp_path / 'cube.obj').write_text(CUBE)
    absolute = MESHED.format(f'<compiler meshdir="{tmp_path}"/>', 'cube.obj')
    assert Robot.from_mjcf(path).nv == Robot.from_mjcf(absolute).nv == 1


def test_a_package_is_looked_for_where_the_sentence_says(tmp_path, monkeypatch):
    """On AMENT_PREFIX_PATH; there is no description yet that it could lie beside."""
    source = 'package://my_arm/arm.urdf'
    with pytest.raises(ModelError, match='sourcing the setup file of its workspace$'):
        Robot.from_urdf(source)
    share = tmp_path / 'share' / 'my_arm'
    share.mkdir(parents=True)
    (share / 'arm.urdf').write_text(TWO_LINK)
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(tmp_path))
    assert Robot.from_urdf(source).nv == 2


# --- what every message names is there ----------------------------------------------------------


def texts():
    """Yield file and text of each string of the package that is no docstring."""
    for path in sorted((ROOT / 'robodyn_ros').rglob('*.py')):
        tree, known = ast.parse(path.read_text()), set()
        for node in ast.walk(tree):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
                first = node.body[0]
                known.add(id(getattr(first, 'value', None)))
            if isinstance(node, ast.JoinedStr):
                known.update(map(id, node.values))
                yield (
                    path,
                    ''.join(
                        getattr(each, 'value', '{}') if isinstance(each, ast.Constant) else '{}'
                        for each in node.values
                    ),
                )
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                if id(node) not in known:
                    yield path, node.value


def named(pattern):
    """Return what a pattern finds in the strings, with the file."""
    found = {(each, path.name) for path, text in texts() for each in re.findall(pattern, text)}
    assert found
    return sorted(found)


def test_each_package_that_pip_is_to_install_is_declared():
    declared = (ROOT / 'setup.py').read_text().lower()
    for words, file in named(r"pip install ((?:'[^']+'|[\w.-]+)(?: '[^']+'| (?!or )[a-z]\w+)*)"):
        for package in re.findall(r'[A-Za-z][\w-]*', re.sub(r'[<>=]=?[\d.]+', '', words)):
            assert f"'{package.lower()}" in declared, (package, file)


def test_each_command_and_option_that_a_message_names_is_there(capsys):
    for words, file in named(r'`robodyn_ros ([^`{]+)`'):
        command, *rest = words.split()
        assert command in COMMANDS, (words, file)
        if command in NODES:
            continue
        with pytest.raises(SystemExit):
            main([command, '--help'])
        told = capsys.readouterr().out
        assert [each for each in rest if each.startswith('--') and each not in told] == [], file


def test_each_parameter_that_a_message_names_is_one_of_a_node():
    pytest.importorskip('rclpy', reason='rclpy is not installed')
    pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')
    pages = ''.join(path.read_text() for path in sorted((ROOT / 'doc' / 'nodes').glob('*.md')))
    for name, file in named(r"[Pp]arameters? '([a-z_.]+)'"):
        assert name == 'use_sim_time' or f'`{name}`' in pages, (name, file)
