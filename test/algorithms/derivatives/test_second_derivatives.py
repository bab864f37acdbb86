# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Second derivatives: complex steps through the first ones, Pinocchio, and what follows."""

import numpy as np
import pytest

from robodyn_ros.compile import generic
from robodyn_ros.errors import ModelError, ShapeError
from support.calls import run
from support.compare import agree, solve_tolerance
from support.referees import slopes
from support.robots.families import FAMILIES, MIXED, states

#: A chain with skew axes, trees with slides, joints in another order, links without mass.
ROBOTS = ('skew_chain', 'sliding_tree', 'permuted', 'massless_branches', 'inner_base')


@pytest.fixture(params=ROBOTS, scope='module')
def case(request):
    """Return one robot after the other."""
    return FAMILIES[request.param]


def pushed(case):
    """Return (state, wrenches by frame, the same by body)."""
    f_ext = {case.tip: np.array((3.0, -2.0, 5.0, 0.4, -0.7, 0.3))}
    (state,) = states(case.robot, 1)
    return state, f_ext, case.robot._wrenches(state[0], None, f_ext)[0]


def all_agree(got, expected, tolerance=1e-12):
    """Compare tensors; one that vanishes, to the others."""
    size = max(np.abs(tensor).max() for tensor in expected)
    for mine, theirs in zip(got, expected, strict=True):
        scale = max(np.abs(theirs).max(), 1e-3 * size)
        agree(mine, theirs, scale=scale, tolerance=tolerance)


def of_first(robot, first, q, qd, third):
    """Return the derivatives of `first`, a function that returns three matrices.

    By q of all three, and by qd of the second: [j, k, l] as of inverse_dynamics_second.
    """
    by_q = slopes.by_position(robot, lambda x: np.stack(first(x, qd, third)), q)
    by_qd = slopes.by_velocity(lambda x: first(q, x, third)[1], qd)
    return by_q[0], by_q[1].swapaxes(1, 2), by_qd, by_q[2]


def test_second_derivatives_of_inverse_dynamics_by_complex_step(case):
    """With a wrench that travels with its link: every entry, those that vanish too."""
    robot = case.robot
    (q, qd, qdd), f_ext, rows = pushed(case)

    def first(q, qd, qdd):
        given = {'q': q, 'qd': qd, 'qdd': qdd, 'f_ext': rows}
        return run(robot, generic.inverse_dynamics_derivatives, **given)

    found = robot.derivatives.inverse_dynamics_second(q, qd, qdd, f_ext)
    all_agree(found, of_first(robot, first, q, qd, qdd))


def test_second_derivatives_of_forward_dynamics_by_complex_step(case):
    """Of dense first derivatives, M^-1 and -M^-1 dtau at the solution."""
    robot = case.robot
    (q, qd, tau), f_ext, rows = pushed(case)

    def first(q, qd, tau):
        still = np.zeros(robot.nv)
        bias = run(robot, generic.inverse_dynamics, q=q, qd=qd, qdd=still, f_ext=rows)
        inverse = np.linalg.inv(run(robot, generic.mass_matrix, q=q))
        given = {'q': q, 'qd': qd, 'qdd': inverse @ (tau - bias), 'f_ext': rows}
        by_q, by_qd, _ = run(robot, generic.inverse_dynamics_derivatives, **given)
        return -inverse @ by_q, -inverse @ by_qd, inverse

    by_q_q, by_q_qd, by_qd_qd, by_tau_q = of_first(robot, first, q, qd, tau)
    found = robot.derivatives.forward_dynamics_second(q, qd, tau, f_ext)
    solving = 4.0 * solve_tolerance(robot.mass_matrix(q))
    all_agree(found, (by_q_q, by_q_qd, by_qd_qd, by_tau_q.swapaxes(1, 2)), solving)


def test_hessians_are_the_tensors_times_the_multipliers(case):
    """Of inverse and of forward dynamics."""
    robot = case.robot
    (q, qd, third), f_ext, _ = pushed(case)
    multipliers = np.random.default_rng(8).normal(size=robot.nv)
    for what, tolerance in (
        ('inverse_dynamics', 1e-12),
        ('forward_dynamics', 4.0 * solve_tolerance(robot.mass_matrix(q))),
    ):
        tensors = getattr(robot.derivatives, f'{what}_second')(q, qd, third, f_ext)
        hessian = getattr(robot.derivatives, f'{what}_hessian')
        expected = [np.einsum('j,jkl->kl', multipliers, tensor) for tensor in tensors]
        if what == 'inverse_dynamics':
            expected[3] = expected[3].T  # of dM_jk/dq_l, by q_l and qdd_k
        all_agree(hessian(q, qd, third, multipliers, f_ext), expected, tolerance)


def test_second_derivatives_are_differences_of_those_of_pinocchio():
    """By central differences of fourth order, whose error is about 1e-9 of the largest entry."""
    pin = pytest.importorskip('pinocchio')
    case, h = FAMILIES['skew_chain'], 1e-3
    robot, referee = case.robot, case.pinocchio
    (q, qd, qdd), order = states(robot, 1)[0], np.ix_(referee.order, referee.order)

    def first(q, qd):
        data = referee.model.createData()
        pin.computeRNEADerivatives(
            referee.model, data, referee.q(q), referee.v(qd), referee.v(qdd)
        )
        return np.stack((data.dtau_dq[order], data.dtau_dv[order]))

    def slope(function, x):
        steps = [[function(x + k * h * unit) for k in (-2, -1, 1, 2)] for unit in np.eye(len(x))]
        return np.stack([(a - 8.0 * b + 8.0 * c - d) / (12.0 * h) for a, b, c, d in steps], -1)

    by_q, by_qd = slope(lambda x: first(x, qd), q), slope(lambda x: first(q, x)[1], qd)
    found = robot.derivatives.inverse_dynamics_second(q, qd, qdd)
    all_agree(found[:3], (by_q[0], by_q[1].swapaxes(1, 2), by_qd), 1e-8)


def test_second_derivatives_are_those_of_the_energies_by_casadi(case):
    """Automatic differentiation of Lagrange's equations, without a recursion of the package."""
    pytest.importorskip('casadi', reason='no casadi: pip install casadi')
    from support.referees.lagrangian_by_casadi import second_derivatives

    robot = case.robot
    (state,) = states(robot, 1)
    found = robot.derivatives.inverse_dynamics_second(*state)
    all_agree(found, second_derivatives(robot.model, *state))


def test_a_batch_is_its_rows():
    """Of tensors and Hessians."""
    robot = FAMILIES['permuted'].robot
    q, qd, third = (np.array(rows) for rows in zip(*states(robot, 3)))
    for method, given in (
        (robot.derivatives.inverse_dynamics_second, (q, qd, third)),
        (robot.derivatives.forward_dynamics_second, (q, qd, third)),
        (robot.derivatives.inverse_dynamics_hessian, (q, qd, third, qd)),
        (robot.derivatives.forward_dynamics_hessian, (q, qd, third, qd)),
    ):
        together = method(*given)
        for k in range(3):
            for many, one in zip(together, method(*(rows[k] for rows in given)), strict=True):
                assert np.array_equal(many[k], one)


@pytest.mark.parametrize('method', ['inverse_dynamics_hessian', 'forward_dynamics_hessian'])
def test_multipliers_are_checked_like_states(method):
    """Their length, and that they are real numbers."""
    robot = FAMILIES['permuted'].robot
    state, wrong = states(robot, 1)[0], np.ones(robot.nv + 1)
    with pytest.raises(ShapeError, match='state 4 goes on after joint'):
        getattr(robot.derivatives, method)(*state, wrong)
    with pytest.raises(ShapeError, match='expected an array of real numbers'):
        getattr(robot.derivatives, method)(*state, wrong[1:] + 1j)


@pytest.mark.parametrize('name', ['inverse_dynamics_second', 'forward_dynamics_second'])
def test_joints_with_a_quaternion_are_refused(name):
    """Their velocities are not the rates of coordinates."""
    robot = MIXED['mixed_permuted'].robot
    state = states(robot, 1)[0]
    with pytest.raises(ModelError, match='second.*quaternion|quaternion.*second'):
        getattr(robot.derivatives, name)(*state)
