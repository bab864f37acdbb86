# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Batches of any robot: compiled loops over the rows, shared out over the cores."""

import threading

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.codegen import parallel_rows
from robodyn_ros.codegen.emit_llvm import LANES
from robodyn_ros.errors import ShapeError
from robodyn_ros.model.sources.examples import package_file
from robodyn_ros.robot.dispatch import method_of
from robodyn_ros.robot.specialised_robot import RECIPES
from support.patience import PATIENCE
from support.robots.families import FAMILIES

ROBOT = FAMILIES['sliding_tree'].robot


@pytest.mark.parametrize('count', [0, 1, LANES, 1023, 1024, 1025, 5000, 100003])
@pytest.mark.parametrize('processors', [1, 2, 7])
def test_every_row_is_computed_once(count, processors, monkeypatch):
    """Parts are in order, touch, and all but the last are multiples of LANES."""
    monkeypatch.setattr(parallel_rows, 'cores', lambda: processors)
    parts = parallel_rows.parallel_for(count, lambda first, last: (first, last))
    assert sum(last - first for first, last in parts) == count
    assert all(before[1] == after[0] for before, after in zip(parts, parts[1:]))
    assert all((last - first) % LANES == 0 for first, last in parts[:-1])
    assert len(parts) <= processors


def test_parts_run_side_by_side(monkeypatch):
    """With two cores two parts are at work at the same time."""
    monkeypatch.setattr(parallel_rows, 'cores', lambda: 2)
    parallel_rows._pool.cache_clear()
    meeting = threading.Barrier(2, timeout=PATIENCE)
    assert (
        len(
            parallel_rows.parallel_for(
                10 * parallel_rows.SMALLEST, lambda first, last: meeting.wait()
            )
        )
        == 2
    )


@pytest.mark.parametrize('name', RECIPES)
@pytest.mark.parametrize('k', [0, 3, 1300])
def test_rows_equal_single_states(name, k):
    """What one state after the other gives, to rounding: the same code in a loop."""
    rng = np.random.default_rng(k)
    given = [rng.uniform(-1.4, 1.4, (k, ROBOT.nv)) for _ in RECIPES[name].inputs]
    results = method_of(ROBOT, name)(*given)
    for i in range(0, k, 1 if k < 50 else 131):
        single = method_of(ROBOT, name)(*(array[i] for array in given))
        row = np.array([each[i] for each in results]) if name == 'energy' else results[i]
        assert np.abs(row - single).max() <= 1e-12 * np.abs(single).max()


def test_a_batch_under_a_wrench_equals_single_states():
    """One wrench in base axes on every state."""
    f_ext = {FAMILIES['sliding_tree'].tip: np.arange(1.0, 7.0)}
    given = np.random.default_rng(0).uniform(-1.0, 1.0, (3, 5, ROBOT.nv))
    together = ROBOT.inverse_dynamics(*given, f_ext)
    for i in range(5):
        alone = ROBOT.inverse_dynamics(*given[:, i], f_ext)
        assert np.abs(together[i] - alone).max() <= 1e-12 * np.abs(alone).max()


def test_a_wrench_for_each_state():
    """{frame: (k, 6)}: row by row; together with one for all states."""
    tip, base = FAMILIES['sliding_tree'].tip, ROBOT.frames[1]
    rng = np.random.default_rng(1)
    given, wrenches = rng.uniform(-1.0, 1.0, (3, 7, ROBOT.nv)), rng.normal(size=(7, 6))
    both = {tip: wrenches, base: np.arange(6.0)}
    for method in (ROBOT.inverse_dynamics, ROBOT.forward_dynamics):
        together = method(*given, f_ext=both)
        for i in range(7):
            alone = method(*given[:, i], f_ext=both | {tip: wrenches[i]})
            assert np.abs(together[i] - alone).max() <= 1e-12 * np.abs(alone).max()


@pytest.mark.parametrize('wrong', [np.zeros((3, 6)), np.zeros((2, 5)), np.full((2, 6), np.nan)])
def test_wrenches_of_another_batch_are_refused(wrong):
    """Two states, two wrenches of six finite numbers; and none by rows for a single state."""
    given = np.zeros((3, 2, ROBOT.nv))
    with pytest.raises(ShapeError, match=r'six finite numbers.*or \(2, 6\)'):
        ROBOT.inverse_dynamics(*given, f_ext={ROBOT.frames[-1]: wrong})
    with pytest.raises(ShapeError, match='six finite numbers'):
        ROBOT.inverse_dynamics(*given[:, 0], f_ext={ROBOT.frames[-1]: np.zeros((2, 6))})


@pytest.fixture(scope='module', params=['generic', 'specialised'])
def arm(request):
    """Return an arm of six joints or more and its tool, compiled either way."""
    robot = Robot.from_urdf(package_file('config/urdf/franka_like.urdf'))
    frame = robot.frames[-1]
    return (robot if request.param == 'generic' else robot.specialised(frames=[frame])), frame


def batch_of(robot, k, count):
    """Return states in rows."""
    return np.random.default_rng(k).uniform(-1.4, 1.4, (count, k, robot.nv))


def _unaligned(array):
    memory = np.zeros(array.nbytes + 1, np.uint8)
    copy = memory[1:].view(float).reshape(array.shape)
    copy[...] = array
    return copy


class Marked(np.ndarray):
    """A subclass may change what its entries mean."""


UNUSUAL = {
    'list': np.ndarray.tolist,
    'read-only': lambda array: np.frombuffer(array.tobytes()).reshape(array.shape),
    'unaligned': _unaligned,
    'Fortran': np.asfortranarray,
    'backwards': lambda array: array[..., ::-1].copy()[..., ::-1],
    'columns of a table': lambda array: np.repeat(array, 2, axis=-1)[..., ::2],
    'other endian': lambda array: array.astype('>f8'),
    'subclass': lambda a: a.view(Marked),
    'masked': np.ma.array,
}


@pytest.mark.parametrize('k', [1, LANES, 2 * LANES + 3])
@pytest.mark.parametrize('sort', UNUSUAL)
def test_memory_layout_of_a_batch_changes_nothing(arm, sort, k):
    """However its numbers lie in memory, a batch gives what plain float64 arrays give."""
    robot, frame = arm
    given = batch_of(robot, k, 3)
    unusual = [UNUSUAL[sort](array) for array in given]
    for name, count, *frames in (
        ('inverse_dynamics', 3),
        ('mass_matrix', 1),
        ('energy', 2),
        ('pose', 1, frame),
    ):
        expected = np.array(method_of(robot, name)(*given[:count], *frames))
        got = np.array(method_of(robot, name)(*unusual[:count], *frames))
        assert np.abs(got - expected).max() <= 1e-13 * np.abs(expected).max()
    task = robot.operational_space_inertia(unusual[0], frame)
    assert (task.jacobian == robot.jacobian(given[0], frame)).all()
    assert task.rank.shape == (k,)


def test_masked_entries_are_refused(arm):
    """There is no number where the mask is."""
    robot, frame = arm
    q = np.ma.array(np.zeros((LANES, robot.nv)), mask=np.eye(LANES, robot.nv))
    with pytest.raises(ShapeError, match='real numbers'):
        robot.gravity_torque(q)


@pytest.mark.parametrize('k', [0, 1, 3 * LANES + 2])
@pytest.mark.parametrize(
    'name, count', [('pose', 1), ('velocity', 2), ('jacobian', 1), ('jacobian_bias', 2)]
)
def test_batches_of_frame_quantities_are_their_rows(arm, name, count, k):
    """What one state after the other gives, in an array of the caller's too."""
    robot, frame = arm
    given = batch_of(robot, k, count)
    results = method_of(robot, name)(*given, frame)
    for i in range(k):
        alone = method_of(robot, name)(*given[:, i], frame)
        assert np.abs(results[i] - alone).max() <= 1e-13 * max(1.0, np.abs(alone).max())
    out = np.full(results.shape, np.nan)
    assert method_of(robot, name)(*given, frame, out=out) is out
    assert (out == results).all()


@pytest.mark.parametrize(
    'options', [{}, {'axes': 'x y z'}, {'damping': 0.1}, {'axes': 'rx z', 'damping': 0.2}], ids=str
)
def test_operational_space_inertia_in_batches(arm, options):
    """Every field has k in front and is what one state after the other gives."""
    robot, frame = arm
    (q,) = batch_of(robot, 2 * LANES + 1, 1)
    together = robot.operational_space_inertia(q, frame, **options)
    for i, state in enumerate(q):
        alone = robot.operational_space_inertia(state, frame, **options)
        condition = np.divide(*alone.singular_values[[0, -1]])
        for name in ('inertia', 'inverse', 'jacobian', 'singular_values', 'consistent_inverse'):
            mine, theirs = getattr(together, name)[i], getattr(alone, name)
            assert np.abs(mine - theirs).max() <= 1e-14 * condition * np.abs(theirs).max() + 1e-13
        assert together.rank[i] == alone.rank
    assert together.axes == alone.axes and together.rows == alone.rows
    assert together.null_space_projection.shape == (len(q), robot.nv, robot.nv)


def test_singular_rows_among_regular_ones(arm):
    """Eigenvalues decide where a direction is lost, whatever the other rows."""
    robot, frame = arm
    (q,) = batch_of(robot, LANES, 1)
    q[3] = 0.0
    task = robot.operational_space_inertia(q, frame)
    assert task.rank[3] < 6 and (np.delete(task.rank, 3) == 6).all()


def test_batches_of_regressors_are_their_rows(arm):
    """Y of every row."""
    robot, _ = arm
    given = batch_of(robot, 5, 4)
    for references in ({}, {'qd_r': given[3]}):
        Y = robot.links.regressor(*given[:3], **references)
        for i in range(5):
            alone = robot.links.regressor(
                *given[:3, i], **{name: rows[i] for name, rows in references.items()}
            )
            assert np.abs(Y[i] - alone).max() <= 1e-13 * np.abs(alone).max()


def test_what_is_not_finite_is_named_in_batches(arm):
    """One bad number in one row: the sentence names the joint, in every quantity of a frame."""
    robot, frame = arm
    (q,) = batch_of(robot, LANES, 1)
    q[5, 2] = np.nan
    for call in (
        lambda: robot.pose(q, frame),
        lambda: robot.jacobian(q, frame),
        lambda: robot.operational_space_inertia(q, frame),
    ):
        with pytest.raises(ShapeError, match=robot.joint_names[2]):
            call()


def test_batches_of_derivatives_are_their_rows():
    """The compiled rows give what the single states give."""
    robot = FAMILIES['one_slide'].robot.specialised()
    for name, count in (
        ('inverse_dynamics_derivatives', 3),
        ('forward_dynamics_derivatives', 3),
        ('mass_matrix_derivative', 1),
    ):
        given = batch_of(robot, LANES + 3, count)
        together = np.array(method_of(robot, name)(*given))
        together = together if count > 1 else together[None]
        assert robot.kernels[name].rows.is_compiled
        for i in range(LANES + 3):
            alone = np.array(method_of(robot, name)(*given[:, i]))
            assert np.abs(together[:, i] - alone).max() <= 1e-13 * max(1.0, np.abs(alone).max())
