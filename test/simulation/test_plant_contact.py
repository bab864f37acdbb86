# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Contact of the plant against closed forms, MuJoCo, and the laws of energy and momentum."""

from pathlib import Path

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.algorithms.contact.contact_tables import ELASTIC
from robodyn_ros.errors import ModelError, UnknownNameError
from robodyn_ros.model.contacts import Contacts, Obstacle, box, capsule, sphere
from robodyn_ros.model.rotation_matrix import from_rpy
from robodyn_ros.simulation.contact import approach, contact_response
from robodyn_ros.simulation.plant import Plant
from robodyn_ros.simulation.plant_settings import PlantSettings
from robodyn_ros.simulation.specialised_step import specialised_step

MASS, INERTIA, G = 2.0, (0.02, 0.03, 0.04), 9.81
BODY = f"""<robot name="body"><link name="body"><inertial><mass value="{MASS}"/>
<inertia ixx="{INERTIA[0]}" iyy="{INERTIA[1]}" izz="{INERTIA[2]}" ixy="0" ixz="0" iyz="0"/>
</inertial></link></robot>"""
STEP = 1e-3


@pytest.fixture(scope='module')
def body():
    """Return a rigid body that moves freely."""
    return Robot.from_urdf(BODY, free_base=True)


def free_plant(robot, contacts, q, qd=None, **settings):
    """Return a plant whose joints nothing brakes."""
    settings = PlantSettings(no_command='free', command_timeout=np.inf, **settings)
    return Plant(robot, settings, q, qd, contacts)


def run(plant, time, step=STEP, command=None):
    """Advance, and return positions, velocities and energies after each step."""
    rows = []
    for _ in range(round(time / step)):
        plant.step(command, step)
        rows.append((plant.q.copy(), plant.qd.copy(), energy(plant)))
    q, qd, total = zip(*rows)
    return np.array(q), np.array(qd), np.array(total)


def energy(plant):
    """Return the total energy [J]."""
    return sum(plant._robot.energy(plant.q, plant.qd))


def turned(rotation):
    """Return the quaternion x, y, z, w of a rotation matrix."""
    x = np.array([rotation[2, 1] - rotation[1, 2], rotation[0, 2] - rotation[2, 0]])
    x = np.array([*x, rotation[1, 0] - rotation[0, 1], 1.0 + np.trace(rotation)])
    return x / np.linalg.norm(x)


def incline(angle, friction, heading=0.7):
    """Return an inclined plane, its rotation, and the direction downhill."""
    axis = from_rpy(0.0, 0.0, heading)
    R = axis @ from_rpy(0.0, angle, 0.0)
    return Obstacle.plane(R[:, 2], friction=friction), R, R[:, 0]


@pytest.mark.parametrize('restitution', [1.0, 0.6])
def test_a_dropped_ball_rises_to_the_square_of_the_restitution(body, restitution):
    """The error is of the first order of the step."""
    height, errors = 0.5, []
    contacts = Contacts([sphere('body', 0.1)], [Obstacle.plane(restitution=restitution)])
    for step in (1e-3, 5e-4):
        plant = free_plant(body, contacts, [0, 0, 0.1 + height, 0, 0, 0, 1])
        q, qd, total = run(plant, 0.3 + 0.35 * (1.0 + restitution), step)
        bounce = int(np.argmax(qd[:, 2] > 0.0))
        errors.append(q[bounce:, 2].max() - 0.1 - restitution**2 * height)
        assert np.all(np.diff(total)[bounce + 1 :] <= 1e-12 * total[0])
    assert abs(errors[0]) < 2.0 * STEP * np.sqrt(2.0 * G * height)
    assert abs(errors[1]) < 0.6 * abs(errors[0])


def test_a_block_sticks_on_an_incline_below_the_friction_angle(body):
    """It does not creep: less than 1e-12 m in 10 s."""
    angle = 0.4
    plane, R, _ = incline(angle, np.tan(angle) + 0.01)
    start = [*(0.05 * R[:, 2]), *turned(R)]
    plant = free_plant(body, Contacts([box('body', (0.3, 0.2, 0.1))], [plane]), start)
    q, _, total = run(plant, 10.0)
    assert np.abs(q[-1] - start).max() < 1e-12
    assert np.abs(total - total[0]).max() < 1e-11
    weight = sum(touch.force for touch in plant.contacts)
    assert weight == pytest.approx([0.0, 0.0, MASS * G], abs=1e-8)


def test_a_block_slides_on_an_incline_above_the_friction_angle(body):
    """a = g (sin - mu cos), downhill whatever the heading; exact for a constant force."""
    angle, friction = 0.4, 0.3
    plane, R, downhill = incline(angle, friction)
    start = np.array([*(0.05 * R[:, 2]), *turned(R)])
    plant = free_plant(body, Contacts([box('body', (0.3, 0.2, 0.1))], [plane]), start)
    q, qd, total = run(plant, 1.0)
    a = G * (np.sin(angle) - friction * np.cos(angle))
    assert R.T @ body.velocity(q[-1], qd[-1], 'body')[:3] == pytest.approx([a, 0, 0], abs=1e-9)
    assert q[-1][:3] - start[:3] == pytest.approx(0.5 * a * (1.0 + STEP) * downhill, abs=1e-9)
    assert q[-1][3:] == pytest.approx(start[3:], abs=1e-9)
    assert np.all(np.diff(total) < 0.0)


def test_a_leaning_rod_holds_by_the_friction_of_the_floor(body):
    """The moments of weight and smooth wall about its foot say how much it needs."""
    half, radius, angle = 0.5, 0.02, 1.0
    R = from_rpy(0.0, 0.5 * np.pi - angle, 0.0)
    start = [half * np.cos(angle), 0.0, half * np.sin(angle) + radius, *turned(R)]
    reach = half * np.cos(angle)
    needed = reach / (2.0 * half * np.sin(angle) + radius)
    for share, holds in ((1.02, True), (0.98, False)):
        floor = Obstacle.plane(friction=share * needed, name='floor')
        wall = Obstacle.plane((-1, 0, 0), (2 * reach + radius, 0, 0), friction=0.0, name='wall')
        contacts = Contacts([capsule('body', radius, 2.0 * half)], [floor, wall])
        plant = free_plant(body, contacts, start)
        q, _, total = run(plant, 1.0)
        moved = np.abs(q[-1] - start).max()
        assert moved < 1e-12 if holds else moved > 0.01
        # a penetration that is taken back lifts the rod a little
        assert np.all(np.diff(total) <= 1e-7)


def test_a_box_rests_for_a_minute_without_gaining_energy(body):
    """It settles on an edge of a table, half of it over the edge: at rest to the last digits."""
    table = Obstacle.box((1.0, 1.0, 0.4), (0.0, 0.0, 0.2), (0.0, 0.0, 0.3), name='table')
    contacts = Contacts([box('body', (0.3, 0.2, 0.1))], [table])
    plant = free_plant(body, contacts, [0.42, 0.1, 0.46, 0, 0, 0, 1], [0.0, 0.0, -0.1, 0, 0, 0])
    _, _, total = run(plant, 1.0)
    rested = plant.q.copy()
    assert np.abs(plant.qd).max() < 1e-12 and len(plant.contacts) >= 4
    _, _, later = run(plant, 60.0)
    assert np.all(np.diff(np.concatenate((total, later))) <= 1e-12)
    assert np.abs(plant.q - rested).max() < 1e-12


def test_momentum_changes_by_the_weight_and_the_forces_of_the_contacts(body):
    """A tumbling box: m (v+ - v-) = h (m g + sum f), and inverse dynamics asks for sum J^T f.

    So it is for Euler steps, whose velocity-dependent forces are those of their start.
    """
    contacts = Contacts([box('body', (0.3, 0.2, 0.1))], [Obstacle.plane(friction=0.4)])
    q = [0.0, 0.0, 0.16, *turned(from_rpy(0.4, 0.3, 0.2))]
    speed = [0.5, 0.2, -1.0, 2.0, -1.0, 0.5]
    plant = free_plant(body, contacts, q, speed, integrator='semi_implicit_euler')
    touched, deepest, before = 0, 0.0, energy(plant)
    for _ in range(1000):
        q, qd = plant.q.copy(), plant.qd.copy()
        plant.step(dt=STEP)
        change = (plant.qd - qd) / STEP
        J, wanted, total = body.jacobian(q, 'body'), np.zeros(6), np.array([0.0, 0.0, -MASS * G])
        for touch in plant.contacts:
            lever = touch.point - q[:3]
            wanted += (J[:3] + np.cross(J[3:].T, lever).T).T @ touch.force
            total += touch.force
            touched, deepest = touched + (touch.force[2] > 0.0), min(deepest, touch.gap)
        assert MASS * change[:3] == pytest.approx(total, rel=1e-9, abs=1e-7)
        assert body.inverse_dynamics(q, qd, change) == pytest.approx(wanted, rel=1e-9, abs=1e-7)
    assert touched > 1000 and deepest > -1e-5
    assert energy(plant) < 0.8 * before


def test_far_from_all_obstacles_nothing_changes_a_bit(arm, middle):
    rng = np.random.default_rng(0)
    contacts = Contacts([sphere('tool0', 0.05)], [Obstacle.plane(point=(0.0, 0.0, -9.0))])
    one, other = (Plant(arm, PlantSettings(), middle, contacts=each) for each in (None, contacts))
    for _ in range(50):
        effort = rng.normal(0.0, 20.0, arm.nv)
        one.step(effort)
        other.step(effort)
    assert np.array_equal(one.q, other.q) and np.array_equal(one.qd, other.qd)
    assert other.contacts == [] and one.contacts == []


@pytest.fixture(scope='module')
def pressed(arm):
    """Return the arm, in a posture above a table, a contact at its tool, and the posture."""
    q = np.array([0.3, 0.4, -0.2, -1.9, 0.1, 2.3, 0.5])
    tip = arm.pose(q, 'tool0')[:3, 3]
    table = Obstacle.box((0.6, 0.6, 0.1), tip - [0.02, 0.01, 0.05 + 0.03], friction=0.6)
    return arm, q, Contacts([sphere('tool0', 0.03)], [table])


def test_an_arm_that_presses_on_a_table_has_the_force_of_its_effort(pressed):
    """tau = g - J^T f at rest: the table answers with -f, without joint friction."""
    arm, q, contacts = pressed
    force = np.array([4.0, -3.0, -20.0, 0.0, 0.0, 0.0])
    settings = PlantSettings(friction_scale=0.0)
    plant = Plant(arm, settings, q, contacts=contacts)
    J, lever = arm.jacobian(q, 'tool0'), np.array([0.0, 0.0, -0.03])
    point = arm.pose(q, 'tool0')[:3, 3] + lever
    at_point = J[:3] + np.cross(J[3:].T, lever).T
    effort = arm.gravity_torque(q) + at_point.T @ force[:3]
    plant.step(effort)
    (touch,) = plant.contacts
    assert touch.force == pytest.approx(-force[:3], rel=1e-9)
    assert touch.point == pytest.approx(point, abs=1e-12) and touch.obstacle == 'box'
    assert np.abs(plant.qd).max() < 1e-3  # the elbow moves, the point does not
    assert at_point @ plant.qd == pytest.approx(np.zeros(3), abs=1e-12)


def test_a_falling_arm_loses_energy_in_its_contacts(arm, middle):
    """Friction and stops of joints and contacts together; the same calls give the same bits."""
    shapes = [sphere('tool0', 0.05), capsule('link5', 0.06, 0.2), capsule('link4', 0.06, 0.1)]
    floor = Obstacle.plane(point=(0.0, 0.0, -0.1), friction=0.8, restitution=0.3)
    block = Obstacle.box((0.3, 0.3, 0.3), (0.45, 0.1, 0.1), (0.3, 0.2, 0.1), 0.5, 0.5)
    q = np.clip(middle + 0.3, arm.limits.lower, arm.limits.upper)
    plants = [free_plant(arm, Contacts(shapes, [floor, block]), q) for _ in range(2)]
    total, deepest, touched = [energy(plants[0])], 0.0, 0
    for _ in range(2000):
        for plant in plants:
            plant.step(dt=STEP)
        total.append(energy(plants[0]))
        gaps = [touch.gap for touch in plants[0].contacts]
        deepest, touched = min([deepest, *gaps]), touched + bool(gaps)
    assert plants[0].fault == '' and touched > 200
    # Euler's own error of the energy of a fast motion, without contact
    assert np.diff(total).max() < 2e-3 * (max(total) - min(total))
    assert deepest > -1e-4
    assert np.array_equal(plants[0].q, plants[1].q)
    assert np.array_equal(plants[0].qd, plants[1].qd)


def test_the_step_for_one_robot_lands_as_that_for_any_robot(elbow):
    """It falls, bounces, and slides; rounding of the two grows by the impacts to 1e-12 at most."""
    q = np.array([-0.5, 0.8])
    place = elbow.pose(q, 'tool0')[:3, 3]
    floor = Obstacle.plane(point=place - [0.0, 0.0, 0.052], friction=0.3, restitution=0.5)
    contacts = Contacts([sphere('tool0', 0.05)], [floor])
    one, other = (free_plant(elbow, contacts, q) for _ in range(2))
    other.replace_kernel(specialised_step(elbow.model, contacts=contacts))
    assert other._step is not one._step
    rises, pressed = False, 0
    for _ in range(50):
        one.step(dt=STEP)
        other.step(dt=STEP)
        rises = rises or elbow.velocity(one.q, one.qd, 'tool0')[2] > 0.1
        pressed += any(touch.force[2] > 1.0 for touch in other.contacts)
        for found, expected in ((other.q, one.q), (other.qd, one.qd)):
            assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert rises and pressed > 1


CHAIN = """<robot name="chain"><link name="world"/>{links}
<joint name="one" type="continuous"><parent link="world"/><child link="upper"/>
<origin xyz="0 0 0.4"/><axis xyz="0 1 0"/></joint>
<joint name="two" type="continuous"><parent link="upper"/><child link="lower"/>
<origin xyz="0.3 0 0"/><axis xyz="0 1 0"/></joint></robot>"""
LINK = """<link name="{name}"><inertial><origin xyz="0.15 0 0"/><mass value="1"/>
<inertia ixx="0.001" iyy="0.008" izz="0.008" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
PEER = """<mujoco><option timestep="1e-4" gravity="0 0 -9.81" solver="Newton"/><worldbody>
<geom type="plane" size="5 5 1" friction="0.3" solref="0.001 1" solimp="0.99 0.999 1e-4"/>
<body pos="0 0 0.4"><joint type="hinge" axis="0 1 0"/>
<inertial mass="1" pos="0.15 0 0" diaginertia="0.001 0.008 0.008"/>
<body pos="0.3 0 0"><joint type="hinge" axis="0 1 0"/>
<inertial mass="1" pos="0.15 0 0" diaginertia="0.001 0.008 0.008"/>
<geom type="sphere" size="0.04" pos="0.3 0 0" friction="0.3" solref="0.001 1"
solimp="0.99 0.999 1e-4"/></body></body></worldbody></mujoco>"""


def test_a_double_pendulum_that_slides_on_the_floor_moves_as_in_mujoco():
    """It lands, slides, and folds; the floor of MuJoCo is a stiff spring, on which it bounces."""
    mujoco = pytest.importorskip('mujoco')
    links = ''.join(LINK.format(name=name) for name in ('upper', 'lower'))
    robot = Robot.from_urdf(CHAIN.format(links=links))
    floor = Obstacle.plane(friction=0.3)
    tip = sphere('lower', 0.04, (0.3, 0.0, 0.0))
    plant = free_plant(robot, Contacts([tip], [floor]), [0.5, 0.295])
    model = mujoco.MjModel.from_xml_string(PEER)
    data = mujoco.MjData(model)
    data.qpos[:] = plant.q
    touched, worst = 0, 0.0
    for _ in range(6000):
        plant.step(dt=1e-4)
        mujoco.mj_step(model, data)
        touched += any(touch.force[2] > 0.0 for touch in plant.contacts)
        worst = max(worst, np.abs(plant.q - data.qpos).max())
    assert touched > 5000 and plant.q == pytest.approx([2.36, -1.84], abs=0.01)
    assert worst < 4e-3


@pytest.mark.parametrize('integrator', ['rk4', 'dop853'])
def test_runge_kutta_serves_away_from_contact(body, interpreted, integrator):
    """Before it lands the ball falls as it does without a floor; then it rests."""
    contacts = Contacts([sphere('body', 0.1)], [Obstacle.plane()])
    start = [0.0, 0.0, 0.13, 0.0, 0.0, 0.0, 1.0]
    one, other = (
        free_plant(body, each, start, integrator=integrator) for each in (None, contacts)
    )
    for _ in range(9):
        one.step(dt=0.01)
        other.step(dt=0.01)
        assert np.array_equal(one.q, other.q) == (one.q[2] > 0.1)
    for _ in range(5):
        other.step(dt=0.01)
    assert other.q[2] == pytest.approx(0.1, abs=1e-12) and one.q[2] < 0.1
    assert np.abs(other.qd).max() < 1e-12


def test_loops_press_on_a_floor(interpreted):
    """The gripper of a palletizer stands still on it, which a wrong Jacobian would move."""
    folder = Path(__file__).resolve().parents[2] / 'config' / 'mechanisms'
    robot = Robot.from_urdf(folder / 'palletizer.urdf', closures=folder / 'palletizer.yaml')
    place = robot.pose(robot.model.closed_posture, 'tool0')[:3, 3]
    floor = Obstacle.plane(point=place - [0.0, 0.0, 0.05 + 1e-7])
    contacts = Contacts([sphere('tool0', 0.05)], [floor])
    plant = free_plant(robot, contacts, robot.model.closed_posture)
    for _ in range(5):
        plant.step(dt=STEP)
    (touch,) = plant.contacts
    assert touch.force[2] > 10.0
    assert robot.velocity(plant.q, plant.qd, 'tool0')[:3] == pytest.approx(np.zeros(3), abs=1e-9)
    assert np.abs(touch.gap) < 1e-6


def rebounds(body, seed):
    """Return the kinetic energy after an impact in a corner of three planes, over that before."""
    rng = np.random.default_rng(seed)
    normals = np.array([[0.3, 0.0, 1.0], [-1.0, 0.2, 0.6], [0.0, -1.0, 0.5]])
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    corner = [Obstacle.plane(normal, friction=1.0, restitution=0.9) for normal in normals]
    centre, R = np.linalg.solve(normals, np.full(3, 0.1)), from_rpy(*rng.uniform(-3, 3, 3))
    offset = np.array([0.1, 0.05, 0.02])
    plant = free_plant(
        body,
        Contacts([sphere('body', 0.1, offset)], corner),
        [*(centre - R @ offset), *turned(R)],
        rng.normal(size=6) - [*(3.0 * normals.sum(axis=0)), 0.0, 0.0, 0.0],
    )
    contact, (topology, constants, _, joints, memory_, work, _, _) = (
        plant._touching.arrays,
        plant._arrays,
    )
    before = body.energy(plant.q, plant.qd)[0]
    count = approach.approach(topology, constants, memory_, contact, 1e-3, plant.q, plant.qd)
    assert count == 3
    approach.until_impact(contact, count, 1e-3, plant.qd, True)
    assert contact.contacts[:3, ELASTIC].any()
    contact_response.rebound(
        topology, constants, joints, memory_, work, contact, count, plant.q, plant.qd
    )
    return body.energy(plant.q, plant.qd)[0] / before


def test_elastic_impacts_of_several_contacts_never_gain_energy(body, interpreted, monkeypatch):
    """Newton's law with friction alone would, where contacts depend on each other."""
    bounded = [rebounds(body, seed) for seed in range(20)]
    assert max(bounded) <= 1.0 + 1e-12 and min(bounded) < 0.9
    monkeypatch.setattr(contact_response, 'energy_gain', lambda *_: 0.0)
    assert max(rebounds(body, seed) for seed in range(20)) > 1.01


def test_what_cannot_touch_is_refused(arm, middle):
    floor = Obstacle.plane()
    with pytest.raises(ModelError, match="sphere for contact is on link 'base_link'"):
        Plant(arm, contacts=Contacts([sphere('base_link', 0.1)], [floor]))
    with pytest.raises(UnknownNameError, match='no frame'):
        Plant(arm, contacts=Contacts([sphere('nail', 0.1)], [floor]))
    with pytest.raises(ModelError, match='got 1 shapes and 0 obstacles'):
        Contacts([sphere('tool0', 0.1)], [])
    with pytest.raises(ModelError, match='is a sphere of size'):
        Contacts([sphere('tool0', -0.1)], [floor])
    with pytest.raises(ModelError, match='expected 0 to 1'):
        Obstacle.plane(restitution=1.5)
    with pytest.raises(ModelError, match='expected a direction'):
        Obstacle.plane((0.0, 0.0, 0.0))
    with pytest.raises(ModelError, match='expected 3 positive lengths'):
        Obstacle.box((1.0, 0.0, 1.0))
