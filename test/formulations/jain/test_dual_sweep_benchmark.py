# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Algorithm 17.3 of Jain as it is measured: its results, and its operations beside others."""

import numpy as np
import pytest

from robodyn_ros.algorithms.core import scratch
from robodyn_ros.formulations.jain.body_tree import tree_at
from robodyn_ros.formulations.jain.free_flying import base_invariant
from support.compare import agree

pytest.importorskip('rich', reason='the benchmark shows tables')
from benchmark.dynamics import dual_sweeps  # noqa: E402


def state(robot):
    """A generic state (q, qd, tau), without thrust on the base."""
    rng = np.random.default_rng(4)
    qd, tau = rng.uniform(-1.0, 1.0, (2, robot.nv))
    tau[: dual_sweeps.BASE] = 0.0
    return robot.configuration.random(rng), qd, tau


def arguments(robot, q, qd, tau):
    """Arguments of the measured algorithms, with their scratch full of NaN."""
    model = robot.model
    work = scratch.allocate(model.topology)
    work[:] = np.nan
    loads, none = np.zeros((len(model.body_names), 6)), np.zeros(robot.nv)
    robot_arrays = model.topology, model.constants, model.gravity, work
    return (*robot_arrays, q, qd, tau, loads, none, np.empty(robot.nv))


@pytest.mark.parametrize('joints', [1, 5, 12])
def test_measured_kernel_gives_the_accelerations_of_the_readable_form(joints):
    """As Python; the readable form is `base_invariant.forward_dynamics`."""
    robot = dual_sweeps.flyer(joints)
    q, qd, tau = state(robot)
    tree = tree_at(robot, q)
    given = arguments(robot, q, qd, tau)
    assert dual_sweeps.dual_sweep_dynamics(*given) == 0
    expected, _ = base_invariant.forward_dynamics(tree, qd[tree.dofs], tau[tree.dofs])
    agree(given[-1], tree.to_ours(expected), tolerance=1e-10)


def test_a_link_has_its_acceleration_without_that_of_the_base():
    """With every acceleration of the base forgotten, those of the joints are the same."""
    robot = dual_sweeps.flyer(5)
    given = arguments(robot, *state(robot))
    dual_sweeps.dual_sweep_dynamics(*given)
    topology, work, qdd = given[0], given[3], given[-1]
    expected = qdd.copy()
    work[:, scratch.ALPHA : scratch.ACCEL + 3] = np.nan
    qdd[:] = np.nan
    dual_sweeps.accelerate_links(topology, work, dual_sweeps.BASE + 1, len(topology), qdd)
    assert np.array_equal(qdd[dual_sweeps.BASE :], expected[dual_sweeps.BASE :])


def test_sweeps_side_by_side_have_the_bits_of_one_after_the_other():
    """Compiled, many states after each other, with two threads that share the links."""
    flights = dual_sweeps.Flights(5)
    in_turn = flights.alone(dual_sweeps.dual_sweep_dynamics)
    assert np.array_equal(flights.side_by_side(), in_turn)
    assert {int(signal[0]) for signal in flights.signals} == {dual_sweeps.BANK}
    assert np.array_equal(flights.side_by_side(), in_turn)


def test_dual_sweeps_take_more_than_twice_the_operations_of_articulated_bodies():
    """Each link solves with a 6x6 matrix. Half of that and one sweep is still more than what it
    replaces, so a second processor does not pay. Both are O(n).
    """
    found = {n: dual_sweeps.counts(n) for n in (7, 14, 28)}
    total = {n: {name: sum(c.values()) for name, c in each.items()} for n, each in found.items()}
    for each in total.values():
        assert 2.0 < each['dual'] / each['articulated'] < 3.0
    for name in ('dual', 'articulated'):
        steps = total[28][name] - total[14][name], total[14][name] - total[7][name]
        assert steps[0] == pytest.approx(2 * steps[1], rel=0.02)
