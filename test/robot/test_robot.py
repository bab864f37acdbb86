# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The face of a robot: what it accepts, what it refuses in words, batches and reused memory."""

import re
import reprlib
from dataclasses import fields

import numpy as np
import pytest

from robodyn_ros import OperationalSpaceInertia, RobodynError, Robot, example
from robodyn_ros.codegen.registry import FRAME_RECIPES, FURTHER_RECIPES, RECIPES
from robodyn_ros.errors import ModelError, NotFiniteError, ShapeError, UnknownNameError
from robodyn_ros.model.dh import DHRow
from robodyn_ros.robot.dispatch import method_of
from robodyn_ros.simulation import Plant
from support.compare import agree
from support.robots.families import FAMILIES, states
from support.robots.real_robots import OURS
from support.robots.real_robots import robot as real

#: Every method of a state, and how many vectors of nv numbers it takes.
METHODS = {
    'gravity_torque': 1,
    'mass_matrix': 1,
    'mass_matrix_inverse': 1,
    'bias_torque': 2,
    'coriolis_matrix': 2,
    'mass_solve': 2,
    'inverse_dynamics': 3,
    'forward_dynamics': 3,
    'energy': 2,
    'pose': 1,
    'jacobian': 1,
    'velocity': 2,
    'jacobian_bias': 2,
}
OF_FRAMES = ('pose', 'jacobian', 'velocity', 'jacobian_bias')
ALL_RECIPES = RECIPES | FURTHER_RECIPES | FRAME_RECIPES
#: Further kernels of the specialised robot.
FURTHER = ('mass_product', 'factor_product', 'joint_inertias')
#: Kernels whose method takes states, a frame, and `out`.
OF_STATES = (
    *(name for name in METHODS if name != 'energy'),
    'mass_product',
    'factor_product',
    'joint_inertias',
    'log_det_gradient',
    'forward_dynamics_factored',
    'forward_dynamics_dense',
    'inverse_dynamics_composite',
    'centroidal_momentum',
)


@pytest.fixture(scope='module')
def case():
    """Return a robot with every kind of joint, in an order of its own."""
    return FAMILIES['permuted']


@pytest.fixture(scope='module')
def robot(case):
    """Return the robot of the case."""
    return case.robot


@pytest.fixture(scope='module')
def one_of_a_kind(robot, case):
    """Return the robot with code for any robot, and with code for it alone."""
    return {'generic': robot, 'specialised': robot.specialised([case.tip], also=FURTHER)}


@pytest.fixture
def call(request, robot, case):
    """Return a function of states that calls the method of that name."""
    name = request.param

    def of(*vectors, **options):
        frame = (case.tip,) if name in OF_FRAMES else ()
        return method_of(robot, name)(*vectors[: METHODS[name]], *frame, **options)

    of.name, of.takes = name, METHODS[name]
    return of


every_method = pytest.mark.parametrize('call', METHODS, indirect=True)
methods_with_out = pytest.mark.parametrize(
    'call', [name for name in METHODS if name != 'energy'], indirect=True
)
methods_of_several = pytest.mark.parametrize(
    'call', [name for name in METHODS if METHODS[name] > 1], indirect=True
)


# ------------------------------------------------------------------ how a robot comes about


def test_path_and_text_make_the_same_robot():
    """A path as text, a Path and the text of the file."""
    path = OURS / 'ur_like.urdf'
    robots = [Robot.from_urdf(source) for source in (path, str(path), path.read_text())]
    q = states(robots[0], 1)[0][0]
    for robot in robots:
        assert np.array_equal(robot.mass_matrix(q), robots[0].mass_matrix(q))
        assert robot.joint_names == robots[0].joint_names


def test_every_choice_reaches_the_model():
    """joints, base, gravity and locked, as in the description of the model."""
    whole = Robot.from_urdf(OURS / 'franka_like.urdf')
    names = whole.joint_names
    robot = Robot.from_urdf(
        OURS / 'franka_like.urdf',
        joints=names[5:2:-1],
        locked={names[0]: 0.3},
        gravity=(1.0, 2.0, 3.0),
    )
    assert robot.joint_names == names[5:2:-1] and robot.nv == robot.nq == 3
    assert robot.model.gravity.tolist() == [1.0, 2.0, 3.0]
    assert robot.limits.lower.tolist() == whole.limits.lower[5:2:-1].tolist()
    carried = whole.model.body_names[3]
    upper = Robot.from_urdf(OURS / 'franka_like.urdf', base=carried)
    assert upper.joint_names == names[3:] and upper.model.body_names[0] == carried


def test_both_dh_conventions_make_the_same_pendulum():
    """One row, standard and modified: the com counts from the far or from the near end."""
    mass, inertia = 2.0, np.diag((0.1, 0.2, 0.3))
    near = DHRow(mass=mass, com=(0.5, 0.0, 0.0), inertia=inertia)
    far = DHRow(a=0.8, mass=mass, com=(-0.3, 0.0, 0.0), inertia=inertia)
    modified = Robot.from_dh([near], gravity=(0.0, -9.81, 0.0))
    standard = Robot.from_dh([far], 'standard', gravity=(0.0, -9.81, 0.0))
    q, qd, qdd = (0.3,), (0.4,), (0.5,)
    expected = np.array(((0.3 + mass * 0.25) * 0.5 + mass * 9.81 * 0.5 * np.cos(0.3),))
    agree(modified.inverse_dynamics(q, qd, qdd), expected)
    agree(standard.inverse_dynamics(q, qd, qdd), expected)


@pytest.mark.parametrize('source', [5, None, 'no_such_file.urdf', '', '<robot', b'\xff', '<a/>'])
def test_what_is_no_robot_is_refused(source):
    """Anything but a URDF is a ModelError with a sentence, which is a RobodynError."""
    with pytest.raises(ModelError, match='description|URDF|element') as refusal:
        Robot.from_urdf(source)
    assert isinstance(refusal.value, RobodynError)


def test_a_new_load_leaves_the_old_robot_alone(robot, case):
    """with_payload and with_gravity return other robots; no array of this one changes."""
    q = states(robot, 1)[0][0]
    before = robot.mass_matrix(q), robot.gravity_torque(q)
    loaded = robot.with_payload(case.tip, 3.0, (0.1, 0.0, 0.2), 0.1 * np.eye(3))
    turned = robot.with_gravity((9.81, 0.0, 0.0))
    assert not np.array_equal(loaded.mass_matrix(q), before[0])
    assert not np.array_equal(turned.gravity_torque(q), before[1])
    assert np.array_equal(robot.mass_matrix(q), before[0])
    assert np.array_equal(robot.gravity_torque(q), before[1])


def test_model_is_frozen(robot):
    """The arrays of the model refuse to be written, so that robots may share them."""
    for array in (
        robot.model.constants,
        robot.model.topology,
        robot.model.gravity,
        robot.limits.lower,
        robot.limits.effort,
    ):
        with pytest.raises(ValueError, match='read-only'):
            array[0] = 1


# ------------------------------------------------------------------ what goes in


@every_method
def test_anything_that_is_real_numbers_is_accepted(robot, call):
    """Lists, tuples, other floats, strides, byte orders, read-only arrays: the same bits."""
    vectors = [np.round(v, 3).astype(np.float32).astype(float) for v in states(robot, 1)[0]]
    expected = call(*vectors)
    frozen = [v.copy() for v in vectors]
    for v in frozen:
        v.flags.writeable = False
    for other in (
        [v.tolist() for v in vectors],
        [tuple(v) for v in vectors],
        frozen,
        [v.astype(np.float32) for v in vectors],
        [v.astype('>f8') for v in vectors],
        [np.repeat(v, 3)[::3] for v in vectors],
        [v[::-1].copy()[::-1] for v in vectors],
        [np.array(v, dtype=np.longdouble) for v in vectors],
    ):
        assert np.array_equal(call(*other), expected)
    whole = [np.round(v * 3.0) for v in vectors]
    assert np.array_equal(call(*(v.astype(int) for v in whole)), call(*whole))


@every_method
def test_inputs_stay_as_they_are(robot, call):
    """No method writes into the arrays it is given."""
    vectors = states(robot, 1)[0]
    before = [v.copy() for v in vectors]
    call(*vectors)
    assert all(np.array_equal(v, b) for v, b in zip(vectors, before))


@every_method
@pytest.mark.parametrize(
    'wrong',
    [
        None,
        0.3,
        'abc',
        {},
        [],
        [[]],
        np.zeros(7),
        np.zeros(9),
        np.zeros((8, 1)),
        np.zeros((2, 7)),
        np.zeros((1, 1, 8)),
        np.zeros(8, dtype=complex),
        ['0.1'] * 8,
        [None] * 8,
        [[0.0] * 8, [0.0]],
        np.zeros(8, dtype='datetime64[s]'),
    ],
    ids=reprlib.repr,
)
def test_what_is_no_state_is_refused(robot, call, wrong):
    """Wrong shapes and types are a ShapeError that names the robot and what was expected."""
    vectors = list(states(robot, 1)[0])
    for k in range(call.takes):
        given = [wrong if i == k else v for i, v in enumerate(vectors)]
        with pytest.raises(ShapeError, match=f'robot {robot.name!r}: got .*expected'):
            call(*given)


@every_method
@pytest.mark.parametrize('value', [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_refused_by_joint_name(robot, call, value):
    """A NaN or infinity is a ShapeError that names the joint, in a batch too."""
    vectors = list(states(robot, 1)[0])
    for k in range(call.takes):
        for batch in (False, True):
            given = [np.array((v, v, v)) if batch else v.copy() for v in vectors]
            given[k][..., 2] = value
            joint = robot.joint_names[2]
            with pytest.raises(ShapeError, match=f'got {value} for joint {joint!r}'):
                call(*given)


@methods_of_several
def test_states_of_different_batches_are_refused(robot, call):
    """All batches of a call have the same number of rows; one state stands for as many."""
    one, two, three = states(robot, 1)[0]
    with pytest.raises(ShapeError, match=re.escape(f'(3, {robot.nv}), (2, {robot.nv})')):
        call(np.array((one, one, one)), np.array((two, two)), three)


@every_method
def test_mistakes_leave_the_robot_as_good_as_before(robot, call):
    """After every refusal the next call gives the bits of the one before."""
    vectors = states(robot, 1)[0]
    before = call(*vectors)
    for wrong in (None, np.full(robot.nv, np.nan), np.zeros(3)):
        with pytest.raises(ShapeError):
            call(wrong, *vectors[1:])
    assert np.array_equal(call(*vectors), before)


# ------------------------------------------------------------------ what comes out


@every_method
@pytest.mark.parametrize('size', [0, 1, 5])
def test_batch_equals_singles(robot, call, size):
    """A batch of k states gives the k results of the single states.

    To the last bit or two. The loop over states is compiled together with the recursion. So
    multiplications and additions are contracted in other places.
    """
    many = states(robot, size)
    batch = [np.array([state[i] for state in many]).reshape(size, robot.nv) for i in range(3)]
    got = call(*batch)
    if call.name == 'energy':
        assert got[0].shape == got[1].shape == (size,)
        got = np.array(got).T
    assert len(got) == size
    for k, state in enumerate(many):
        agree(got[k], call(*state))


@methods_with_out
def test_out_is_filled_and_returned(robot, call):
    """out= takes the result, of one state or of a batch, and is what is returned."""
    vectors = states(robot, 1)[0]
    for given in (vectors, [np.array((v, 2.0 * v)) for v in vectors]):
        expected = call(*given)
        out = np.full_like(expected, np.nan)
        assert call(*given, out=out) is out
        assert np.array_equal(out, expected)


@methods_with_out
def test_out_that_does_not_fit_is_refused(robot, call):
    """Another shape, type or layout, or memory that is read-only, is a ShapeError."""
    vectors = states(robot, 1)[0]
    good = call(*vectors)
    read_only = np.empty_like(good)
    read_only.flags.writeable = False
    for out, words in (
        (good.tolist(), 'a list'),
        (np.empty(good.size + 1), f'({good.size + 1},)'),
        (np.empty((2, *good.shape)), str((2, *good.shape))),
        (np.empty(good.shape, dtype=np.float32), 'an array of float32'),
        (np.empty((*good.shape, 2))[..., 0], 'an array of scattered float64'),
        (np.empty(good.shape, dtype=int), 'an array of int64'),
        (read_only, 'an array of read-only float64'),
        ('out', 'a str'),
        (0.0, 'a float'),
    ):
        with pytest.raises(ShapeError, match=f'robot {robot.name!r}: got a.* for out;') as error:
            call(*vectors, out=out)
        assert words in str(error.value)


@methods_with_out
def test_out_is_not_touched_by_a_refused_call(robot, call):
    """Where one state of a batch is bad, no row of out has changed."""
    vectors = [np.array((v, v)) for v in states(robot, 1)[0]]
    out = call(*vectors)
    before = out.copy()
    vectors[0][1, 1] = np.nan
    with pytest.raises(ShapeError):
        call(*vectors, out=out)
    assert np.array_equal(out, before)


@pytest.mark.parametrize('rows', [None, 3])
@pytest.mark.parametrize('kernel', OF_STATES)
@pytest.mark.parametrize('kind', ['generic', 'specialised'])
def test_out_may_be_in_the_memory_of_an_input(one_of_a_kind, kind, kernel, rows, case):
    """At its place or one number further, results are those of an array apart, to the last bit."""
    robot = one_of_a_kind[kind]
    given = states(robot, 1)[0][: len(ALL_RECIPES[kernel].inputs)]
    if rows:
        given = [np.array([(k + 1.0) * state for k in range(rows)]) for state in given]
    frame = (case.tip,) if kernel in OF_FRAMES else ()
    method = method_of(robot, kernel)
    method(*given, *frame)  # the first call prepares the machine code
    expected = method(*given, *frame)
    for place, state in enumerate(given):
        for shift in (0, 1):
            memory = np.empty(shift + max(state.size, expected.size))
            memory[: state.size] = state.ravel()
            replaced = [other.copy() for other in given]
            replaced[place] = memory[: state.size].reshape(state.shape)
            out = memory[shift : shift + expected.size].reshape(expected.shape)
            assert method(*replaced, *frame, out=out) is out
            assert np.array_equal(out, expected), f'{kernel} by input {place}'


def test_configurations_may_be_moved_in_place(robot):
    """By integrate, whose result is the next configuration."""
    many = [np.array(rows) for rows in zip(*states(robot, 3))][:2]
    for q, qd in (states(robot, 1)[0][:2], many):
        expected = robot.configuration.integrate(q, qd, 0.1)
        memory = np.empty(q.size + robot.nv)
        memory[: q.size] = q.ravel()
        out = memory[robot.nv :].reshape(q.shape)  # each row is written where the next is read
        robot.configuration.integrate(memory[: q.size].reshape(q.shape), qd, 0.1, out=out)
        assert np.array_equal(out, expected)


def test_one_configuration_is_compared_with_many(robot):
    """As everywhere, one state beside a batch is used for all rows."""
    q = np.array([state[0] for state in states(robot, 3)])
    difference = robot.configuration.difference
    assert np.array_equal(difference(q[0], q), [difference(q[0], row) for row in q])
    assert np.array_equal(difference(q, q[0]), [difference(row, q[0]) for row in q])
    with pytest.raises(ShapeError, match='got 3 and 2 configurations; expected as many of both'):
        difference(q, q[:2])


def test_a_batch_of_no_states_has_no_results(robot):
    """Of links, too, whose results are one matrix for each."""
    q = qd = np.zeros((0, robot.nv))
    links = len(robot.model.body_names) - 1
    for inertias in robot.links.inertias(q):
        assert inertias.shape == (0, links, 6, 6)
    assert robot.links.articulated_inertia_rates(q, qd).shape == (0, links, 6, 6)
    assert robot.links.operators(q).phi.shape == (0, links, 6, 6)


# ------------------------------------------------------------------ wrenches, frames, tasks


def test_wrench_on_the_base_does_nothing(robot, case):
    """What stands still takes any wrench."""
    q, qd, qdd = states(robot, 1)[0]
    assert np.array_equal(
        robot.inverse_dynamics(q, qd, qdd, {case.root: np.ones(6)}),
        robot.inverse_dynamics(q, qd, qdd),
    )
    assert np.array_equal(
        robot.inverse_dynamics(q, qd, qdd, {}), robot.inverse_dynamics(q, qd, qdd)
    )


def test_wrench_of_a_batch_acts_in_base_axes_on_every_state(robot, case):
    """One wrench for all states of a batch, turned into each posture by itself."""
    many, f_ext = states(robot, 4), {case.tip: (1.0, -2.0, 3.0, 0.4, -0.5, 0.6)}
    q, qd, third = (np.array([state[i] for state in many]) for i in range(3))
    for method in (robot.inverse_dynamics, robot.forward_dynamics):
        for row, state in zip(method(q, qd, third, f_ext), many):
            agree(row, method(*state, f_ext))


@pytest.mark.parametrize(
    'f_ext',
    [
        [1.0],
        np.zeros(6),
        'tip',
        {'tool5': np.zeros(5)},
        {'tool5': np.full(6, np.nan)},
        {'tool5': 'abc'},
        {'tool5': None},
        {'tool5': np.zeros((1, 6))},
    ],
    ids=repr,
)
def test_what_is_no_wrench_is_refused(robot, f_ext, case):
    """f_ext is a mapping from frames to six finite numbers; the sentence says what it got."""
    if isinstance(f_ext, dict):
        f_ext = {case.tip: value for value in f_ext.values()}
    q, qd, qdd = states(robot, 1)[0]
    for method in (robot.inverse_dynamics, robot.forward_dynamics):
        with pytest.raises(ShapeError, match='expected .*numbers'):
            method(q, qd, qdd, f_ext)


def test_unknown_frames_are_refused_with_the_valid_ones(robot):
    """Every method that takes a frame lists the frames there are."""
    q, qd, qdd = states(robot, 1)[0]
    for use in (
        lambda: robot.pose(q, 'nowhere'),
        lambda: robot.jacobian(q, 'nowhere'),
        lambda: robot.velocity(q, qd, 'nowhere'),
        lambda: robot.jacobian_bias(q, qd, 'nowhere'),
        lambda: robot.inverse_dynamics(q, qd, qdd, {'nowhere': np.zeros(6)}),
        lambda: robot.operational_space_inertia(q, 'nowhere'),
        lambda: robot.with_payload('nowhere', 1.0, (0, 0, 0), np.eye(3)),
    ):
        with pytest.raises(UnknownNameError, match="no frame 'nowhere'; valid: .*link1"):
            use()


def test_joints_are_frames_too():
    """A joint's name stands for the link it carries."""
    robot = real('ur_like').robot
    q = states(robot, 1)[0][0]
    joint, link = robot.joint_names[3], robot.model.body_names[4]
    assert np.array_equal(robot.pose(q, joint), robot.pose(q, link))


@pytest.mark.parametrize(
    'axes',
    [
        '',
        'w',
        'x x',
        'x w',
        [],
        ['x', 'x'],
        [0, 1],
        5,
        [['x']],
        (False,) * 6,
        (True,) * 5,
        {'x': 1, 'w': 2},
        np.zeros(6),
    ],
    ids=repr,
)
def test_what_are_no_axes_is_refused(robot, case, axes):
    """Axes are some of six names, each once, or six booleans with one true."""
    with pytest.raises(ShapeError, match='expected some of x y z rx ry rz'):
        robot.operational_space_inertia(states(robot, 1)[0][0], case.tip, axes=axes)


@pytest.mark.parametrize('damping', [-1e-9, np.nan, np.inf, 'a', None, 1j, [0.1]], ids=repr)
def test_what_is_no_damping_is_refused(robot, case, damping):
    """Damping is a finite number that is not negative."""
    with pytest.raises(ShapeError, match='damping .* expected a number >= 0'):
        robot.operational_space_inertia(states(robot, 1)[0][0], case.tip, damping=damping)


def test_biases_of_tasks_in_batches(robot, case):
    """Each row is the answer to its state, of one frame and of a list of one."""
    q, qd, _ = (np.array(rows) for rows in zip(*states(robot, 3)))
    for frames in (case.tip, [case.tip]):
        together = robot.task_space.bias(q, qd, frames)
        for k in range(3):
            one = robot.task_space.bias(q[k], qd[k], frames)
            for name in ('coriolis', 'gravity'):
                found, expected = getattr(together, name)[k], getattr(one, name)
                assert np.abs(found - expected).max() <= 1e-9 * max(1.0, np.abs(expected).max())
            assert np.array_equal(together.task.rank[k], one.task.rank)


def test_operational_space_inertia_owns_its_arrays(robot, case):
    """A later call changes nothing that an earlier one returned."""
    (q, _, _), (other, _, _) = states(robot, 2)
    first, same = (robot.operational_space_inertia(q, case.tip, axes='x y') for _ in range(2))
    assert isinstance(first, OperationalSpaceInertia)
    names = [field.name for field in fields(OperationalSpaceInertia) if field.name != 'rows']
    before = {name: np.copy(getattr(first, name)) for name in names}
    q[:] = other
    robot.operational_space_inertia(other, case.tip)
    for name, value in before.items():
        assert np.array_equal(getattr(first, name), value), name
        assert np.array_equal(getattr(same, name), value), f'{name}, asked for later'
    assert first.rows == same.rows


@pytest.mark.parametrize('kind', ['generic', 'specialised'])
def test_one_state_beside_a_batch_stands_for_all_of_it(case, kind):
    """(n,) with (k, n): the same as k copies, for any argument, one row too."""
    robot = case.robot if kind == 'generic' else case.robot.specialised()
    q, qd, qdd = (np.array(rows) for rows in zip(*states(robot, 5)))
    for k in (1, 5):
        copies = np.tile(qd[0], (k, 1))
        expected = robot.inverse_dynamics(q[:k], copies, qdd[:k])
        assert np.array_equal(robot.inverse_dynamics(q[:k], qd[0], qdd[:k]), expected)
        expected = robot.mass_operator.solve(np.tile(q[0], (k, 1)), qdd[:k])
        assert np.array_equal(robot.mass_operator.solve(q[0], qdd[:k]), expected)


def test_nan_and_wrong_shapes_have_names_of_their_own(robot):
    """Both say which state, and at which joint."""
    q, qd, qdd = states(robot, 1)[0]
    wrong = qdd.copy()
    wrong[1] = np.nan
    second = robot.joint_names[1]
    with pytest.raises(NotFiniteError, match=rf"got nan for joint '{second}' \(state 3 of 3\)"):
        robot.inverse_dynamics(q, qd, wrong)
    with pytest.raises(NotFiniteError, match=rf"'{second}' \(state 3 of 3, row 1\)"):
        robot.inverse_dynamics(q, qd, np.stack((qdd, wrong)))
    with pytest.raises(ShapeError, match=rf"state 2 ends before joint '{second}'") as refused:
        robot.inverse_dynamics(q, qd[:1], qdd)
    assert not isinstance(refused.value, NotFiniteError)
    with pytest.raises(ShapeError, match='state 1 goes on after joint'):
        robot.gravity_torque(np.append(q, 0.0))
    assert issubclass(NotFiniteError, ValueError)


@pytest.mark.parametrize('kind', ['generic', 'specialised'])
def test_a_robot_is_not_changed_by_assignment(kind):
    """The sentence names the call that makes another one."""
    robot = Robot.from_urdf(example('two_link'))
    robot = robot.specialised() if kind == 'specialised' else robot
    np.testing.assert_array_equal(robot.gravity, [0.0, 0.0, -9.81])
    with pytest.raises(AttributeError, match=r"'gravity' cannot be set.*robot.with_gravity\("):
        robot.gravity = [0.0, 0.0, -1.62]
    with pytest.raises(AttributeError, match=r"'nv' cannot be set.*a new robot"):
        robot.nv = 3
    with pytest.raises(ValueError, match='read-only'):
        robot.gravity[2] = 0.0
    np.testing.assert_array_equal(robot.with_gravity([0.0, 0.0, -1.62]).gravity, [0, 0, -1.62])


@pytest.mark.parametrize(
    'name, call',
    [
        ('gravity', r'robot\.with_gravity\('),
        ('payload', r'plant\.attach\(frame, mass, com, inertia\)'),
        ('position', r'plant\.set_state\('),
        ('dt', r'plant\.step\('),
        ('wrench', r'plant\.apply_wrench\('),
    ],
)
def test_what_a_plant_does_not_take_by_assignment_is_refused(name, call):
    """An assignment without effect would be a wrong simulation. Views are likewise."""
    plant = Plant(Robot.from_urdf(example('two_link')))
    with pytest.raises(AttributeError, match=f"'{name}' of <Plant .* cannot be set; .*{call}"):
        setattr(plant, name, 0.0)
    with pytest.raises(AttributeError, match=f"no '{name}'; see .*{call}"):
        getattr(plant, name)
    with pytest.raises(AttributeError, match="no 'efort'; expected one such as effort"):
        plant.efort  # noqa: B018
    robot = Robot(plant.model)
    with pytest.raises(AttributeError, match="'derivatives' of robot 'two_link' does not change"):
        robot.derivatives.gravity = 0.0


@pytest.mark.parametrize(
    'name, expected',
    [
        ('mass_matrx', 'mass_matrix'),
        ('momentum_matrix', 'centroidal.momentum_matrix'),
        ('with_elastic_joint', 'extended.with_elastic_joints'),
        ('center_of_mass', 'centroidal.centre_of_mass'),
    ],
)
def test_an_unknown_attribute_is_answered_with_those_like_it(name, expected):
    robot = Robot.from_urdf(example('two_link'))
    with pytest.raises(AttributeError, match=f"robot 'two_link' has no '{name}'.*{expected}"):
        getattr(robot, name)
    assert not hasattr(robot, name) and getattr(robot, name, None) is None
    with pytest.raises(AttributeError, match="no 'momentm'; expected one such as momentum"):
        robot.centroidal.momentm  # noqa: B018
    with pytest.raises(AttributeError, match=r'dir\(\) lists'):
        robot.xyzzy  # noqa: B018
