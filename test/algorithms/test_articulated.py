# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Articulated inertias (Jain 2011, chapter 6), and singular mass matrices."""

import numpy as np
import pytest

from robodyn_ros.algorithms.mass_matrix import mass_matrix_inverse_world_frame
from robodyn_ros.compile import generic
from robodyn_ros.errors import SingularityError
from robodyn_ros.model.description import Inertial, Joint, Link, Placement, RobotDescription
from robodyn_ros.model.layout import KIND, PRISMATIC, ROTOR
from support.compare import agree
from support.robots.families import Case, inertial, rotation, states


def passed_on(robot, q):
    """Return the (nb, 6, 6) inertias P+ that a solve leaves in work, angular rows first."""
    robot.mass_operator.solve(q, np.ones(robot.nv))
    rows = robot._work[: len(robot.model.topology)]  # those of bodies
    square = np.array(((0, 1, 2), (1, 3, 4), (2, 4, 5)))
    P = rows['P']
    A, C = P['angular'][:, square], P['linear'][:, square]
    B = P['coupling'].reshape(-1, 3, 3)
    return np.block([[A, B], [B.transpose(0, 2, 1), C]])


def composite(robot, q):
    """Return the (nb, 6, 6) inertias R of everything that each body carries."""
    robot.mass_matrix(q)
    rows = robot._work[: len(robot.model.topology)]  # those of bodies
    square = np.array(((0, 1, 2), (1, 3, 4), (2, 4, 5)))
    R = np.zeros((len(rows), 6, 6))
    R[:, :3, :3] = rows['c_inertia'][:, square]
    for i, (x, y, z) in enumerate(rows['c_moment']):
        R[i, :3, 3:] = ((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0))
        R[i, 3:, :3] = R[i, :3, 3:].T
        R[i, 3:, 3:] = rows[i].c_mass * np.eye(3)
    return R


def test_nothing_is_passed_on_along_the_joint(case):
    """S^T P+ = 0 exactly where there is no rotor (Jain 6.26): the joint is free to move."""
    model = case.robot.model
    for q, _, _ in states(case.robot):
        P = passed_on(case.robot, q)
        for i in range(1, len(P)):
            about = 5 if model.topology[i, KIND] == PRISMATIC else 2
            if model.constants[i, ROTOR] == 0.0:
                assert not P[i, about].any()
            else:
                assert P[i, about, about] > 0.0


def test_composite_outweighs_articulated(case):
    """R >= P+ >= 0 in Loewner order: free joints beyond only make a body lighter (Jain 6.31)."""
    for q, _, _ in states(case.robot):
        P, R = passed_on(case.robot, q), composite(case.robot, q)
        for i in range(1, len(P)):
            size = np.abs(R[i]).max()
            assert np.linalg.eigvalsh(R[i] - P[i])[0] >= -1e-12 * size
            assert np.linalg.eigvalsh(P[i])[0] >= -1e-12 * size


def coaxial(seed, scale):
    """Return two joints about one line with nothing between them: M = I [[1, 1], [1, 1]]."""
    rng = np.random.default_rng(seed)
    body, turn, axis = inertial(rng), rotation(rng), rng.normal(size=3)
    body = Inertial(scale * body.mass, body.com, scale * body.inertia)
    return RobotDescription(
        'coaxial',
        (Link('base'), Link('between'), Link('end', body)),
        (
            Joint('first', 'revolute', 'base', 'between', Placement(rotation(rng)), axis),
            Joint(
                'second', 'revolute', 'between', 'end', Placement(turn, 0.7 * axis), turn.T @ axis
            ),
        ),
    )


@pytest.mark.parametrize('scale', [1e-3, 1.0, 1e3, 1e6])
def test_singular_mass_matrix_is_named_at_any_size(scale):
    """A pivot that is nothing but rounding is refused by name: no acceleration of 1e14."""
    for seed in range(50):
        robot = Case(coaxial(seed, scale)).robot
        for solve in (
            lambda: robot.forward_dynamics((0.3, 0.4), (0.1, 0.2), (1.0, 2.0)),
            lambda: robot.mass_operator.solve((0.3, 0.4), (1.0, 2.0)),
            lambda: robot.mass_matrix_inverse((0.3, 0.4)),
            lambda: robot.operational_space_inertia((0.3, 0.4), 'end'),
        ):
            with pytest.raises(SingularityError, match="'coaxial'.*'between'"):
                solve()


def test_singular_kernels_return_the_body_and_stay_finite():
    """The status is the row of the body, and what is written holds no NaN."""
    robot = Case(coaxial(0, 1.0)).robot
    q, b, x, inverse = np.array((0.3, 0.4)), np.ones(2), np.empty(2), np.empty((2, 2))
    zero, no_wrench = np.zeros(2), np.zeros((3, 6))
    assert generic.mass_solve(*robot._body, q, zero, b, x) == 1
    assert np.isfinite(x).all()
    motions = np.full(mass_matrix_inverse_world_frame.motions(2), np.nan)
    assert generic.mass_matrix_inverse(*robot._body, q, zero, motions, inverse) == 1
    assert np.isfinite(inverse).all()
    assert generic.forward_dynamics(*robot._weighted, q, b, b, no_wrench, zero, x) == 1
    assert np.isfinite(x).all()


def test_what_was_singular_is_regular_with_something_on_the_diagonal():
    """A rotor, or an implicit damper on the diagonal, makes the coaxial joints regular."""
    robot = Case(coaxial(0, 1.0)).robot
    geared = type(robot)(robot.model.with_joint_values(ROTOR, (0.2, 0.3)))
    q, b, x = np.array((0.3, 0.4)), np.array((1.0, 2.0)), np.empty(2)
    assert generic.mass_solve(*robot._body, q, np.array((0.2, 0.3)), b, x) == 0
    assert np.array_equal(x, geared.mass_operator.solve(q, b))
    agree(geared.mass_matrix(q) @ x, b)


def test_a_long_thin_tool_is_not_singular():
    """A rod along the last axis, a million times heavier about the others, still has its pivot."""
    rod = Inertial(10.0, np.array((0.0, 0.0, 1.0)), np.diag((3.0, 3.0, 1e-6)))
    robot = Case(
        RobotDescription(
            'rod',
            (Link('base'), Link('end', rod)),
            (Joint('turn', 'revolute', 'base', 'end', axis=np.array((0.0, 0.0, 1.0))),),
        )
    ).robot
    agree(robot.forward_dynamics((0.3,), (0.0,), (1.0,)), np.array((1e6,)))
