# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Base parameters: their number, and that they and nothing else fix the torques."""

from pathlib import Path

import numpy as np
import pytest

from robodyn_ros.identification import Parameters, base_parameters
from robodyn_ros.identification.base_parameters import reduce
from robodyn_ros.model.layout import KIND, PRISMATIC
from robodyn_ros.model.normal_form import regroup
from robodyn_ros.robot.robot import Robot
from support.compare import agree
from support.robots.families import FAMILIES, Case, describe
from support.robots.real_robots import files
from support.robots.real_robots import robot as named

from .conftest import FRANKA

UP = (0.0, 0.0, -9.81)
ELBOW = """<robot name="elbow"><link name="base"/>
<link name="upper"><inertial><origin xyz="0.5 0 0"/><mass value="1.5"/>
<inertia ixx="0.12" iyy="0.12" izz="0.12" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="lower"><inertial><origin xyz="0.4 0 0"/><mass value="1"/>
<inertia ixx="0.05" iyy="0.05" izz="0.05" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/>
<axis xyz="0 -1 0"/></joint>
<joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/>
<origin xyz="1 0 0"/><axis xyz="0 -1 0"/></joint></robot>"""


def inertial(robot):
    """Return the base parameters without those of the joints."""
    return base_parameters(Parameters(robot, friction=False))


def states(robot, rng, count=100):
    """Return random states (3, count, nv)."""
    return rng.uniform(-3.0, 3.0, (3, count, robot.nv))


@pytest.mark.parametrize('gravity, free, on_the_line', [(UP, 6, 4), ((0.0, 0.0, 0.0), 4, 3)])
def test_a_planar_elbow_has_the_base_parameters_of_spong(gravity, free, on_the_line, rng):
    """Spong's elbow has 4 (3 without gravity) with centres of mass on the links, else 6 (4)."""
    robot = Robot.from_urdf(ELBOW, gravity=gravity)
    assert len(inertial(robot)) == free
    parameters = Parameters(robot, friction=False)
    line = [
        k
        for k, name in enumerate(parameters.names)
        if name.endswith(('.m', '.hx', '.Izz', '.Ixx', '.Iyy'))
    ]
    W = parameters.regressor(*states(robot, rng)).reshape(-1, len(parameters.names))
    assert len(reduce(W[:, line], [parameters.names[k] for k in line])) == on_the_line


def test_five_parameters_of_the_book(rng):
    """Spong (6.5.3) counts five: m2 l1 lc2 and m2 lc2 apart, as if the length l1 were not known.

    His five columns are independent, and give our torques with his five numbers.
    """
    q, qd, qdd = states(robot := Robot.from_urdf(ELBOW), rng, 20)
    (c1, c2), (s2,) = np.cos(q).T, np.sin(q).T[1:]
    c12, g = np.cos(q.sum(axis=1)), 9.81
    (v1, v2), (a1, a2), zero = qd.T, qdd.T, np.zeros(20)
    Y = np.array(
        (
            (a1, c2 * (2 * a1 + a2) - s2 * (v2**2 + 2 * v1 * v2), a2, g * c1, g * c12),
            (zero, c2 * a1 + s2 * v1**2, a1 + a2, zero, g * c12),
        )
    )
    tau = np.einsum('jpk,p->kj', Y, (1.705, 0.4, 0.21, 1.75, 0.4))
    assert np.linalg.matrix_rank(Y.transpose(2, 0, 1).reshape(-1, 5)) == 5
    agree(robot.inverse_dynamics(q, qd, qdd), tau)


def test_planar_elbow_has_the_numbers_of_the_book():
    """Theta of Spong's regression case: (1.705, 0.4, 0.21, 1.75, 0.4), in our combinations."""
    robot = Robot.from_urdf(ELBOW)
    base = inertial(robot)
    values = dict(zip(base.names, base.combination @ robot.links.inertial_parameters()))
    first, second = values['upper.Izz + lower.m'], values['lower.Izz']
    assert first + second == pytest.approx(1.705)  # m1 lc1^2 + m2 (l1^2 + lc2^2) + I1 + I2
    assert second == pytest.approx(0.21)  # m2 lc2^2 + I2
    assert values['upper.hx + lower.m'] == pytest.approx(1.75)
    assert values['lower.hx'] == pytest.approx(0.4)
    assert values['upper.hy'] == values['lower.hy'] == 0.0


@pytest.mark.parametrize(
    'gravity, along, expected',
    [
        ((1.0, -2.0, -9.0), None, 38),  # 7 n - 4
        ((0.0, 0.0, 0.0), None, 36),  # 7 n - 6: nothing but Izz of the first link
        (None, 'first axis', 36),
    ],
)
def test_general_six_revolute_arm_has_7_n_minus_4_base_parameters(gravity, along, expected):
    """A general 6R has 7 n - 4 base parameters, 7 n - 6 with its first axis along gravity."""
    description = describe('general', 6, welds=0.0)
    case = Case(description, gravity=gravity or UP)
    if along:
        axis = case.robot.pose(np.zeros(6), 'link1')[:3, :3] @ description.joints[0].axis
        case = Case(description, gravity=tuple(9.81 * axis / np.linalg.norm(axis)))
    assert len(inertial(case.robot)) == expected


@pytest.mark.parametrize('quarter', ['1.57079', '1.5708', '-1.5708'])
def test_rounded_angles_leave_the_same_base_parameters(franka, quarter):
    """An arm whose quarter turns are written with few digits has those of the exact one.

    A tilt of 6e-6 of the first axis against gravity adds columns of that size. Then the first axis
    of each pair no longer depends exactly on the other.
    """
    text = Path(FRANKA).read_text()
    exact = f'{"-" if quarter[0] == "-" else ""}1.5707963267948966'
    assert text.count(f'"{exact}') > 1
    rounded = Robot.from_urdf(text.replace(exact, quarter))
    assert not np.array_equal(rounded.model.constants, franka.model.constants)
    assert base_parameters(Parameters(rounded)).names == base_parameters(Parameters(franka)).names


def test_an_arm_with_rounded_angles_by_its_maker():
    """The SO-100 is written with 1.57079, and has 7 n - 6 inertial base parameters."""
    path = files().get('so_arm_description/so100.urdf')
    if path is None:
        pytest.skip('example-robot-data is not installed, or has no SO-100 any more')
    assert len(inertial(Robot.from_urdf(path))) == 36


def test_franka_has_the_43_of_the_literature(franka):
    """Gaz et al. 2019 found 43 inertial base parameters for this kinematics."""
    assert len(inertial(franka)) == 43


@pytest.mark.parametrize('name', [*FAMILIES, 'franka_like', 'ur_like', 'ur5', 'tiago_dual'])
def test_they_fix_all_torques_and_are_independent(name, rng):
    """W theta = W_b beta, W_b of full rank, and that rank is the rank of W."""
    case = FAMILIES.get(name) or named(name)
    if case is None:
        pytest.skip(f'example-robot-data is not installed, or has no {name} any more')
    parameters = Parameters(case.robot, rotors=True)
    base = base_parameters(parameters)
    W = parameters.regressor(*states(case.robot, rng)).reshape(-1, len(parameters.names))
    theta = rng.normal(size=len(parameters.names))
    tau = W @ theta
    agree(W[:, base.kept] @ (base.combination @ theta), tau, tolerance=1e-9)
    sizes = np.linalg.norm(W, axis=0)
    W = W[:, sizes > 1e-9 * sizes.max()]
    factor = np.linalg.qr(W / np.linalg.norm(W, axis=0), mode='r')
    spectrum = np.linalg.svd(factor, compute_uv=False)
    assert spectrum[len(base) - 1] > 1e-6 * spectrum[0]
    assert (spectrum[len(base) :] < 1e-12 * spectrum[0]).all()


def test_regrouped_robot_has_the_same_values(every):
    """Moving inertias between bodies as the specialiser does changes no base parameter.

    And it leaves 7 numbers a revolute body and 4 a prismatic one, of which the base parameters
    need no more.
    """
    robot = every
    moved = Robot(regroup(robot.model))
    base = inertial(robot)
    mine, theirs = robot.links.inertial_parameters(), moved.links.inertial_parameters()
    agree(
        base.combination @ theirs,
        base.combination @ mine,
        scale=(np.abs(base.combination) @ np.abs(mine)).max(),
        tolerance=1e-9,
    )
    slides = (robot.model.topology[1:, KIND] == PRISMATIC).sum()
    assert len(base) <= 7 * (robot.nv - slides) + 4 * slides


@pytest.fixture(params=['aligned_chain', 'sliding_chain', 'sliding_tree', 'permuted'])
def every(request):
    """Return robots with every kind of joint."""
    return FAMILIES[request.param].robot


def test_names_are_those_of_links_and_joints(franka):
    """The first parameters are of links, the last of joints; combinations read like sums."""
    parameters = Parameters(franka, rotors=True)
    assert parameters.names[0] == 'link1.m' and parameters.names[-1] == 'joint7.friction'
    base = base_parameters(parameters)
    assert 'link7.Ixx - link7.Iyy' in base.names
    assert 'link1.Izz + link2.Iyy + joint1.rotor' in base.names
    for name, first in zip(base.names, base.kept):
        assert name.split()[0] == parameters.names[first]


def test_applied_parameters_are_in_the_model(franka, rng):
    """A robot with parameters applied has their torques."""
    parameters = Parameters(franka, rotors=True)
    theta = parameters.nominal * rng.uniform(0.5, 2.0, len(parameters.nominal))
    other = parameters.applied(theta)
    assert np.array_equal(Parameters(other, rotors=True).nominal, theta)
    q, qd, qdd = states(franka, rng, 5)
    frictionless = Parameters(other, rotors=True, friction=False)
    agree(
        frictionless.regressor(q, qd, qdd) @ frictionless.nominal,
        other.inverse_dynamics(q, qd, qdd),
    )
