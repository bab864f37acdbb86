# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A robot too large for code of its own costs little: the kernels for any robot serve."""

import itertools
import logging
import math

import numpy as np
import pytest

from robodyn_ros.codegen import specialise as module
from robodyn_ros.codegen import tape
from robodyn_ros.codegen.registry import RECIPES
from robodyn_ros.codegen.specialise import record, specialise
from robodyn_ros.codegen.tape import RecordingTooLong, RecordingTooSlow, Tape, limited
from support.robots.textbook import Segment, serial


def chain(n):
    """Return a serial arm whose axes are neither parallel nor at right angles."""
    return serial(
        tuple(
            Segment('revolute', (math.sin(k), math.cos(k), 0.3), (0.1, 0.2, 0.3), 1.0,
                    (0.1, 0.02, 0.03), 0.1)
            for k in range(n)
        )
    )  # fmt: skip


def test_a_tape_ends_at_its_limit():
    """Within a few nodes; outside of the limit it has none."""
    with limited(1000, 60.0):
        written = Tape()
        with pytest.raises(RecordingTooLong):
            for k in itertools.count():
                written.input(f'q[{k}]')
    assert 1000 < len(written.nodes) <= 1000 + tape.CHECKED_EVERY
    endless = Tape()
    for k in range(3000):
        endless.input(f'q[{k}]')


def test_a_tape_ends_in_time(monkeypatch):
    """The clock is looked at as it grows."""
    now = itertools.count()
    monkeypatch.setattr(tape.time, 'monotonic', lambda: float(next(now)))
    with limited(math.inf, 3.0), pytest.raises(RecordingTooSlow):
        written = Tape()
        for k in itertools.count():
            written.input(f'q[{k}]')
    assert len(written.nodes) == 4 * tape.CHECKED_EVERY


def test_the_shortest_way_counts_where_another_is_too_long():
    """One of the ways to compute a quantity within the limit is enough."""
    model = chain(6).model
    lengths = {}
    for name, recipe in RECIPES.items():
        if recipe.others:
            ways = [module._record(name, recipe, way, model, None)
                    for way in (recipe.recursion, *recipe.others)]  # fmt: skip
            lengths[name] = sorted(len(way.tape.nodes) for way in ways)
    name, (least, *_, most) = max(lengths.items(), key=lambda item: item[1][-1] - item[1][0])
    assert most > least + 2 * tape.CHECKED_EVERY
    with limited(least + tape.CHECKED_EVERY, 60.0):
        assert len(record(name, RECIPES[name], model).tape.nodes) <= least


@pytest.mark.parametrize('limit', ['MOST_NODES', 'MOST_JOINTS', 'MOST_SECONDS', 'LARGEST'])
def test_beyond_a_limit_the_generic_kernel_serves(monkeypatch, tmp_path, caplog, limit):
    """With one sentence for the robot, whatever the limit and the number of quantities."""
    monkeypatch.setenv('ROBODYN_CACHE_DIR', str(tmp_path))
    module._warn_once.cache_clear()
    monkeypatch.setattr(module, limit, 1)
    if limit == 'MOST_SECONDS':
        monkeypatch.setattr(module, limit, -1.0)
    model = chain(4).model
    with caplog.at_level(logging.WARNING):
        found = [specialise(model, name, RECIPES[name])
                 for name in ('inverse_dynamics', 'mass_matrix')]  # fmt: skip
    assert found == [None, None]
    (said,) = caplog.messages
    assert model.name in said and 'the kernels for any robot are used' in said
    kept = list(tmp_path.rglob('*.py'))
    assert len(kept) == (0 if limit in ('MOST_JOINTS', 'MOST_SECONDS') else 2)


def test_a_long_chain_is_refused_at_once(monkeypatch, tmp_path):
    """150 joints took 80 s and 1 GB to record; their dynamics are there all the same."""
    monkeypatch.setenv('ROBODYN_CACHE_DIR', str(tmp_path))
    monkeypatch.setattr(module, 'record', lambda *_: pytest.fail('it was recorded'))
    robot = chain(150)
    assert specialise(robot.model, 'mass_matrix', RECIPES['mass_matrix']) is None
    assert np.isfinite(robot.gravity_torque(np.zeros(150))).all()
