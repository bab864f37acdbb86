# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Closed chains of Jain's chapter 15 in motion: what integration leaves of loops and energy."""

import numpy as np
import pytest

from robodyn_ros.formulations.jain import composite_bodies, tree_kinematics
from robodyn_ros.formulations.jain.body_tree import coordinate_rates
from robodyn_ros.formulations.jain.constraints import loop_constraints
from robodyn_ros.formulations.jain.embedding.constraint_embedding import embed
from robodyn_ros.formulations.jain.single_body import components
from robodyn_ros.formulations.jain.sko import dynamics
from support.robots.jain_loops import at_state


@pytest.mark.parametrize('name', ['five-bar', 'two loops'])
def test_motion_in_independent_velocities_keeps_loops_and_energy(name):
    """15.1: integrated without multipliers and without corrections, nothing drifts.

    The Runge-Kutta scheme of fourth order leaves an error of step^4. Half the step leaves a
    sixteenth of the gap and of the error of the energy.
    """
    system, tree, thd, _ = at_state(name)
    kept = list(embed(tree, thd, system.loops).model.dofs)

    def rates(x):
        """(dq/dt, d thd_R / dt) at x = (q, thd_R)."""
        q, thd_R = x[: len(system.q)], x[len(system.q) :]
        now = system.tree(q)
        X = embed(now, np.zeros(now.N), system.loops, independent=kept).X
        found = embed(now, X @ thd_R, system.loops, independent=kept)
        thdd_R, _ = dynamics.forward_dynamics(found.model, np.zeros(len(kept)))
        return np.concatenate((coordinate_rates(now, X @ thd_R), thdd_R))

    def energy(x):
        now = system.tree(x[: len(system.q)])
        X = embed(now, np.zeros(now.N), system.loops, independent=kept).X
        moving = X @ x[len(system.q) :]
        places = tree_kinematics.poses(now)
        height = 0.0
        for M, T in zip(now.M, places):
            mass, com, _ = components(M)
            height += mass * now.g[3:] @ (T[:3, :3] @ com + T[:3, 3])
        return 0.5 * moving @ composite_bodies.mass_matrix(now) @ moving + height

    def errors(steps, duration=0.3):
        x, h = np.concatenate((system.q, 0.5 * thd[kept])), duration / steps
        start = energy(x)
        for _ in range(steps):
            k1 = rates(x)
            k2 = rates(x + 0.5 * h * k1)
            k3 = rates(x + 0.5 * h * k2)
            x = x + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + rates(x + h * k3))
        now = system.tree(x[: len(system.q)])
        gaps = [loop.Q @ loop_constraints.gap(now, loop) for loop in system.loops]
        return np.abs(np.concatenate(gaps)).max(), abs(energy(x) - start) / abs(start)

    coarse, fine = errors(8), errors(16)
    for one, half in zip(coarse, fine):
        assert half < one / 8.0 and half < 1e-5
