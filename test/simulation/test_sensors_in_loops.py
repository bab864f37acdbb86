# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sensors on links of closed loops and in contact: what closures and obstacles add.

The referees know no multipliers. The wrench of a closure is one of two links on each other. So in
the sum of what holds both it is missing, which is that of their inertia alone.
"""

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.model.contacts import Contacts, Obstacle, sphere
from robodyn_ros.model.layout import ROTOR
from robodyn_ros.simulation import Plant, PlantSettings, Runner, Sensor
from robodyn_ros.simulation.loops.grasping_plant import GraspingPlant
from robodyn_ros.simulation.loops.passing_plant import PassingPlant
from robodyn_ros.simulation.sensors.link_sensors import ForceTorque, Imu, JointTorque
from support.compare import agree
from support.robots.closed_loops import four_bar, several_four_bars

MECHANISM = four_bar()
FREE = PlantSettings(no_command='free', command_timeout=1e9)
RATE = 100_000  # [1/s], whose step bounds what changes in it
PUSH = np.array((3.0, -2.0, 5.0, 0.4, -0.7, 0.3))  # [N, N m]


def held(robot, q, sensors):
    """Return the sum of wrenches of links on their sensors, about the origin of the base."""
    total = np.zeros(6)
    for sensor in sensors:
        X = robot.pose(q, sensor.frame)
        force, moment = X[:3, :3] @ sensor.value[:3], X[:3, :3] @ sensor.value[3:]
        total += np.concatenate((force, moment + np.cross(X[:3, 3], force)))
    return total


def inertial(mechanism, robot, state, names):
    """Return the wrench of weight and inertia of links about the origin of the base."""
    model, total = robot.model, np.zeros(6)
    bodies = {link.name: link.inertial for link in mechanism.description.links}
    velocities, accelerations = robot.links.motions(*state)
    for name in names:
        row = model.body_names.index(name)
        body, X = bodies[name], robot.pose(state[0], name)
        R, p = X[:3, :3], X[:3, 3]
        spin, turn = velocities[row - 1, 3:], accelerations[row - 1, 3:]
        lever = R @ body.com
        point = accelerations[row - 1, :3] + np.cross(turn, lever)
        point += np.cross(spin, np.cross(spin, lever))
        force = body.mass * (model.gravity - point)
        inertia = R @ body.inertia @ R.T  # about the centre
        moment = -inertia @ turn - np.cross(spin, inertia @ spin)
        total += np.concatenate((force, moment + np.cross(p + lever, force)))
    return total


@pytest.mark.parametrize('pushed', [False, True])
def test_two_links_of_a_closure_hold_their_inertia_together(pushed):
    """Sensors on coupler and rocker; each alone has the pin, which would be missed."""
    robot = MECHANISM.robot()
    sensors = [ForceTorque('coupler'), ForceTorque('rocker')]
    plant = Plant(robot, FREE, robot.model.closed_posture, (0.4, 2.0, 0.3))
    runner = Runner(plant, Sensor(robot.nv), RATE, sensors)
    if pushed:
        plant.apply_wrench('rocker', PUSH)
    runner.command([2.0, 5.0, 1.0])
    before = plant.qd.copy()
    runner.step()
    state = plant.q, plant.qd, (plant.qd - before) * RATE
    expected = inertial(MECHANISM, robot, state, ('coupler', 'tool', 'rocker'))
    if pushed:
        X = robot.pose(plant.q, 'rocker')
        force = X[:3, :3] @ PUSH[:3]
        moment = X[:3, :3] @ PUSH[3:] + np.cross(X[:3, 3], force)
        expected += np.concatenate((force, moment))
    agree(held(robot, plant.q, sensors), expected, tolerance=1e-10)
    of_coupler = inertial(MECHANISM, robot, state, ('coupler', 'tool'))
    pin = np.abs(held(robot, plant.q, sensors[:1]) - of_coupler).max()
    assert pin > 0.1 * np.abs(expected).max()
    axis = robot.pose(plant.q, 'coupler')[:3, :3][:, 2]  # no motor turns it
    moment = robot.pose(plant.q, 'coupler')[:3, :3] @ sensors[0].value[3:]
    assert abs(axis @ moment) < 1e-10 * np.abs(sensors[0].value).max()


def test_what_rubs_in_a_loop_is_felt_where_it_rubs():
    """The rocker transmits its own friction, and the crank its motor less its own, no other.

    A step of 1e-5 s bounds the difference by a thousandth.
    """
    levels, viscous = {'crank': 0.7, 'rocker': 2.5}, {'crank': 0.3, 'rocker': 0.4}
    mechanism = four_bar().with_joints(
        **{name: {'friction': levels[name], 'damping': viscous[name]} for name in levels}
    )
    robot = mechanism.robot()
    plant = Plant(robot, FREE, robot.model.closed_posture, (0.1, 3.0, 0.2), led_joints=True)
    sensors = [JointTorque(robot.nv), ForceTorque('rocker')]
    runner = Runner(plant, Sensor(robot.nv), RATE, sensors)
    runner.command([2.0, 25.0, 1.0])
    before = plant.qd.copy()
    runner.step()
    state = robot.expand(plant.q, plant.qd, (plant.qd - before) * RATE)
    rates, turns = (dict(zip(robot.all_joint_names, each)) for each in state[1:])

    def rubs(name):
        return levels[name] * np.sign(rates[name]) + viscous[name] * rates[name]

    assert plant.dependent_efforts['rocker'] == pytest.approx(-rubs('rocker'), rel=1e-3)
    crank = robot.joint_names.index('crank')
    assert sensors[0].value[crank] == pytest.approx(25.0 - rubs('crank'), rel=1e-3)
    row = robot.model.body_names.index('rocker')
    inner = -rubs('rocker') - robot.model.constants[row, ROTOR] * turns['rocker']
    assert sensors[1].value[5] == pytest.approx(-inner, rel=1e-3)  # about z of the rocker
    assert abs(rubs('rocker')) > 1.0


def test_sensors_go_on_through_a_dead_centre():
    """Where the crank leads, sensors of the rocker's plant measure what those of its own do.

    Its motor effort is known, and transmitted to the link: no rotor, no friction.
    """
    mechanism = several_four_bars(1, further=0)
    robot = mechanism.robot(independent=['rocker0'])
    referee = mechanism.robot(independent=['crank0'])
    rates = dict(
        zip(referee.all_joint_names, referee.expand(referee.model.closed_posture, [9.0])[1])
    )
    plant = PassingPlant(robot, FREE, robot.model.closed_posture, [rates['rocker0']])
    names = ('coupler0', 'rocker0')
    sensors = [JointTorque(1), Imu('coupler0'), *map(ForceTorque, names)]
    runner, worst, within = Runner(plant, Sensor(1), 10_000, sensors), 0.0, 0
    while within == 0 or plant.leading is not plant:
        assert plant.t < 1.0 and not plant.fault
        runner.command([4.0])
        before, led = plant.rates(), plant.leading
        runner.step()
        if led is not plant.leading:
            continue  # two plants have moved in it
        lead = plant.leading
        state = lead.q, lead.qd, plant.acceleration(before, 1e-4)
        expected = inertial(mechanism, Robot(lead.model), state, names)
        found = held(Robot(lead.model), lead.q, sensors[2:])
        agree(found, expected, tolerance=1e-9)
        if lead is not plant:
            within += 1
            worst = max(worst, abs(sensors[0].value[0] - 4.0))
    assert plant.passes >= 1 and within > 10
    assert worst < 1e-9


def test_a_floor_is_felt_by_the_sensors_above_it():
    """A slide that a motor presses on a floor transmits what its motor gives, at rest."""
    text = """<robot name="press"><link name="base"/><link name="foot"><inertial><mass value="2"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="slide" type="prismatic"><parent link="base"/><child link="foot"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="100" velocity="9"/></joint></robot>"""
    robot = Robot.from_urdf(text)
    contacts = Contacts(
        (sphere('foot', 0.1, (0.2, 0.0, 0.0)),), (Obstacle.plane(point=(0.0, 0.0, -0.1)),)
    )
    sensors = [JointTorque(1), ForceTorque('foot')]
    plant = Plant(robot, FREE, [0.0], contacts=contacts)
    runner = Runner(plant, Sensor(1), 1000, sensors)
    runner.command([-30.0])
    runner.step(200)
    pressed = 30.0 + 2.0 * 9.81
    assert abs(plant.qd[0]) < 1e-9
    agree(sensors[0].value, [-30.0], tolerance=1e-9)
    agree(sensors[1].value, [0.0, 0.0, 30.0, 0.0, -0.2 * pressed, 0.0], tolerance=1e-9)


def test_closures_over_all_joints_pull_at_their_links():
    """As on the same mechanism over independent coordinates, whose pin follows from its joints.

    A step of 1e-5 s bounds the difference by a thousandth. The pin stops five motions of a planar
    loop, so only the three numbers in its plane are unique.
    """
    tree, robot = MECHANISM.tree(), MECHANISM.robot()
    state = robot.expand(robot.model.closed_posture, (0.4, 2.0, 0.3))
    start = [
        np.array([dict(zip(robot.all_joint_names, each))[name] for name in tree.joint_names])
        for each in state[:2]
    ]
    plant = GraspingPlant(tree, MECHANISM.closures, FREE, *start)
    other = Plant(robot, FREE, robot.model.closed_posture, (0.4, 2.0, 0.3))
    found = []
    for each in (plant, other):
        links = ForceTorque('coupler'), ForceTorque('rocker')
        runner = Runner(each, Sensor(each.model.nv), RATE, [*links, JointTorque(each.model.nv)])
        torques = {'yaw': 2.0, 'crank': 5.0, 'slide': 1.0}
        runner.command([torques.get(name, 0.0) for name in each.model.joint_names])
        each.apply_wrench('rocker', PUSH)
        runner.step()
        found.append(runner.instruments)
    of_tree, of_independent = found
    size = np.abs(of_independent[0].value).max()
    for one, another in zip(of_tree[:2], of_independent[:2]):
        in_plane = [0, 1, 5]  # of links that turn about z
        agree(one.value[in_plane], another.value[in_plane], size, 1e-3)
    agree(sum(held(tree, plant.q, [each]) for each in of_tree[:2]),
          held(robot, other.q, of_independent[:2]), tolerance=1e-3)  # fmt: skip
    motors = [{'yaw': 2.0, 'crank': 5.0, 'slide': 1.0}.get(name, 0.0) for name in tree.joint_names]
    rotors = tree.model.joint_values(ROTOR) * plant.acceleration(start[1], 1.0 / RATE)
    agree(of_tree[2].value, motors - rotors, 5.0, 1e-3)
    assert np.abs(of_tree[1].value).max() > 1.0
