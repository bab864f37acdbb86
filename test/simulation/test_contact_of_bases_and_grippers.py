# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Contact of robots whose base moves, and of grippers whose fingers follow one another."""

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.model.contacts import Contacts, Obstacle, sphere
from robodyn_ros.simulation.plant import Plant
from robodyn_ros.simulation.plant_settings import PlantSettings

STEP, G = 1e-3, 9.81


def link(name, mass):
    """Return a link of a URDF with its centre of mass at its origin."""
    return f"""<link name="{name}"><inertial><mass value="{mass}"/>
    <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial></link>"""


def joint(name, kind, parent, child, xyz, axis, more=''):
    """Return a joint of a URDF."""
    return f"""<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>
    <origin xyz="{xyz}"/><axis xyz="{axis}"/>{more}</joint>"""


ARM = joint(
    'arm', 'revolute', 'chassis', 'hand', '0.2 0 0.3', '0 1 0', '<limit lower="-2" upper="2"/>'
)
CART = f"""<robot name="cart">{link('world', 1)}{link('chassis', 8)}{link('hand', 2)}
{joint('drive', 'planar', 'world', 'chassis', '0 0 0', '0 0 1')}{ARM}</robot>"""
FINGER = '<limit lower="-0.05" upper="0.05" velocity="9" effort="99"/>'
HAND = f"""<robot name="hand">{link('palm', 1)}{link('left', 0.2)}{link('right', 0.3)}
{joint('left', 'prismatic', 'palm', 'left', '0 0.05 0', '0 -1 0', FINGER)}
{
    joint(
        'right',
        'prismatic',
        'palm',
        'right',
        '0 -0.05 0',
        '0 1 0',
        FINGER + '<mimic joint="left" multiplier="1.5"/>',
    )
}</robot>"""


def run(plant, command, time):
    """Advance under a constant command."""
    for _ in range(round(time / STEP)):
        plant.step(command, STEP)
    assert not plant.fault


def free_plant(robot, contacts, q, qd=None):
    """Return a plant whose joints nothing brakes."""
    settings = PlantSettings(no_command='free', command_timeout=np.inf)
    return Plant(robot, settings, q, qd, contacts)


@pytest.mark.parametrize('restitution', [0.0, 0.8])
def test_a_cart_runs_against_a_wall(restitution, interpreted):
    """M (v' - v) = J^T p of an impulse p along x, which turns the speed there by the restitution.

    The cart turns with it, since it touches beside its middle.
    """
    robot = Robot.from_urdf(CART, joints=('drive', 'arm'), gravity=(0.0, 0.0, 0.0))
    wall = Obstacle.plane((-1.0, 0.0, 0.0), (1.0, 0.0, 0.0), 0.0, restitution)
    contacts = Contacts([sphere('chassis', 0.1, (0.2, 0.03, 0.0))], [wall])
    q = np.array((0.7 - 1e-8, 0.3, 0.0, 0.4))
    qd = np.array((1.5, 0.4, 0.0, 0.3))
    plant = free_plant(robot, contacts, q, qd)
    run(plant, None, STEP)
    J = robot.jacobian(q, 'chassis')
    row = J[0] - 0.03 * J[5]
    M = robot.mass_matrix(q)
    answer = np.linalg.solve(M, row)
    expected = qd - (1.0 + restitution) * (row @ qd) / (row @ answer) * answer
    np.testing.assert_allclose(plant.qd, expected, atol=0.01)


def test_a_cart_leans_on_a_wall_with_the_force_that_drives_it(interpreted):
    """The wall holds it, and no friction."""
    robot = Robot.from_urdf(CART, joints=('drive', 'arm'), gravity=(0.0, 0.0, -G))
    wall = Obstacle.plane((-1.0, 0.0, 0.0), (1.0, 0.0, 0.0), 0.0)
    contacts = Contacts([sphere('chassis', 0.1, (0.2, 0.0, 0.0))], [wall])
    plant = free_plant(robot, contacts, [0.7, 0.2, 0.0, 0.3])
    run(plant, np.array((25.0, 0.0, 0.0, 0.0)), 3 * STEP)
    (touch,) = plant.contacts
    np.testing.assert_allclose(touch.force, (-25.0, 0.0, 0.0), atol=1e-9)
    np.testing.assert_allclose(plant.qd, np.zeros(4), atol=1e-12)


@pytest.mark.parametrize('shift', [0.0, 0.012])
def test_fingers_that_follow_one_another_close_on_a_box(shift, interpreted):
    """By virtual work F = f_left + 1.5 f_right. The finger that touches first takes all of it."""
    robot = Robot.from_urdf(HAND, gravity=(0.0, 0.0, 0.0))
    box = Obstacle.box((0.1, 0.04, 0.1), (0.0, shift, 0.0), friction=0.0)
    contacts = Contacts([sphere('left', 0.01), sphere('right', 0.01)], [box])
    plant = free_plant(robot, contacts, [0.0])
    run(plant, np.array((6.0,)), 100 * STEP)
    forces = {touch.link: abs(touch.force[1]) for touch in plant.contacts}
    assert abs(plant.qd[0]) < 1e-9
    held = forces.get('left', 0.0), 1.5 * forces.get('right', 0.0)
    assert held == pytest.approx((6.0, 0.0) if shift else (0.0, 6.0))
    assert plant.q[0] == pytest.approx(0.008 if shift else 0.02 / 1.5)
