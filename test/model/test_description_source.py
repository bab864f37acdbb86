# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""One way from a path, a text or bytes to a description; arguments and packages of xacro files."""

import pytest

from robodyn_ros import Robot
from robodyn_ros.errors import ModelError, UngivenError
from robodyn_ros.model.sources import package_path
from robodyn_ros.model.sources.description_source import opened

HEAD = '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="$(arg name)">'
LINKS = """<link name="base"/><link name="link"><inertial><origin xyz="0.2 0 0"/>
<mass value="{}"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial>
</link><joint name="joint" type="revolute"><parent link="base"/><child link="link"/>
<axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="40" velocity="3"/></joint></robot>"""
NEEDS = f"""{HEAD}<xacro:arg name="name" default="arm"/>
<!-- <xacro:arg name="old" default="1"/> -->
<xacro:arg name="doubled" default="false"/>
<xacro:property name="mass" value="$(arg link_mass)"/>
{LINKS.format("${mass * (2 if xacro.arg('doubled') == 'true' else 1)}")}"""


@pytest.fixture
def needs(tmp_path):
    """A xacro file with arguments, one of them required."""
    pytest.importorskip('xacro')
    path = tmp_path / 'arm.urdf.xacro'
    path.write_text(NEEDS)
    return path


def mass(robot):
    """Return the moving mass [kg]."""
    return robot.centroidal.mass


def test_a_description_is_the_same_from_a_path_a_text_and_bytes(tmp_path):
    text = f'<robot name="arm">{LINKS.format(3)}'
    path = tmp_path / 'arm.urdf'
    path.write_text(text)
    for source in (path, str(path), text, f'\n  {text}', text.encode()):
        found = opened(source)
        assert [link.name for link in found.description().links] == ['base', 'link']
        assert found.path == (path if source in (path, str(path)) else None)
        assert found.text.strip() == text


def test_arguments_are_those_of_the_mapping(needs):
    """Numbers and bools as xacro writes them; a default that stands below its use is taken."""
    robot = Robot.from_urdf(needs, xacro_arguments={'link_mass': 2.5})
    assert (robot.name, mass(robot)) == ('arm', 2.5)
    given = {'link_mass': '1.5', 'name': 'other', 'doubled': True}
    robot = Robot.from_urdf(str(needs), xacro_arguments=given)
    assert (robot.name, mass(robot)) == ('other', 3.0)
    assert robot.report.findings == ()


def test_a_missing_argument_is_a_sentence_that_lists_those_of_the_file(needs):
    """And the remedy helps."""
    with pytest.raises(UngivenError) as caught:
        Robot.from_urdf(needs)
    sentence = str(caught.value)
    assert "expected xacro_arguments={'link_mass': 'VALUE'}" in sentence
    assert sentence.endswith(
        "link_mass (required), name (default 'arm'), doubled (default 'false')"
    )
    assert mass(Robot.from_urdf(needs, xacro_arguments={'link_mass': '2'})) == 2.0


def test_a_missing_argument_of_an_included_file_is_listed_too(needs):
    needs.with_name('inner.xacro').write_text(
        '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arg name="side" default="a"/>'
        '<link name="$(arg side)$(arg end)"/></robot>'
    )
    include = '<xacro:include filename="inner.xacro"/><link name="base"/>'
    needs.write_text(NEEDS.replace('<link name="base"/>', include))
    with pytest.raises(UngivenError) as caught:
        opened(needs, {'link_mass': 1})
    assert "expected xacro_arguments={'end': 'VALUE'}" in str(caught.value)
    assert "side (default 'a')" in str(caught.value)


def test_an_argument_that_the_file_does_not_read_is_a_warning(needs):
    robot = Robot.from_urdf(needs, xacro_arguments={'link_mass': 1, 'link_mas': 2})
    (warning,) = robot.report.warnings
    assert "xacro argument 'link_mas': is not read by 'arm.urdf.xacro', which reads" in warning


def test_arguments_for_anything_but_a_xacro_file_are_refused(needs):
    """Nothing would read them."""
    path = needs.with_name('arm.urdf')
    path.write_text(f'<robot name="arm">{LINKS.format(3)}')
    for source, what in ((path, "'.*arm.urdf'"), (path.read_text(), 'a text')):
        with pytest.raises(ModelError, match=f'arguments link_mass for {what}; expected .*xacro'):
            Robot.from_urdf(source, xacro_arguments={'link_mass': 1})
    with pytest.raises(ModelError, match='there is no file .*leg.xacro'):
        Robot.from_urdf(needs.with_name('leg.xacro'), xacro_arguments={'link_mass': 1})


def test_packages_are_found_beside_a_file_that_is_not_installed(needs, monkeypatch):
    """By the folder's name or by its package.xml; a package on the paths of ROS comes first."""
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(needs.parent / 'install'))
    monkeypatch.delenv('ROS_PACKAGE_PATH', raising=False)
    package = needs.parent / 'clone_of_the_arm'
    urdf, parts = package / 'urdf', needs.parent / 'arm_parts'
    urdf.mkdir(parents=True)
    parts.mkdir()
    (package / 'package.xml').write_text('<package>\n<name> own_arm </name></package>')
    find = '$(find {})/{}.xacro'
    for name, folder in (('arm', urdf), ('part', parts)):
        (folder / f'{name}.xacro').write_text(
            NEEDS if name == 'arm' else '<robot><link name="part"/></robot>'
        )
    include = ''.join(
        f'<xacro:include filename="{find.format(*each)}"/>'
        for each in (('own_arm', 'urdf/more'), ('arm_parts', 'part'))
    )
    (urdf / 'more.xacro').write_text('<robot><link name="more"/></robot>')
    (urdf / 'arm.xacro').write_text(NEEDS.replace('</robot>', f'{include}</robot>'))
    text = opened(urdf / 'arm.xacro', {'link_mass': 1}).text
    assert '<link name="more"/>' in text and '<link name="part"/>' in text
    near = package_path.resolved('package://own_arm/urdf/more.xacro', urdf)
    assert near == urdf / 'more.xacro'
    installed = needs.parent / 'install' / 'share' / 'arm_parts'
    installed.mkdir(parents=True)
    (installed / 'part.xacro').write_text('<robot><link name="installed"/></robot>')
    assert '<link name="installed"/>' in opened(urdf / 'arm.xacro', {'link_mass': 1}).text


def test_a_refusal_of_xacro_lists_the_arguments(needs):
    """A default may stand for none, such as the type of an arm that is none."""
    needs.write_text(
        NEEDS.replace(
            '<link name="base"/>',
            '<xacro:include filename="$(arg kind).x"/>'
            '<xacro:arg name="kind" default="no_such_arm"/>',
        )
    )
    with pytest.raises(ModelError, match="xacro refuses .*arm.urdf.xacro'.*no_such_arm") as caught:
        opened(needs, {'link_mass': 1})
    assert "kind (default 'no_such_arm')" in str(caught.value)
    assert '\n' not in str(caught.value)


def test_packages_beside_a_file_may_have_folders_of_other_names(needs):
    """As in a workspace of cloned repositories: by the name in package.xml, or a level deeper."""
    for folder, name in (('arm_description', 'my_arm_description'), ('repository/hand', 'hand')):
        package = needs.parent / folder
        package.mkdir(parents=True)
        (package / 'package.xml').write_text(f'<package><name>{name}</name></package>')
        assert [*package_path.package_folders(name, needs.parent)][-1] == package
    assert [*package_path.package_folders('arm_of_no_test', needs.parent)] == []


def test_a_package_that_is_missing_is_a_sentence(needs):
    needs.write_text(HEAD + '<xacro:include filename="$(find no_such)/a.xacro"/></robot>')
    with pytest.raises(ModelError, match="there is no package 'no_such'; expected .*beside the"):
        opened(needs, {'name': 'a'})
