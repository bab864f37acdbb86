# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Elements of other dialects of URDF: loops, joints that follow others, and what is not read."""

import re

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.cli import report
from robodyn_ros.console import robot_arguments
from robodyn_ros.errors import ModelError, OpenError
from robodyn_ros.model import urdf
from robodyn_ros.model.dependent.coupling import Coupling

BARS = (
    ('crank', 0.0, 'frame', 0.1),
    ('coupler', 0.2, 'crank', 0.25),
    ('rocker', 0.45, 'frame', 0.2),
)
PIN = """<gazebo><joint name="pin" type="revolute"><pose{}>{}</pose><parent>coupler</parent>
<child>rocker</child><axis><xyz>0 0 1</xyz></axis></joint></gazebo>"""
GEAR = """<gazebo><joint name="g" type="gearbox"><parent>{}</parent><child>{}</child>
<gearbox_ratio>{}</gearbox_ratio><gearbox_reference_body>{}</gearbox_reference_body>
<axis><xyz>{}</xyz></axis><axis2><xyz>{}</xyz></axis2></joint></gazebo>"""
UP, AWAY = '0 0 1', '0 0 -2'
INERTIA = '<inertia ixx="1e-3" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/>'


def bars(more='', marks=None):
    """Return a four-bar about z without its pin; the bars weigh 1 kg, izz is 0.02 kg m^2."""
    parts = ['<link name="frame"/>']
    for name, at, parent, com in BARS:
        mark = f'independent="{marks[name]}"' if marks else ''
        parts.append(
            f'<link name="{name}"><inertial><origin xyz="{com} 0 0"/><mass value="1"/>{INERTIA}'
            f'</inertial></link><joint name="{name}" type="continuous" {mark}>'
            f'<origin xyz="{at} 0 0"/><parent link="{parent}"/><child link="{name}"/>'
            '<axis xyz="0 0 1"/><limit velocity="9" effort="50"/></joint>'
        )
    return f'<robot name="bars">{"".join(parts)}{more}</robot>'


def inertia_of_four_bar(angles, angle, coupler, rocker):
    """Return the inertia at the crank by circles in the plane, and the angles of all bars.

    The pin is where the circles of coupler and rocker meet, on the side of `angles`. Rates are
    complex steps. Kinetic energy is that of the three bars.
    """

    def places(q):
        tip = 0.2 * np.array((np.cos(q), np.sin(q)))
        apart = tip - (0.45, 0.0)
        d = np.sqrt(apart @ apart)
        along = (d * d + rocker**2 - coupler**2) / (2.0 * d)
        height = np.sqrt(rocker**2 - along**2)
        e = apart / d
        ends = [
            np.array((0.45, 0.0)) + along * e + side * height * np.array((-e[1], e[0]))
            for side in (-1.0, 1.0)
        ]
        known = np.array((0.45, 0.0)) + rocker * np.array((np.cos(angles[2]), np.sin(angles[2])))
        pin = min(ends, key=lambda end: np.abs(end - known).max())
        second, third = (pin - tip) / coupler, (pin - (0.45, 0.0)) / rocker
        bodies = (0.1 * tip / 0.2, tip + 0.25 * second, np.array((0.45, 0.0)) + 0.2 * third)
        return tip / 0.2, second, third, bodies

    step = 1e-40
    *turned, bodies = places(angle + 1j * step)
    spins = [
        np.imag(u[1]) / step * np.real(u[0]) - np.imag(u[0]) / step * np.real(u[1]) for u in turned
    ]
    speeds = [np.imag(each) / step for each in bodies]
    return sum(0.02 * spin**2 + speed @ speed for spin, speed in zip(spins, speeds))


def test_a_joint_of_gazebo_closes_a_loop():
    """SDF: its frame is fixed to the child; so coupler and rocker have 0.75 and 0.5 m.

    At zero all bars lie on a line, where the loop is singular. So it is closed elsewhere, with a
    warning. Both numbers are of the size of 0.1; 1e-12 is rounding.
    """
    robot = Robot.from_urdf(bars(PIN.format('', '0.5 0 0 0 0 0')))
    assert robot.joint_names == ('crank',)
    assert "<joint> 'pin' of <gazebo>: closes the loop of links 'coupler'" in str(
        robot.report.notes
    )
    (warning,) = robot.report.warnings
    assert warning.startswith(
        'closures pin: do not close from zero, or are singular there; closed at'
    )
    for angle in (0.7, 1.3):
        q = dict(zip(robot.all_joint_names, robot.expand([angle])[0]))
        angles = q['crank'], q['crank'] + q['coupler'], q['rocker']
        expected = inertia_of_four_bar(angles, angle, 0.75, 0.5)
        np.testing.assert_allclose(robot.mass_matrix([angle])[0, 0], expected, rtol=1e-12)


SAME = {
    'frame of another link': PIN.format(' relative_to="coupler"', '0.5 0 0 0 0 0'),
    'degrees': PIN.format(' degrees="true"', '0.25 0 0 0 0 90'),
    'loop_joint': '<loop_joint name="pin" type="revolute"><link1 link="coupler" xyz="0.5 0 0"/>'
    '<link2 link="rocker" xyz="0.25 0 0" rpy="0 0 1"/><axis xyz="0 0 1"/></loop_joint>',
    'URDF+': '<loop name="pin" type="revolute"><predecessor link="coupler"><origin xyz="0.5 0 0"/>'
    '</predecessor><successor link="rocker"><origin xyz="0.25 0 0"/></successor>'
    '<axis xyz="0 0 1"/></loop>',
}


@pytest.mark.parametrize('kind', SAME)
def test_dialects_close_the_same_loop(kind):
    """The rocker's frame is at 0.45, the coupler's at 0.2: the pin is at 0.7 of the base."""
    (closure,) = urdf.parse(bars(SAME[kind])).closures
    assert (closure.a, closure.b) == ('coupler', 'rocker')
    assert closure.stops == ('x', 'y', 'z', 'rx', 'ry')
    np.testing.assert_allclose(closure.place_a.translation, (0.5, 0.0, 0.0), atol=1e-15)
    np.testing.assert_allclose(closure.place_b.translation, (0.25, 0.0, 0.0), atol=1e-15)
    for place in (closure.place_a, closure.place_b):
        np.testing.assert_allclose(place.rotation[:, 2], (0.0, 0.0, 1.0), atol=1e-15)


@pytest.mark.parametrize(
    'kind, stops', [('ball', 'x y z'), ('fixed', 'x y z rx ry rz'), ('prismatic', 'x y rx ry rz')]
)
def test_types_of_sdf(kind, stops):
    text = PIN.format('', '0 0 0 0 0 0').replace('revolute', kind)
    (closure,) = urdf.parse(bars(text)).closures
    assert closure.stops == tuple(stops.split())


def test_the_weld_of_the_base_to_the_world_is_no_loop():
    text = (
        '<gazebo><joint name="w" type="fixed"><parent>world</parent><child>frame</child></joint>'
        '</gazebo>'
    )
    found = urdf.parse(bars(text))
    assert found.closures == found.findings == ()


UNREAD = {
    'universal joint of SDF': (
        PIN.format('', '0 0 0 0 0 0').replace('revolute', 'universal'),
        "<joint> 'pin' of <gazebo>: is not read, though it may close a loop: .* type 'universal'",
    ),
    'pose of another kind': (
        PIN.format(' rotation_format="quat_xyzw"', '0 0 0 0 0 0 1'),
        "<joint> 'pin' of <gazebo>: is not read.*pose of another format",
    ),
    'axis in the frame of the model': (
        PIN.format('', '0 0 0 0 0 0').replace('<xyz>', '<xyz expressed_in="__model__">'),
        "<joint> 'pin' of <gazebo>: is not read.*axis in another frame",
    ),
    'screw of SDF': (
        PIN.format('', '0 0 0 0 0 0').replace('revolute', 'screw'),
        "<joint> 'pin' of <gazebo>: is not read, though it may close a loop: .* type 'screw'",
    ),
    'two axes': (
        PIN.format('', '0 0 0 0 0 0').replace('</axis>', '</axis><axis2/>'),
        "<joint> 'pin' of <gazebo>: is not read.*has two axes; expected one",
    ),
    'gearbox between several joints': (
        GEAR.format('coupler', 'rocker', 2, 'frame', UP, UP),
        "<joint> 'g' of <gazebo>: is not read, though it moves a joint: gearbox 'g' has the "
        r"joints \['coupler', 'crank'\] between links 'frame' and 'coupler'; expected one that is",
    ),
    'gearbox about other axes': (
        GEAR.format('crank', 'rocker', 2, 'frame', '0 1 0', UP),
        "<joint> 'g' of <gazebo>: is not read.*has <axis> apart from the axis of joint 'crank'",
    ),
    'gearbox without a reference': (
        GEAR.format('crank', 'rocker', 2, '', UP, UP),
        "<joint> 'g' of <gazebo>: is not read.*names link '', which the robot has not",
    ),
    'unknown link': (
        PIN.format('', '0 0 0 0 0 0').replace('>rocker<', '>finger<'),
        "<joint> 'pin' of <gazebo>: is not read.*names link 'finger', which the robot has not",
    ),
    'equality of MuJoCo': (
        '<mujoco><compiler/><equality><connect name="c" body1="rocker"/></equality></mujoco>',
        "<connect> 'c' of <mujoco>: is not read, though it may close a loop or move a joint",
    ),
    'constraint of Drake': (
        '<drake:ball_constraint xmlns:drake="http://drake.mit.edu"/>',
        "<drake:ball_constraint> 'without a name': is not read, though it may close a loop",
    ),
    'loop without ends': ('<loop name="x"/>', "<loop> 'x': is not read, though it may close"),
    'coupling without ends': ('<coupling name="x"/>', "<coupling> 'x': is not read"),
    'mimic of SDF': (
        '<gazebo reference="crank"><axis><mimic joint="rocker"/></axis></gazebo>',
        "<mimic> of <gazebo> 'crank': is not read",
    ),
    'spring': (
        '<gazebo reference="crank"><springStiffness>5</springStiffness></gazebo>',
        "joint 'crank': has <springStiffness> 5 in <gazebo>, which is not read",
    ),
    'plug-in': (
        '<gazebo><plugin name="m" filename="libmimic_joints.so"><a/></plugin></gazebo>',
        "plug-in 'm libmimic_joints.so' of <gazebo>: is not read",
    ),
    'follower of nobody': (
        '<ros2_control><joint name="crank"><param name="mimic">thumb</param></joint>'
        '</ros2_control>',
        "joint 'crank': follows 'thumb' by <ros2_control>, which is not read: there is no joint",
    ),
    'odd multiplier': (
        '<ros2_control><joint name="crank"><param name="mimic">rocker</param>'
        '<param name="multiplier">x</param></joint></ros2_control>',
        "joint 'crank': follows 'rocker' by <ros2_control>, which is not read: its multiplier",
    ),
}


@pytest.mark.parametrize('kind', UNREAD)
def test_what_is_not_read_is_a_warning_that_names_it(kind):
    more, words = UNREAD[kind]
    robot = Robot.from_urdf(bars(more))
    assert robot.nv == 3
    (warning,) = robot.report.warnings
    assert re.match(words, warning), warning


@pytest.mark.parametrize(
    'more',
    [
        '<gazebo reference="crank"><springStiffness>0</springStiffness></gazebo>',
        '<gazebo><plugin name="control" filename="libgazebo_ros2_control.so"/></gazebo>',
        '<gazebo><plugin name="s" filename="libgazebo_ros_joint_state_publisher.so"/></gazebo>',
        '<gazebo reference="rocker"><selfCollide>true</selfCollide></gazebo>',
        '<sensor name="s"/><mujoco><compiler meshdir="."/></mujoco>',
    ],
)
def test_what_moves_nothing_is_passed_over(more):
    assert urdf.parse(bars(more)).findings == ()


FOLLOWS = {
    'ros2_control': '<ros2_control><joint name="rocker"><param name="mimic">crank</param>'
    '<param name="multiplier">-0.5</param><param name="offset">0.2</param></joint></ros2_control>',
    'plug-in of Gazebo': '<gazebo><plugin name="p" filename="libmimic.so"><joint>crank</joint>'
    '<mimicJoint>rocker</mimicJoint><multiplier>-0.5</multiplier><offset>0.2</offset></plugin>'
    '</gazebo>',
}


@pytest.mark.parametrize('kind', FOLLOWS)
def test_a_joint_follows_as_by_mimic(kind):
    mimic = '<child link="rocker"/><mimic joint="crank" multiplier="-0.5" offset="0.2"/>'
    expected = Robot.from_urdf(bars().replace('<child link="rocker"/>', mimic))
    robot = Robot.from_urdf(bars(FOLLOWS[kind]))
    assert robot.joint_names == expected.joint_names == ('crank', 'coupler')
    q, qd, qdd = (0.4, -0.7), (0.3, 0.2), (-1.0, 0.5)
    np.testing.assert_array_equal(
        robot.inverse_dynamics(q, qd, qdd), expected.inverse_dynamics(q, qd, qdd)
    )
    assert "joint 'rocker': follows 'crank' by" in str(robot.report.notes)


@pytest.mark.parametrize(
    'words, leader, multiplier',
    [
        (('crank', 'rocker', 3, 'frame', UP, UP), 'crank', -3.0),
        (('crank', 'rocker', 3, 'frame', UP, AWAY), 'crank', 3.0),
        (('crank', 'rocker', -2, 'frame', AWAY, UP), 'crank', -2.0),
        (('crank', 'rocker', -2, 'frame', AWAY, AWAY), 'crank', 2.0),
        # the reference moves itself: its own joint counts backwards
        (('frame', 'coupler', 2, 'crank', UP, UP), 'crank', 2.0),
    ],
)
def test_a_gearbox_of_sdf_lets_a_joint_follow(words, leader, multiplier):
    """theta_2 = -ratio theta_1, angles of child and parent against the reference link."""
    robot = Robot.from_urdf(bars(GEAR.format(*words)))
    joints = {joint.name: joint for joint in urdf.parse(bars(GEAR.format(*words))).joints}
    follower = joints[words[1]]
    assert (follower.mimic, follower.multiplier, follower.offset) == (leader, multiplier, 0.0)
    assert robot.nv == 2 and not robot.report.warnings
    assert f"joint '{words[1]}': follows '{leader}' by <joint> 'g'" in str(robot.report.notes)
    q = dict(zip(robot.all_joint_names, robot.expand(np.full(2, 0.3))[0]))
    reference, parent, child = ({**q, 'frame': 0.0}[words[k]] for k in (3, 0, 1))
    if words[3] == 'crank':  # on which the coupler moves
        child += reference
    signs = [1.0 if axis == UP else -1.0 for axis in words[4:]]
    first, second = signs[0] * (parent - reference), signs[1] * (child - reference)
    assert second == pytest.approx(-words[2] * first, rel=1e-15)


def coupling(name, before, after, ratio):
    """Return a <coupling> of URDF+."""
    return (
        f'<coupling name="{name}"><predecessor link="{before}"/><successor link="{after}"/>'
        f'<ratio value="{ratio}"/></coupling>'
    )


def test_a_coupling_of_urdf_plus_is_a_gear():
    """ratio q_crank = q_rocker, in each order of marks; the coupler moves on the crank."""
    expected = Robot.from_urdf(bars(), couplings=[Coupling('rocker', {'crank': 6.0})])
    q, qd, qdd = (0.4, -0.7), (0.3, 0.2), (-1.0, 0.5)
    for marks in (None, {'crank': 'true', 'coupler': 'true', 'rocker': 'false'}):
        robot = Robot.from_urdf(bars(coupling('gear', 'crank', 'rocker', 6.0), marks))
        assert robot.joint_names == ('crank', 'coupler')
        np.testing.assert_array_equal(
            robot.inverse_dynamics(q, qd, qdd), expected.inverse_dynamics(q, qd, qdd)
        )


def test_couplings_that_share_joints_are_solved_together():
    """2 (crank + coupler) = rocker and 3 rocker = crank, with the rocker independent."""
    text = bars(
        coupling('sum', 'coupler', 'rocker', 2.0) + coupling('part', 'rocker', 'crank', 3.0),
        {'crank': 'false', 'coupler': 'false', 'rocker': 'true'},
    )
    joints = {joint.name: joint for joint in urdf.parse(text).joints}
    assert joints['crank'].follows == {'rocker': 3.0}
    assert joints['coupler'].follows == {'rocker': -2.5}
    twice = coupling('one', 'coupler', 'rocker', 2.0) + coupling('two', 'coupler', 'rocker', 2.0)
    with pytest.raises(ModelError, match='the couplings one, two do not determine'):
        urdf.parse(bars(twice))


def test_joints_beyond_a_loop_may_be_marked_as_independent():
    hand = f"""<link name="hand"><inertial><mass value="1"/>{INERTIA}</inertial></link>
<joint name="hand" type="continuous" independent="true"><parent link="rocker"/>
<child link="hand"/><axis xyz="0 0 1"/></joint>"""
    marks = {'crank': 'false', 'coupler': 'false', 'rocker': 'true'}
    robot = Robot.from_urdf(bars(hand + SAME['URDF+'], marks), near={'crank': 0.4})
    assert robot.joint_names == ('rocker', 'hand')
    robot = Robot.from_urdf(bars(hand + SAME['URDF+']), near={'crank': 0.4})
    assert robot.joint_names == ('crank', 'hand')


def test_where_joints_are_marked_as_dependent_the_others_are_independent():
    text = bars(SAME['URDF+'].replace('"0.25 0 0"', '"0.4 0 0"'))
    for name in ('crank', 'coupler'):
        text = text.replace(f'<joint name="{name}"', f'<joint name="{name}" independent="false"')
    assert Robot.from_urdf(text).joint_names == ('rocker',)


def test_joints_of_drake_have_their_types():
    """A ball of three velocities, a universal joint of two, a screw of 2 pi mm per turn."""
    text = bars().replace(
        '<joint name="crank" type="continuous"', '<drake:joint name="crank" type="{}"'
    )
    text = text.replace('</joint>', '{}</drake:joint>', 1)
    for kind, more, velocities in (
        ('ball', '', 5),
        ('universal', '', 4),
        ('screw', f'<drake:screw_thread_pitch value="{2e-3 * np.pi}"/>', 3),
    ):
        found = urdf.parse(text.format(kind, more))
        assert Robot.from_description(found).nv == velocities
    assert found.joints[0].pitch == pytest.approx(1e-3, rel=1e-15)


def test_a_closure_that_stops_nothing_is_a_note():
    """Fingers that follow each other keep the slider between them by themselves."""
    text = """<robot name="hand"><link name="palm"/>""" + ''.join(
        f'<link name="{name}"><inertial><mass value="1"/>{INERTIA}</inertial></link>'
        f'<joint name="{name}" type="prismatic"><parent link="palm"/><child link="{name}"/>'
        f'<axis xyz="0 0 {side}"/><limit lower="0" upper="1" effort="9" velocity="1"/>{mimic}'
        '</joint>'
        for name, side, mimic in (('left', 1, ''), ('right', -1, '<mimic joint="left"/>'))
    )
    slider = PIN.format('', '0 0 0 0 0 0').replace('revolute', 'prismatic')
    slider = slider.replace('>coupler<', '>left<').replace('>rocker<', '>right<')
    robot = Robot.from_urdf(f'{text}{slider}</robot>')
    assert robot.joint_names == ('left',) and not robot.model.has_loops
    assert 'closures pin: stop no motion' in robot.report.notes
    np.testing.assert_allclose(robot.mass_matrix([0.3]), [[2.0]], rtol=1e-15)


def test_the_report_of_a_loop_that_closes_in_a_part_of_the_ranges_ends_well(tmp_path, capsys):
    """The rocker cannot turn around; whether its motor holds the robot is then no error."""
    path = tmp_path / 'bars.urdf'
    loop = SAME['URDF+'].replace('"0.25 0 0"', '"0.4 0 0"')
    path.write_text(bars(loop, {'crank': 'false', 'coupler': 'false', 'rocker': 'true'}))
    assert report.main([str(path), '--gravity', '0', '-9.81', '0']) == 0
    told = capsys.readouterr().out
    assert "note     robot 'bars': whether it holds itself is open: " in told


def test_the_remedy_of_a_singular_posture_helps_everywhere(tmp_path, capsys):
    """In Python and in the file of closures, which then has nothing but that."""
    path, file = tmp_path / 'bars.urdf', tmp_path / 'near.yaml'
    path.write_text(bars(PIN.format('', '0.5 0 0 0 0 0')))
    file.write_text('near: {crank: 0.0}')
    with pytest.raises(OpenError, match="near={'crank': POSITION, 'rocker': POSITION, 'coup"):
        Robot.from_urdf(path, near={'crank': 0.0})
    words = robot_arguments.RobotParser()
    robot_arguments.add_robot(words)
    given = words.parse_args([str(path), '--closure-file', str(file)])
    with pytest.raises(OpenError) as caught:
        robot_arguments.model_of(given)
    assert robot_arguments.refuse(caught.value) == 1
    assert '--closure-file FILE with near: {crank: POSITION, roc' in capsys.readouterr().err
    near = {'crank': 0.5, 'coupler': 0.3, 'rocker': 0.7}
    file.write_text(f'near: {near}')
    assert robot_arguments.model_of(given).nv == 1
    assert Robot.from_urdf(path, near=near).report.warnings == ()
