# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a researcher does first: install, ask for a robot, compute; from any folder."""

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import robodyn_ros
from robodyn_ros.__main__ import COMMANDS, main
from robodyn_ros.errors import ModelError, UnknownNameError
from support.processes import ROOT, run_script

SCRIPTS = """
import json
from distutils.core import run_setup
for command in ('install', 'bdist_wheel'):
    found = run_setup('setup.py', [command], stop_after='init')
    print(json.dumps([row.split(' = ')[0] for row in found.entry_points['console_scripts']]))
"""


@pytest.mark.parametrize('name', ['franka_like', 'two_link', 'ur_like'])
def test_examples_are_found_from_any_folder(monkeypatch, tmp_path, name):
    """Also where the current folder is another one and the home is empty."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv('HOME', str(tmp_path))
    path = robodyn_ros.example(name)
    assert path.is_file() and path.stem == name
    assert robodyn_ros.Robot.from_urdf(path).nv > 0


def test_first_lines_of_the_readme_run_anywhere(tmp_path):
    """`Robot.from_urdf(example('franka_like'))`, as a process of its own in another folder."""
    (nv, tau), _ = run_script(
        """
import json
from robodyn_ros import Robot, example
robot = Robot.from_urdf(example('franka_like'))
print(json.dumps([robot.nv, robot.gravity_torque([0.1] * 7).tolist()]))
""",
        tmp_path,
    )
    assert nv == 7 and len(tau) == 7


def test_an_unknown_example_lists_those_there_are():
    """And says where others come from."""
    with pytest.raises(UnknownNameError, match='franka_like.*robot_descriptions'):
        robodyn_ros.example('no_such_robot')
    with pytest.raises(UnknownNameError, match=r'got .\.\./secret.; expected one of'):
        robodyn_ros.example('../secret')


@pytest.mark.parametrize('name', ['panda', 'panda_description'])
def test_a_missing_robot_is_answered_with_what_helps(monkeypatch, tmp_path, name):
    """Without robot_descriptions its pip line; with it the names like that one."""
    monkeypatch.setitem(sys.modules, 'robot_descriptions', None)
    with pytest.raises(UnknownNameError, match='pip install robot_descriptions'):
        robodyn_ros.example(name)
    with pytest.raises(ModelError, match=rf"nor a file; .*Robot.from_description\('{name}'\)"):
        robodyn_ros.Robot.from_urdf(name)
    (tmp_path / 'robot_descriptions').mkdir()
    for file in ('__init__', 'panda_mj_description', 'z1_description', '_cache'):
        (tmp_path / 'robot_descriptions' / f'{file}.py').touch()
    monkeypatch.delitem(sys.modules, 'robot_descriptions')
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(UnknownNameError, match='such as panda_mj_description'):
        robodyn_ros.example(name)
    monkeypatch.delitem(sys.modules, 'robot_descriptions')


def test_descriptions_of_robot_descriptions_are_examples_too(monkeypatch, tmp_path):
    """A description is named by its module; some have an MJCF alone."""
    package = tmp_path / 'robot_descriptions'
    package.mkdir()
    (package / '__init__.py').touch()
    (package / 'arm_description.py').write_text(f'URDF_PATH = {str(tmp_path / "arm.urdf")!r}\n')
    (package / 'mjcf_only.py').write_text('MJCF_PATH = "arm.xml"\n')
    (package / 'nothing.py').touch()
    monkeypatch.syspath_prepend(tmp_path)
    for name in [name for name in sys.modules if name.startswith('robot_descriptions')]:
        monkeypatch.delitem(sys.modules, name)
    assert robodyn_ros.example('arm_description') == tmp_path / 'arm.urdf'
    assert robodyn_ros.example('mjcf_only') == Path('arm.xml')
    (tmp_path / 'arm.urdf').write_text(robodyn_ros.example('two_link').read_text())
    robot = robodyn_ros.Robot.from_description('arm_description', gravity=(0.0, 0.0, -1.62))
    assert robot.name == 'two_link' and robot.gravity[2] == -1.62
    with pytest.raises(UnknownNameError, match="got 'no_such_arm'.*robot_descriptions"):
        robodyn_ros.Robot.from_description('no_such_arm')
    with pytest.raises(UnknownNameError, match='has no URDF, MJCF or xacro of it'):
        robodyn_ros.example('nothing')


def test_the_version_is_reported(capsys):
    """By the command, as by the package."""
    assert main(['--version']) == 0
    assert capsys.readouterr().out == f'robodyn_ros {robodyn_ros.__version__}\n'


def test_pip_puts_one_name_on_the_path():
    """What `ros2 run` starts is installed by colcon alone, into lib/robodyn_ros."""
    if find_spec('setuptools') is None:  # an import here would have to come before distutils
        pytest.skip('setuptools is not installed')
    done = subprocess.run(
        [sys.executable, '-c', 'import setuptools\n' + SCRIPTS],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    by_colcon, by_pip = map(json.loads, done.stdout.splitlines()[-2:])
    assert by_pip == ['robodyn_ros']
    assert set(by_colcon) == {'robodyn_ros', *COMMANDS}


XACRO = """<robot name="made" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:property name="reach" value="${0.25 * 2}"/>
<link name="base"/><link name="tip"><inertial><origin xyz="${reach} 0 0"/><mass value="2"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="turn" type="continuous"><parent link="base"/><child link="tip"/><axis xyz="0 1 0"/>
</joint></robot>
"""


def test_a_description_of_xacro_alone_gets_its_own_arguments(monkeypatch, tmp_path):
    """Those of UR, Franka and Kinova in robot_descriptions have no URDF."""
    pytest.importorskip('xacro', reason='xacro is not installed')
    package = tmp_path / 'robot_descriptions'
    package.mkdir()
    path = tmp_path / 'made.urdf.xacro'
    path.write_text(XACRO.replace('${0.25 * 2}', '$(arg reach)'))
    (package / '__init__.py').touch()
    (package / 'made_description.py').write_text(
        f'XACRO_PATH = {str(path)!r}\nXACRO_ARGS = {{"reach": "0.75"}}\n'
    )
    monkeypatch.syspath_prepend(tmp_path)
    for name in [name for name in sys.modules if name.startswith('robot_descriptions')]:
        monkeypatch.delitem(sys.modules, name)
    assert robodyn_ros.example('made_description') == path
    robot = robodyn_ros.Robot.from_description('made_description')
    assert robot.gravity_torque([0.0])[0] == pytest.approx(-2.0 * 9.81 * 0.75, rel=1e-14)


def test_xacro_files_are_expanded(tmp_path):
    """By path alone: text with xacro in it, as it may come over a topic, is refused."""
    pytest.importorskip('xacro')
    path = tmp_path / 'made.urdf.xacro'
    path.write_text(XACRO)
    robot = robodyn_ros.Robot.from_urdf(path)
    assert robot.gravity_torque([0.0]) == pytest.approx([-2.0 * 9.81 * 0.5])
    with pytest.raises(ModelError, match='xacro'):
        robodyn_ros.Robot.from_urdf(XACRO)
    path.write_text(XACRO.replace('0.25 * 2', 'nothing'))
    with pytest.raises(ModelError, match='xacro refuses'):
        robodyn_ros.Robot.from_urdf(path)


def test_a_missing_xacro_is_reported(monkeypatch, tmp_path):
    """With the command that mends it."""
    monkeypatch.setitem(sys.modules, 'xacro', None)
    with pytest.raises(ModelError, match='pip install xacro'):
        robodyn_ros.Robot.from_urdf(tmp_path / 'arm.urdf.xacro')
