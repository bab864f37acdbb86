# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Forward dynamics and solves of recordings: the referee is the articulated way, and numpy."""

import numpy as np
import pytest

from robodyn_ros.algorithms.core import composite, rnea
from robodyn_ros.algorithms.variants import prescribed_motion
from robodyn_ros.codegen.registry import RECIPES
from robodyn_ros.codegen.specialise import counts, record
from robodyn_ros.model.layout import KIND, PRISMATIC
from robodyn_ros.spatial.vec3 import load
from support.work import PlainWork

SINGULAR_ROWS = slice(12, 23)


def run(recursion, model, **given):
    """Run a plain recursion on numbers; return its status."""
    import inspect

    nv = model.nv
    known = {
        'topology': model.topology,
        'constants': model.constants,
        'gravity': model.gravity,
        'work': PlainWork(model.topology),
        'diagonal': np.zeros(nv),
        'M': np.full((nv, nv), np.nan),
        'bias': np.full(nv, np.nan),
        **given,
    }
    return recursion(**{name: known[name] for name in inspect.signature(recursion).parameters})


def test_the_plain_functions_agree_with_the_dense_matrix(answers):
    """The functions as they stand, on trees too, with and without a diagonal."""
    robot, q, qd, b = answers.robot, answers.q, answers.qd, answers.qdd
    M, n = robot.mass_matrix(q), robot.nv
    for diagonal in (np.zeros(n), np.linspace(0.1, 0.5, n)):
        whole, slack = M + np.diag(diagonal), 1e-13 * answers.condition
        x, inverse = np.full(n, np.nan), np.full((n, n), np.nan)
        assert run(composite.mass_solve, robot.model, q=q, diagonal=diagonal, b=b, x=x) == 0
        assert np.abs(x - np.linalg.solve(whole, b)).max() <= slack * np.abs(x).max()
        assert (
            run(
                composite.mass_matrix_inverse, robot.model, q=q, diagonal=diagonal, inverse=inverse
            )
            == 0
        )
        assert np.abs(inverse - np.linalg.inv(whole)).max() <= slack * np.abs(inverse).max()
        expected = np.linalg.solve(whole, b - robot.bias_torque(q, qd))
        for recursion in (composite.forward_dynamics, prescribed_motion.forward_dynamics):
            qdd, given = np.full(n, np.nan), {'q': q, 'qd': qd, 'tau': b, 'diagonal': diagonal}
            assert run(recursion, robot.model, **given, qdd=qdd) == 0
            assert np.abs(qdd - expected).max() <= slack * np.abs(expected).max()


def test_torque_of_prescribed_motion_belongs_to_its_acceleration(answers):
    """The torque is that of the returned acceleration. No body accelerates about or along its
    joint.
    """
    robot, n = answers.robot, answers.robot.nv
    qdd, tau = np.full(n, np.nan), np.full(n, np.nan)
    work = PlainWork(robot.model.topology)
    rnea.torque_of_prescribed_motion(
        robot.model.topology,
        robot.model.constants,
        robot.model.gravity,
        work,
        answers.q,
        answers.qd,
        qdd,
        tau,
    )
    expected = robot.inverse_dynamics(answers.q, answers.qd, qdd)
    # one step of rounding for each of some hundred operations
    assert np.abs(tau - expected).max() <= 1e-13 * max(answers.size, np.abs(expected).max())
    for i, row in enumerate(robot.model.topology[1:], start=1):
        along = work[i].accel if row[KIND] == PRISMATIC else work[i].alpha
        largest = np.abs([*load(work[i].alpha), *load(work[i].accel)]).max()
        assert abs(along[2]) <= 1e-14 * largest


def test_a_singular_pivot_names_its_body(franka):
    """The body without inertia is named, and everything stays finite."""
    constants = franka.model.constants.copy()
    constants[-1, SINGULAR_ROWS] = 0.0
    x = np.zeros(7)
    model = franka.model.with_constants(constants)
    assert run(composite.mass_solve, model, q=np.ones(7), b=np.ones(7), x=x) == 7
    assert np.isfinite(x).all()


@pytest.mark.parametrize('name', ['forward_dynamics', 'mass_solve', 'mass_matrix_inverse'])
def test_the_shorter_way_is_taken(franka, name):
    """Of two recursions with the same result the one with fewer operations is compiled."""
    assert record(name, RECIPES[name], franka.model).origin == 'algorithms.core.composite'


def test_long_chains_take_articulated_bodies():
    """Where n^3 has overtaken n."""
    from support.robots.families import case

    model = case('long_chain', 24).robot.model
    recording = record('forward_dynamics', RECIPES['forward_dynamics'], model)
    assert recording.origin == 'algorithms.variants.prescribed_motion'


def test_published_counts_are_beaten():
    """The general six-revolute arm below the best published rows (Li and Sankar 1992: 459 and 390;
    Li 1989: 783 and 670).
    """
    from tools.pages.reference_arms import general_arm

    model = general_arm(6)
    inverse = counts(model, 'inverse_dynamics')['regrouped']
    assert inverse['multiplications'] < 400 and inverse['additions'] < 350
    forward = counts(model, 'forward_dynamics')['regrouped']
    assert forward['multiplications'] < 783 and forward['additions'] < 670


def test_counts_of_hybrid_dynamics_divide_by_moving_inertias_of_passive_joints_alone():
    """The articulated inertia of the last joint is a constant, others depend on the position."""
    from tools.pages.reference_arms import general_arm

    model = general_arm(6)
    names = model.joint_names
    found = {
        passive: counts(model, 'hybrid_dynamics', names[passive:])['compiled']['divisions']
        for passive in (0, 1, 3)
    }
    assert found == {0: 0, 1: 1, 3: 3}
    assert counts(model, 'hybrid_dynamics', names[:-1])['compiled']['divisions'] == 0
    forward = counts(model, 'forward_dynamics')['compiled']['divisions']
    assert counts(model, 'hybrid_dynamics', ())['compiled']['divisions'] == forward
