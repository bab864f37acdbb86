# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The controller of an arm on a moving base, whose state comes as Odometry, on simulated time."""

import sys

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from support.nodes import action_type

action_type.provide('nav_msgs')

from geometry_msgs.msg import Transform, Twist
from nav_msgs.msg import Odometry
from rclpy.qos import QoSProfile
from sensor_msgs.msg import MultiDOFJointState

from robodyn_ros import Robot
from robodyn_ros.model.rotation_matrix import from_quaternion
from support.nodes.node_harness import COLD, JOINTS, POSTURE, SIMULATED, wait_until
from support.nodes.simulated_arm import BODY, Stream

pytestmark = pytest.mark.ros

LIMIT = '<limit lower="-2" upper="2" velocity="90" effort="500"/>'
FLYER = f"""<robot name="flyer"><link name="hull">{BODY.format(y=0.2, mass=5.0)}</link>
  <link name="upper">{BODY.format(y=-0.1, mass=1.0)}</link>
  <link name="lower">{BODY.format(y=0.1, mass=2.0)}</link>
  <joint name="joint1" type="revolute"><parent link="hull"/><child link="upper"/>
    <origin xyz="0.2 0 0.4" rpy="0.1 0.2 0.3"/><axis xyz="0.6 0 0.8"/>{LIMIT}</joint>
  <joint name="joint2" type="revolute"><parent link="upper"/><child link="lower"/>
    <origin xyz="0.3 -0.1 0.1" rpy="-0.2 0.4 0.6"/><axis xyz="0 1 0"/>{LIMIT}</joint></robot>"""
LAW = 'floating_base_computed_torque'
WHOLE = Robot.from_urdf(FLYER, free_base=True)
PLACE, LINEAR, ANGULAR = np.array([[0.1, 0.2, -0.3], [0.4, -0.5, 0.6], [0.7, 0.8, -0.9]])
#: Two attitudes of the base, the axes of the first of which are far from those of the world.
TURNS = np.array([[0.1, -0.5, 0.3, 0.8], [0.6, 0.2, -0.4, 0.5]])
TURNS /= np.linalg.norm(TURNS, axis=1)[:, None]
GAINS = np.array([30.0, 40.0])  # [1/s^2]


def fill(message, values):
    """Set x, y, z and perhaps w of a message."""
    for name, value in zip('xyzw', values):
        setattr(message, name, float(value))


def odometry(turn, linear=LINEAR, angular=ANGULAR, nanosec=0):
    """Return the state of a base: its velocities in its own axes."""
    message = Odometry()
    message.header.stamp.nanosec = nanosec
    pose, twist = message.pose.pose, message.twist.twist
    fill(pose.position, PLACE)
    fill(pose.orientation, turn)
    fill(twist.linear, from_quaternion(*turn).T @ linear)
    fill(twist.angular, angular)
    return message


def floating_joint(turn):
    """Return the same state as of a floating joint: its velocities in axes of the world."""
    place, twist = Transform(), Twist()
    fill(place.translation, PLACE)
    fill(place.rotation, turn)
    fill(twist.linear, LINEAR)
    fill(twist.angular, from_quaternion(*turn) @ ANGULAR)
    return MultiDOFJointState(joint_names=['free_base'], transforms=[place], twist=[twist])


def expected(base, turn, error, acceleration=np.zeros(6)):
    """Return the efforts that hold the arm, by the library: M qdd + C qd + g, or dense blocks."""
    q = np.concatenate((PLACE, turn, np.array(POSTURE) - error))
    qd = np.concatenate((LINEAR, ANGULAR, np.zeros(2)))
    wanted = GAINS * error
    if base == 'moved':
        return WHOLE.inverse_dynamics(q, qd, np.concatenate((acceleration, wanted)))[6:]
    M, c = WHOLE.mass_matrix(q), WHOLE.bias_torque(q, qd)
    base_acceleration = np.linalg.solve(M[:6, :6], -c[:6] - M[:6, 6:] @ wanted)
    return M[6:, :6] @ base_acceleration + M[6:, 6:] @ wanted + c[6:]


def controller(host, probe, tmp_path, kind, **parameters):
    """Start the controller of the flyer, and configure it.

    Of its own accord it would activate, too, if the base were heard before the arm.
    """
    urdf = tmp_path / 'flyer.urdf'
    urdf.write_text(FLYER)
    node = host(
        'controller',
        autostart='false',
        **SIMULATED | {'urdf_path': str(urdf), 'law': LAW},
        **{f'{LAW}__timeout': 0.0, 'base_state__type': kind, 'base_state__topic': kind},
        **{f'gains__{name}__p': float(p) for name, p in zip(JOINTS, GAINS)},
        **{f'gains__{name}__d': 12.0 for name in JOINTS},
        **parameters,
    )
    probe.wait_for('WAIT_MODEL', timeout=COLD)
    assert probe.change_state('configure')
    return node


@pytest.mark.parametrize(
    ('base', 'kind', 'state'),
    [
        ('moved', 'odometry', odometry),
        ('free', 'odometry', odometry),
        ('free', 'multi_dof_joint_state', floating_joint),
    ],
)
def test_efforts_hold_the_arm_on_a_base_that_turns(
    graph, probe, arm, host, tmp_path, base, kind, state
):
    """Gravity in the attitude of the base, its rotation, and feedback through the inertias."""
    node = controller(host, probe, tmp_path, kind, **{f'{LAW}__base': base})
    publisher = graph.publisher(type(state(TURNS[0])), kind, QoSProfile(depth=1))
    assert 'No state of the base has come' in node.node.session.base.missing
    for k, turn in enumerate(TURNS):
        error = np.array([0.0, 0.0]) if k == 0 else np.array([0.004, -0.003])
        arm.position = list(np.array(POSTURE) - error)
        stream = Stream(publisher, state(turn))
        stream.start()
        with stream:
            wait_until(lambda: not node.node.session.base.missing, 'a state of the base')
            if k == 0:
                probe.wait_for('READY')
                assert probe.enable().success
            probe.wait_for('HOLD')
            wanted = expected(base, turn, error)
            wait_until(
                lambda: probe.effort == pytest.approx(wanted, rel=1e-9), f'efforts {wanted}'
            )
    still = Robot.from_urdf(FLYER).gravity_torque(np.array(POSTURE))
    assert np.abs(wanted - still).max() > 1.0  # [N m] that a fixed arm does not ask for


def test_efforts_accelerate_the_arm_with_its_base(graph, probe, arm, host, tmp_path):
    """It is the difference of two twists over that of their stamps."""
    node = controller(
        host,
        probe,
        tmp_path,
        'odometry',
        **{f'{LAW}__base': 'moved', 'base_state__acceleration_filter': 1e-6},
    )
    publisher = graph.publisher(Odometry, 'odometry', QoSProfile(depth=1))
    arm.position, base = list(POSTURE), node.node.session.base
    step, rate = 4_000_000, np.array([1.0, -2.0, 3.0, -4.0, 5.0, -6.0])  # [ns], [m/s^2, rad/s^2]
    before = 1e-9 * step * rate
    first = odometry(TURNS[0], LINEAR - before[:3], ANGULAR - before[3:], nanosec=step)
    stream = Stream(publisher, first)
    stream.start()
    with stream:
        wait_until(lambda: base.accepted, 'the first state of the base')
    publisher.publish(odometry(TURNS[0], nanosec=2 * step))
    probe.wait_for('READY')
    assert probe.enable().success
    probe.wait_for('HOLD')
    none = np.zeros(2)
    wanted, without = (expected('moved', TURNS[0], none, a) for a in (rate, np.zeros(6)))
    wait_until(lambda: probe.effort == pytest.approx(wanted, rel=1e-5), f'efforts {wanted}')
    assert np.abs(wanted - without).max() > 1.0  # [N m]


def test_odometry_without_its_package_is_refused_with_a_sentence(monkeypatch, host, tmp_path):
    """The node starts, says which package is missing, and waits."""
    urdf = tmp_path / 'flyer.urdf'
    urdf.write_text(FLYER)
    monkeypatch.setitem(sys.modules, 'nav_msgs.msg', None)  # as if it were not there
    node = host(
        'controller',
        **SIMULATED | {'urdf_path': str(urdf), 'law': LAW, 'base_state__type': 'odometry'},
    )
    wait_until(lambda: 'nav_msgs is not installed' in node.node.complaint, 'its complaint', COLD)
