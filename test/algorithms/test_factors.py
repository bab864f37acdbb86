# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The factors of the mass matrix against dense linear algebra and Pinocchio's Cholesky."""

import numpy as np
import pinocchio as pin
import pytest

from robodyn_ros.errors import ShapeError, SingularityError
from robodyn_ros.model.layout import PARENT, V
from robodyn_ros.robot.robot import Robot
from support.compare import EXACT, agree, solve_tolerance
from support.robots.families import FAMILIES, states


@pytest.fixture(scope='session')
def every_case(every_joint_type):
    """Return robots with joints of any number of degrees of freedom."""
    return every_joint_type


def test_factors_make_the_mass_matrix(every_case):
    """M = L D L^T (Jain 7.14), with Jain's pattern: 1 on the diagonal, then ancestors only."""
    robot = every_case.robot
    topology = robot.model.topology
    for q, _, _ in states(robot):
        M, found = every_case.dense.mass_matrix(q), robot.mass_operator.factors(q)
        agree(found.L @ np.diag(found.D) @ found.L.T, M)
        turned = found.L[np.ix_(found.order, found.order)]
        assert np.array_equal(turned, np.triu(turned)) and (np.diag(turned) == 1.0).all()
        carried = np.eye(robot.nv, dtype=bool)
        for i in range(1, len(topology)):
            ancestor = topology[i, PARENT]
            while ancestor > 0:
                carried[topology[ancestor, V], topology[i, V]] = True
                ancestor = topology[ancestor, PARENT]
        assert not found.L[~carried].any()


def test_factors_are_those_of_pinocchio(every_case):
    """The factorisation is unique in every order in which parents come first: Pinocchio's U and D
    of its own mass matrix.
    """
    robot, referee = every_case.robot, every_case.pinocchio
    for q, _, _ in states(robot):
        pin.crba(referee.model, referee.data, referee.q(q))
        pin.cholesky.decompose(referee.model, referee.data)
        tolerance = solve_tolerance(robot.mass_matrix(q))
        found = robot.mass_operator.factors(q)
        order = referee.order
        agree(found.D, np.array(referee.data.D).ravel()[order], tolerance=tolerance)
        agree(found.L, np.triu(referee.data.U)[np.ix_(order, order)], tolerance=tolerance)


def test_factor_products_equal_those_of_the_matrix(every_case):
    """L x, L^T x, L^-1 x and L^-T x by sweeps are those of the matrix (Jain 7.17)."""
    robot = every_case.robot
    for q, x, _ in states(robot):
        L = robot.mass_operator.factors(q).L
        condition = np.linalg.cond(L)
        for transposed in (False, True):
            factor = L.T if transposed else L
            agree(robot.mass_operator.factor_product(q, x, transposed), factor @ x)
            agree(
                robot.mass_operator.factor_product(q, x, transposed, inverse=True),
                np.linalg.solve(factor, x),
                tolerance=max(EXACT, 1e-15 * condition),
            )


def test_factors_solve_with_the_mass_matrix(every_case):
    """M^-1 b = L^-T D^-1 L^-1 b (Jain 7.18, as 9.51 corrects it)."""
    robot = every_case.robot
    for q, b, _ in states(robot):
        half = robot.mass_operator.factor_product(
            q, b, inverse=True
        ) / robot.mass_operator.joint_inertias(q)
        agree(
            robot.mass_operator.factor_product(q, half, transposed=True, inverse=True),
            np.linalg.solve(every_case.dense.mass_matrix(q), b),
            tolerance=solve_tolerance(robot.mass_matrix(q)),
        )


def test_determinant_and_trace_agree_with_the_dense_matrix(every_case):
    """log det and det by the joint inertias (9.53), trace by composite bodies (4.21)."""
    robot = every_case.robot
    for q, _, _ in states(robot):
        M = every_case.dense.mass_matrix(q)
        tolerance = robot.nv * solve_tolerance(M)
        agree(
            robot.mass_operator.log_det(q), np.linalg.slogdet(M)[1], scale=1.0, tolerance=tolerance
        )
        agree(robot.mass_operator.det(q), np.linalg.det(M), tolerance=tolerance)
        agree(robot.mass_operator.diagonal(q), np.diag(M))
        agree(robot.mass_operator.trace(q), np.trace(M))


def test_gradient_of_log_det_is_that_of_pinocchio(every_case):
    """Tr[M^-1 dM/dq] (Jain 18.66 to 18.68). Column j of dM/dq is the derivative of the torques
    of a unit acceleration of joint j from rest, less that of gravity.
    """
    robot, referee = every_case.robot, every_case.pinocchio
    model, data, order = referee.model, referee.data, referee.order
    for q, _, _ in states(robot):
        at, none = referee.q(q), np.zeros(robot.nv)
        inverse, terms = referee.mass_matrix_inverse(q), []
        weight = np.array(pin.computeGeneralizedGravityDerivatives(model, data, at))
        for j, column in enumerate(np.eye(robot.nv)):
            pin.computeRNEADerivatives(model, data, at, none, referee.v(column))
            rate = (data.dtau_dq - weight)[np.ix_(order, order)]
            terms.append(inverse[j][:, None] * rate)
        gradient, added = np.sum(terms, axis=(0, 1)), np.abs(terms).sum(axis=(0, 1)).max()
        agree(robot.mass_operator.log_det_gradient(q), gradient, scale=1.0 + added)


def test_along_a_motion_log_det_grows_by_its_gradient(every_case):
    """To 1e-7 of a difference over 2e-5: its truncation, and rounding of log det by 1e-13."""
    robot = every_case.robot
    for q, qd, _ in states(robot):
        ahead, behind = (
            robot.mass_operator.log_det(robot.configuration.integrate(q, qd, dt))
            for dt in (1e-5, -1e-5)
        )
        found = robot.mass_operator.log_det_gradient(q) @ qd
        scale = 1.0 + np.abs(robot.mass_operator.log_det_gradient(q)).max()
        agree(found, (ahead - behind) / 2e-5, scale=scale, tolerance=1e-7 * robot.nv)


def test_rates_of_factors_are_those_of_the_mass_matrix_of_pinocchio(every_case):
    """dL/dt D L^T + L dD/dt L^T + L D dL^T/dt = dM/dt = C + C^T. With the pattern of L and a zero
    diagonal of dL/dt, only one pair of rates does this. Rotors are constant.
    """
    robot = every_case.robot
    for q, qd, _ in states(robot):
        C = every_case.pinocchio.coriolis_matrix(q, qd)
        factors, rates = (robot.mass_operator.factors(q), robot.mass_operator.factor_rates(q, qd))
        pattern = factors.L - np.eye(robot.nv) != 0.0
        assert np.array_equal(rates.order, factors.order) and not rates.L[~pattern].any()
        half = rates.L @ np.diag(factors.D) @ factors.L.T
        total = half + half.T + factors.L @ np.diag(rates.D) @ factors.L.T
        added = np.abs(rates.L) @ np.diag(factors.D) @ np.abs(factors.L.T)
        added += np.abs(factors.L) @ np.diag(np.abs(rates.D)) @ np.abs(factors.L.T)
        M = robot.mass_matrix(q)
        size = added.max() + np.abs(M).max() * np.abs(qd).max()
        agree(total, C + C.T, size, solve_tolerance(M))


def test_factors_are_those_of_the_operators_of_links(every_case):
    """L = 1 + H phi K (7.14): L(i, j) is what joint i feels of G(j), carried on by phi.

    Its rate is by the product rule.
    """
    robot = every_case.robot
    topology, (link, _) = robot.model.topology, robot.model.link_placements()
    for q, qd, _ in states(robot):
        now, rate = robot.links.operators(q), robot.links.operator_rates(q, qd)
        L, L_rate = np.eye(robot.nv), np.zeros((robot.nv, robot.nv))
        for j in range(1, len(topology)):
            column, i, up = topology[j, V], j, topology[j, PARENT]
            wrench, wrench_rate = now.G[column], rate.G[column]
            while up > 0:
                if link[up] != link[i]:
                    phi, phi_rate = now.phi[link[i] - 1], rate.phi[link[i] - 1]
                    wrench, wrench_rate = phi @ wrench, phi_rate @ wrench + phi @ wrench_rate
                i, up = up, topology[up, PARENT]
                row = topology[i, V]
                L[row, column] = now.H[row] @ wrench
                L_rate[row, column] = rate.H[row] @ wrench + now.H[row] @ wrench_rate
        tolerance = solve_tolerance(robot.mass_matrix(q))
        size = np.abs(now.H).max() * np.abs(now.G).max() * (1.0 + np.abs(qd).sum())
        agree(L, robot.mass_operator.factors(q).L, size, tolerance)
        agree(L_rate, robot.mass_operator.factor_rates(q, qd).L, size, tolerance)


def test_rates_of_factors_at_unit_velocities_add_up_to_those_of_a_motion(every_case):
    """A rate is linear in the velocity; and log det M grows by the sum of dD/dt / D (18.68)."""
    robot = every_case.robot
    for q, qd, _ in states(robot):
        tolerance = solve_tolerance(robot.mass_matrix(q))
        units = robot.mass_operator.factor_rates(
            np.broadcast_to(q, (robot.nv, robot.nq)), np.eye(robot.nv)
        )
        rates = robot.mass_operator.factor_rates(q, qd)
        size = np.abs(qd).max()
        agree(
            np.einsum('jik,j->ik', units.L, qd), rates.L, size * np.abs(units.L).sum(), tolerance
        )
        agree(units.D.T @ qd, rates.D, size * np.abs(units.D).sum(), tolerance)
        gradient = robot.mass_operator.log_det_gradient(q)
        shares = units.D / robot.mass_operator.joint_inertias(q)
        agree(shares.sum(axis=1), gradient, 1.0 + np.abs(shares).sum(), tolerance)


def test_joint_inertia_is_the_articulated_inertia_along_the_joint(every_case):
    """The last joint of the order carries no other joint, so D is the diagonal there. Elsewhere
    the joints beyond reduce it (Jain 6.31: P <= R).
    """
    robot = every_case.robot
    for q, _, _ in states(robot):
        D, diagonal = robot.mass_operator.joint_inertias(q), robot.mass_operator.diagonal(q)
        last = robot.mass_operator.factors(q).order[-1]
        assert D[last] == pytest.approx(diagonal[last], rel=EXACT)
        assert (D <= diagonal * (1.0 + EXACT)).all() and (D > 0.0).all()


def test_the_mass_product_by_two_sweeps_is_m_times_x(every_case):
    """M x by two sweeps."""
    robot = every_case.robot
    for q, x, _ in states(robot):
        M = every_case.dense.mass_matrix(q)
        agree(robot.mass_operator.product(q, x), M @ x, scale=np.abs(M).max() * np.abs(x).sum())


BATCHED = {
    'factor_product': 2,
    'joint_inertias': 1,
    'log_det': 1,
    'log_det_gradient': 1,
    'det': 1,
    'diagonal': 1,
    'trace': 1,
    'product': 2,
}


@pytest.mark.parametrize('name', BATCHED)
def test_a_batch_is_its_rows_one_by_one(name):
    """Row by row the same as one by one."""
    robot = FAMILIES['permuted'].robot
    given = [np.array(rows) for rows in zip(*states(robot, 4))][: BATCHED[name]]
    method = getattr(robot.mass_operator, name)
    together = method(*given)
    for k in range(4):
        assert np.array_equal(together[k], method(*(array[k] for array in given)))
    factors, q = robot.mass_operator.factors(given[0]), given[0][2]
    assert np.array_equal(factors.L[2], robot.mass_operator.factors(q).L)
    assert np.array_equal(factors.D[2], robot.mass_operator.factors(q).D)


def test_singular_pivots_and_wrong_shapes_are_refused():
    """A singular pivot names its body; a wrong shape says what was expected."""
    model = FAMILIES['skew_chain'].robot.model
    constants = model.constants.copy()
    constants[-1, 12:23] = 0.0
    robot, q = Robot(model.with_constants(constants)), np.full(7, 0.3)
    for call in (
        lambda: robot.mass_operator.factors(q),
        lambda: robot.mass_operator.factor_rates(q, q),
        lambda: robot.links.operators(q),
        lambda: robot.links.operator_rates(q, q),
        lambda: robot.mass_operator.factor_product(q, q),
        lambda: robot.mass_operator.log_det(q),
    ):
        with pytest.raises(SingularityError, match='link7'):
            call()
    with pytest.raises(ShapeError, match='expected'):
        robot.mass_operator.product(q, q[:3])
