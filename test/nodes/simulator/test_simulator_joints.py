# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Floating, spherical and planar joints in the simulator: messages and physics."""

import re
from array import array

import numpy as np
import pinocchio as pin
import pytest
from geometry_msgs.msg import Quaternion, Transform, Twist, Vector3, WrenchStamped
from sensor_msgs.msg import JointState, MultiDOFJointState
from std_msgs.msg import Header
from test_simulator_commands import values

from robodyn_msgs.srv import SetJointState
from robodyn_ros.robot.robot import Robot
from robodyn_ros.ros.simulator.simulator_session import SimulatorSession
from support.nodes.node_harness import COLD, wait_until
from support.nodes.simulated_arm import (
    BODY,
    COMMANDS,
    DEEP,
    FERRY,
    NODE,
    STATES,
    StandingArm,
    floats,
    nanoseconds,
)
from support.robots.families import MIXED

pytestmark = pytest.mark.ros

POSES = '/robot_multi_dof_joint_states'
STONE = f'<robot name="stone"><link name="stone">{BODY.format(y=0.2, mass=2.5)}</link></robot>'
JOINTS = ('mast', 'swim', 'deck')  # not base to tip: q and qd are in this order
SCALARS = ['mast', 'deck.x', 'deck.y', 'deck.turn']
RATE = 500  # [Hz]
Q = (0.4, 0.7, -0.2, 1.1, 0.48, -0.36, 0.48, 0.64, 0.3, -0.5, 0.8)
QD = (0.6, 0.5, -0.8, 0.9, 1.2, -0.7, 1.5, 0.4, -0.3, 0.9)


def numbers(message):
    """Return a Vector3 or a Quaternion as an array."""
    return np.array([getattr(message, field) for field in 'xyzw' if hasattr(message, field)])


def pose(transform):
    """Return the homogeneous matrix of a Transform."""
    X = np.eye(4)
    X[:3, :3] = pin.Quaternion(numbers(transform.rotation)).matrix()
    X[:3, 3] = numbers(transform.translation)
    return X


def pair(message):
    """Return a Twist or a Wrench as an array, linear first."""
    first, second = message.get_fields_and_field_types()
    return np.concatenate((numbers(getattr(message, first)), numbers(getattr(message, second))))


def origin(joint):
    """Return the placement of a joint of the ferry in its parent link, as Pinocchio reads it."""
    model = pin.buildModelFromXML(FERRY)
    placement = model.jointPlacements[model.getJointId(joint)]
    return placement.homogeneous


class Ferry(StandingArm):
    """The simulated ferry, standing."""

    def __init__(self, graph, host, folder):
        urdf = folder / 'ferry.urdf'
        urdf.write_text(FERRY)
        self.poses = graph.collect(MultiDOFJointState, POSES, DEEP)
        super().__init__(
            graph,
            host,
            urdf,
            joints=list(JOINTS),
            update_rate=RATE,
            integrator='rk4',
            no_command='free',
            command_timeout=10.0,
            initial_position=list(Q),
            initial_velocity=list(QD),
        )
        self.robot = Robot.from_urdf(FERRY, joints=JOINTS)

    def now(self):
        """Return JointState and MultiDOFJointState of one moment from now on."""
        self.poses.clear()
        joints = self.next()
        return joints, self.poses.wait(lambda poses: poses.header == joints.header, 'poses')

    def state(self):
        """Return q and qd of the robot from its messages, as in doc/robots/joints.md."""
        joints, poses = self.now()
        position, velocity = (
            dict(zip(joints.name, field)) for field in (joints.position, joints.velocity)
        )
        swim = poses.joint_names.index('swim')
        place = poses.transforms[swim]
        turn = pose(place)[:3, :3]
        twist = pair(poses.twist[swim])
        q = [
            position['mast'],
            *numbers(place.translation),
            *numbers(place.rotation),
            *(position[name] for name in SCALARS[1:]),
        ]
        qd = [
            velocity['mast'],
            *twist[:3],
            *(turn.T @ twist[3:]),
            *(velocity[name] for name in SCALARS[1:]),
        ]
        return np.array(q), np.array(qd)

    def put(self, joints=JointState(), **poses):
        """Ask for a state; return the answer."""
        return self.call(
            SetJointState,
            'set_joint_state',
            state=joints,
            multi_dof_state=MultiDOFJointState(**poses),
        )


@pytest.fixture(scope='module')
def shared(graph, host_shared, tmp_path_factory):
    """Return the simulated ferry of all tests."""
    ferry = Ferry(graph, host_shared, tmp_path_factory.mktemp('ferry'))
    yield ferry
    ferry.process.end_well()


@pytest.fixture
def ferry(shared):
    """Return the ferry in its initial state."""
    shared.reset()
    yield shared
    assert shared.process.running


def test_messages_say_whose_they_are(ferry):
    """One freedom with one position each on the one topic, poses on the other, of one moment."""
    joints, poses = ferry.now()
    assert joints.name == SCALARS
    assert len(joints.position) == len(joints.velocity) == len(joints.effort) == 4
    assert poses.joint_names == ['swim', 'deck']
    assert len(poses.transforms) == len(poses.twist) == len(poses.wrench) == 2
    assert joints.header.frame_id == poses.header.frame_id == 'sea'


def test_steps_return_the_published_poses(ferry):
    answer = ferry.ask_for_steps(1)
    joints, poses = ferry.now()
    assert answer.state.name == SCALARS and answer.state.position == joints.position
    assert answer.multi_dof_state.transforms == poses.transforms
    assert answer.multi_dof_state.twist == poses.twist


def test_initial_state_is_that_of_the_parameters(ferry):
    """Seven numbers for the floating joint among those of the others; rates as well."""
    q, qd = ferry.state()
    assert q == pytest.approx(Q, abs=1e-15)
    assert qd == pytest.approx(QD, abs=1e-14)


def test_poses_and_twists_are_those_of_links_in_the_frames_of_their_joints(ferry):
    """The parent's pose, the joint's origin, then the transform give the child's pose."""
    poses = ferry.now()[1]
    robot = ferry.robot
    parts = (('sea', 'swim', 'hull'), ('hull', 'deck', 'cart'))
    for k, (parent, joint, child) in enumerate(parts):
        below, above = robot.pose(Q, parent), robot.pose(Q, child)
        frame = below @ origin(joint)
        assert frame @ pose(poses.transforms[k]) == pytest.approx(above, abs=1e-14)
        V, W = robot.velocity(Q, QD, parent), robot.velocity(Q, QD, child)
        carried = V[:3] + np.cross(V[3:], above[:3, 3] - below[:3, 3])
        relative = np.concatenate((W[:3] - carried, W[3:] - V[3:]))
        assert np.kron(np.eye(2), frame[:3, :3]) @ pair(poses.twist[k]) == pytest.approx(
            relative, abs=1e-13
        )


def test_efforts_by_the_names_of_velocities_come_back_as_wrenches(ferry):
    """The power of a wrench on a twist is that of the efforts on the velocities."""
    names = list(ferry.robot.joint_names)
    assert names == [
        'mast',
        *(f'swim.{x}' for x in ('x', 'y', 'z', 'wx', 'wy', 'wz')),
        *SCALARS[1:],
    ]
    given = dict(zip(names, (1.0, -2.0, 3.0, 4.0, 0.5, -0.6, 0.7, 5.0, -6.0, 0.8)))
    publisher = ferry.publisher(JointState, COMMANDS)
    shuffled = names[::-1]
    message = JointState(name=shuffled, effort=array('d', [given[name] for name in shuffled]))
    ferry.say(publisher, message)
    ferry.step()
    q, qd = ferry.state()
    joints, poses = ferry.now()
    assert list(joints.effort) == [given[name] for name in SCALARS]
    for joint, twist, wrench in zip(poses.joint_names, poses.twist, poses.wrench):
        rows = [k for k, name in enumerate(names) if name.startswith(f'{joint}.')]
        power = sum(qd[k] * given[names[k]] for k in rows)
        assert pair(twist) @ pair(wrench) == pytest.approx(power, rel=1e-12)
    force = pair(poses.wrench[0])
    assert force[:3].tolist() == [-2.0, 3.0, 4.0]
    turn = pose(poses.transforms[0])[:3, :3]
    assert turn.T @ force[3:] == pytest.approx([0.5, -0.6, 0.7], abs=1e-14)


def test_a_thrown_tree_keeps_what_must_be_kept(ferry):
    """Centre of mass on the parabola, angular momentum about it, energy; nothing holds it."""
    robot = ferry.robot
    com, h = robot.centroidal.centre_of_mass(Q), robot.centroidal.momentum(Q, QD)
    energy = sum(robot.energy(Q, QD))
    time = 0.5
    ferry.step(round(time * RATE))
    q, qd = ferry.state()
    fall = np.array((0.0, 0.0, -9.81))
    assert np.abs(q - Q).max() > 0.5
    assert robot.centroidal.centre_of_mass(q) == pytest.approx(
        com + time * h[:3] / robot.centroidal.mass + 0.5 * time**2 * fall, abs=1e-9
    )
    after = robot.centroidal.momentum(q, qd)
    assert after[:3] == pytest.approx(h[:3] + time * robot.centroidal.mass * fall, abs=1e-9)
    assert after[3:] == pytest.approx(h[3:], abs=1e-9)  # of Runge-Kutta at 2 ms, not of rounding
    assert sum(robot.energy(q, qd)) == pytest.approx(energy, abs=1e-8)


def test_a_state_is_set_by_poses_and_twists(ferry):
    """Both halves and each alone; a quaternion of any length and sign; the rest keeps its own."""
    swim = Transform(
        translation=Vector3(x=1.0, y=2.0, z=-3.0),
        rotation=Quaternion(x=-1.0, y=1.0, z=1.0, w=-1.0),
    )
    twist = Twist(linear=Vector3(x=0.1, y=0.2, z=0.3), angular=Vector3(x=0.4, y=0.5, z=0.6))
    answer = ferry.put(
        JointState(name=['mast'], position=array('d', [1.0])),
        joint_names=['swim'],
        transforms=[swim],
        twist=[twist],
    )
    assert answer.success, answer.message
    joints, poses = ferry.now()
    assert joints.position.tolist() == [1.0, 0.3, -0.5, 0.8]
    assert pose(poses.transforms[0]) == pytest.approx(
        pose(
            Transform(
                translation=swim.translation, rotation=Quaternion(x=-0.5, y=0.5, z=0.5, w=-0.5)
            )
        ),
        abs=1e-15,
    )
    assert pair(poses.twist[0]) == pytest.approx(pair(twist), abs=1e-15)
    deck, still = poses.transforms[1], Twist()
    assert ferry.put(joint_names=['deck'], twist=[still]).success
    poses = ferry.now()[1]
    assert pair(poses.twist[1]) == pytest.approx(np.zeros(6), abs=1e-15)
    assert ferry.put(
        joint_names=['deck'], transforms=[Transform(rotation=Quaternion(w=-1.0))]
    ).success
    assert ferry.now()[0].position.tolist() == [1.0, 0.0, 0.0, 0.0]
    assert ferry.put(joint_names=['deck'], transforms=[deck]).success
    assert ferry.now()[0].position.tolist() == pytest.approx([1.0, 0.3, -0.5, 0.8], abs=1e-15)


@pytest.mark.parametrize(
    ('request_', 'words'),
    [
        ({'joint_names': ['keel'], 'twist': [Twist()]}, "'keel'.*of swim, deck"),
        ({'joint_names': ['swim'] * 2, 'twist': [Twist()] * 2}, 'at most once'),
        ({'joint_names': ['swim'], 'twist': [Twist()] * 2}, '1 names, 0 transforms and 2 twists'),
        (
            {'joint_names': ['swim'], 'transforms': [Transform(rotation=Quaternion(w=0.0))]},
            "rotation of joint 'swim'.*unit quaternion",
        ),
        (
            {
                'joint_names': ['swim'],
                'transforms': [Transform(translation=Vector3(x=float('nan')))],
            },
            'finite',
        ),
        ({'joint_names': ['swim'], 'twist': [Twist(angular=Vector3(x=float('inf')))]}, 'finite'),
        (
            {'joint_names': ['deck'], 'transforms': [Transform(translation=Vector3(x=0.1))]},
            "pose of joint 'deck' is off by 0.0.*planar",
        ),
        (
            {
                'joint_names': ['deck'],
                'transforms': [Transform(rotation=Quaternion(x=0.6, w=0.8))],
            },
            "pose of joint 'deck'.*planar",
        ),
        (
            {'joint_names': ['deck'], 'twist': [Twist(angular=Vector3(z=1.0))]},
            "twist of joint 'deck'.*planar",
        ),
        ({}, '0 joints'),
    ],
)
def test_a_state_that_joints_cannot_have_is_refused(ferry, request_, words):
    """With a sentence; nothing changes."""
    before = ferry.state()
    answer = ferry.put(**request_)
    assert not answer.success
    assert re.search(words, answer.message), answer.message
    for was, value in zip(before, ferry.state()):
        assert value.tolist() == was.tolist()


def test_a_scalar_has_no_place_for_a_floating_joint(ferry):
    """Its coordinates are set as a pose."""
    answer = ferry.put(JointState(name=['swim.x'], position=array('d', [1.0])))
    assert not answer.success
    assert 'of mast, deck.x, deck.y, deck.turn' in answer.message


def session_of(graph, robot, **changes):
    """Return a session of a robot that no node reads from a URDF, its steps taken by hand."""
    names = {
        'joint_states_topic': '/hand/joints',
        'multi_dof_joint_states_topic': '/hand/poses',
        'effort_command_topic': '/hand/efforts',
        'joint_commands_topic': '',
        'specialise': False,
        'trigger': 'command',
    }
    return SimulatorSession(graph.node, robot, values(**names, **changes))


def told(session, inbox):
    """Return the present state as the session publishes it."""

    def heard():
        session.publish_state()
        return any(nanoseconds(m) == session.runner.time for m in inbox.messages[-1:])

    wait_until(heard, 'the state')
    return inbox.last


def test_a_thrown_stone_on_a_free_base(graph):
    """Without a command, whatever robots do before one: there is nothing that could hold it."""
    robot = Robot.from_urdf(STONE, free_base=True)
    place, turn = np.array((0.3, -0.2, 1.5)), np.array((0.48, -0.36, 0.48, 0.64))
    v, w = np.array((1.0, 0.5, 3.0)), np.array((2.0, -1.0, 4.0))
    session = session_of(
        graph, robot, integrator='rk4', initial_position=(*place, *turn), initial_velocity=(*v, *w)
    )
    poses = graph.collect(MultiDOFJointState, '/hand/poses', DEEP)
    joints = graph.collect(JointState, '/hand/joints', DEEP)
    try:
        inertial = np.array((0.1, 0.2, -0.05))
        A = pin.rpy.rpyToMatrix(0.2, 0.1, 0.3)
        inertia = A @ ((0.3, 0.02, -0.01), (0.02, 0.4, 0.03), (-0.01, 0.03, 0.5)) @ A.T

        def motion(message):
            assert message.joint_names == ['free_base'] and message.header.frame_id == 'world'
            X, twist = pose(message.transforms[0]), pair(message.twist[0])
            R = X[:3, :3]
            spin = R @ inertia @ R.T @ twist[3:]
            arm = R @ inertial
            return (
                X[:3, 3] + arm,
                twist[:3] + np.cross(twist[3:], arm),
                spin,
                0.5 * twist[3:] @ spin,
            )

        centre, speed, spin, rotation = motion(told(session, poses))
        session.runner.step(700)
        fall = np.array((0.0, 0.0, -9.81))
        centre_, speed_, spin_, rotation_ = motion(told(session, poses))
        assert centre_ == pytest.approx(centre + 0.7 * speed + 0.245 * fall, abs=1e-9)
        assert speed_ == pytest.approx(speed + 0.7 * fall, abs=1e-9)
        assert spin_ == pytest.approx(spin, abs=1e-9)
        assert rotation_ == pytest.approx(rotation, abs=1e-9)
        assert not joints.messages
    finally:
        session.close()


def test_a_push_on_the_free_link(graph):
    """A force at the centre of mass, in axes of the link: another parabola, and no rotation."""
    robot = Robot.from_urdf(STONE, free_base=True)
    force, com = np.array((3.0, -4.0, 5.0)), np.array((0.1, 0.2, -0.05))
    start, turn = np.array((0.3, -0.2, 1.5)), np.array((0.48, -0.36, 0.48, 0.64))
    session = session_of(
        graph,
        robot,
        integrator='rk4',
        initial_position=(*start, *turn),
        external_wrench_timeout=0.0,
    )
    poses = graph.collect(MultiDOFJointState, '/hand/poses', DEEP)
    publisher = graph.node.create_publisher(WrenchStamped, '~/external_wrench', 1)
    push = WrenchStamped(header=Header(frame_id='stone'))
    for part, vector in ((push.wrench.force, force), (push.wrench.torque, np.cross(com, force))):
        part.x, part.y, part.z = vector
    try:
        wait_until(publisher.get_subscription_count, 'a reader of wrenches')
        publisher.publish(push)

        def pushed():
            session.set_state(None, np.zeros(6))
            session.runner.step(1)
            return abs(session.runner.plant.qd[:2]).max() > 1e-4  # a fall alone leaves rounding

        wait_until(pushed, 'the push')
        session.set_state((*start, *turn), np.zeros(6))
        session.runner.step(400)
        X = pose(told(session, poses).transforms[0])
        R = pin.Quaternion(turn).matrix()
        pull = R @ force / 2.5 + (0.0, 0.0, -9.81)
        assert X[:3, :3] == pytest.approx(R, abs=1e-12)
        assert X[:3, 3] == pytest.approx(start + 0.08 * pull, abs=1e-12)
    finally:
        session.close()


def test_a_pendulum_on_a_ball_swings_as_pinocchio_integrates_it(graph):
    """Semi-implicit Euler on the manifold, by its forward dynamics and its integrate."""
    case = MIXED['one_ball']
    start, rates = np.array((0.48, -0.36, 0.48, 0.64)), np.array((1.0, -2.0, 3.0))
    session = session_of(
        graph,
        case.robot,
        integrator='semi_implicit_euler',
        no_command='free',
        damping_scale=0.0,
        friction_scale=0.0,
        initial_position=tuple(start),
        initial_velocity=tuple(rates),
    )
    poses = graph.collect(MultiDOFJointState, '/hand/poses', DEEP)
    try:
        session.runner.step(300)
        message = told(session, poses)
        q, qd = start, rates
        for _ in range(300):
            qd = qd + 1e-3 * case.pinocchio.forward_dynamics(q, qd, np.zeros(3))
            q = pin.integrate(case.pinocchio.model, q, 1e-3 * qd)
        assert message.joint_names == ['joint1']
        assert np.linalg.norm(qd - rates) > 0.5
        assert pair(message.twist[0])[:3].tolist() == [0.0] * 3
        turn = pin.Quaternion(q).matrix()
        assert pose(message.transforms[0])[:3, :3] == pytest.approx(turn, abs=1e-11)
        assert pair(message.twist[0])[3:] == pytest.approx(turn @ qd, abs=1e-11)
    finally:
        session.close()


def test_lock_step_by_the_order_of_velocities(graph):
    """An effort in the order of the robot's velocities is a step, and comes back as a moment."""
    robot = MIXED['one_ball'].robot
    session = session_of(graph, robot)
    poses = graph.collect(MultiDOFJointState, '/hand/poses', DEEP)
    publisher = graph.node.create_publisher(type(floats([])), '/hand/efforts', 1)
    session.activate()
    try:
        wait_until(publisher.get_subscription_count, 'a reader of efforts')
        publisher.publish(floats([0.1, 0.2, 0.3]))
        message = poses.wait(lambda message: nanoseconds(message) == 10**6, 'a step')
        turn = pose(message.transforms[0])[:3, :3]
        assert turn.T @ pair(message.wrench[0])[3:] == pytest.approx([0.1, 0.2, 0.3], abs=1e-15)
    finally:
        session.close()


def test_the_controller_states_what_it_needs(host, tmp_path):
    """It takes one position a joint: a floating joint has to be held, wherever that is."""
    urdf = tmp_path / 'ferry.urdf'
    urdf.write_text(FERRY)
    node = host(
        'controller', urdf_path=urdf, joints=list(JOINTS), robot_compensates_gravity="'no'"
    )
    node.wait_for_output("joint 'swim' turns freely in space", COLD)
    assert "locked: ['swim=0'], or its position in place of 0" in node.output


def test_topics_have_names_of_their_own(ferry):
    """The names that the documents give."""

    def topics():
        return dict(ferry.graph.node.get_publisher_names_and_types_by_node(NODE[1:], '/'))

    wait_until(lambda: {STATES, POSES} <= topics().keys(), 'word of the topics')
    assert topics()[STATES] == ['sensor_msgs/msg/JointState']
    assert topics()[POSES] == ['sensor_msgs/msg/MultiDOFJointState']
