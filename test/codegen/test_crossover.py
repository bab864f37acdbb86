# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where the benchmark of forward dynamics says that curves cross, and how steep they are."""

import pytest

pytest.importorskip('rich', reason='the benchmark shows tables')
from benchmark.dynamics import crossover  # noqa: E402


def test_a_crossing_is_where_the_curves_meet_for_the_last_time():
    fast = {1: 2.0, 2: 4.0, 4: 8.0, 8: 16.0, 16: 32.0}
    assert crossover.crossing(fast, {1: 3.0, 2: 3.0, 4: 7.0, 8: 19.0, 16: 90.0}) == 5.0
    assert crossover.crossing(fast, {n: cost + 1 for n, cost in fast.items()}) is None
    assert crossover.crossing(fast, {n: cost - 1 for n, cost in fast.items()}) is None
    assert crossover.crossing(fast, {1: 1.0, 2: 2.0}) is None
    touching = {n: (0.99 if n == 4 else 1.5) * cost for n, cost in fast.items()}
    assert crossover.crossing(fast, touching) is None


@pytest.mark.parametrize('order', [1, 2, 3])
def test_slope_is_the_order(order):
    assert crossover.slope({n: 0.3 * n**order for n in (6, 12, 20, 48)}) == pytest.approx(order)


def test_operations_of_the_benchmark_cross_where_its_page_says():
    counts = crossover.counts((7, 12))
    total = {name: {n: sum(kinds) for n, kinds in found.items()} for name, found in counts.items()}
    assert max(total['branches'][7], total['dense'][7]) < total['articulated'][7]
    assert total['articulated'][12] == min(of_route[12] for of_route in total.values())
