"""Batches of any robot: compiled loops over the rows, shared out over the cores."""

import threading

import numpy as np
from oracles.families import FAMILIES
import pytest
from robodyn_ros.kernels import batch
from robodyn_ros.kernels.straight import LANES
from robodyn_ros.specialised import RECIPES

ROBOT = FAMILIES['sliding_tree'].robot
SOLVES = ('forward_dynamics', 'mass_solve', 'mass_matrix_inverse')


@pytest.mark.parametrize('count', [0, 1, LANES, 1023, 1024, 1025, 5000, 100003])
@pytest.mark.parametrize('processors', [1, 2, 7])
def test_every_row_once(count, processors, monkeypatch):
    """Parts are in order, touch, and all but the last are multiples of LANES."""
    monkeypatch.setattr(batch, 'cores', lambda: processors)
    parts = batch.share_out(count, lambda first, last: (first, last))
    assert sum(last - first for first, last in parts) == count
    assert all(before[1] == after[0] for before, after in zip(parts, parts[1:]))
    assert all((last - first) % LANES == 0 for first, last in parts[:-1])
    assert len(parts) <= processors


def test_parts_run_side_by_side(monkeypatch):
    """With two cores two parts are at work at the same time."""
    monkeypatch.setattr(batch, 'cores', lambda: 2)
    batch._pool.cache_clear()
    meeting = threading.Barrier(2, timeout=20.0)
    assert len(batch.share_out(10 * batch.SMALLEST, lambda first, last: meeting.wait())) == 2


@pytest.mark.parametrize('name', RECIPES)
@pytest.mark.parametrize('k', [0, 3, 1300])
def test_rows_equal_single_states(name, k):
    """Bit for bit what one state after the other gives: the same code in a loop."""
    rng = np.random.default_rng(k)
    given = [rng.uniform(-1.4, 1.4, (k, ROBOT.nv)) for _ in RECIPES[name].inputs]
    results = getattr(ROBOT, name)(*given)
    for i in range(0, k, 1 if k < 50 else 131):
        single = getattr(ROBOT, name)(*(array[i] for array in given))
        if name == 'energy':
            assert results[0][i] == single[0] and results[1][i] == single[1]
        else:
            assert np.abs(results[i] - single).max() <= 1e-12 * np.abs(single).max()


def test_batches_under_a_wrench():
    """One wrench in base axes on every state."""
    f_ext = {FAMILIES['sliding_tree'].tip: np.arange(1.0, 7.0)}
    given = np.random.default_rng(0).uniform(-1.0, 1.0, (3, 5, ROBOT.nv))
    together = ROBOT.inverse_dynamics(*given, f_ext)
    for i in range(5):
        alone = ROBOT.inverse_dynamics(*given[:, i], f_ext)
        assert np.abs(together[i] - alone).max() <= 1e-12 * np.abs(alone).max()
