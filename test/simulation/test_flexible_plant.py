# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Plants whose links bend by modes: closed forms of beams, MuJoCo, energy, and what is refused."""

from math import inf

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.errors import ModelError, ParameterError, ShapeError, UnknownNameError
from robodyn_ros.formulations.jain.flexible import craig_bampton as reader
from robodyn_ros.model.extended.modal_sources import CraigBampton, ModalBeam, ModalNodes
from robodyn_ros.simulation import Plant, PlantSettings
from robodyn_ros.simulation.flexible.flexible_plant import FlexiblePlant
from support.compare import agree

LENGTH, MASS, EI, G = 1.2, 2.0, 50.0, 9.81
#: A rod on a hinge about y that lies along x at zero, with a tip.
ROD = """<robot name="rod"><link name="base"/><link name="rod"><inertial><origin xyz="0.6 0 0"/>
<mass value="2"/><inertia ixx="1e-6" ixy="0" ixz="0" iyy="0.24" iyz="0" izz="0.24"/></inertial>
</link><link name="tip"/><joint name="hinge" type="continuous"><parent link="base"/>
<child link="rod"/><axis xyz="0 1 0"/><limit velocity="90" effort="900"/></joint>
<joint name="weld" type="fixed"><parent link="rod"/><child link="tip"/><origin xyz="1.2 0 0"/>
</joint></robot>"""
#: Two such rods, the elbow at the tip of the first.
ARM = """<robot name="arm"><link name="base"/>
<link name="upper"><inertial><origin xyz="0.6 0 0"/><mass value="2"/>
<inertia ixx="1e-6" ixy="0" ixz="0" iyy="0.24" iyz="0" izz="0.24"/></inertial></link>
<link name="fore"><inertial><origin xyz="0.4 0 0"/><mass value="1"/>
<inertia ixx="1e-6" ixy="0" ixz="0" iyy="0.0533333333333" iyz="0" izz="0.0533333333333"/>
</inertial></link><link name="tool"/>
<joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/>
<axis xyz="0 1 0"/><limit velocity="90" effort="900"/></joint>
<joint name="elbow" type="continuous"><parent link="upper"/><child link="fore"/>
<origin xyz="1.2 0 0"/><axis xyz="0 1 0"/><limit velocity="90" effort="900"/></joint>
<joint name="weld" type="fixed"><parent link="fore"/><child link="tool"/><origin xyz="0.8 0 0"/>
</joint></robot>"""
#: First root of cos x cosh x = -1: omega = x^2 sqrt(EI / (m L^3)).
FIRST = 1.875104068712
FREE = PlantSettings(integrator='rk4', command_timeout=inf, no_command='free', substeps=10)
HELD = PlantSettings(integrator='rk4', command_timeout=inf, substeps=10)


def rod_beam(stiffness=EI, modes=3, **options):
    """The rod as a beam that bends in the plane of its hinge alone: about up x along, y."""
    return ModalBeam((LENGTH, 0, 0), (stiffness, inf), modes=(modes, 0, 0), **options)


def rigid_arm(settings):
    """The plant of the arm with rigid links, in motion."""
    return Plant(Robot.from_urdf(ARM), settings, [0.2, -0.6], [0.3, 1.0])


def rod(settings=HELD, weight=True, **options):
    """The plant of the rod."""
    robot = Robot.from_urdf(ROD, gravity=(0.0, 0.0, -G if weight else 0.0))
    return FlexiblePlant(robot, {'rod': rod_beam(**options)}, settings)


def arm(settings, weight=True, stiffness=(400.0, 200.0), modes=3):
    """The plant of two beams."""
    robot = Robot.from_urdf(ARM, gravity=(0.0, 0.0, -G if weight else 0.0))
    links = {
        'upper': ModalBeam((1.2, 0, 0), (stiffness[0], inf), modes=(modes, 0, 0)),
        'fore': ModalBeam((0.8, 0, 0), (stiffness[1], inf), modes=(modes, 0, 0)),
    }
    return FlexiblePlant(robot, links, settings)


def test_cantilever_swings_with_the_frequency_of_euler_and_bernoulli():
    """Let go from its first natural mode, the tip of a held rod passes zero twice a period."""
    exact = FIRST**2 * np.sqrt(EI / (MASS * LENGTH**3))
    plants = [rod(weight=False, modes=modes) for modes in (3, 6)]
    # Ritz, from above: 3.5e-4 with three modes of a loaded tip, 1e-5 with six
    few, more = (
        np.sqrt(plant.inside.model.springs[0].stiffness) / exact - 1.0 for plant in plants
    )
    assert 1e-4 < few < 5e-4 and 0.0 < more < 2e-5
    plant, dt, tips = plants[1], 1e-4, []
    plant.set_state([0.0], [0.0], eta=[0.01, 0.0, 0.0, 0.0, 0.0, 0.0])
    for _ in range(6000):
        plant.step(dt=dt)
        tips.append(plant.pose('tip')[2, 3])
    tips = np.array(tips)
    k = np.flatnonzero(tips[:-1] * tips[1:] < 0.0)
    crossings = dt * (k + tips[k] / (tips[k] - tips[k + 1]))
    assert len(k) == 3
    # crossings by straight lines between steps err by (omega dt)^2 = 2e-6
    assert np.pi / np.diff(crossings).mean() == pytest.approx(exact, rel=2e-5)


def test_rod_sags_under_its_weight_and_a_payload():
    """m g L^3 / (8 EI), and m g L^3 / (3 EI) of the payload: exact with modes of a loaded tip."""
    plant = rod(stiffness=5e4)
    down = plant.pose('tip')[:3, 3]
    sag = MASS * G * LENGTH**3 / (8.0 * 5e4)
    assert -down[2] == pytest.approx(sag, rel=1e-6)
    for _ in range(50):
        plant.step(dt=1e-3)
    assert np.abs(plant.eta_rate).max() < 1e-9 and abs(plant.q[0]) < 1e-15
    plant.attach('tip', 1.5)
    plant.set_state()
    # weight follows the deformed rod: the second order is (w / L)^2
    both = sag + 1.5 * G * LENGTH**3 / (3.0 * 5e4)
    assert -plant.pose('tip')[2, 3] == pytest.approx(both, rel=1e-5)
    assert plant.model.name == 'rod' and plant.inside.model.nv == 4
    plant.attach('tip', 0.0)
    plant.set_state()
    assert -plant.pose('tip')[2, 3] == pytest.approx(sag, rel=1e-6)


def test_force_at_the_tip_bends_the_rod():
    """f L^3 / (3 EI), reached by a damped rod; the force pushes the modes where it acts."""
    settings = PlantSettings(command_timeout=inf)
    plant = rod(settings, weight=False, stiffness=5e3, damping_ratio=0.9)
    plant.apply_wrench('tip', [0.0, 0.0, -20.0, 0.0, 0.0, 0.0])
    for _ in range(2000):
        plant.step(dt=1e-3)
    sag = 20.0 * LENGTH**3 / (3.0 * 5e3)
    assert -plant.pose('tip')[2, 3] == pytest.approx(sag, rel=1e-5)
    # it turns with the tip, whose slope is f L^2 / (2 EI)
    assert np.abs(plant.deflection('tip')[:3]).max() == pytest.approx(
        20.0 * LENGTH**2 / 1e4, rel=1e-5
    )


@pytest.mark.parametrize('integrator', ['rk4', 'energy_rk4'])
def test_energy_of_an_undamped_arm_stays(integrator):
    """Falling and bending for 0.5 s: an error of order four, a 16th at half the step"""
    drift = []
    for substeps in (8, 16):
        settings = PlantSettings(
            integrator=integrator,
            command_timeout=inf,
            no_command='free',
            substeps=substeps,
            damping_scale=0.0,
            friction_scale=0.0,
        )
        plant = arm(settings, modes=2)
        plant.set_state([0.2, -0.6], [0.3, 1.0])
        before, energies = sum(plant.energy), []
        for _ in range(250):
            plant.step(dt=2e-3)
            energies.append(sum(plant.energy))
        assert plant.energy[2] > 1e-3 and plant.energy[0] > 1.0
        drift.append(np.abs(np.array(energies) - before).max())
    assert drift[0] < 1e-4 * plant.energy[0]
    assert drift[0] / drift[1] > 10.0


def test_energy_of_an_undamped_arm_stays_to_rounding_by_order_eight():
    """By `dop853`, whose tolerance is close to rounding: it swings for 0.2 s."""
    settings = PlantSettings(integrator='dop853', command_timeout=inf, no_command='free')
    plant = arm(settings, modes=2)
    plant.set_state([0.2, -0.6], [0.3, 1.0])
    before = sum(plant.energy)
    for _ in range(100):
        plant.step(dt=2e-3)
    assert plant.energy[2] > 1e-3
    # a hundred steps, each of some hundred operations on 10 J
    assert abs(sum(plant.energy) - before) < 1e-11 * plant.energy[0]


@pytest.mark.parametrize('integrator', ['semi_implicit_euler', 'rosenbrock', 'energy_rosenbrock'])
def test_implicit_schemes_never_add_energy_to_stiff_links(integrator):
    """Modes of 1e5 rad/s at steps of 1 ms: they are damped, the joints move as without them."""
    settings = PlantSettings(integrator=integrator, command_timeout=inf, no_command='free')
    plant = arm(settings, stiffness=(4e7, 2e7))
    plant.set_state([0.2, -0.6], [0.3, 1.0], eta=np.full(6, 1e-6))
    start = sum(plant.energy)
    rigid = rigid_arm(settings)
    for _ in range(200):
        plant.step(dt=1e-3)
        rigid.step(dt=1e-3)
        assert sum(plant.energy) < start + 1e-3
    # deflections under these loads are 1e-6 m, of links of a metre
    assert np.abs(plant.q - rigid.q).max() < 1e-4
    assert not plant.fault


@pytest.mark.parametrize('integrator', ['semi_implicit_euler', 'energy_rosenbrock', 'rk4'])
def test_joints_of_bending_arms_stick_and_stop(integrator):
    """Dry friction holds a joint to the last bit, and a stop the other one."""
    text = ARM.replace(
        '<joint name="elbow" type="continuous">', '<joint name="elbow" type="revolute">'
    ).replace(
        '<limit velocity="90" effort="900"/></joint>\n<joint name="weld"',
        '<limit lower="-1" upper="0.1" velocity="90" effort="900"/></joint>\n<joint name="weld"',
    )
    text = text.replace('<axis xyz="0 1 0"/>', '<axis xyz="0 1 0"/><dynamics friction="5000"/>', 1)
    settings = PlantSettings(
        integrator=integrator, command_timeout=inf, no_command='free', substeps=10
    )
    links = {
        'upper': ModalBeam((1.2, 0, 0), (4e3, inf), modes=(2, 0, 0)),
        'fore': ModalBeam((0.8, 0, 0), (2e3, inf), modes=(2, 0, 0)),
    }
    plant = FlexiblePlant(Robot.from_urdf(text), links, settings, [0.3, -0.5])
    start, energies, elbow = plant.q[0], [sum(plant.energy)], []
    for _ in range(700):
        plant.step(dt=1e-3)
        energies.append(sum(plant.energy))
        elbow.append(plant.q[1])
    assert plant.q[0] == start
    assert max(elbow) == 0.1 and elbow[0] < -0.4 and not plant.fault
    assert np.abs(plant.eta_rate).max() > 1e-6  # links swing on after the stop
    # no impulse adds energy; the error of falling steps is their order's
    assert max(energies) < energies[0] + 1e-2 * (max(energies) - min(energies))


def test_free_flyer_keeps_energy_and_momentum_while_it_bends():
    """In weightlessness, its momentum that of M qd along the base's first three velocities."""
    robot = Robot.from_urdf(
        ARM.replace(
            '<link name="base"/>',
            '<link name="base"><inertial><mass value="5"/>'
            '<inertia ixx="0.3" ixy="0" ixz="0" iyy="0.4" iyz="0" izz="0.5"/></inertial></link>',
        ),
        gravity=(0.0, 0.0, 0.0),
        free_base=True,
    )
    links = {'upper': ModalBeam((1.2, 0, 0), 400.0, modes=(2, 2, 0))}
    settings = PlantSettings(integrator='dop853', command_timeout=inf, no_command='free')
    plant = FlexiblePlant(robot, links, settings)
    rng = np.random.default_rng(5)
    q = robot.configuration.random(rng)
    plant.set_state(q, rng.uniform(-0.5, 0.5, robot.nv), [0.02, 0.01, -0.02, 0.01], np.ones(4))

    def invariants():
        M = plant.dynamics.mass_matrix(plant.inside.q)
        return np.array([sum(plant.energy), *(M @ plant.inside.qd)[:3]])

    before = invariants()
    for _ in range(100):
        plant.step(dt=2e-3)
    assert np.abs(plant.eta).max() > 1e-3
    agree(invariants(), before, np.abs(before).max(), 1e-10)


def small_bodies(beams, segments):
    """MJCF of an arm in the plane of x and z: rigid segments, hinges with springs between."""
    pieces = []
    for length, mass, stiffness in beams:
        h = length / segments
        for j, piece in enumerate([h / 2] + [h] * (segments - 1) + [h / 2]):
            pieces.append((piece, mass * piece / length, j and stiffness / h))
    nested, before = '', 0.0
    for length, m, k in pieces:
        inertia = m * length**2 / 12
        nested += (
            f'<body pos="{before!r} 0 0"><joint type="hinge" axis="0 1 0" stiffness="{k!r}"/>'
            f'<inertial pos="{length / 2!r} 0 0" mass="{m!r}" '
            f'diaginertia="{inertia!r} {inertia!r} {inertia!r}"/>'
        )
        before = length
    site = f'<site name="tool" pos="{before!r} 0 0"/>'
    return (
        f'<mujoco><option gravity="0 0 -{G}" integrator="RK4" timestep="2e-5"/>'
        '<compiler angle="radian" inertiafromgeom="false"/>'
        f'<worldbody>{nested}{site}{"</body>" * len(pieces)}</worldbody></mujoco>'
    )


def test_mujoco_moves_an_arm_of_many_small_bodies_alike():
    """Free fall of the bending arm, twenty rigid segments a link: the tool is at the same place.

    Modes are linear: they leave out that a link bent by w is shorter by about w^2 / L.
    """
    mujoco = pytest.importorskip('mujoco', reason='mujoco is not installed')
    segments, beams = 20, ((1.2, 2.0, 400.0), (0.8, 1.0, 200.0))
    model = mujoco.MjModel.from_xml_string(small_bodies(beams, segments))
    data, robot, plant = mujoco.MjData(model), Robot.from_urdf(ARM), arm(FREE)
    q = np.array([0.3, -0.8])
    plant.set_state(q, [0.0, 0.0], eta=np.zeros(6))
    data.qpos[0], data.qpos[segments + 1] = q
    start, apart, bent = plant.pose('tool')[:3, 3], 0.0, 0.0
    for _ in range(300):
        plant.step(dt=1e-3)
        for _ in range(50):
            mujoco.mj_step(model, data)
        mujoco.mj_kinematics(model, data)
        tool = plant.pose('tool')[:3, 3]
        bent = max(bent, np.abs(tool - robot.pose(plant.q, 'tool')[:3, 3]).max())
        apart = max(apart, np.abs(tool - data.site('tool').xpos).max())
    assert np.abs(tool - start).max() > 0.3 and bent > 5e-3
    assert apart < bent * bent


def test_mujoco_has_the_static_tip_and_the_lowest_frequency_of_the_rod():
    """A held rod: 30 segments err by the square of their length, 0.1 %."""
    mujoco = pytest.importorskip('mujoco', reason='mujoco is not installed')
    segments = 30
    model = mujoco.MjModel.from_xml_string(small_bodies(((LENGTH, MASS, 5e3),), segments))
    data = mujoco.MjData(model)
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_forward(model, data)
    for column, unit in zip(M, np.eye(model.nv)):
        mujoco.mj_mulM(model, data, column, unit)
    K = np.diag(model.jnt_stiffness)[1:, 1:]
    squares = np.linalg.eigvals(np.linalg.solve(M[1:, 1:], K)).real
    plant = rod(stiffness=5e3)
    lowest = np.sqrt(plant.inside.model.springs[0].stiffness)
    assert lowest == pytest.approx(np.sqrt(squares.min()), rel=2e-3)
    for _ in range(20):  # Newton for the rest of the springs
        data.qpos[1:] = np.linalg.solve(K, -data.qfrc_bias[1:])
        mujoco.mj_forward(model, data)
    assert plant.pose('tip')[2, 3] == pytest.approx(data.site('tool').xpos[2], rel=2e-3)


def test_drives_hold_joints_while_links_swing():
    """In position mode, at the set-point, the weight carried: the links bend and the tool sags."""
    settings = PlantSettings(command_modes=('position',), command_timeout=inf)
    plant = arm(settings, stiffness=(4e4, 2e4))
    plant.set_state([0.4, -0.9], [0.0, 0.0], eta=np.zeros(6))
    moved = 0.0
    for _ in range(500):
        plant.step([0.4, -0.9], 1e-3)
        moved = max(moved, np.abs(plant.eta_rate).max())
    assert plant.modes == ('position', 'position')
    assert np.abs(plant.q - [0.4, -0.9]).max() < 1e-4
    assert np.abs(plant.eta).max() > 1e-5 and moved > 1e-3 and plant.commanded.all()
    assert plant.accepted_quantities.shape == (2, 3) and not plant.over_speed.any()
    plant.reset()
    assert plant.t == 0.0 and plant.fault == '' and np.abs(plant.q).max() == 0.0


def test_nodes_with_shapes_are_the_beam_that_they_sample():
    """A beam given by its nodes: places, masses, shapes, stiffness; the same motion."""
    robot = Robot.from_urdf(ROD)
    given = rod_beam().link(robot.model, 1, 'rod')
    s, weights = np.polynomial.legendre.leggauss(12)
    places = np.outer(np.append(0.5 * (s + 1.0), 1.0), (LENGTH, 0.0, 0.0))
    nodes = ModalNodes(
        places,
        [given.points(place).T for place in places],
        np.append(0.5 * MASS * weights, 0.0),
        given.stiffness,
        damping_ratio=0.02,
    )
    settings = PlantSettings(command_timeout=inf, no_command='free')
    found = []
    for link in (nodes, rod_beam(damping_ratio=0.02)):
        plant = FlexiblePlant(robot, {'rod': link}, settings, [0.3])
        for _ in range(100):
            plant.step(dt=1e-3)
        found.append(np.concatenate((plant.q, plant.qd, np.abs(plant.eta))))
    # twelve Gauss nodes integrate products of these modes to 1e-9
    agree(found[0], found[1], tolerance=1e-7)


def test_craig_bampton_set_is_that_of_the_reader():
    """Modal mass and stiffness as formulations.jain has them, and the sag of the rod."""
    rng = np.random.default_rng(1)
    A = rng.normal(size=(14, 14))
    boundary = np.array([[0.0, 0.0, 0.0], [LENGTH, 0.0, 0.0]])
    moved = np.vstack([carried(p) for p in boundary])
    free = np.vstack((moved, np.zeros((2, 6))))
    P = np.eye(14) - free @ np.linalg.pinv(free)
    K, M = P @ (A @ A.T + np.eye(14)) @ P * 1e3, A @ A.T + 14.0 * np.eye(14)
    body, _, (tip,) = reader.craig_bampton(M, K, boundary, damping_ratio=0.03)
    link = CraigBampton(M, K, boundary, damping_ratio=0.03).link(None, 1, 'rod')
    agree(link.modal_mass, body.M_0[:8, :8])
    agree(link.stiffness, body.stiffness)
    agree(link.damping, body.damping, tolerance=1e-10)
    agree(np.hstack((link.angular, link.linear)), body.M_0[:8, 8:])
    agree(link.points(boundary[1]), tip.Pi)
    with pytest.raises(ModelError, match='has a force of .* from a rigid motion'):
        CraigBampton(M, M, boundary).link(None, 1, 'link')
    with pytest.raises(ModelError, match='expected the first at the frame'):
        CraigBampton(M, K, boundary + 0.1).link(None, 1, 'link')


def carried(p):
    """Motion (6, 6) of a node that a rigid body carries."""
    return np.block([[np.eye(3), np.zeros((3, 3))], [-np.cross(np.eye(3), p), np.eye(3)]])


@pytest.mark.parametrize(
    ('link', 'words'),
    [
        (ModalBeam((0, 0, 0), 5.0), 'has the end .*; expected three numbers'),
        (ModalBeam((0, 0, 1), 5.0), 'along the beam; expected another direction'),
        (ModalBeam((1, 0, 0), -5.0), 'expected numbers above 0'),
        (ModalBeam((1, 0, 0), inf), 'not all of them infinite'),
        (ModalBeam((1, 0, 0), 5.0, modes=(1, 2, 0)), 'and 2 or more of bending'),
        (ModalBeam((1, 0, 0), 5.0, modes=(2.0, 2, 0)), 'expected three whole numbers'),
        (ModalBeam((1, 0, 0), 5.0, 20.0), 'expected a radius above 0'),
        (ModalBeam((1, 0, 0), 5.0, mass=0.0), 'has mass 0'),
        (ModalBeam((1, 0, 0), 5.0, damping_ratio=-1.0), 'has damping_ratio -1'),
        (ModalNodes([[1, 0, 0]], [[[0] * 5]], [1.0], [3.0]), r'has shapes .* \(1, any, 6\)'),
        (ModalNodes([[1, 0, 0]], [[[1.0] * 6]], [-1.0], [3.0]), 'has masses'),
        (ModalNodes([[1, 0, 0]], [[[1.0] * 6]], ['x'], [3.0]), 'no table of numbers'),
    ],
)
def test_impossible_links_are_refused(link, words):
    with pytest.raises(ModelError, match=f"robot 'rod': flexible link 'rod' .*{words}"):
        FlexiblePlant(Robot.from_urdf(ROD), {'rod': link})


def test_what_flexible_links_do_not_go_with_is_refused():
    robot = Robot.from_urdf(ROD)
    with pytest.raises(UnknownNameError, match="no flexible link 'tip'; valid: rod"):
        FlexiblePlant(robot, {'tip': rod_beam()})
    with pytest.raises(ParameterError, match='the weight turns .* by 54.9 rad'):
        arm(FREE, stiffness=(0.3, 0.3))
    plant = FlexiblePlant(robot, {'rod': rod_beam()})
    with pytest.raises(ShapeError):
        plant.step([1.0, 2.0], 1e-3)
    with pytest.raises(AttributeError, match="FlexiblePlant has no 'rollout'"):
        plant.rollout  # noqa: B018
