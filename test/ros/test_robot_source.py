# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The robot of a node: what moves, what is held where, and what is refused with a sentence."""

import ast
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.console import robot_arguments
from robodyn_ros.errors import (
    ModelError,
    OpenError,
    ParameterError,
    RobodynError,
    UngivenError,
    UnlockedError,
)
from robodyn_ros.model.layout import JOINT_FRICTION
from robodyn_ros.ros.common.model_services import _com
from robodyn_ros.ros.common.robot_source import RobotSource, by_parameters

TEXT = """<robot name="buoy"><link name="sea"/>
  <link name="hull"><inertial><mass value="5"/><origin xyz="0.1 0.2 0.3"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <link name="mast"><inertial><mass value="1"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <joint name="swim" type="floating"><parent link="sea"/><child link="hull"/></joint>
  <joint name="tilt" type="revolute"><parent link="hull"/><child link="mast"/>
    <limit lower="-1" upper="1" velocity="1" effort="1"/></joint></robot>"""


def source(text, node=None, **values):
    """Return the source of a robot that is described by a parameter, or else on the topic."""
    parameters = {
        'robot_description': text,
        'urdf_path': '',
        'xacro_arguments': (),
        'joints': (),
        'locked': (),
        'base_link': '',
        'gravity': (0.0, 0.0, -9.81),
        'rotors_path': '',
        'rotors': (),
        'rotor_model': 'exact',
        'closures_path': '',
        'joint_friction_path': '',
        **values,
    }
    return RobotSource(node, parameters, lambda: None)


MJCF = """<mujoco><option gravity="0 0 -1.62"/><worldbody>
  <body name="hull"><freejoint name="swim"/><geom size="0.1"/>
  <body name="mast" pos="0 0 0.3"><joint name="tilt" axis="0 1 0"/>
  <geom size="0.1" pos="0.2 0 0"/></body></body></worldbody></mujoco>"""


def test_a_node_takes_an_mjcf_by_path_and_as_text(tmp_path):
    """With its gravity, unless the node has another; a URDF without one has that of the earth."""
    pytest.importorskip('mujoco')
    path = tmp_path / 'buoy.xml'
    path.write_text(MJCF)
    for robot in (
        source('', gravity=(), urdf_path=str(path)).build(),
        source(MJCF, gravity=()).build(),
    ):
        assert robot.joint_names[-1] == 'tilt' and robot.nq == 8
        assert robot.model.gravity.tolist() == [0.0, 0.0, -1.62]
    assert source(MJCF, gravity=(0.0, 0.0, -1.0)).build().model.gravity[2] == -1.0
    held = source(TEXT, gravity=(), locked=('swim',)).build()
    assert held.model.gravity.tolist() == [0.0, 0.0, -9.81]


def test_floating_joint_moves_when_it_is_named():
    """As everywhere; locked, at zero or at a pose, the rest of the robot serves."""
    assert source(TEXT, joints=('swim', 'tilt')).build().nq == 8
    with pytest.raises(ModelError, match="joint 'swim' is floating"):
        source(TEXT).build()
    for locked in ('swim', 'swim=0.1 0.2 0.3 0 0 1 0'):
        assert source(TEXT, locked=(locked,)).build().joint_names == ('tilt',)
    held = source(TEXT, locked=('swim= 0.1 0.2 0.3  0.6 0 0 -0.8',)).build()
    np.testing.assert_allclose(held.pose([0.0], 'hull')[:3, 3], (0.1, 0.2, 0.3), atol=1e-15)


@pytest.mark.parametrize(
    ('entry', 'error', 'words'),
    [
        ('swim=here', ParameterError, "'swim=here'.*with spaces between"),
        ('swim=0,0,1', ParameterError, "'swim=0,0,1'.*with spaces between"),
        ('swim=0 0 1', ModelError, '7 numbers'),
        ('swim=0 0 1 0 0 0 0', ModelError, 'unit quaternion'),
        ('swim=0 0 nan 0 0 0 1', ModelError, '7 numbers'),
    ],
)
def test_position_of_a_locked_joint_that_cannot_be_read_is_refused(entry, error, words):
    """By the parameter, or by the joint that it names."""
    with pytest.raises(error, match=words):
        source(TEXT, locked=(entry,)).build()


def test_free_base_is_an_option():
    """Its coordinates come before those of the joints."""
    robot = source(TEXT, base_link='hull').build(free_base=True)
    assert robot.position_names[0] == 'free_base.x' and robot.joint_names[-1] == 'tilt'


def test_planar_joint_has_three_names():
    """Its coordinates are positions like any other."""
    robot = source(TEXT.replace('floating', 'planar'), joints=('swim', 'tilt')).build()
    assert robot.joint_names == ('swim.x', 'swim.y', 'swim.turn', 'tilt')
    centres = [_com(robot.model, k) for k in range(1, 5)]
    none = (0.0, 0.0, 0.0)
    expected = [none, none, (0.1, 0.2, 0.3), none]
    assert np.allclose([(point.x, point.y, point.z) for point in centres], expected, atol=1e-15)


def test_description_is_never_a_path(tmp_path, monkeypatch):
    """Text without `<` is refused in the same words, whether a file has that name or not."""
    monkeypatch.chdir(tmp_path)  # a message shows the beginning of a long text only
    Path('other.urdf').write_text(TEXT)
    said = []
    for text in ('other.urdf', 'none.urdf'):
        with pytest.raises(ModelError, match="expected URDF text.*'urdf_path'") as caught:
            source(text, joints=('swim', 'tilt')).build()
        said.append(str(caught.value).replace('other', 'none'))
    assert said[0] == said[1]


def test_description_of_the_topic_is_never_a_path(tmp_path, monkeypatch):
    """A message that holds the name of a file chooses no robot."""
    from rclpy.serialization import serialize_message
    from std_msgs.msg import String

    class Node:
        default_callback_group = SimpleNamespace(add_entity=lambda _: None)

        def create_subscription(self, _type, _topic, callback, _qos, **_):
            self.receive = callback
            return SimpleNamespace(topic_name='/robot_description')

    file = tmp_path / 'other.urdf'
    file.write_text(TEXT)
    monkeypatch.setattr('robodyn_ros.ros.transport.bounded_subscription.library', lambda: None)
    node = Node()
    found = source('', node, joints=('swim', 'tilt'))
    node.receive(serialize_message(String(data=str(file))))
    with pytest.raises(ModelError, match='expected URDF text'):
        found.build()
    node.receive(serialize_message(String(data=MJCF)))
    with pytest.raises(
        ModelError, match="is an MJCF, .* expected it by the parameter 'urdf_path'"
    ):
        found.build()
    node.receive(serialize_message(String(data=f'\n  {TEXT}')))
    assert found.build().nq == 8


def test_file_is_named_by_its_parameter_alone(tmp_path):
    """A path may hold any character; what is no file is refused with its name."""
    file = tmp_path / 'a<b.urdf'
    file.write_text(TEXT)
    values = {'joints': ('swim', 'tilt')}
    assert source('', urdf_path=str(file), **values).build().nq == 8
    with pytest.raises(ModelError, match='There is no file'):
        source('', urdf_path=TEXT, **values).build()


PART = """<inertial><mass value="2"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>"""


def hand(kind='revolute', last='revolute', first='', second=''):
    """Return three links in a row; the first two joints are of a kind, and may follow others."""
    joints = (('a', kind, 'base', first), ('b', last, 'u', second), ('c', 'revolute', 'v', ''))
    links = zip(('u', 'v', 'w'), joints)
    return (
        '<robot name="hand"><link name="base"/>'
        + ''.join(
            f'<link name="{link}">{PART}</link><joint name="{name}" type="{of}">'
            f'<parent link="{parent}"/><child link="{link}"/>{more}</joint>'
            for link, (name, of, parent, more) in links
        )
        + '</robot>'
    )


HINTS = {
    'floating': hand('floating'),
    'planar': hand('planar'),
    'floating and planar': hand('floating', 'planar'),
    'follows nobody': hand(first='<mimic joint="x"/>'),
    'follows itself': hand(first='<mimic joint="a"/>'),
    'follow each other': hand(first='<mimic joint="b"/>', second='<mimic joint="a"/>'),
    'follows a fixed joint': hand(last='fixed', first='<mimic joint="b"/>'),
    'follows a floating joint': hand(last='floating', first='<mimic joint="b"/>'),
}


@pytest.mark.parametrize('kind', HINTS)
def test_each_hint_to_lock_joints_helps_when_it_is_followed(kind, tmp_path, capsys):
    """As it stands: in Python, on the command line, and as parameter of a node.

    A joint that follows a floating one needs two hints, of which the second names that.
    """
    path = tmp_path / 'hand.urdf'
    path.write_text(HINTS[kind])
    in_python, words, parameter = {}, [], []

    def by_command():
        parser = robot_arguments.RobotParser()
        robot_arguments.add_robot(parser)
        return robot_arguments.model_of(parser.parse_args([str(path), *words])).joint_names

    ways = (
        lambda: Robot.from_urdf(path, locked=in_python).joint_names,
        by_command,
        lambda: source('', urdf_path=str(path), locked=tuple(parameter)).build().joint_names,
    )
    for way in ways:
        for _ in range(1 + (kind == 'follows a floating joint')):
            with pytest.raises(UnlockedError) as caught:
                way()
            if way is ways[0]:
                in_python |= ast.literal_eval(str(caught.value).partition('locked=')[2])
            elif way is ways[1]:
                robot_arguments.refuse(caught.value)
                words += ('--locked' + capsys.readouterr().err.partition('--locked')[2]).split()
            else:
                said = by_parameters(caught.value).partition('locked: ')[2]
                parameter += ast.literal_eval(said)
        assert way()[-1] == 'c'


def test_arguments_of_a_xacro_file_are_a_parameter(tmp_path):
    """What is missing, or cannot be read, is said in the syntax of a parameter file."""
    pytest.importorskip('xacro')
    file = tmp_path / 'buoy.urdf.xacro'
    text = TEXT.replace('<robot', '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"')
    file.write_text(text.replace('value="5"', 'value="$(arg hull_mass)"'))
    values = {'urdf_path': str(file), 'joints': ('swim', 'tilt')}
    with pytest.raises(UngivenError) as caught:
        source('', **values).build()
    assert "expected xacro_arguments: ['hull_mass:=VALUE']." in by_parameters(caught.value)
    found = source('', **values, xacro_arguments=('hull_mass:=7.5',)).build()
    assert found.centroidal.mass == 8.5
    with pytest.raises(ParameterError, match="'xacro_arguments' has the entry 'mass=7'"):
        source('', **values, xacro_arguments=('mass=7',)).build()
    with pytest.raises(ModelError, match='for a text; expected them for the path of a file'):
        source(TEXT, joints=('swim', 'tilt'), xacro_arguments=('hull_mass:=7',)).build()


def test_rotors_are_of_the_file_and_of_the_parameter(tmp_path):
    """Each entry of the parameter takes the place of what the file has for its joint."""
    path = tmp_path / 'buoy.yaml'
    path.write_text('rotors: {tilt: {inertia: 1e-3, gear_ratio: 50}}')
    near = {'locked': ('swim',), 'rotor_model': 'reflected'}
    plain, filed, given = (
        source(TEXT, **near, **rotors).build().mass_matrix([0.2])[0, 0]
        for rotors in (
            {},
            {'rotors_path': str(path)},
            {'rotors_path': str(path), 'rotors': ('tilt=2e-3 30',)},
        )
    )
    np.testing.assert_allclose((filed - plain, given - plain), (2.5, 1.8), rtol=1e-14)
    exact = source(TEXT, locked=('swim',), rotors=('tilt=2e-3 30',)).build()
    assert exact.all_joint_names == ('tilt', 'tilt_rotor')


@pytest.mark.parametrize('entry', ['tilt', 'tilt=', 'tilt=a', 'tilt=1 2 3', '=1'])
def test_a_rotor_that_cannot_be_read_is_refused(entry):
    with pytest.raises(ParameterError, match="'rotors' has the entry '.*'; expected 'joint=inert"):
        source(TEXT, locked=('swim',), rotors=(entry,)).build()


def test_where_to_seek_a_closed_posture_is_a_file_of_its_own(tmp_path):
    """For loops that the description has itself; the sentence names the parameter and the text."""
    bar = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
    text = '<robot name="bars"><link name="frame"/>' + ''.join(
        f'<link name="{name}">{bar}</link><joint name="{name}" type="continuous">'
        f'<origin xyz="{at} 0 0"/><parent link="{parent}"/><child link="{name}"/>'
        '<axis xyz="0 0 1"/></joint>'
        for name, at, parent in (('a', 0, 'frame'), ('b', 0.2, 'a'), ('c', 0.45, 'frame'))
    )
    loop = '<loop name="pin" type="revolute"><predecessor link="b"><origin xyz="0.75 0 0"/>'
    loop += '</predecessor><successor link="c"><origin xyz="0.5 0 0"/></successor>'
    text += loop + '<axis xyz="0 0 1"/></loop></robot>'
    path = tmp_path / 'near.yaml'
    path.write_text('near: {a: 0.0}')
    with pytest.raises(OpenError) as caught:
        source(text, closures_path=str(path)).build()
    words = 'closures_path: FILE with near: {a: POSITION, c: POSITION, b: POSITION}'
    assert by_parameters(caught.value).endswith(words)
    path.write_text('near: {a: 0.5, b: 0.3, c: 0.7}')
    robot = source(text, closures_path=str(path)).build()
    assert robot.joint_names == ('a',) and 'assembly mode' not in str(robot.report)


def test_friction_is_of_a_file(tmp_path):
    """The file adds to the friction of the description what a URDF cannot state."""
    path = tmp_path / 'buoy.yaml'
    path.write_text('joint_friction: {tilt: {coulomb: 2, cosine: 1.5, wavenumber: 3}}')
    model = source(TEXT, locked=('swim',), joint_friction_path=str(path)).build().model
    tilt = [model.joint_values(each)[0] for each in JOINT_FRICTION]
    assert tilt == [0, 2, 0, 1.5, 0, 0, 3, 0, 0]


def test_closures_are_of_a_file(tmp_path, monkeypatch):
    """The file says which joints lead and where the loops close; one that is none is named."""
    folder = Path(__file__).resolve().parents[2] / 'config' / 'mechanisms'
    urdf = {'urdf_path': str(folder / 'palletizer.urdf')}
    robot = source('', **urdf, closures_path=str(folder / 'palletizer.yaml')).build()
    assert robot.joint_names == ('turn', 'shoulder', 'flange', 'crank')
    np.testing.assert_allclose(robot.model.closed_posture, (0.0, 1.5, 0.0, -0.2), atol=1e-12)
    monkeypatch.chdir(tmp_path)  # long paths are shortened in sentences
    path = Path('loops.yaml')
    for text, words in (
        (None, "file 'loops.yaml' cannot be read: No such file"),
        ('closures: {pin', "file 'loops.yaml' is no YAML"),
        ('closures: {pin: {a: {link: x}, b: {link: plate}, type: ball}}', "no frame 'x'; valid"),
        (
            'closures: {pin: {a: {link: column, xyz: [9, 0, 0]}, b: {link: plate}, type: weld}}',
            'no posture was',
        ),
    ):
        if text is not None:
            path.write_text(text)
        with pytest.raises(RobodynError, match=words):
            source('', **urdf, closures_path=str(path)).build()
