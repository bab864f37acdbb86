# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Derivatives from the tape: against complex steps through the plain recursions, and Pinocchio."""

from dataclasses import replace

import numpy as np
import pytest

from robodyn_ros.codegen import derivative_registry, verification
from robodyn_ros.codegen import specialise as specialising
from robodyn_ros.codegen.derivative_registry import DERIVATIVES, WRITTEN_OUT, jacobian
from robodyn_ros.codegen.specialise import record
from robodyn_ros.codegen.tape import Recorded, Tape, count, evaluate, needed
from robodyn_ros.errors import KernelError, ShapeError, SingularityError
from robodyn_ros.robot.dispatch import method_of
from robodyn_ros.robot.robot import Robot
from support.compare import agree
from support.referees import slopes
from support.robots.families import MIXED, states
from support.robots.families import case as make
from test.codegen.conftest import named

STEP = 1e-40  # nothing is subtracted, so it may be arbitrarily small
CASES = ('franka_like', 'one_slide', 'mixed_permuted')
NAMES = tuple(DERIVATIVES)


@pytest.fixture(params=CASES, scope='module')
def case(request):
    """Return a robot of each sort with its specialised twin."""
    found = MIXED[request.param] if request.param in MIXED else named(request.param)
    return found, found.robot.specialised()


def all_agree(got, expected, tolerance):
    """Compare matrices relative to their largest entries."""
    for mine, theirs in zip(got, expected, strict=True):
        agree(mine, theirs, scale=max(1.0, np.abs(theirs).max()), tolerance=tolerance)


def test_derivatives_of_inverse_dynamics_agree_with_the_generic_ones(case):
    """dtau by q, qd and qdd."""
    found, robot = case
    for given in states(found.robot, 2):
        all_agree(
            robot.derivatives.inverse_dynamics(*given),
            slopes.of_inverse_dynamics(found.robot, *given),
            1e-12,
        )


def test_derivatives_of_forward_dynamics_agree_with_the_generic_ones(case):
    """dqdd by q, qd and tau."""
    found, robot = case
    for given in states(found.robot, 2):
        slack = 1e-12 + 1e-14 * np.linalg.cond(found.robot.mass_matrix(given[0]))
        all_agree(
            robot.derivatives.forward_dynamics(*given),
            slopes.of_forward_dynamics(found.robot, *given),
            slack,
        )


def test_the_derivative_of_the_mass_matrix_agrees_with_the_generic_one(case):
    """dM by q."""
    found, robot = case
    for q, _, _ in states(found.robot, 2):
        all_agree(robot.derivatives.mass_matrix(q), slopes.of_mass_matrix(found.robot, q), 1e-12)


def test_wrenches_take_the_python_path(case):
    """With them the path of Robot is taken."""
    found, robot = case
    given, f_ext = states(found.robot, 1)[0], {found.tip: np.arange(1.0, 7.0)}
    for name in NAMES[:2]:
        got, expected = (method_of(which, name)(*given, f_ext) for which in (robot, found.robot))
        assert all(np.array_equal(*pair) for pair in zip(got, expected, strict=True))


@pytest.mark.parametrize('name', NAMES)
@pytest.mark.parametrize('which', ['two_link', 'franka_like', 'skew_chain', 'wide_tree', 'tree'])
def test_the_shorter_way_is_recorded(which, name, monkeypatch):
    """In one frame or by elimination: whichever takes fewer operations for the robot."""
    model, recipe = named(which).robot.model, DERIVATIVES[name]
    (eliminated,) = recipe.recorder.args
    found = (record(name, recipe, model), eliminated(name, recipe, model))
    ways = [sum(recording.counts().values()) for recording in found]
    # It would record both once more.
    monkeypatch.setattr(derivative_registry, 'record', lambda *_: found[0])
    chosen = recipe.recorder.func(lambda *_: found[1], name, recipe, model)
    assert chosen is found[np.argmin(ways)]
    expected = {
        ('two_link', name): 1,
        ('wide_tree', name): 1,
        ('wide_tree', 'forward_dynamics_derivatives'): 0,
        ('tree', 'inverse_dynamics_derivatives'): 0,
    }
    assert expected.get((which, name), np.argmin(ways)) == np.argmin(ways)


def test_long_robots_keep_the_kernels_for_any_robot(monkeypatch):
    """Five joints count as many here. One state and a batch are compared, with and without
    wrenches, and the robot reports it.
    """
    for name in WRITTEN_OUT:
        monkeypatch.setitem(WRITTEN_OUT, name, 4)
    case = make('branching out', 5, kinds=('revolute', 'prismatic'), branching=3)
    robot = case.robot.specialised()
    given = [np.array(rows) for rows in zip(*states(case.robot, 3))]
    for f_ext in (None, {case.tip: np.arange(1.0, 7.0)}):
        for name in set(WRITTEN_OUT) - {'mass_matrix_derivative'}:
            together = method_of(robot, name)(*given, f_ext)
            for k in range(3):
                state = [rows[k] for rows in given]
                expected = method_of(case.robot, name)(*state, f_ext)
                got = method_of(robot, name)(*state, f_ext)
                for many, one, right in zip(together, got, expected, strict=True):
                    assert np.array_equal(one, right) and np.array_equal(many[k], right)
    q = given[0][0]
    assert np.array_equal(robot.derivatives.mass_matrix(q), case.robot.derivatives.mass_matrix(q))
    assert set(WRITTEN_OUT) <= set(robot.generic)


def test_a_too_long_derivative_stays_generic(monkeypatch):
    """The generic kernel serves, and the robot says so."""
    monkeypatch.setattr(specialising, 'LARGEST', 900)
    found = make('of no great length', 5)
    robot, given = found.robot.specialised(), states(found.robot, 1)[0]
    for mine, theirs in zip(
        robot.derivatives.inverse_dynamics(*given),
        found.robot.derivatives.inverse_dynamics(*given),
        strict=True,
    ):
        assert np.array_equal(mine, theirs)
    assert 'inverse_dynamics_derivatives' in robot.generic


def test_a_wrong_kernel_does_not_serve(monkeypatch):
    """What differs from its recursion is refused, every time."""

    def sevens(by_q, by_qd, by_qdd):
        for matrix in (by_q, by_qd, by_qdd):
            matrix.fill(7.0)

    robot, name = named('one_slide').robot.specialised(), 'inverse_dynamics_derivatives'
    monkeypatch.setattr(
        verification, 'DERIVATIVES', {name: replace(DERIVATIVES[name], recursion=sevens)}
    )
    for _ in range(2):
        with pytest.raises(KernelError, match='inverse_dynamics_derivatives differs'):
            robot.derivatives.inverse_dynamics(*np.ones((3, 1)))


def test_a_method_that_was_kept_makes_its_code_once(monkeypatch):
    """This holds for a method bound before the code existed."""
    robot = named('one_slide').robot.specialised()
    kept, q = robot.derivatives.mass_matrix, np.array([0.3])
    first = kept(q)
    monkeypatch.setattr('robodyn_ros.robot.specialised_robot.specialise', None)
    assert np.array_equal(kept(q), first)


@pytest.mark.parametrize('joints', [7, 3])
def test_specialised_derivatives_agree_with_pinocchio(joints):
    """computeRNEADerivatives and computeABADerivatives, of an arm and of a chain of skew axes."""
    pin = pytest.importorskip('pinocchio')
    found = named('franka_like') if joints == 7 else make('three skew joints', joints)
    robot, referee = found.robot.specialised(), found.pinocchio
    model, data = referee.model, referee.data
    for q, qd, third in states(found.robot, 2):
        given = referee.q(q), referee.v(qd), referee.v(third)
        pin.computeRNEADerivatives(model, data, *given)
        by_q, by_qd, by_qdd = robot.derivatives.inverse_dynamics(q, qd, third)
        order = np.ix_(referee.order, referee.order)
        all_agree(
            (by_q, by_qd, by_qdd),
            (
                data.dtau_dq[order],
                data.dtau_dv[order],
                np.triu(data.M)[order] + np.triu(data.M, 1).T[order],
            ),
            1e-11,
        )
        slack = 1e-11 + 1e-14 * np.linalg.cond(by_qdd)
        pin.computeABADerivatives(model, data, *given)
        by_q, by_qd, by_tau = robot.derivatives.forward_dynamics(q, qd, third)
        all_agree(
            (by_q, by_qd, by_tau),
            (
                data.ddq_dq[order],
                data.ddq_dv[order],
                (np.triu(data.Minv) + np.triu(data.Minv, 1).T)[order],
            ),
            slack,
        )


def test_batches_are_their_rows_and_mistakes_are_refused(case):
    """A batch row by row; sentences for what does not fit."""
    found, robot = case
    given = [np.array(rows) for rows in zip(*states(found.robot, 4))]
    together = robot.derivatives.inverse_dynamics(*given)
    for i in range(4):
        state = [rows[i] for rows in given]
        for many, one in zip(together, robot.derivatives.inverse_dynamics(*state)):
            assert np.array_equal(many[i], one)
    with pytest.raises(ShapeError):
        robot.derivatives.mass_matrix(np.zeros(robot.nq + 1))
    with pytest.raises(ShapeError, match='finite'):
        robot.derivatives.mass_matrix(np.full(robot.nq, np.nan))


@pytest.mark.parametrize(
    'sort',
    [
        np.ndarray.tolist,
        lambda x: x.astype(np.float32),
        lambda x: x.astype('>f8'),
        lambda x: np.repeat(x, 2)[::2],
        np.ma.array,
        lambda x: np.frombuffer(b' ' + x.tobytes(), np.uint8)[1:].view(float),
    ],
    ids=['list', 'float32', 'other endian', 'strided', 'masked', 'unaligned'],
)
def test_a_state_of_any_sort(sort):
    """However its numbers lie in memory: the derivatives, not a sentence about pivots."""
    robot = named('one_slide').robot.specialised()
    given = np.array(((0.5,), (-0.25,), (1.5,)))  # exact in float32
    for name in ('inverse_dynamics_derivatives', 'forward_dynamics_derivatives'):
        expected = method_of(robot, name)(*given)
        agree(method_of(robot, name)(*map(sort, given)), expected)


def test_a_singular_robot_is_refused_by_its_body():
    """No inertia about the last joint: forward derivatives refuse and name the body."""
    model = named('skew_chain').robot.model
    constants = model.constants.copy()
    constants[-1, 12:23] = 0.0
    robot = Robot(model.with_constants(constants)).specialised()
    with pytest.raises(SingularityError, match='link7'):
        robot.derivatives.forward_dynamics(*np.ones((3, 7)))
    assert np.isfinite(robot.derivatives.inverse_dynamics(*np.ones((3, 7)))[0]).all()


@pytest.mark.parametrize('inputs, outputs, backwards', [(1, 12, False), (12, 1, True)])
def test_the_shorter_way_is_taken(inputs, outputs, backwards):
    """Forward accumulation for many outputs of one input, reverse for one output of many."""
    tape = Tape()
    x = [tape.input(f'x[{k}]') for k in range(inputs)]
    inner = np.sin(np.sum(np.array([np.sin(a) for a in x], object)) + 1.0)
    for k in range(5):
        inner = np.cos(inner * inner + float(k))
    results = [np.sin((k + 2.0) * inner) for k in range(outputs)]
    lengths = [
        sum(count(tape, needed(tape, [e.index for row in rows for e in row])).values())
        for rows in (
            derivative_registry._eliminated(tape, results, x, False),
            derivative_registry._eliminated(tape, results, x, True),
            jacobian(tape, results, x),
        )
    ]
    assert lengths[2] == lengths[backwards] < lengths[not backwards]


def test_every_operation_is_differentiated():
    """One expression with every operation, outputs of outputs, constants, unused inputs."""
    tape = Tape()
    x, y, z = (tape.input(name) for name in 'xyz')
    first = np.sin(x * y) / (2.0 + np.cos(y)) - 3.0 * x * x
    outputs = [first, first * first - (1.0 - y), 4.0, -x]
    at = {'x': 0.7, 'y': -1.1, 'z': 5.0}
    rows = jacobian(tape, outputs, [x, y, z])

    def value(x, y):
        f = np.sin(x * y) / (2.0 + np.cos(y)) - 3.0 * x * x
        return np.array((f, f * f - (1.0 - y), 4.0, -x))

    by_x = np.imag(value(at['x'] + 1j * STEP, at['y'])) / STEP
    by_y = np.imag(value(at['x'], at['y'] + 1j * STEP)) / STEP
    for row, *expected in zip(rows, by_x, by_y, np.zeros(4)):
        got = [evaluate(tape, [e.index], at)[0] if isinstance(e, Recorded) else e for e in row]
        assert got == pytest.approx(expected, rel=1e-14)
