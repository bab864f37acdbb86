# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Links that bend: frequencies and sags of closed forms, and the arm that they leave alone."""

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.errors import ModelError, UnknownNameError
from robodyn_ros.model.extended.flexible_links import FlexibleLink
from robodyn_ros.simulation.plant import Plant
from robodyn_ros.simulation.plant_settings import PlantSettings

LENGTH, MASS, EI, G = 1.2, 2.0, 50.0, 9.81
ROD = """<robot name="rod"><link name="base"/><link name="rod"><inertial><origin xyz="0 0 0.6"/>
<mass value="2"/><inertia ixx="0.24" ixy="0" ixz="0" iyy="0.24" iyz="0" izz="1e-6"/></inertial>
</link>
<joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
<limit velocity="90" effort="900"/></joint></robot>"""
#: Roots of cos b cosh b = -1 (clamped, free) and of tan b = tanh b (pinned, free).
CLAMPED, PINNED = np.array([[1.875104068712, 4.694091132974], [3.926602312048, 7.068582745629]])


def rod(pieces=16, **options):
    """Return the rod on its hinge; it bends in the plane of the hinge alone."""
    options = {'bending': (EI, np.inf), 'up': (1.0, 0.0, 0.0), **options}
    link = FlexibleLink((0.0, 0.0, LENGTH), pieces=pieces, **options)
    return Robot.from_urdf(ROD).extended.with_flexible_links({'rod': link})


def frequencies(robot, free):
    """Return the angular frequencies about the straight posture, the hinge free or held."""
    linalg = pytest.importorskip('scipy.linalg')
    M = robot.mass_matrix(np.zeros(robot.nv))
    K = np.diag([0.0, *(spring.stiffness for spring in robot.model.springs)])
    first = 0 if free else 1
    squares = linalg.eigh(K[first:, first:], M[first:, first:], eigvals_only=True)
    return np.sqrt(np.maximum(squares, 0.0))


@pytest.mark.parametrize(('free', 'roots', 'gain'), [(False, CLAMPED, 4.0), (True, PINNED, 16.0)])
def test_frequencies_are_those_of_euler_and_bernoulli(free, roots, gain):
    """Within 0.4 % with 16 pieces; twice as many leave a quarter of the error, or a sixteenth."""
    exact = roots**2 * np.sqrt(EI / (MASS * LENGTH**3))
    errors = []
    for pieces in (16, 32):
        found = frequencies(rod(pieces), free)
        assert not free or found[0] < 1e-6 * found[1]  # the hinge turns the whole rod
        errors.append(found[int(free) : int(free) + 2] / exact - 1.0)
    assert np.abs(errors[0]).max() < 0.004
    assert errors[0] / errors[1] == pytest.approx(np.full(2, gain), rel=0.03)


def test_shaft_twists_with_the_frequency_of_its_closed_form():
    """w = (pi / 2) sqrt(GJ / (m r^2 L)) of a shaft clamped at one end."""
    robot = rod(bending=np.inf, torsion=30.0, gyration=0.05)
    exact = 0.5 * np.pi * np.sqrt(30.0 / (MASS * 0.05**2 * LENGTH))
    assert frequencies(robot, False)[0] == pytest.approx(exact, rel=1e-3)


def test_rod_sags_under_its_weight():
    """m g L^3 / (8 EI) at the end of a horizontal rod, in the plant, after its oscillation."""
    robot = rod(8, bending=(5e3, np.inf), damping=5e-3)
    settings = PlantSettings(substeps=4)  # the hinge waits for a command, and is held
    plant = Plant(robot, settings, position=np.r_[0.5 * np.pi, np.zeros(8)])
    for _ in range(2000):
        plant.step(dt=1e-3)
    assert np.abs(plant.qd).max() < 1e-9
    last, straight = (robot.pose(q, 'rod_bend_y_8') for q in (plant.q, np.zeros(robot.nq)))
    end = last[:3, 3] + last[:3, :3] @ straight[:3, :3].T @ (0.0, 0.0, LENGTH / 16)
    sag = MASS * G * LENGTH**3 / (8.0 * 5e3)
    assert -end[2] == pytest.approx(sag, rel=0.01)
    # the torque of the brake is the weight at half of the length, as without springs
    weight = robot.gravity_torque(plant.q)[0]
    assert abs(weight) == pytest.approx(MASS * G * LENGTH / 2, rel=1e-3)


def test_plant_oscillates_with_the_first_frequency():
    """An undamped rod, let go from its first shape, crosses zero after a quarter of the period."""
    robot = rod(8).with_gravity((0.0, 0.0, 0.0))
    linalg = pytest.importorskip('scipy.linalg')
    M = robot.mass_matrix(np.zeros(9))[1:, 1:]
    K = np.diag([spring.stiffness for spring in robot.model.springs])
    squares, shapes = linalg.eigh(K, M)
    shape = shapes[:, 0] * 1e-3 / np.abs(shapes[:, 0]).max()
    plant = Plant(robot, PlantSettings(), position=np.r_[0.0, shape])
    quarter, dt = 0.5 * np.pi / np.sqrt(squares[0]), 1e-4
    while plant.q[1:] @ M @ shape > 0.0 and plant.t < 2.0 * quarter:
        plant.step(dt=dt)
    # implicit springs: of order 1 in the step
    assert plant.t == pytest.approx(quarter, rel=2e-3)


ARM = """<robot name="arm"><link name="base"/>
<link name="upper"><inertial><origin xyz="0.3 0 0"/><mass value="4"/>
<inertia ixx="1e-4" ixy="0" ixz="0" iyy="0.12005" iyz="0" izz="0.12005"/></inertial></link>
<link name="lower"><inertial><origin xyz="0.2 0.05 0.1"/><mass value="2"/>
<inertia ixx="0.02" ixy="0.003" ixz="0" iyy="0.05" iyz="0" izz="0.05"/></inertial></link>
<link name="tool"/><link name="camera"/>
<joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/>
<origin xyz="0 0 0.5" rpy="0.4 0 0.2"/><axis xyz="0 1 1"/></joint>
<joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/>
<origin xyz="0.6 0 0" rpy="0.3 0 0.5"/><axis xyz="0 -1 0.4"/></joint>
<joint name="weld" type="fixed"><parent link="lower"/><child link="tool"/>
<origin xyz="0.4 0 0.1" rpy="0 0.7 0"/></joint>
<joint name="mount" type="fixed"><parent link="upper"/><child link="camera"/>
<origin xyz="0.33 0.1 0.05" rpy="0.2 0 0"/></joint></robot>"""


def test_straight_arm_is_the_rigid_one():
    """A uniform rod that does not bend now: poses, mass matrix, torques of the motors."""
    rigid = Robot.from_urdf(ARM)
    link = FlexibleLink((0.6, 0.0, 0.0), 800.0, 300.0, pieces=5, gyration=0.005)
    robot = rigid.extended.with_flexible_links({'upper': link})
    assert robot.joint_names[:2] == rigid.joint_names and robot.nv == 2 + 15
    rng = np.random.default_rng(3)
    q, qd, qdd = rng.normal(size=(3, 2))
    straight = [np.concatenate((each, np.zeros(15))) for each in (q, qd, qdd)]
    for frame in ('upper', 'lower', 'tool', 'camera'):
        np.testing.assert_allclose(
            robot.pose(straight[0], frame), rigid.pose(q, frame), atol=1e-13
        )
    # five springs leave the middle of the rod between the second and the third piece
    assert robot.model.frame('camera').body == robot.model.body_names.index('upper_bend_z_3')
    tau = robot.inverse_dynamics(*straight)[:2]
    np.testing.assert_allclose(tau, rigid.inverse_dynamics(q, qd, qdd), rtol=1e-9)
    np.testing.assert_allclose(
        robot.mass_matrix(straight[0])[:2, :2], rigid.mass_matrix(q), rtol=1e-9
    )


@pytest.mark.parametrize(
    ('link', 'words'),
    [
        (FlexibleLink((0.0, 0.0, 0.0), EI), 'has the end .*; expected three numbers'),
        (FlexibleLink((0.0, 0.0, 1.0), EI), 'along the beam; expected another direction'),
        (FlexibleLink((1.0, 0.0, 0.0), -EI), 'expected numbers above 0'),
        (FlexibleLink((1.0, 0.0, 0.0), np.inf), 'not all of them infinite'),
        (FlexibleLink((1.0, 0.0, 0.0), EI, pieces=0), 'has 0 pieces; expected 1 to 100'),
        (FlexibleLink((1.0, 0.0, 0.0), EI, 20.0), 'expected a radius above 0'),
        (FlexibleLink((1.0, 0.0, 0.0), EI, mass=0.0), 'has mass 0'),
        (FlexibleLink((1.0, 0.0, 0.0), EI, damping=-1.0), 'has damping -1'),
    ],
)
def test_impossible_beams_are_refused(link, words):
    with pytest.raises(ModelError, match=f"robot 'rod': flexible link 'rod' .*{words}"):
        Robot.from_urdf(ROD).extended.with_flexible_links({'rod': link})


def test_links_that_do_not_move_are_named():
    with pytest.raises(UnknownNameError, match="no flexible link 'base'; valid: rod"):
        Robot.from_urdf(ROD).extended.with_flexible_links(
            {'base': FlexibleLink((1.0, 0.0, 0.0), EI)}
        )
