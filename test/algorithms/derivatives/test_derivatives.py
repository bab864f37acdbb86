# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Derivatives of the dynamics of any robot: by complex steps, by Pinocchio, by what they mean."""

import numpy as np
import pytest

from benchmark.chains import read
from robodyn_ros.errors import ShapeError, SingularityError
from robodyn_ros.robot.dispatch import method_of
from robodyn_ros.robot.robot import Robot
from support.compare import agree, solve_tolerance
from support.referees import slopes
from support.robots.families import FAMILIES, states

pin = pytest.importorskip('pinocchio')

pytestmark = pytest.mark.sensitive

WRENCHES = np.array(((3.0, -2.0, 5.0, 0.4, -0.7, 0.3), (-1.0, 4.0, 2.0, 0.1, 0.6, -0.8)))


def pushed(case):
    """Return wrenches on two frames."""
    return {case.tip: WRENCHES[0], case.robot.frames[len(case.robot.frames) // 2]: WRENCHES[1]}


def alone_and_pushed(case):
    """Return a state without wrenches and one with them: (state, wrenches, the same by body)."""
    given = list(zip(states(case.robot, 2), (None, pushed(case)), strict=True))
    return [(state, f_ext, *case.robot._wrenches(state[0], None, f_ext)) for state, f_ext in given]


def symmetric(upper, order):
    """Return a matrix of which Pinocchio writes the upper half."""
    return (np.triu(upper) + np.triu(upper, 1).T)[order]


def rounding_of_inverse(robot, q, right):
    """Return the absolute error of a product with the inverse of M: |M^-1| |M| |M^-1| |right| u.

    That is how the referee solves (Higham 2002, section 14.1); massless links make it more than
    the condition number says. Complex steps hold the result itself to less.
    """
    M = robot.mass_matrix(q)
    inverse = np.abs(np.linalg.inv(M))
    return 4.0 * np.finfo(float).eps * (inverse @ np.abs(M) @ inverse @ np.abs(right)).max()


def all_agree(got, expected, tolerance, rounding=(0.0, 0.0, 0.0)):
    """Compare three matrices; one that is zero, as friction without speed, to the others.

    rounding : absolute error that each may have even where `tolerance` allows less.
    """
    size = max(np.abs(matrix).max() for matrix in expected)
    for mine, theirs, allowed in zip(got, expected, rounding, strict=True):
        scale = max(np.abs(theirs).max(), 1e-3 * size)
        agree(mine, theirs, scale=scale, tolerance=max(tolerance, allowed / scale))


def test_inverse_dynamics_by_complex_step(any_case):
    """dtau by q, qd and qdd, alone and with wrenches that travel with their links."""
    robot = any_case.robot
    for (q, qd, qdd), f_ext, rows in alone_and_pushed(any_case):
        all_agree(
            robot.derivatives.inverse_dynamics(q, qd, qdd, f_ext),
            slopes.of_inverse_dynamics(robot, q, qd, qdd, rows),
            1e-12,
        )


def test_forward_dynamics_by_complex_step(any_case):
    """dqdd by q, qd and tau, alone and with wrenches: twice a solve, so twice its rounding."""
    robot = any_case.robot
    for (q, qd, tau), f_ext, rows in alone_and_pushed(any_case):
        all_agree(
            robot.derivatives.forward_dynamics(q, qd, tau, f_ext),
            slopes.of_forward_dynamics(robot, q, qd, tau, rows),
            2.0 * solve_tolerance(robot.mass_matrix(q)),
        )


def test_mass_matrix_by_complex_step(any_case):
    """dM by q."""
    robot = any_case.robot
    ((q, _, _),) = states(robot, 1)
    expected = slopes.of_mass_matrix(robot, q)
    agree(
        robot.derivatives.mass_matrix(q),
        expected,
        scale=max(np.abs(expected).max(), np.abs(robot.mass_matrix(q)).max()),
    )


def test_derivatives_agree_with_pinocchio(every_joint_type):
    """computeRNEADerivatives and computeABADerivatives, with and without wrenches."""
    robot, referee = every_joint_type.robot, every_joint_type.pinocchio
    model, data, order = referee.model, referee.data, np.ix_(referee.order, referee.order)
    for k, (q, qd, third) in enumerate(states(robot, 2)):
        f_ext = pushed(every_joint_type) if k else None
        given = (referee.q(q), referee.v(qd), referee.v(third), referee._forces(q, f_ext))
        pin.computeRNEADerivatives(model, data, *given)
        expected = data.dtau_dq[order], data.dtau_dv[order], symmetric(data.M, order)
        all_agree(robot.derivatives.inverse_dynamics(q, qd, third, f_ext), expected, 1e-12)
        pin.computeABADerivatives(model, data, *given)
        expected = data.ddq_dq[order], data.ddq_dv[order], symmetric(data.Minv, order)
        found = robot.derivatives.forward_dynamics(q, qd, third, f_ext)
        qdd = robot.forward_dynamics(q, qd, third, f_ext)
        solved = robot.derivatives.inverse_dynamics(q, qd, qdd, f_ext)[:2]
        solving = 4.0 * solve_tolerance(robot.mass_matrix(q))
        rounding = [rounding_of_inverse(robot, q, right) for right in (*solved, np.eye(robot.nv))]
        all_agree(found, expected, solving, rounding)


@pytest.mark.parametrize('joints', [14, 30, 48])
def test_derivatives_of_long_chains_agree_with_pinocchio(joints):
    """Serial arms up to ten metres long agree with Pinocchio. Moments are about the base, so the
    distance costs up to a digit of 1e-15.
    """
    text = read(joints)
    robot, model = Robot.from_urdf(text), pin.buildModelFromXML(text)
    data, all_of_it = model.createData(), np.ix_(range(joints), range(joints))
    for given in states(robot, 2):
        pin.computeRNEADerivatives(model, data, *given)
        all_agree(
            robot.derivatives.inverse_dynamics(*given),
            (data.dtau_dq, data.dtau_dv, symmetric(data.M, all_of_it)),
            1e-12,
        )
        pin.computeABADerivatives(model, data, *given)
        all_agree(
            robot.derivatives.forward_dynamics(*given),
            (data.ddq_dq, data.ddq_dv, symmetric(data.Minv, all_of_it)),
            4.0 * solve_tolerance(robot.mass_matrix(given[0])),
        )


def test_what_they_have_in_common(any_case):
    """dtau/dqdd is M, and dM/dq qdd is what inertia forces add to dtau/dq; dqdd/dtau is M^-1."""
    robot = any_case.robot
    ((q, qd, qdd),) = states(robot, 1)
    by_q, _, by_qdd = robot.derivatives.inverse_dynamics(q, qd, qdd)
    agree(by_qdd, robot.mass_matrix(q))
    still = robot.derivatives.inverse_dynamics(q, qd, np.zeros(robot.nv))[0]
    added = np.einsum('ijk,j->ik', robot.derivatives.mass_matrix(q), qdd)
    agree(by_q - still, added, scale=np.abs(by_q).max() + np.abs(still).max() + 1e-3)
    agree(
        robot.derivatives.forward_dynamics(q, qd, qdd)[2],
        robot.mass_matrix_inverse(q),
        tolerance=solve_tolerance(by_qdd),
    )


def test_a_batch_is_its_rows_one_by_one(any_case):
    """Row by row, with wrenches by row."""
    robot = any_case.robot
    q, qd, third = map(np.array, zip(*states(robot, 3)))
    f_ext = {any_case.tip: np.outer((1.0, -0.5, 2.0), WRENCHES[0])}
    for name in ('inverse_dynamics_derivatives', 'forward_dynamics_derivatives'):
        together = method_of(robot, name)(q, qd, third, f_ext)
        for i in range(3):
            one = method_of(robot, name)(
                q[i], qd[i], third[i], {any_case.tip: f_ext[any_case.tip][i]}
            )
            assert all(np.array_equal(rows[i], matrix) for rows, matrix in zip(together, one))
    assert np.array_equal(robot.derivatives.mass_matrix(q)[1], robot.derivatives.mass_matrix(q[1]))


def test_wrong_shapes_and_singular_matrices_are_refused():
    """Wrong shapes, numbers that are none, and a mass matrix without inverse."""
    robot = FAMILIES['skew_chain'].robot
    with pytest.raises(ShapeError):
        robot.derivatives.mass_matrix(np.zeros(robot.nv + 1))
    with pytest.raises(ShapeError, match='finite'):
        robot.derivatives.inverse_dynamics(*np.full((3, robot.nv), np.nan))
    constants = robot.model.constants.copy()
    constants[-1, 12:23] = 0.0
    empty = Robot(robot.model.with_constants(constants))
    assert np.isfinite(empty.derivatives.inverse_dynamics(*np.ones((3, 7)))[0]).all()
    with pytest.raises(SingularityError, match='link7'):
        empty.derivatives.forward_dynamics(*np.ones((3, 7)))
