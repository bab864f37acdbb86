# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Straight-line code of robots with screws, quaternions and joints of many degrees of freedom."""

import numpy as np
import pytest

from robodyn_ros.codegen.registry import RECIPES
from robodyn_ros.codegen.specialise import record
from robodyn_ros.errors import ShapeError
from robodyn_ros.robot.robot import Robot
from support.compare import agree, solve_tolerance
from support.robots.families import MIXED, states

STEP = 1e-5  # of the differences, whose error is of the order of its square


@pytest.fixture(scope='module')
def case():
    """Return a robot with one joint of each sort, its joints in another order."""
    return MIXED['mixed_permuted']


@pytest.fixture(scope='module')
def robot(case):
    """Return its specialised form; making it examines every kernel."""
    return case.robot.specialised(frames=[case.tip])


def test_code_gives_what_the_recursions_give(case, robot):
    """Also for quaternions whose length is not one."""
    generic = case.robot
    for q, qd, qdd in states(generic):
        tolerance = solve_tolerance(generic.mass_matrix(q))
        for scale in (1.0, 0.2):
            for k in generic.model.quaternions:
                q[k : k + 4] *= scale
            for name in ('inverse_dynamics', 'forward_dynamics'):
                agree(
                    getattr(robot, name)(q, qd, qdd),
                    getattr(generic, name)(q, qd, qdd),
                    tolerance=tolerance,
                )
            agree(robot.jacobian(q, case.tip), generic.jacobian(q, case.tip))


def test_rows_of_a_batch_equal_single_states(robot):
    """States of a batch, q with more columns than qd, give what each gives alone."""
    q, qd, qdd = (np.array(rows) for rows in zip(*states(robot, 11)))
    found = robot.inverse_dynamics(q, qd, qdd)
    for row, *state in zip(found, q, qd, qdd):
        agree(row, robot.inverse_dynamics(*state))


@pytest.mark.parametrize('name', ['inverse_dynamics', 'forward_dynamics'])
def test_derivatives_are_along_velocities(robot, name):
    """[i, j] of the first derivative: change of entry i as q moves along unit velocity j."""
    generic = Robot(robot.model)
    for state in states(robot, 2):
        slopes = getattr(robot.derivatives, name)(*state)
        value = getattr(generic, name)
        for argument, slope in enumerate(slopes):
            for j, e in enumerate(np.eye(robot.nv)):
                ends = []
                for step in (-STEP, STEP):
                    moved = list(state)
                    moved[argument] = (
                        robot.configuration.integrate(state[0], e, step)
                        if argument == 0
                        else state[argument] + step * e
                    )
                    ends.append(value(*moved))
                agree(
                    slope[:, j],
                    (ends[1] - ends[0]) / (2.0 * STEP),
                    scale=max(np.abs(slope).max(), np.abs(ends).max()),
                    tolerance=1e-7,
                )


def test_mass_matrix_derivative_is_along_velocities(robot):
    """[i, j, k] = dM_ij along unit velocity k; summed over qd it is dM/dt."""
    for q, qd, _ in states(robot, 2):
        found = robot.derivatives.mass_matrix(q) @ qd
        ends = [
            robot.mass_matrix(robot.configuration.integrate(q, qd, step)) for step in (-STEP, STEP)
        ]
        agree(found, (ends[1] - ends[0]) / (2.0 * STEP), tolerance=1e-7)


def test_lost_quaternion_is_a_sentence(robot):
    """Zero has no direction: the code refuses it, and the face says why."""
    q, qd, qdd = states(robot)[0]
    q[robot.model.quaternions[0] + np.arange(4)] = 0.0
    with pytest.raises(ShapeError, match='joint5.qx.*expected a unit quaternion'):
        robot.inverse_dynamics(q, qd, qdd)


def test_a_free_body_costs_little():
    """The chain of massless bodies folds away: one rotation, one rigid body; measured 74 and 69.

    Twelve products make the rotation, and 18 carry the force there and the wrench back over a skew
    placement. The rest is Newton and Euler about a point that is not the centre of mass.
    """
    model = MIXED['one_free_body'].robot.model
    counts = record('inverse_dynamics', RECIPES['inverse_dynamics'], model).counts()
    assert counts['trigonometric'] == 0 and counts['divisions'] == 1
    assert counts['multiplications'] <= 80 and counts['additions'] <= 75
