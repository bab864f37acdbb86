# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Algorithm 19.3 of Jain as it is measured: its results, and its operations beside others."""

import numpy as np
import pytest

from robodyn_ros.algorithms.core import scratch
from robodyn_ros.formulations.jain.articulated_bodies import articulated
from robodyn_ros.formulations.jain.diagonalised import coordinate_maps, two_sweep_dynamics
from support.compare import agree
from support.robots.jain_trees import ROBOTS, configuration, robot_tree

pytest.importorskip('rich', reason='the benchmark shows tables')
from benchmark.dynamics import two_sweeps  # noqa: E402


@pytest.mark.parametrize('name', [name for name, each in ROBOTS.items() if each.nq == each.nv])
def test_measured_kernel_gives_the_rates_of_the_readable_form(name):
    """As Python, of every robot whose joints have one freedom."""
    robot, (tree, thd, _, T) = ROBOTS[name], robot_tree(name)
    art = articulated(tree)
    moving = coordinate_maps.velocities_of_rates(tree, art, thd)
    model, n = robot.model, robot.nv
    qd, rates = np.empty(n), np.empty(n)
    two_sweeps.two_sweep_dynamics(
        model.topology,
        model.constants,
        model.gravity,
        scratch.allocate(model.topology),
        configuration(tree),
        tree.to_ours(moving.xi),
        tree.to_ours(T),
        np.zeros((len(model.body_names), 6)),
        np.zeros(n),
        qd,
        rates,
    )
    agree(qd, tree.to_ours(thd), tolerance=1e-10)
    expected = two_sweep_dynamics.xi_rates(tree, art, moving, T)
    agree(rates, tree.to_ours(expected), tolerance=1e-10)


def test_two_sweeps_take_more_operations_than_articulated_bodies():
    """lambda costs as much as P, so the sweep that is saved is not worth it; both are O(n)."""
    found = {n: two_sweeps.counts(n) for n in (7, 14, 28)}
    total = {n: {name: sum(c.values()) for name, c in each.items()} for n, each in found.items()}
    for each in total.values():
        assert 1.2 < each['two sweeps'] / each['articulated'] < 2.0
    for name in ('two sweeps', 'articulated'):
        steps = total[28][name] - total[14][name], total[14][name] - total[7][name]
        assert steps[0] == pytest.approx(2 * steps[1], rel=0.02)
