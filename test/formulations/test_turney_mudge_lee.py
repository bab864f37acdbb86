# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Turney, Mudge and Lee 1980: 4x4 Lagrange, both Newton-Euler sets, strobing, sensor, schedule."""

from itertools import pairwise

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.errors import ModelError, ParameterError
from robodyn_ros.formulations.angeles import newton_euler
from robodyn_ros.formulations.count import general_arm, operations
from robodyn_ros.formulations.posture import accelerations, arm_at, links_of, skew, velocities
from robodyn_ros.formulations.task_graph import recorded
from robodyn_ros.formulations.turney import (
    concurrent_schedule,
    expanded_newton_euler,
    insignificant_terms,
    lagrange_4x4,
    lagrange_organised,
    luh_walker_paul,
    modified_newton_euler,
    strobing,
)
from robodyn_ros.model.layout import INERTIA, MASS, ROTOR
from support.robots.formulation_arms import (
    ALL,
    SERIAL,
    TREES,
    error,
    motion,
    random_inertial,
    six_revolute,
)
from tools.books import turney_counts

SETS = (luh_walker_paul, modified_newton_euler)
Q = np.array([0.1, -0.5, 0.9, 0.3, -0.7, 1.2])
QD = np.array([0.5, -0.4, 0.3, 0.9, -0.6, 0.2])
QDD = np.array([1, -0.8, 0.6, -0.4, 0.2, 0.1])


@pytest.mark.parametrize('form', SETS)
@pytest.mark.parametrize('name', SERIAL)
def test_newton_euler_sets_give_the_torque_of_the_package(name, form):
    robot = SERIAL[name]()
    for q, qd, qdd in motion(robot):
        assert (
            error(form.inverse_dynamics(robot, q, qd, qdd), robot.inverse_dynamics(q, qd, qdd))
            < 1e-10
        )


@pytest.mark.parametrize('name', ALL)
def test_lagrange_gives_the_torque_and_matrices_of_the_package(name):
    robot = ALL[name]()
    for q, qd, qdd in motion(robot, count=2):
        assert (
            error(
                lagrange_4x4.inverse_dynamics(robot, q, qd, qdd),
                robot.inverse_dynamics(q, qd, qdd),
            )
            < 1e-10
        )
        assert error(lagrange_4x4.mass_matrix(robot, q), robot.mass_matrix(q)) < 1e-10
        assert error(lagrange_4x4.gravity_torque(robot, q), robot.gravity_torque(q)) < 1e-10
        C = lagrange_4x4.coriolis_coefficients(robot, q) @ qd
        assert error(C, robot.coriolis_matrix(q, qd)) < 1e-10


@pytest.mark.parametrize('form', [*SETS, lagrange_4x4, newton_euler])
def test_4x4_form_gives_the_known_torques(form):
    np.testing.assert_allclose(
        form.inverse_dynamics(six_revolute(), Q, QD, QDD),
        [
            13.925037827771,
            111.582762215617,
            5.657670172390,
            -0.208414779055,
            -0.069235079286,
            -0.017645574036,
        ],
        rtol=1e-10,
    )


def test_4x4_form_gives_the_known_matrices():
    robot = six_revolute()
    D = lagrange_4x4.mass_matrix(robot, Q)
    np.testing.assert_allclose(
        D[0],
        [
            17.110758874149,
            0.764599169960,
            0.138577797267,
            -0.285614325972,
            -0.009191668102,
            -0.013312257618,
        ],
        atol=1e-11,
    )
    np.testing.assert_allclose(
        D[1, 1:],
        [17.359731988698, 1.414226600180, 0.042667037175, 0.082398020098, -0.002684348751],
        atol=1e-11,
    )
    np.testing.assert_allclose(
        D[2, 2:], [0.987957669381, 0.020068035837, 0.081426166391, -0.002684348751], atol=1e-11
    )
    np.testing.assert_allclose(
        np.diag(D)[3:], [0.300839167425, 0.081088342790, 0.0141], atol=1e-11
    )
    np.testing.assert_allclose(
        np.linalg.eigvalsh(D)[[0, -1]], [0.013681201681, 18.092853163786], rtol=1e-9
    )
    np.testing.assert_allclose(
        QD @ lagrange_4x4.coriolis_coefficients(robot, Q) @ QD,
        [
            -2.768264559776,
            -1.796425602150,
            -0.203558952309,
            -0.036690545771,
            -0.019534545382,
            -0.001966476232,
        ],
        atol=1e-11,
    )
    np.testing.assert_allclose(
        lagrange_4x4.gravity_torque(robot, Q),
        [0, 125.654693924384, 6.253268421878, 0.255240140412, -0.039663818117, 0],
        atol=1e-11,
    )


@pytest.mark.parametrize('name', ['6R', 'Stanford-like'])
def test_the_two_sets_are_equal_term_by_term(name):
    # Section 4: what each link contributes through each acceleration and each pair of rates.
    robot = SERIAL[name]()
    q, _, _ = next(motion(robot))
    D_ij, D_ijk, D_i = lagrange_4x4.coefficients(robot, q)
    zero = np.zeros(robot.nv)
    for number, link in enumerate(links_of(robot), start=1):
        constants = robot.model.constants.copy()
        constants[:, ROTOR] = 0.0
        constants[np.arange(len(constants)) != number, MASS : INERTIA + 6] = 0.0
        alone = robot.model.with_constants(constants)
        i = link.joint
        assert error(strobing.mass_matrix(alone, q), D_ij[i]) < 1e-12
        assert error(strobing.coriolis_coefficients(alone, q), D_ijk[i]) < 1e-12
        weight = luh_walker_paul.inverse_dynamics(alone, q, zero, zero)
        assert error(weight, D_i[i]) < 1e-12
        if weight.any():  # without the m that (4.11) lacks
            assert error(weight / link.m, D_i[i]) > 1e-2


@pytest.mark.parametrize('name', ALL)
def test_closed_sums_of_section_4_are_the_recursions_and_lagrange(name):
    # (4.1) to (4.9) are the motions of the links; (4.10) to (4.19) give D_ij, D_ijk and D_i.
    robot = ALL[name]()
    q, qd, qdd = next(motion(robot))
    arm = arm_at(robot, q)
    w, al, a = expanded_newton_euler.motion(robot, q, qd, qdd)
    assert error(w, velocities(arm, qd)[0]) < 1e-12
    for got, expected in zip((al, a + arm.g), accelerations(arm, qd, qdd)):
        assert error(got, expected) < 1e-12
    for got, expected in zip(
        expanded_newton_euler.coefficients(robot, q), lagrange_4x4.coefficients(robot, q)
    ):
        assert error(got, expected) < 1e-12
    torque = expanded_newton_euler.inverse_dynamics(robot, q, qd, qdd)
    assert error(torque, robot.inverse_dynamics(q, qd, qdd)) < 1e-12


@pytest.mark.parametrize('name', SERIAL)
def test_organised_lagrange_gives_the_torque(name):
    robot = SERIAL[name]()
    for q, qd, qdd in motion(robot):
        got = lagrange_organised.inverse_dynamics(robot, q, qd, qdd)
        assert error(got, robot.inverse_dynamics(q, qd, qdd)) < 1e-12


@pytest.mark.parametrize('n', [2, 6, 9])
def test_plan_of_the_appendix_takes_the_steps_of_table_2(n):
    states = np.random.default_rng(n).uniform(0.5, 1.0, (3, n))
    _, plan = lagrange_organised.planned(general_arm(n), *states)
    spent = {row: (plan.multiplications[row], plan.additions[row]) for row in plan.multiplications}
    table = lagrange_organised.printed(n)
    m, a = spent.pop('bracket')
    assert spent == {row: table[row] for row in spent} and len(spent) == 5
    # Printed in the text: 16 n (n^2 - 1) additions of second derivatives.
    assert spent['second'][1] == 8 * n * (n * n - 1)
    # The brackets of the table have no multiplications by thdd_j, 16 each.
    assert m == table['bracket'][0] + 8 * n * (n + 1)
    # Additions: as executed, each second derivative once; the text takes both orders.
    both = sum(16 * (q + q * q - 1) + 48 for q in range(1, n + 1))
    assert a == both - sum((16 - 1) * q * (q - 1) // 2 for q in range(1, n + 1))
    assert both == 16 * n * (n + 1) * (n + 2) // 3 + 32 * n
    assert table['bracket'][1] == both - 16 * n * (n + 1)
    if n == 6:
        assert tuple(np.sum(list(table.values()), axis=0)) == (5916, 4840)


def test_organised_lagrange_is_of_third_order_and_cheaper():
    counts = []
    for n in (3, 4, 5, 6, 7):
        states = np.full((3, n), 0.7)
        counts.append(operations(lagrange_organised.inverse_dynamics, general_arm(n), *states))
    np.testing.assert_array_equal(np.diff(counts, 4, axis=0), 0)
    whole = operations(lagrange_4x4.inverse_dynamics, general_arm(6), *np.full((3, 6), 0.7))
    assert np.less(counts[3], np.array(whole) / 4).all() and np.less(counts[3], (5916, 4840)).all()


@pytest.mark.parametrize('name', SERIAL)
def test_strobing_by_halves_is_the_whole_mass_matrix(name):
    robot = SERIAL[name]()
    q, _, _ = next(motion(robot))
    assert error(strobing.lower_half(robot, q), robot.mass_matrix(q)) < 1e-12


def test_strobing_by_halves_takes_links_from_j_on():
    # Of n links n + 1 - j: about half of the outward and of the inward recursions. Those of the
    # whole matrix have fewer operations a link, by A_i.
    q = np.full(8, 0.7)
    half, whole = (
        np.array(operations(strobe, general_arm(8), q))
        for strobe in (strobing.lower_half, lambda robot, q: strobing.mass_matrix(robot, q))
    )
    assert (half < (0.7, 0.75) * whole).all()
    with pytest.raises(ModelError, match='serial chain'):
        strobing.lower_half(TREES['tree'](), next(motion(TREES['tree']()))[0])


@pytest.mark.parametrize(
    'inverse_dynamics',
    [
        modified_newton_euler.inverse_dynamics,
        lagrange_4x4.inverse_dynamics,
        Robot.inverse_dynamics,
    ],
)
def test_strobing_recovers_inertia_and_christoffel_symbols(inverse_dynamics):
    robot = SERIAL['Stanford-like']()
    for q, qd, _ in motion(robot, count=2):
        assert (
            error(strobing.mass_matrix(robot, q, inverse_dynamics), robot.mass_matrix(q)) < 1e-10
        )
        assert (
            error(
                strobing.coriolis_coefficients(robot, q, inverse_dynamics) @ qd,
                robot.coriolis_matrix(q, qd),
            )
            < 1e-10
        )


@pytest.mark.parametrize('form', SETS)
def test_wrist_sensor_stands_for_an_unknown_load(form):
    # The sensor reads what moves the load; the arm's own model is without it.
    robot = SERIAL['franka_like']()
    frame = robot.model.body_names[-1]
    load = random_inertial(np.random.default_rng(3))
    loaded = robot.with_payload(frame, load.mass, load.com, load.inertia)
    for q, qd, qdd in motion(robot):
        w, drift = robot.velocity(q, qd, frame)[3:], robot.jacobian_bias(q, qd, frame)
        R = robot.pose(q, frame)[:3, :3]
        a = robot.jacobian(q, frame) @ qdd + drift
        w, v, al = R.T @ w, R.T @ (a[:3] - robot.model.gravity), R.T @ a[3:]
        c = load.com
        force = load.mass * (v + np.cross(al, c) + np.cross(w, np.cross(w, c)))
        moment = load.inertia @ al + np.cross(w, load.inertia @ w) + np.cross(c, force)
        got = form.inverse_dynamics(robot, q, qd, qdd, (frame, np.concatenate((force, moment))))
        assert error(got, loaded.inverse_dynamics(q, qd, qdd)) < 1e-10


def test_sensor_must_be_on_the_last_link():
    robot = SERIAL['6R']()
    with pytest.raises(ModelError, match="on link 'link3'; expected 'link6'"):
        luh_walker_paul.inverse_dynamics(robot, Q, QD, QDD, ('link3', np.zeros(6)))


def test_rate_matrix_and_pseudo_inertia_identities():
    # A_i, K_i and the moment of section 5, and (1.27), as corrected.
    rng = np.random.default_rng(1)
    w, al, b = rng.normal(size=(3, 3))
    inertia = random_inertial(rng).inertia
    A, K = modified_newton_euler.rate_matrix(w, al), modified_newton_euler.pseudo_inertia(inertia)
    np.testing.assert_allclose(A @ b, np.cross(w, np.cross(w, b)) + np.cross(al, b), atol=1e-14)
    np.testing.assert_allclose(A[2, 1], w[1] * w[2] + al[0])
    np.testing.assert_allclose(
        modified_newton_euler.moment(A, K), inertia @ al + np.cross(w, inertia @ w), atol=1e-13
    )
    np.testing.assert_allclose(np.trace(K) * np.eye(3) - K, inertia, atol=1e-14)
    # Not so: the other sign of al_x in A, K about another origin, K of (1.26) in tilted axes.
    other = A.copy()
    other[2, 1] = w[1] * w[2] - al[0]
    assert error(other @ b, A @ b) > 1e-2
    moment = modified_newton_euler.moment(A, K)
    assert error(modified_newton_euler.moment(A, K + np.outer(b, b)), moment) > 1e-2
    np.testing.assert_allclose((A @ K)[1, 2] - (A @ K)[2, 1], -moment[0])  # sign of the prose
    principal = np.diag(np.diag(K))
    assert error(np.trace(principal) * np.eye(3) - principal, inertia) > 1e-2


def test_homogeneous_inertia_is_that_of_points():
    link = links_of(SERIAL['6R']())[2]
    J = lagrange_4x4.homogeneous_inertia(link)
    about_origin = link.I - link.m * skew(link.rho) @ skew(link.rho)
    np.testing.assert_allclose(
        np.trace(J[:3, :3]) * np.eye(3) - J[:3, :3], about_origin, atol=1e-13
    )
    np.testing.assert_allclose(J[3], [*(link.m * link.rho), link.m])


@pytest.mark.parametrize('name', SERIAL)
def test_forward_dynamics_by_strobing_takes_half_of_m(name):
    # Section 7: bias, half of M, elimination without pivoting.
    robot = SERIAL[name]()
    for q, qd, tau in motion(robot, count=2):
        found = strobing.forward_dynamics(robot, q, qd, tau)
        assert error(found, robot.forward_dynamics(q, qd, tau)) < 1e-9


def test_forward_dynamics_by_strobing_takes_the_operations_of_its_parts():
    states, arm = np.random.default_rng(2).uniform(0.5, 1.0, (3, 6)), general_arm(6)

    def eliminate(robot, q, qd, tau):
        strobing.eliminate(np.array([q + 10.0 * (k == np.arange(6)) for k in range(6)]), tau)

    rest = np.array(operations(strobing.forward_dynamics, arm, *states))
    rest -= operations(modified_newton_euler.inverse_dynamics, arm, *states[:2], np.zeros(6))
    rest -= operations(strobing.lower_half, arm, states[0])
    # 6 differences tau less bias; at most an elimination whose matrix has no constant
    most = np.array(operations(eliminate, arm, *states)) - (0, 6)
    assert (0.7 * most < rest - (0, 6)).all() and (rest - (0, 6) <= most).all()


COSTS = (concurrent_schedule.steps_of, concurrent_schedule.printed_steps_of)


@pytest.mark.parametrize('steps_of', COSTS)
@pytest.mark.parametrize('kind', ['multiplications', 'additions'])
@pytest.mark.parametrize('processors', [1, 2, 3, 4, 9])
def test_list_schedule_respects_what_each_quantity_needs(steps_of, kind, processors):
    # Precedence, and one task at a time. The longest path and the share of all work are lower
    # bounds, their sum is the upper one (Graham 1969).
    tasks = concurrent_schedule.tasks_of(6)
    steps = steps_of(tasks, kind)
    entries = concurrent_schedule.schedule(tasks, steps, processors)
    assert entries.keys() == tasks.keys() and len(tasks) == 14 * 6 - 2
    for name, task in tasks.items():
        start, end, where = entries[name]
        assert end - start == steps[name] and 0 <= where < processors
        assert all(entries[need].end <= start for need in task.needs)
    for where in range(processors):
        own = sorted((e.start, e.end) for e in entries.values() if e.processor == where)
        assert all(before[1] <= after[0] for before, after in pairwise(own))
    path = max(concurrent_schedule.ways_to_the_end(tasks, steps).values())
    work, found = sum(steps.values()), concurrent_schedule.length(entries)
    assert max(path, work / processors) <= found <= path + work / processors
    assert found == work if processors == 1 else found < work


def test_longest_path_is_that_of_all_chains():
    # By enumeration of every chain of a short arm.
    tasks = concurrent_schedule.tasks_of(2)
    steps = concurrent_schedule.steps_of(tasks, 'multiplications')

    def longest(name):
        return steps[name] + max(map(longest, tasks[name].needs), default=0)

    ways = concurrent_schedule.ways_to_the_end(tasks, steps)
    assert max(ways.values()) == max(map(longest, tasks))


def test_quantities_need_what_their_equations_have():
    # (3.15), (3.16), (5.1), (5.2): the graph comes from the arrays that were passed on.
    tasks = concurrent_schedule.tasks_of(4)
    needs = {name: set(task.needs) for name, task in tasks.items()}
    assert needs['w', 3] == {('w', 2)} and needs['al', 3] == {('w', 2), ('al', 2)}
    assert needs['A', 3] == {('w', 3), ('al', 3)} and needs['R a', 3] == {('a', 2)}
    assert needs['m abar', 3] == {('A', 3), ('R a', 3)} and needs['moment', 3] == {('A', 3)}
    assert needs['f', 3] == {('m abar', 3), ('R f', 4)}
    assert needs['n of its own', 3] == {('moment', 3), ('(r + rbar) x m abar', 3), ('r x R f', 3)}
    assert needs['n', 3] == {('n of its own', 3), ('R n', 4)}


@pytest.mark.parametrize('n', [3, 6, 10])
def test_schedules_are_shorter_than_table_5(n):
    # 27 n + 42 and 27 n + 41 as printed; the formulas of the module beside them.
    counted, processors = concurrent_schedule.shortest(n)
    printed, _ = concurrent_schedule.shortest(n, concurrent_schedule.printed_steps_of)
    assert counted == (22 * n + 1, 19 * n) and printed == (27 * n + 15, 24 * n + 27)
    assert np.less(printed, concurrent_schedule.printed(n)).all()
    assert max(processors) <= 4


@pytest.mark.parametrize('n', [3, 6, 8])
def test_operations_of_both_sets_are_those_of_the_docstring(n):
    states = np.random.default_rng(n).uniform(0.5, 1.0, (3, n))
    for principal, modified, plain in (
        (True, (86 * n - 71, 72 * n - 70), (103 * n - 92, 77 * n - 81)),
        (False, (98 * n - 71, 84 * n - 70), (115 * n - 94, 89 * n - 84)),
    ):
        arm = general_arm(n, principal)
        for form, expected in ((modified_newton_euler, modified), (luh_walker_paul, plain)):
            assert operations(form.inverse_dynamics, arm, *states) == expected
            tasks = recorded(form.inverse_dynamics, arm).values()
            # no arithmetic beside the tasks but the rotations of all links but the last
            assert sum(task.multiplications for task in tasks) == expected[0] - 4 * (n - 1)
            assert sum(task.additions for task in tasks) == expected[1]


@pytest.mark.parametrize('n', [1, 6, 20])
def test_tables_3_and_4_differ_by_a_full_and_a_diagonal_tensor(n):
    # Table 1 is their sum. With equal tensors the saving is 6 n + 15 and 15.
    table_3, table_4 = (turney_counts.printed(n, number) for number in (3, 4))
    assert tuple(table_3.sum(axis=0)) == (108 * n - 12, 100 * n - 9)
    assert tuple(table_4.sum(axis=0)) == (90 * n - 27, 88 * n - 24)
    at = [row[0] for row in turney_counts.ROWS].index('I al + w x I w; v(A K)')
    # 3 by 3 matrices times vectors, and the six entries of A K off its diagonal
    full = {3: (9 + 9 + 6, 6 + 6 + 3), 4: (18, 15)}
    diagonal = {3: (3 + 3 + 6, 3), 4: (6, 3)}
    assert tuple(table_3[at]) == tuple(n * np.array(full[3]))
    assert tuple(table_4[at]) == tuple(n * np.array(diagonal[4]))
    saved = table_3.sum(axis=0) - table_4.sum(axis=0)
    assert tuple(saved) == (18 * n + 15, 12 * n + 15)
    for tensors in (full, diagonal):
        equal = saved - table_3[at] + table_4[at] + n * np.subtract(tensors[3], tensors[4])
        assert tuple(equal) == (6 * n + 15, 15)


@pytest.mark.parametrize('name', ['6R', 'Stanford-like', 'franka_like'])
def test_parts_of_all_terms_add_up_to_the_torques(name):
    # But for the inertia of rotors; a term of a link moves no joint beyond it.
    robot = SERIAL[name]()
    q, qd, qdd = (np.array(each) for each in zip(*motion(robot, count=3)))
    terms, values = insignificant_terms.contributions(robot, q, qd, qdd)
    assert terms[:3] == [('I al', 1), ('w x I w', 1), ('m abar', 1)] and len(terms) == 3 * robot.nv
    rotors = robot.model.joint_values(ROTOR) * qdd
    whole = np.array([robot.inverse_dynamics(*state) for state in zip(q, qd, qdd)]) - rotors
    assert error(values.sum(axis=2), whole) < 1e-10
    order = [link.joint for link in links_of(robot)]
    for at, (_, link) in enumerate(terms):
        assert np.abs(values[:, order[link:], at]).max(initial=0.0) < 1e-10 * np.abs(whole).max()
    massless = robot.model.constants.copy()
    massless[robot.nv, MASS : INERTIA + 6] = 0.0
    light = Robot(robot.model.with_constants(massless))
    last = [at for at, (_, link) in enumerate(terms) if link == robot.nv]
    lost = whole + rotors - [light.inverse_dynamics(*state) for state in zip(q, qd, qdd)]
    assert error(values[:, :, last].sum(axis=2), lost) < 1e-9


@pytest.mark.parametrize('limit', [0.0, 0.01, 0.2])
def test_deleted_terms_cost_what_is_said(limit):
    # The torques without them, and the operations; one term more would exceed the limit.
    robot = SERIAL['6R']()
    q, qd, qdd = (np.array(each) for each in zip(*motion(robot, count=6)))
    found = insignificant_terms.deletable(robot, q, qd, qdd, limit)
    whole, less = (
        np.array(
            [
                insignificant_terms.inverse_dynamics(robot, *state, terms)
                for state in zip(q, qd, qdd)
            ]
        )
        for terms in ((), found.terms)
    )
    share = np.sqrt(np.mean((whole - less) ** 2, axis=0) / np.mean(whole**2, axis=0))
    np.testing.assert_allclose(found.error, share, atol=1e-12)
    assert (found.error <= limit).all()
    assert bool(found.terms) == (limit > 0.0) and (found.multiplications > 0) == (limit > 0.0)
    assert len(found.terms) < 3 * robot.nv


def test_a_heavy_joint_and_slow_links_keep_their_own_terms():
    # At rest only weights count: all of I al and w x I w may go, at no error.
    robot = SERIAL['6R']()
    q = np.array([state[0] for state in motion(robot, count=4)])
    still = np.zeros_like(q)
    found = insignificant_terms.deletable(robot, q, still, still, 0.0)
    moments = {(name, link) for name in ('I al', 'w x I w') for link in range(1, 7)}
    assert moments <= set(found.terms) and not found.error.any()
    with pytest.raises(ParameterError, match='limit is 1.5'):
        insignificant_terms.deletable(robot, q, still, still, 1.5)


def test_lagrange_on_a_tree_has_no_coupling_between_branches():
    robot = TREES['tree']()
    q, _, _ = next(motion(robot))
    names = robot.joint_names
    left, right = names.index('joint3'), names.index('joint7')
    assert lagrange_4x4.mass_matrix(robot, q)[left, right] == 0.0
