# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Choosing joints, merging links, normalising frames: the arrays are the robot described."""

from math import inf, isnan, pi

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import assume, example, given

from robodyn_ros import Robot
from robodyn_ros.errors import ModelError, ShapeError, UnknownNameError
from robodyn_ros.model import layout, rotation_matrix, urdf
from robodyn_ros.model.build import build
from robodyn_ros.model.description import Inertial, Joint, Limit, Link, Placement, RobotDescription
from robodyn_ros.model.rigid_body import unpack

SIGNED_AXES = [
    np.array(axis, dtype=float)
    for axis in ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))
]

UNIT = 'ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"'


def link(name, mass=None, com='0 0 0', inertia=UNIT):
    if mass is None:
        return f'<link name="{name}"/>'
    return (
        f'<link name="{name}"><inertial><origin xyz="{com}"/><mass value="{mass}"/>'
        f'<inertia {inertia}/></inertial></link>'
    )


def joint(name, kind, parent, child, xyz='0 0 0', rpy='0 0 0', axis='0 0 1', more=''):
    return (
        f'<joint name="{name}" type="{kind}"><origin xyz="{xyz}" rpy="{rpy}"/>'
        f'<parent link="{parent}"/><child link="{child}"/><axis xyz="{axis}"/>{more}</joint>'
    )


def describe(*parts):
    return urdf.parse(f'<robot name="r">{"".join(parts)}</robot>')


# A trunk with a fixed plate, two arms (the left one branches off twice) and a slider.
TREE = (
    link('root', 5),
    link('trunk', 4),
    link('plate', 3, '0 0 0.1'),
    link('left', 2),
    link('left_tip', 1),
    link('right', 2),
    link('slide', 1),
    joint('lift', 'prismatic', 'root', 'trunk', '0 0 1'),
    joint('weld', 'fixed', 'trunk', 'plate', '0.5 0 0', '0 0 1.5707963267948966'),
    joint('l1', 'revolute', 'plate', 'left', '0 1 0', axis='0 1 0'),
    joint('r1', 'continuous', 'plate', 'right', '0 -1 0', axis='1 0 0'),
    joint(
        'l2',
        'revolute',
        'left',
        'left_tip',
        '0 0 1',
        axis='0 0 -1',
        more='<limit lower="-1" upper="1" effort="5" velocity="2"/>',
    ),
    joint('r2', 'prismatic', 'right', 'slide', '0 0 1', axis='0.6 0.8 0'),
)


@pytest.fixture
def tree():
    return describe(*TREE)


# --- rotations ----------------------------------------------------------------------------------


@pytest.mark.parametrize('axis', SIGNED_AXES, ids=str)
def test_z_to_a_coordinate_axis_is_an_exact_signed_permutation(axis):
    R = rotation_matrix.z_to_axis(axis)
    assert set(np.abs(R).ravel()) == {0.0, 1.0}
    assert np.linalg.det(R) == 1.0
    assert (R[:, 2] == axis).all()


def test_z_to_z_is_the_identity():
    assert (rotation_matrix.z_to_axis(np.array([0.0, 0.0, 1.0])) == np.eye(3)).all()


def directions():
    return st.tuples(*[st.floats(-1, 1)] * 3)


@given(directions())
@example((1e-9, 0, -1)).via('cancellation near -z')
@example((1e-5, -1e-7, -1)).via('cancellation near -z')
@example((3e-12, 0, 1)).via('just above rounding')
@example((1e-13, 0.6, -0.8)).via('one entry is rounding')
def test_z_to_any_axis_is_the_smallest_rotation(vector):
    vector = np.array(vector, dtype=float)
    assume(np.max(np.abs(vector)) > 1e-6)
    axis = rotation_matrix.unit_axis(vector)
    np.testing.assert_allclose(axis, vector / np.linalg.norm(vector), rtol=0, atol=1e-12)
    R = rotation_matrix.z_to_axis(axis)
    np.testing.assert_allclose(R @ R.T, np.eye(3), rtol=0, atol=1e-15 * 4)
    np.testing.assert_allclose(R[:, 2], axis, rtol=0, atol=0)
    # The smallest rotation turns about an axis normal to z, by the angle between z and the axis.
    assert np.trace(R) == pytest.approx(1 + 2 * axis[2], abs=4e-15)
    if abs(axis[2]) < 1.0:
        assert R[0, 1] == pytest.approx(R[1, 0], abs=1e-15)


@pytest.mark.parametrize('turns', list(np.ndindex(4, 4, 4)))
def test_quarter_turns_are_exact(turns):
    R = rotation_matrix.from_rpy(*(pi / 2 * turn for turn in turns))
    assert set(np.abs(R).ravel()) == {0.0, 1.0}
    assert np.linalg.det(R) == 1.0


@pytest.mark.parametrize('angle', [1e-11, 1e-9, 1e-7, 1e-3, 0.7])
def test_what_is_not_rounding_is_kept(angle):
    R = rotation_matrix.about_x(angle)
    assert R[2, 1] == np.sin(angle)
    np.testing.assert_array_equal(R, rotation_matrix.clean(R))
    np.testing.assert_allclose(R @ R.T, np.eye(3), rtol=0, atol=1e-15)


@example((0.0, 1.0, 1e-12))
@given(st.tuples(*[st.floats(-10, 10)] * 3))
def test_cleaning_keeps_a_rotation_a_rotation(angles):
    """But for what it changes: each product of two rows by at most 2 sqrt(2) times that."""
    R = rotation_matrix.from_rpy(*angles)
    change = 3.0 * rotation_matrix.made_exact(*angles)
    np.testing.assert_allclose(R @ R.T, np.eye(3), rtol=0, atol=4e-15 + change)
    assert np.linalg.det(R) == pytest.approx(1.0, abs=4e-15)


# --- order, choice of joints --------------------------------------------------------------------


def test_bodies_run_from_base_to_tip_one_arm_after_the_other(tree):
    model = build(tree)
    assert model.joint_names == ('lift', 'l1', 'l2', 'r1', 'r2')
    assert model.body_names == ('root', 'trunk', 'left', 'left_tip', 'right', 'slide')
    assert model.topology.tolist() == [
        [0, layout.WORLD, 0, 0, 0],
        [0, layout.PRISMATIC, 0, 0, 1],
        [1, layout.REVOLUTE, 1, 1, 1],
        [2, layout.REVOLUTE, 2, 2, 1],
        [1, layout.REVOLUTE, 3, 3, 1],
        [4, layout.PRISMATIC, 4, 4, 1],
    ]
    assert (model.nq, model.nv) == (5, 5)


def test_joints_choose_the_order_of_q_and_hold_the_rest(tree):
    model = build(tree, joints=['r1', 'lift', 'l1'])
    assert model.joint_names == ('r1', 'lift', 'l1')
    assert model.body_names == ('root', 'trunk', 'left', 'right')
    assert model.topology[:, layout.V].tolist() == [0, 1, 2, 0]
    assert model.constants[2, layout.MASS] == 3.0  # left and left_tip
    assert model.constants[3, layout.MASS] == 3.0  # right and slide


def test_a_base_in_the_tree_leaves_out_what_is_not_below_it(tree):
    model = build(tree, base='plate')
    assert model.body_names == ('plate', 'left', 'left_tip', 'right', 'slide')
    assert set(model.frames) == {
        'plate',
        'left',
        'left_tip',
        'right',
        'slide',
        'l1',
        'l2',
        'r1',
        'r2',
    }
    assert [f.sentence for f in model.report.findings if f.subject == "link 'plate'"] == [
        'is the fixed base; its inertia has no effect',
        'is the base; 2 joints that are not below it are left out',
    ]


@pytest.mark.parametrize(
    ('choice', 'error', 'words'),
    [
        ({'joints': ['l1', 'nobody']}, UnknownNameError, ["'nobody'", 'lift, l1, l2, r1, r2']),
        ({'locked': {'nobody': 0.0}}, UnknownNameError, ["'nobody'", 'lift, l1, l2, r1, r2']),
        ({'joints': ['weld']}, UnknownNameError, ["'weld'", 'movable']),
        ({'base': 'nobody'}, UnknownNameError, ["'nobody'", 'root, trunk, plate']),
        ({'base': 'left', 'joints': ['r1']}, UnknownNameError, ["'r1'", 'below its base', 'l2']),
        ({'joints': ['l1', 'l1']}, ModelError, ["'l1'", '2 times']),
        ({'joints': ['l1'], 'locked': {'l1': 0.0}}, ModelError, ["'l1'", '2 times']),
        ({'locked': {'l1': float('nan')}}, ModelError, ["'l1'", 'nan']),
        ({'locked': {'l1': inf}}, ModelError, ["'l1'", 'inf']),
        ({'locked': {'lift': 1e300}}, ModelError, ["'lift'", '1e+300']),
        ({'locked': {'l1': 'up'}}, ModelError, ["'l1'", "'up'"]),
        ({'gravity': (0, 0)}, ShapeError, ['gravity', '(3,)']),
        ({'gravity': (0, 0, float('nan'))}, ShapeError, ['gravity', 'finite']),
        ({'gravity': 'down'}, ShapeError, ['gravity', 'down']),
    ],
)
def test_a_choice_that_cannot_be_honoured_is_refused(tree, choice, error, words):
    with pytest.raises(error) as caught:
        build(tree, **choice)
    assert [word for word in words if word not in str(caught.value)] == [], str(caught.value)


@pytest.mark.parametrize('kind', ['floating', 'planar'])
def test_a_joint_of_many_freedoms_can_only_be_held_still(kind):
    robot = describe(
        link('root'),
        link('trunk', 1),
        link('arm', 1),
        joint('free', kind, 'root', 'trunk', '0 0 1'),
        joint('j', 'revolute', 'trunk', 'arm'),
    )
    with pytest.raises(ModelError, match=f"joint 'free' is {kind}.*lock it.*'free': 0.0"):
        build(robot)
    with pytest.raises(ModelError, match='expected 0, where its links coincide, or'):
        build(robot, locked={'free': 0.1})
    held = build(robot, locked={'free': 0.0})
    assert held.joint_names == ('j',)
    assert held.constants[1, layout.OFFSET : layout.OFFSET + 3].tolist() == [0, 0, 1]
    assert f"joint 'free': is {kind} and held still" in held.report.notes
    assert build(robot, joints=['j']).report == held.report


def hand(more='<mimic joint="lead" multiplier="-2" offset="0.1"/>', lead=''):
    """Return a palm with a finger that leads and one that follows."""
    return describe(
        link('root'),
        link('a', 1),
        link('b', 1),
        joint('lead', 'revolute', 'root', 'a', more=lead),
        joint('follow', 'revolute', 'root', 'b', more=more),
    )


def test_a_mimic_joint_follows_and_has_no_coordinate():
    model = build(hand())
    assert (model.joint_names, model.nq, model.nv) == (('lead',), 1, 1)
    assert model.all_joint_names == model.all_position_names == ('lead', 'follow')
    assert model.is_embedded and model.followed == {2: 1}
    assert model.constants[1:, [layout.RATIO, layout.SHIFT]].tolist() == [[1, 0], [-2, 0.1]]


def test_a_locked_mimic_joint_follows_nothing():
    model = build(hand(), locked={'follow': 0.3})
    assert model.joint_names == model.all_joint_names == ('lead',)
    assert not model.is_embedded
    assert any('follow' in line and 'held at 0.3' in line for line in model.report.warnings)


def test_a_mimic_joint_follows_one_that_is_held():
    robot = describe(
        link('root'),
        link('a', 1),
        link('b', 1),
        link('c', 1),
        joint('lead', 'prismatic', 'root', 'a'),
        joint('follow', 'prismatic', 'root', 'b', more='<mimic joint="lead" multiplier="2"/>'),
        joint('j', 'prismatic', 'b', 'c'),
    )
    model = build(robot, locked={'lead': 0.25})
    apart = model.constants[1, layout.OFFSET : layout.OFFSET + 3]
    assert model.joint_names == ('j',) and not model.is_embedded
    assert np.linalg.norm(apart - build(robot, joints=['j']).constants[1, 9:12]) == 0.5


def test_mimic_joints_are_not_commanded_and_all_are_named_at_once():
    parts = [link('palm')]
    for k, more in enumerate(('', '<mimic joint="f0"/>', '<mimic joint="f1"/>')):
        parts += [link(f'l{k}', 1), joint(f'f{k}', 'revolute', 'palm', f'l{k}', more=more)]
    with pytest.raises(ModelError) as refusal:
        build(describe(*parts), joints=['f0', 'f1', 'f2'])
    assert "joint 'f1' mimics 'f0', joint 'f2' mimics 'f0', and moves" in str(refusal.value)
    assert build(describe(*parts), joints=['f0']).all_joint_names == ('f0', 'f1', 'f2')


def test_a_leader_stays_where_its_followers_may_be():
    lead = '<limit lower="-1" upper="1" velocity="3" effort="5"/>'
    way = '<mimic joint="lead" multiplier="-2" offset="0.1"/>'
    limits = build(hand(f'{way}<limit lower="-0.9" upper="4" velocity="4"/>', lead)).limits
    assert (limits.lower[0], limits.upper[0]) == (-1.0, 0.5)
    assert (limits.velocity[0], limits.effort[0]) == (2.0, 5.0)
    model = build(hand(f'{way}<limit lower="5" upper="6" velocity="4"/>', lead))
    assert (model.limits.lower[0], model.limits.upper[0]) == (-1.0, 1.0)
    sentence = "joint 'follow': has a range that leaves 'lead' no position"
    assert any(sentence in line for line in model.report.warnings)


def test_joint_constants_are_of_all_that_moves_together():
    more = '<mimic joint="lead" multiplier="-2"/><dynamics damping="0.5" friction="0.25"/>'
    model = build(hand(more, '<dynamics damping="1" friction="2"/>'))
    assert model.joint_values(layout.DAMPING).tolist() == [1.0 + 4.0 * 0.5]
    assert model.joint_values(layout.FRICTION).tolist() == [2.0 + 2.0 * 0.25]
    again = model.with_joint_values(layout.DAMPING, [7.0])
    assert again.joint_values(layout.DAMPING).tolist() == [7.0]


@pytest.mark.parametrize(
    'lead, follow, sentence',
    [
        ('<mimic joint="follow"/>', '<mimic joint="lead"/>', 'a loop of joints'),
        ('', '<mimic joint="follow"/>', 'a loop of joints'),
        ('', '<mimic joint="nobody"/>', 'no movable joint below the base'),
        ('', '<mimic joint="lead" multiplier="1e9"/>', 'multiplier 1e\\+09; expected at most'),
    ],
)
def test_impossible_mimic_joints_are_refused(lead, follow, sentence):
    with pytest.raises(ModelError, match=sentence):
        build(hand(follow, lead))


@pytest.mark.parametrize(
    'choice, sentence',
    [
        ({'locked': ['j']}, r"locked is \['j'\]; expected {joint: position}"),
        ({'locked': 'j'}, "locked is 'j'; expected {joint: position}"),
        ({'joints': 'j'}, r"joints is 'j'; expected names of joints, such as \['j'\]"),
    ],
)
def test_a_choice_of_another_form_is_refused_with_the_form_that_is_expected(choice, sentence):
    robot = describe(link('root'), link('a', 1), joint('j', 'revolute', 'root', 'a'))
    with pytest.raises(ModelError, match=sentence):
        build(robot, **choice)


# --- merging ------------------------------------------------------------------------------------


def test_fixed_links_are_merged_with_their_inertia():
    # Two point-like cubes of 1 kg, the second turned and 2 m along x: one body.
    robot = describe(
        link('root'),
        link('bar', 1, '0 0 0', 'ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="3"'),
        link('end', 1, '0 1 0', 'ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="3"'),
        joint('spin', 'revolute', 'root', 'bar'),
        joint('weld', 'fixed', 'bar', 'end', '2 0 0', '0 0 1.5707963267948966'),
    )
    model = build(robot)
    row = model.constants[1]
    assert row[layout.MASS] == 2.0
    # com of the end in bar axes: (2, 0, 0) + Rz(90) (0, 1, 0) = (1, 0, 0).
    assert row[layout.MOMENT : layout.MOMENT + 3].tolist() == [1, 0, 0]
    # Turned by 90 degrees about z, ixx and iyy change places; 1 kg at 1 m adds to yy and zz.
    assert unpack(row[layout.INERTIA : layout.INERTIA + 6]).tolist() == [
        [1 + 2, 0, 0],
        [0, 2 + 1 + 1, 0],
        [0, 0, 3 + 3 + 1],
    ]
    frame = model.frames['end']
    assert (frame.body, frame.translation.tolist()) == (1, [2, 0, 0])
    assert model.frames['weld'] is frame
    assert model.frames['root'].body == 0


def test_a_locked_joint_is_a_fixed_joint_at_its_angle(tree):
    locked = build(tree, locked={'l1': 0.4, 'r2': 0.25})
    c, s = np.cos(0.4), np.sin(0.4)
    tip = locked.frames['left_tip']
    # l1 turns about y at (0, 1, 0) of the plate; the tip sits 1 m along the turned z.
    arm = locked.frames['left']
    assert arm.body == 1
    step = tip.translation
    assert tip.body == locked.body_names.index('left_tip')
    assert step.tolist() == [0, 0, 0]
    row = locked.constants[tip.body]
    turned = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    plate = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1.0]])
    expected = np.array([0.5, 0, 0]) + plate @ (np.array([0, 1, 0]) + turned @ [0, 0, 1])
    np.testing.assert_allclose(row[layout.OFFSET : layout.OFFSET + 3], expected, atol=1e-15)
    # r2 slides along (0.6, 0.8, 0), r1 turns about x: its body frame has z along the link's x.
    slide = locked.frames['slide']
    right = locked.frames['right']
    assert slide.body == right.body
    np.testing.assert_allclose(right.rotation.T @ slide.translation, [0.15, 0.2, 1], atol=1e-15)


def test_body_frames_have_z_along_the_joint_axis(tree):
    model = build(tree)
    for name, axis in (
        ('left', (0, 1, 0)),
        ('left_tip', (0, 0, -1)),
        ('right', (1, 0, 0)),
        ('slide', (0.6, 0.8, 0)),
        ('trunk', (0, 0, 1)),
    ):
        frame = model.frames[name]
        assert frame.translation.tolist() == [0, 0, 0]
        np.testing.assert_allclose(frame.rotation @ axis, [0, 0, 1], atol=1e-15)
    assert model.frames['trunk'].rotation.tolist() == np.eye(3).tolist()


def test_link_names_win_over_joint_names_as_frames():
    robot = describe(
        link('root'),
        link('arm', 1),
        link('tool', 1),
        joint('tool', 'revolute', 'root', 'arm'),
        joint('weld', 'fixed', 'arm', 'tool', '1 0 0'),
    )
    assert build(robot).frames['tool'].translation.tolist() == [1, 0, 0]


def test_sibling_order_changes_only_the_order(tree):
    other = describe(*TREE[:7], *reversed(TREE[7:]))
    a, b = build(tree), build(other, joints=build(tree).joint_names)
    assert a.joint_names == b.joint_names
    assert a.body_names != b.body_names
    rows = [b.body_names.index(name) for name in a.body_names]
    np.testing.assert_array_equal(a.constants, b.constants[rows])


# --- limits and constants -----------------------------------------------------------------------


def test_limits_are_in_joint_order_with_nan_for_a_missing_effort(tree):
    limits = build(tree, joints=['l2', 'r1']).limits
    assert limits.lower.tolist() == [-1, -inf]
    assert limits.upper.tolist() == [1, inf]
    assert limits.velocity.tolist() == [2, inf]
    assert limits.effort[0] == 5.0 and isnan(limits.effort[1])


def test_effort_zero_stays_zero():
    robot = describe(
        link('root'),
        link('arm', 1),
        joint('j', 'continuous', 'root', 'arm', more='<limit effort="0" velocity="1"/>'),
    )
    assert build(robot).limits.effort.tolist() == [0]


def test_joint_constants_reach_their_row():
    arm = Link('arm', Inertial(1.0, np.zeros(3), np.eye(3)))
    robot = RobotDescription(
        'r',
        (Link('root'), arm),
        (
            Joint(
                'j',
                'revolute',
                'root',
                'arm',
                Placement(),
                np.array([0, 0, 1.0]),
                Limit(),
                damping=0.1,
                friction=0.2,
                rotor_inertia=0.3,
            ),
        ),
    )
    row = build(robot).constants[1]
    assert row[[layout.ROTOR, layout.DAMPING, layout.FRICTION]].tolist() == [0.3, 0.1, 0.2]
    assert not row[25:].any()


def test_all_arrays_of_a_model_are_read_only(tree):
    model = build(tree)
    arrays = [model.topology, model.constants, model.gravity, *vars(model.limits).values()]
    arrays += [
        array for frame in model.frames.values() for array in (frame.rotation, frame.translation)
    ]
    assert not any(array.flags.writeable for array in arrays)
    assert all(array.flags.c_contiguous for array in arrays)
    with pytest.raises(AttributeError):
        model.name = 'other'
    with pytest.raises(TypeError):
        model.frames['new'] = None
    assert model.topology.dtype == np.int64 and model.constants.dtype == np.float64


def test_a_hand_made_description_is_checked_too():
    arm = Inertial(1.0, np.zeros(3), np.eye(3))

    def robot(
        inertial=arm, placement=Placement(), axis=(0, 0, 1.0), kind='revolute', limit=Limit()
    ):
        return RobotDescription(
            'r',
            (Link('root'), Link('arm', inertial)),
            (Joint('j', kind, 'root', 'arm', placement, np.array(axis), limit),),
        )

    build(robot())
    nan3 = np.full(3, np.nan)
    for bad in (
        {'inertial': Inertial(np.nan, np.zeros(3), np.eye(3))},
        {'inertial': Inertial(1.0, nan3, np.eye(3))},
        {'inertial': Inertial(1.0, np.zeros(3), np.full((3, 3), np.nan))},
        {'inertial': Inertial(1.0, np.zeros(3), np.eye(3) + np.triu(np.ones((3, 3))))},
        {'placement': Placement(np.eye(3), nan3)},
        {'placement': Placement(np.full((3, 3), np.nan))},
        {'placement': Placement(2 * np.eye(3))},
        {'placement': Placement(-np.eye(3))},
        {'axis': nan3},
        {'kind': 'elastic'},
        {'limit': Limit(lower=np.nan)},
        {'limit': Limit(velocity=np.nan)},
    ):
        with pytest.raises(ModelError):
            build(robot(**bad))


# --- a joint must move something ----------------------------------------------------------------

NONE = 'ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"'


@pytest.mark.parametrize(
    ('tip', 'kind', 'words'),
    [
        (link('tip'), 'revolute', 'inertia about its axis'),
        (link('tip', 0, inertia=NONE), 'continuous', 'inertia about its axis'),
        (link('tip', 1, '0 0 0.5', NONE), 'revolute', 'inertia about its axis'),
        (link('tip', 1, '1e-7 0 0.5', NONE), 'revolute', 'inertia about its axis'),
        (link('tip', 0), 'prismatic', 'mass'),
    ],
)
def test_a_tip_that_has_nothing_to_move_has_no_dynamics(tip, kind, words):
    robot = describe(
        link('root'),
        link('arm', 1),
        tip,
        joint('j1', 'revolute', 'root', 'arm'),
        joint('j2', kind, 'arm', 'tip', '1 0 0'),
    )
    with pytest.raises(ModelError, match=f"link 'tip' moves, .*{words}"):
        build(robot).require_dynamics()
    assert build(robot, joints=['j1']).dynamics_fault == ''


def test_little_inertia_about_the_axis_is_enough():
    robot = describe(
        link('root'), link('tip', 1, '1e-4 0 0.5', NONE), joint('j', 'revolute', 'root', 'tip')
    )
    assert build(robot).constants[1, layout.INERTIA + 5] == pytest.approx(1e-8)


@pytest.mark.parametrize('kind', ['revolute', 'prismatic'])
def test_rotor_inertia_is_something_to_move(kind):
    def robot(rotor_inertia):
        return RobotDescription(
            'r',
            (Link('root'), Link('tip')),
            (Joint('j', kind, 'root', 'tip', rotor_inertia=rotor_inertia),),
        )

    assert build(robot(0.1)).dynamics_fault == ''
    with pytest.raises(ModelError, match='rotor inertia'):
        build(robot(0.0)).require_dynamics()


def test_a_body_before_a_massless_tip_with_a_rotor_needs_mass_too():
    def robot(inertial):
        return RobotDescription(
            'r',
            (Link('root'), Link('arm', inertial), Link('tip')),
            (
                Joint('j1', 'revolute', 'root', 'arm'),
                Joint('j2', 'revolute', 'arm', 'tip', rotor_inertia=0.1),
            ),
        )

    with pytest.raises(ModelError, match="link 'arm' moves"):
        build(robot(None)).require_dynamics()
    assert build(robot(Inertial(1.0, np.zeros(3), np.eye(3)))).dynamics_fault == ''


def test_what_is_accepted_has_a_positive_definite_mass_matrix():
    """Massless links in between, a point mass off the axis, inertia without mass at the tip."""
    robot = Robot(
        build(
            describe(
                link('root'),
                link('a'),
                link('b'),
                link('arm', 1, '0.3 0 0', NONE),
                link('tip', 0),
                joint('yaw', 'revolute', 'root', 'a'),
                joint('pitch', 'revolute', 'a', 'b', axis='0 1 0'),
                joint('lift', 'prismatic', 'b', 'arm', '0.2 0 0'),
                joint('roll', 'revolute', 'arm', 'tip', axis='1 0 0'),
            )
        )
    )
    M = robot.mass_matrix(np.array([0.3, -0.4, 0.5, 0.6]))
    assert np.linalg.eigvalsh(M)[0] > 1e-3


# --- pure changes -------------------------------------------------------------------------------


def test_gravity_is_changed_in_a_copy(tree):
    model = build(tree, gravity=(0, 0, -1.62))
    other = model.with_gravity([9.81, 0, 0])
    assert model.gravity.tolist() == [0, 0, -1.62]
    assert other.gravity.tolist() == [9.81, 0, 0]
    assert other.constants is model.constants
    with pytest.raises(ShapeError):
        model.with_gravity([0, 0, inf])


def test_added_inertia_equals_a_welded_link(tree):
    inertia = np.diag([0.1, 0.2, 0.25])
    payload = Link('load', Inertial(1.5, np.array([0.1, 0.2, 0.3]), inertia))
    weld = Joint('grip', 'fixed', 'left_tip', 'load')
    welded = build(RobotDescription('r', (*tree.links, payload), (*tree.joints, weld)))
    added = build(tree).with_inertia('left_tip', 1.5, [0.1, 0.2, 0.3], inertia)
    np.testing.assert_array_equal(added.constants, welded.constants)


def test_an_impossible_or_misplaced_body_is_not_added(tree):
    model = build(tree)
    with pytest.raises(UnknownNameError, match='left_tip'):
        model.with_inertia('nobody', 1, [0, 0, 0], np.eye(3))
    with pytest.raises(ModelError, match='mass is -1'):
        model.with_inertia('left', -1, [0, 0, 0], np.eye(3))
    with pytest.raises(ModelError, match='principal'):
        model.with_inertia('left', 1, [0, 0, 0], -np.eye(3))
    with pytest.raises(ShapeError, match='inertia'):
        model.with_inertia('left', 1, [0, 0, 0], [1, 1, 1])
    with pytest.raises(ShapeError, match='com'):
        model.with_inertia('left', 1, [0, 0, inf], np.eye(3))
    on_base = model.with_inertia('root', 1, [0, 0, 0], np.eye(3))
    np.testing.assert_array_equal(on_base.constants, model.constants)


def test_masses_are_scaled_by_one_factor_or_one_per_body(tree):
    model = build(tree)
    inertial = slice(layout.MASS, layout.INERTIA + 6)
    factors = np.array([1, 2, 1, 1, 0.5, 1])
    scaled = model.with_scaled_masses(factors)
    np.testing.assert_array_equal(
        scaled.constants[:, inertial], model.constants[:, inertial] * factors[:, None]
    )
    np.testing.assert_array_equal(
        scaled.constants[:, : layout.MASS], model.constants[:, : layout.MASS]
    )
    np.testing.assert_array_equal(
        model.with_scaled_masses(2).constants[:, inertial], model.constants[:, inertial] * 2
    )
    for bad, error in (
        (0.0, ModelError),
        (-1, ModelError),
        ([1, 2], ShapeError),
        (float('nan'), ShapeError),
        ([[1], [2, 3]], ShapeError),
    ):
        with pytest.raises(error):
            model.with_scaled_masses(bad)


def test_joint_values_are_in_joint_order(tree):
    model = build(tree, joints=['r2', 'l1', 'lift', 'r1', 'l2'])
    rotors = model.with_joint_values(layout.ROTOR, [1, 2, 3, 4, 5])
    assert rotors.joint_values(layout.ROTOR).tolist() == [1, 2, 3, 4, 5]
    row = {name: rotors.constants[i, layout.ROTOR] for i, name in enumerate(model.body_names)}
    assert row == {'root': 0, 'slide': 1, 'left': 2, 'trunk': 3, 'right': 4, 'left_tip': 5}
    assert model.joint_values(layout.ROTOR).tolist() == [0] * 5
    with pytest.raises(ModelError, match='0 or more'):
        model.with_joint_values(layout.DAMPING, [1, 2, 3, 4, -5])
    with pytest.raises(ShapeError, match=r'\(5,\)'):
        model.with_joint_values(layout.DAMPING, [1, 2])
