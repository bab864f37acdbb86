"""Derivatives from the tape: against complex steps through the plain recursions, and Pinocchio."""

import numpy as np
from oracles.families import states
import pytest
from robodyn_ros.errors import KernelError, ShapeError, SingularityError
from robodyn_ros.kernels.derivatives import jacobian
from robodyn_ros.kernels.tape import count, evaluate, Recorded, Tape
from robodyn_ros.recursions import crba, rnea
from robodyn_ros.recursions import scratch as columns
from robodyn_ros.robot import Robot
from test.specialise.conftest import named

STEP = 1e-40  # nothing is subtracted, so it may be as small as it likes
CASES = ('franka_like', 'sliding_tree', 'permuted', 'one_slide', 'skew_chain')


@pytest.fixture(params=CASES, scope='module')
def case(request):
    """Return a robot of each sort with its specialised twin."""
    found = named(request.param)
    return found, found.robot.specialised()


def complex_step(function, given, argument, shape):
    """Return d function / d argument through plain Python on complex numbers."""
    slopes = np.empty((*shape, len(given[argument])))
    for k in range(len(given[argument])):
        moved = [x.astype(complex) for x in given]
        moved[argument][k] += 1j * STEP
        slopes[..., k] = np.imag(function(*moved)) / STEP
    return slopes


def plain(model):
    """Return the plain recursions of a model as functions, which take complex numbers."""
    nb, nv = len(model.body_names), model.nv
    fixed, weight = (model.topology, model.constants), model.gravity
    wrench, zero = np.zeros((nb, 6)), np.zeros(nv)

    def scratch():
        return np.zeros((nb, columns.WIDTH), complex)

    def inverse(q, qd, qdd):
        tau = np.zeros(nv, complex)
        rnea.inverse_dynamics(*fixed, weight, scratch(), q, qd, qdd, wrench, tau)
        return tau

    def mass(q):
        M = np.zeros((nv, nv), complex)
        crba.mass_matrix(*fixed, scratch(), q, M)
        return M

    def forward(q, qd, tau):
        # not by articulated bodies: their pivots are compared, which complex ones refuse
        return np.linalg.solve(mass(q), tau - inverse(q, qd, zero))
    return inverse, forward, mass


def agree(got, expected, tolerance):
    """Assert equality relative to the largest entry."""
    assert got.shape == expected.shape
    assert np.abs(got - expected).max() <= tolerance * max(1.0, np.abs(expected).max())


def test_inverse_dynamics(case):
    """dtau by q, qd and qdd."""
    found, robot = case
    inverse, _, _ = plain(found.robot.model)
    for given in states(found.robot, 2):
        got = robot.inverse_dynamics_derivatives(*given)
        for argument in range(3):
            agree(got[argument], complex_step(inverse, given, argument, (robot.nv,)), 1e-12)


def test_forward_dynamics(case):
    """dqdd by q, qd and tau."""
    found, robot = case
    _, forward, _ = plain(found.robot.model)
    for given in states(found.robot, 2):
        slack = 1e-12 + 1e-14 * np.linalg.cond(found.robot.mass_matrix(given[0]))
        got = robot.forward_dynamics_derivatives(*given)
        for argument in range(3):
            agree(got[argument], complex_step(forward, given, argument, (robot.nv,)), slack)


def test_mass_matrix(case):
    """dM by q."""
    found, robot = case
    _, _, mass = plain(found.robot.model)
    for q, _, _ in states(found.robot, 2):
        agree(robot.mass_matrix_derivative(q),
              complex_step(mass, [q], 0, (robot.nv, robot.nv)), 1e-12)


@pytest.mark.parametrize('name', ['franka_like', 'skew_chain'])
def test_pinocchio(name):
    """computeRNEADerivatives and computeABADerivatives."""
    pin = pytest.importorskip('pinocchio')
    found = named(name)
    robot, referee = found.robot.specialised(), found.pinocchio
    model, data = referee.model, referee.data
    for q, qd, third in states(found.robot, 2):
        given = referee.q(q), referee.v(qd), referee.v(third)
        pin.computeRNEADerivatives(model, data, *given)
        by_q, by_qd, by_qdd = robot.inverse_dynamics_derivatives(q, qd, third)
        order = np.ix_(referee.order, referee.order)
        agree(by_q, data.dtau_dq[order], 1e-11)
        agree(by_qd, data.dtau_dv[order], 1e-11)
        agree(by_qdd, np.triu(data.M)[order] + np.triu(data.M, 1).T[order], 1e-11)
        slack = 1e-11 + 1e-14 * np.linalg.cond(by_qdd)
        pin.computeABADerivatives(model, data, *given)
        by_q, by_qd, by_tau = robot.forward_dynamics_derivatives(q, qd, third)
        agree(by_q, data.ddq_dq[order], slack)
        agree(by_qd, data.ddq_dv[order], slack)
        agree(by_tau, (np.triu(data.Minv) + np.triu(data.Minv, 1).T)[order], slack)


def test_batches_and_mistakes(case):
    """A batch row by row; sentences for what does not fit."""
    found, robot = case
    given = np.random.default_rng(0).uniform(-1.0, 1.0, (3, 4, robot.nv))
    together = robot.inverse_dynamics_derivatives(*given)
    for i in range(4):
        for many, one in zip(together, robot.inverse_dynamics_derivatives(*given[:, i])):
            assert np.array_equal(many[i], one)
    with pytest.raises(ShapeError):
        robot.mass_matrix_derivative(np.zeros(robot.nv + 1))
    with pytest.raises(ShapeError, match='finite'):
        robot.mass_matrix_derivative(np.full(robot.nv, np.nan))
    with pytest.raises(KernelError, match='specialised'):
        found.robot.mass_matrix_derivative(np.zeros(robot.nv))


@pytest.mark.parametrize('sort', [
    np.ndarray.tolist, lambda x: x.astype(np.float32), lambda x: x.astype('>f8'),
    lambda x: np.repeat(x, 2)[::2], np.ma.array,
    lambda x: np.frombuffer(b' ' + x.tobytes(), np.uint8)[1:].view(float)],
    ids=['list', 'float32', 'other endian', 'strided', 'masked', 'unaligned'])
def test_a_state_of_any_sort(sort):
    """However its numbers lie in memory: the derivatives, not a sentence about pivots."""
    robot = named('one_slide').robot.specialised()
    given = np.array(((0.5,), (-0.25,), (1.5,)))  # exact in float32
    for name in ('inverse_dynamics_derivatives', 'forward_dynamics_derivatives'):
        expected = getattr(robot, name)(*given)
        assert np.array_equal(getattr(robot, name)(*map(sort, given)), expected)


def test_a_singular_robot():
    """No inertia about the last hinge: forward derivatives refuse and name the body."""
    model = named('skew_chain').robot.model
    constants = model.constants.copy()
    constants[-1, 12:23] = 0.0
    robot = Robot(model.with_constants(constants)).specialised()
    with pytest.raises(SingularityError, match='link7'):
        robot.forward_dynamics_derivatives(*np.ones((3, 7)))
    assert np.isfinite(robot.inverse_dynamics_derivatives(*np.ones((3, 7)))[0]).all()


@pytest.mark.parametrize('inputs, outputs, backwards', [(1, 12, False), (12, 1, True)])
def test_the_shorter_way_is_taken(inputs, outputs, backwards):
    """Forward accumulation for many outputs of one input, reverse for one output of many."""
    from robodyn_ros.kernels import derivatives
    tape = Tape()
    x = [tape.input(f'x[{k}]') for k in range(inputs)]
    inner = np.sin(np.sum(np.array([np.sin(a) for a in x], object)) + 1.0)
    for k in range(5):
        inner = np.cos(inner * inner + float(k))
    results = [np.sin((k + 2.0) * inner) for k in range(outputs)]
    lengths = [sum(count(tape, [e.index for row in rows for e in row]).values()) for rows in (
        derivatives._eliminated(tape, results, x, False),
        derivatives._eliminated(tape, results, x, True), jacobian(tape, results, x))]
    assert lengths[2] == lengths[backwards] < lengths[not backwards]


def test_every_rule():
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
