# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Joints of several degrees of freedom: their coordinates, and what they are equal to."""

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.compile import generic
from robodyn_ros.control.laws.law_registry import law_class
from robodyn_ros.errors import ModelError, ShapeError
from robodyn_ros.identification import Parameters
from robodyn_ros.model.description import Joint, Limit, Link, Placement, RobotDescription
from support.calls import arguments, results
from support.compare import agree, solve_tolerance
from support.robots.families import MIXED, inertial, rotation, states

STEP = 1e-5  # of central differences, whose error is of the order of its square


@pytest.fixture(params=MIXED.values(), ids=MIXED, scope='module')
def case(request):
    """Return one robot after the other."""
    return request.param


def pair(*joints, seed=0):
    """Return a base and one body for each joint, with random placements and inertias."""
    rng = np.random.default_rng(seed)
    links, chain = [Link('base')], []
    for k, options in enumerate(joints):
        chain.append(
            Joint(
                f'j{k}',
                options.pop('type'),
                links[-1].name,
                f'l{k}',
                Placement(rotation(rng), rng.normal(size=3)),
                **options,
            )
        )
        links.append(Link(f'l{k}', inertial(rng)))
    description = RobotDescription('pair', tuple(links), tuple(chain))
    return Robot.from_description(description, [joint.name for joint in chain])


# --- coordinates --------------------------------------------------------------------------------


def test_every_coordinate_has_a_name():
    """One name a velocity and one a position; a joint of one freedom keeps its own."""
    robot = pair(
        {'type': 'floating'},
        {'type': 'revolute'},
        {'type': 'planar'},
        {'type': 'universal'},
        {'type': 'cylindrical'},
        {'type': 'spherical'},
        {'type': 'helical', 'pitch': 0.1},
    )
    assert robot.joint_names == (
        'j0.x',
        'j0.y',
        'j0.z',
        'j0.wx',
        'j0.wy',
        'j0.wz',
        'j1',
        'j2.x',
        'j2.y',
        'j2.turn',
        'j3.first',
        'j3.second',
        'j4.slide',
        'j4.turn',
        'j5.wx',
        'j5.wy',
        'j5.wz',
        'j6',
    )
    assert robot.position_names == (
        'j0.x',
        'j0.y',
        'j0.z',
        'j0.qx',
        'j0.qy',
        'j0.qz',
        'j0.qw',
        'j1',
        'j2.x',
        'j2.y',
        'j2.turn',
        'j3.first',
        'j3.second',
        'j4.slide',
        'j4.turn',
        'j5.qx',
        'j5.qy',
        'j5.qz',
        'j5.qw',
        'j6',
    )
    assert (robot.nq, robot.nv) == (20, 18)
    assert robot.model.coordinates.tolist() == [
        0,
        1,
        2,
        -1,
        -1,
        -1,
        7,
        8,
        9,
        10,
        11,
        12,
        13,
        14,
        -1,
        -1,
        -1,
        19,
    ]
    assert robot.configuration.neutral().tolist() == [0.0] * 6 + [1.0] + [0.0] * 11 + [1.0, 0.0]


def test_one_limit_or_a_tuple_limits_several_velocities():
    """One limit for all gives speed and effort; a tuple gives each its own."""
    each = (Limit(-1.0, 2.0, 3.0, 4.0), Limit(-5.0, 6.0, 7.0, 8.0))
    robot = pair(
        {'type': 'cylindrical', 'limit': each},
        {'type': 'spherical', 'limit': Limit(velocity=9.0, effort=10.0)},
    )
    assert robot.limits.lower.tolist() == [-1.0, -5.0] + [-np.inf] * 3
    assert robot.limits.upper.tolist() == [2.0, 6.0] + [np.inf] * 3
    assert robot.limits.velocity.tolist() == [3.0, 7.0] + [9.0] * 3
    assert robot.limits.effort.tolist() == [4.0, 8.0] + [10.0] * 3
    with pytest.raises(ModelError, match='1 limits; expected one, or one for each of j0.slide'):
        pair({'type': 'cylindrical', 'limit': each[:1]})
    with pytest.raises(ModelError, match='range -1 .. 2 for a coordinate of its angular velocity'):
        pair({'type': 'spherical', 'limit': (each[0], Limit(), Limit())})


def test_what_has_no_direction_or_no_pitch_is_refused():
    """Each axis that a joint has, its second one too, and a pitch that is a number."""
    for wrong in (
        {'axis': np.zeros(3)},
        {'second_axis': np.zeros(3)},
        {'second_axis': np.full(3, np.nan)},
    ):
        with pytest.raises(ModelError, match='has axis .*expected a direction'):
            pair({'type': 'universal', **wrong}, {'type': 'revolute'})
    with pytest.raises(ModelError, match='has pitch nan m/rad; expected at most'):
        pair({'type': 'helical', 'pitch': np.nan}, {'type': 'revolute'})


def test_a_free_base_finds_names_that_are_not_taken():
    """A link that is called world keeps its name, and so does a joint called free_base."""
    rng = np.random.default_rng(0)
    links = Link('world', inertial(rng)), Link('arm', inertial(rng))
    joints = (Joint('free_base', 'revolute', 'world', 'arm'),)
    robot = Robot.from_description(RobotDescription('r', links, joints), free_base=True)
    assert robot.model.body_names[0] == 'world_'
    assert {'world', 'arm', 'world_'} <= set(robot.frames)
    assert robot.joint_names[0] == 'free_base_.x' and robot.joint_names[-1] == 'free_base'


def test_integrate_and_difference_undo_one_another(case):
    """q1 = q0 + (q1 - q0), turning the shorter way, and lengths of quaternions do not matter."""
    robot = case.robot
    for (start, _, _), (end, _, _) in zip(states(robot), states(robot, seed=1)):
        motion = robot.configuration.difference(start, end)
        reached = robot.configuration.integrate(start, motion, 1.0)
        for k in robot.model.quaternions:
            agree(np.abs(reached[k : k + 4] @ end[k : k + 4]), np.array(1.0))
            end[k : k + 4] = reached[k : k + 4]
        agree(reached, end)
        agree(
            robot.configuration.difference(
                start, robot.configuration.integrate(start, 0.1 * motion, 2.0)
            ),
            0.2 * motion,
        )


def test_integrate_is_the_flow_of_the_velocity(case):
    """The pose moves along qd as `velocity` says, and steps along one qd add up."""
    robot = case.robot
    for q, qd, _ in states(robot):
        before, after = (
            robot.pose(robot.configuration.integrate(q, qd, t), case.tip) for t in (-STEP, STEP)
        )
        rate, R = (after - before) / (2.0 * STEP), robot.pose(q, case.tip)[:3, :3]
        spin = rate[:3, :3] @ R.T
        agree(
            np.array([*rate[:3, 3], spin[2, 1], spin[0, 2], spin[1, 0]]),
            robot.velocity(q, qd, case.tip),
            scale=np.abs(qd).sum() ** 3,
            tolerance=1e-9,
        )
        agree(
            robot.configuration.integrate(robot.configuration.integrate(q, qd, 0.2), qd, 0.3),
            robot.configuration.integrate(q, qd, 0.5),
        )


def test_batches_have_q_of_another_width(case):
    """(k, nq) and (k, nv) give, row by row, what each state gives alone."""
    robot = case.robot
    q, qd, qdd = (np.array(rows) for rows in zip(*states(robot, 5)))
    for name, given in (
        ('inverse_dynamics', (q, qd, qdd)),
        ('mass_matrix', (q,)),
        ('forward_dynamics', (q, qd, qdd)),
        ('integrate', (q, qd, 0.1)),
        ('coriolis_matrix', (q, qd)),
        ('difference', (q, q[::-1].copy())),
    ):
        owner = robot.configuration if name in ('integrate', 'difference') else robot
        method = getattr(owner, name)
        for row, found in enumerate(method(*given)):
            # a single screw has no Coriolis matrix: relative to one, as the coordinates are
            alone = method(*(x[row] if np.ndim(x) else x for x in given))
            agree(
                found,
                alone,
                scale=max(np.abs(alone).max(), 1.0),
                tolerance=solve_tolerance(robot.mass_matrix(q[row])),
            )


def test_random_configurations_are_within_limits():
    """Within limits, quaternions of length one and turned everywhere."""
    robot = pair({'type': 'floating'}, {'type': 'revolute', 'limit': Limit(0.5, 0.6)})
    rng = np.random.default_rng(0)
    found = np.array([robot.configuration.random(rng) for _ in range(2000)])
    assert np.all((0.5 <= found[:, 7]) & (found[:, 7] <= 0.6))
    assert np.abs(np.linalg.norm(found[:, 3:7], axis=1) - 1.0).max() < 1e-15
    assert np.abs(found[:, :3]).max() <= 3.0
    # uniform rotations have no mean direction: four times the deviation of the mean of 2000
    assert np.abs(found[:, 3:7].mean(axis=0)).max() < 4.0 * 0.5 / np.sqrt(2000)


def test_length_of_a_quaternion_does_not_matter(case):
    """A quaternion stands for the one of length one in its direction."""
    robot = case.robot
    ((q, qd, qdd),) = states(robot, 1)
    tau = robot.inverse_dynamics(q, qd, qdd)
    for k in robot.model.quaternions:
        q[k : k + 4] *= -3.0
    agree(robot.inverse_dynamics(q, qd, qdd), tau)


def test_plain_text_equals_machine_code():
    """Python runs the same text of every kernel on every sort of joint."""
    robot = MIXED['mixed_permuted'].robot
    for kernel in generic.ALL:
        compiled, plain = arguments(robot, kernel), arguments(robot, kernel)
        assert kernel(*compiled.values()) == kernel.python(*plain.values())
        compiled, plain = results(kernel, compiled), results(kernel, plain)
        for name in compiled.keys() - {'work', 'vectors'}:
            agree(compiled[name], plain[name], scale=max(np.abs(plain[name]).max(), 1.0))


# --- what joints are equal to -------------------------------------------------------------------


def test_screw_without_pitch_is_a_revolute_joint():
    """To the last bit."""
    robots = [pair({'type': kind}, {'type': 'revolute'}) for kind in ('helical', 'revolute')]
    for q, qd, qdd in states(robots[0]):
        one, two = (robot.inverse_dynamics(q, qd, qdd) for robot in robots)
        assert np.array_equal(one, two)


def test_screw_of_large_pitch_is_almost_a_slide():
    """With a pitch h, tau / h at q / h tends to that of a slide, as 1 / h."""
    screw, slide = pair({'type': 'helical', 'pitch': 1e6}), pair({'type': 'prismatic'})
    for q, qd, qdd in states(slide):
        agree(
            screw.inverse_dynamics(1e-6 * q, 1e-6 * qd, 1e-6 * qdd) / 1e6,
            slide.inverse_dynamics(q, qd, qdd),
            tolerance=1e-6,
        )


def test_body_on_a_screw_has_its_closed_form():
    """(I + m h^2) qdd = tau - m g h, for a body about a vertical screw."""
    m, inertia, h = 2.0, np.diag((0.1, 0.2, 0.3)), 0.05
    body = Link('nut', type(inertial(np.random.default_rng(0)))(m, np.zeros(3), inertia))
    robot = Robot.from_description(
        RobotDescription(
            'nut',
            (Link('bolt'), body),
            (Joint('thread', 'helical', 'bolt', 'nut', axis=np.array((0.0, 0.0, 1.0)), pitch=h),),
        )
    )
    agree(
        robot.forward_dynamics([0.7], [3.0], [0.4]),
        np.array([(0.4 - m * 9.81 * h) / (0.3 + m * h * h)]),
    )
    assert robot.pose([0.7], 'nut')[2, 3] == pytest.approx(0.7 * h)


def test_free_joint_is_three_slides_and_a_ball():
    """Its coordinates are theirs, one after the other."""
    free = pair({'type': 'floating'})
    rng, zero = np.random.default_rng(0), Placement()
    first = Placement(rotation(rng), rng.normal(size=3))
    body = Link('l0', inertial(rng))
    axes = np.eye(3)
    chain = [
        Joint(f's{k}', 'prismatic', f'b{k}', f'b{k + 1}', first if k == 0 else zero, axes[k])
        for k in range(3)
    ]
    robot = Robot.from_description(
        RobotDescription(
            'chain',
            tuple(Link(f'b{k}') for k in range(4)) + (body,),
            (*chain, Joint('ball', 'spherical', 'b3', 'l0')),
        )
    )
    for q, qd, qdd in states(free):
        agree(free.inverse_dynamics(q, qd, qdd), robot.inverse_dynamics(q, qd, qdd))


@pytest.mark.parametrize(
    'options',
    [{}, {'base': 'link2'}, {'joints': ('joint6', 'joint2')}, {'locked': {'joint1': 0.4}}],
)
def test_free_base_that_is_held_is_a_fixed_one(options):
    """With its base at rest, a free robot has the joint torques of a fixed one."""
    description = MIXED['free_base'].description
    fixed, free = (
        Robot.from_description(description, free_base=base, **options) for base in (False, True)
    )
    assert free.joint_names[6:] == fixed.joint_names
    for q, qd, qdd in states(fixed):
        stands = np.concatenate((free.configuration.neutral()[:7], q))
        rests = [np.concatenate((np.zeros(6), x)) for x in (qd, qdd)]
        agree(free.inverse_dynamics(stands, *rests)[6:], fixed.inverse_dynamics(q, qd, qdd))
        agree(free.mass_matrix(stands)[6:, 6:], fixed.mass_matrix(q))


def test_angular_velocity_is_that_of_the_child_in_its_axes():
    """omega of a ball, and the position of a free body in the axes of its parent."""
    robot = pair({'type': 'floating'})
    for q, qd, _ in states(robot):
        X, V = robot.pose(q, 'l0'), robot.velocity(q, qd, 'l0')
        agree(X[:3, :3].T @ V[3:], qd[3:])
        parent = robot.pose(robot.configuration.neutral(), 'l0')
        agree(parent[:3, :3].T @ (X[:3, 3] - parent[:3, 3]), q[:3])
        agree(parent[:3, :3].T @ V[:3], qd[:3])


# --- refusals -----------------------------------------------------------------------------------


def test_states_of_another_shape_are_refused():
    """The sentence says what q is, and what all else is."""
    robot = MIXED['one_ball'].robot
    with pytest.raises(
        ShapeError,
        match=r'\(4,\) or \(k, 4\) for q, in the order joint1.qx.*'
        r'\(3,\) or \(k, 3\) for all else',
    ):
        robot.bias_torque(np.ones(3), np.ones(3))
    with pytest.raises(ShapeError, match="got nan for joint 'joint1.qw'"):
        robot.gravity_torque([1.0, 0.0, 0.0, np.nan])
    with pytest.raises(ShapeError, match="got nan for joint 'joint1.wy'"):
        robot.bias_torque([1.0, 0.0, 0.0, 0.0], [0.0, np.nan, 0.0])
    with pytest.raises(ShapeError, match='quaternion of length 0 for joint1.qx'):
        robot.gravity_torque(np.zeros(4))
    with pytest.raises(ShapeError, match='quaternion of length 0'):
        robot.gravity_torque(np.zeros((3, 4)))
    with pytest.raises(ShapeError, match='got inf; expected a finite number of seconds'):
        robot.configuration.integrate(robot.configuration.neutral(), np.ones(3), np.inf)


def test_functions_without_quaternions_refuse_them():
    """Control laws and identification want one position for a velocity."""
    robot = MIXED['one_ball'].robot
    with pytest.raises(ModelError, match="joint 'joint1' turns freely.*control law 'pd'"):
        law_class('pd')(robot)
    with pytest.raises(ModelError, match="joint 'joint1' turns freely.*identification"):
        Parameters(robot)


def test_point_mass_on_a_ball_has_no_dynamics():
    """About the line to its mass nothing resists; its pose is known all the same."""
    point = type(inertial(np.random.default_rng(0)))(
        1.0, np.array((0.0, 0.3, 0.4)), np.zeros((3, 3))
    )
    robot = Robot.from_description(
        RobotDescription(
            'r', (Link('base'), Link('mass', point)), (Joint('ball', 'spherical', 'base', 'mass'),)
        )
    )
    np.testing.assert_array_equal(robot.pose([0.0, 0.0, 0.0, 1.0], 'mass'), np.eye(4))
    with pytest.raises(ModelError, match='inertia about every axis'):
        robot.mass_matrix([0.0, 0.0, 0.0, 1.0])
