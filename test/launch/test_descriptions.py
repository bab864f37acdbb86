# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Launch files take the description that a user has: xacro, package paths, absolute paths."""

import sys
from pathlib import Path

import pytest

pytest.importorskip('ament_index_python', reason='ament_index_python is not installed')

from robodyn_ros.ros.launching.launch_files import description_path, description_text, xacro_words
from support.nodes import launch_runner

ROOT = Path(__file__).resolve().parents[2]
TEXT = (
    '<robot name="made" xmlns:xacro="http://www.ros.org/wiki/xacro">'
    '<link name="l${1 + 1}"/></robot>'
)
TWO_LINK = 'config/urdf/two_link.urdf'


@pytest.fixture
def path(monkeypatch, tmp_path):
    """A xacro file in the share folder of a package."""
    file = tmp_path / 'share' / 'my_arm' / 'arm.urdf.xacro'
    file.parent.mkdir(parents=True)
    file.write_text(TEXT)
    index = tmp_path / 'share' / 'ament_index' / 'resource_index' / 'packages'
    index.mkdir(parents=True)
    (index / 'my_arm').touch()
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(tmp_path), prepend=':')
    return file


@pytest.fixture(autouse=True)
def no_stand_ins_are_left(monkeypatch):
    """The runner puts modules of its own where `launch` would be."""
    before = dict(sys.modules)
    yield
    for name in launch_runner.MODULES:
        sys.modules.pop(name, None)
        if name in before:
            sys.modules[name] = before[name]


def test_a_file_is_found_by_package_by_path_and_by_url(path):
    for package, file in (
        ('my_arm', 'arm.urdf.xacro'),
        ('no_such_package', 'package://my_arm/arm.urdf.xacro'),
        ('my_arm', str(path)),
    ):
        assert description_path(package, file) == str(path)


@pytest.mark.parametrize(
    'package, file, words',
    [
        ('my_arm', 'leg.urdf', 'there is no file .*leg.urdf'),
        ('no_such', 'arm.urdf', 'no_such'),
        ('my_arm', 'package://no_such/arm.urdf', "a package 'no_such'"),
    ],
)
def test_a_file_that_is_missing_starts_nothing(path, package, file, words):
    with pytest.raises(RuntimeError, match=f'^Nothing was started: .*{words}'):
        description_path(package, file)


def test_robot_state_publisher_gets_the_expanded_text(path):
    pytest.importorskip('xacro')
    assert '<link name="l2"/>' in description_text(str(path))
    plain = ROOT / TWO_LINK
    assert description_text(str(plain)) == plain.read_text()
    path.write_text(TEXT.replace('1 + 1', 'nothing'))
    with pytest.raises(RuntimeError, match='^Nothing was started: xacro refuses'):
        description_text(str(path))


def test_robot_state_publisher_gets_no_mjcf(path):
    """Both nodes take one, but nobody else who asks for the text."""
    mjcf = path.with_name('arm.xml')
    mjcf.write_text('<mujoco><worldbody/></mujoco>')
    with pytest.raises(RuntimeError, match='^Nothing was started: .*arm.xml is an MJCF'):
        description_text(str(mjcf))


def test_both_nodes_get_the_path_that_a_launch_file_found(path):
    given = {'description_file': 'package://my_arm/arm.urdf.xacro'}
    found = launch_runner.commands(ROOT / 'launch' / 'simulated_arm.launch.py', given)
    assert len(found) == 2
    for command in found:
        assert f'urdf_path:="{path}"' in command


def test_arguments_of_a_xacro_file_reach_both_nodes(path):
    """And a missing one is said before any node is started, in the syntax of launch."""
    pytest.importorskip('xacro')
    path.write_text(TEXT.replace('l${1 + 1}', '$(arg name)'))
    words = xacro_words('name:="tool 0" other:=')
    assert words == ['name:=tool 0', 'other:=']
    assert '<link name="tool 0"/>' in description_text(str(path), words)
    with pytest.raises(RuntimeError, match='expected xacro_arguments:="name:=VALUE"'):
        description_text(str(path))
    with pytest.raises(RuntimeError, match="^Nothing was started: xacro_arguments: got 'name=t'"):
        xacro_words('name=t')
    given = {'description_file': str(path), 'xacro_arguments': 'name:="tool 0"'}
    found = launch_runner.commands(ROOT / 'launch' / 'simulated_arm.launch.py', given)
    assert len(found) == 2
    for command in found:
        assert 'xacro_arguments:=["name:=tool 0"]' in command
