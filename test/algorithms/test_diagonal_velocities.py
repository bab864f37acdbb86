# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Velocities in which the mass matrix is 1: maps and rates, against energy and differences.

The functions run as Python.
"""

import numpy as np
import pytest

from robodyn_ros.algorithms.core import scratch
from robodyn_ros.algorithms.core.rnea import inverse_dynamics
from robodyn_ros.algorithms.variants.diagonal_velocities import (
    diagonal_rates,
    diagonal_velocities,
    joint_velocities,
)
from robodyn_ros.model.layout import PARENT
from support.compare import agree
from support.robots.families import FAMILIES, states
from support.work import filled

pytestmark = pytest.mark.sensitive

TREES = {name: each.robot for name, each in FAMILIES.items()}
#: Central differences of order 4: weights of the values at +-h and +-2h, over h.
NEAR, FAR, STEP = 2.0 / 3.0, -1.0 / 12.0, 1e-3


def eta_of(robot, q, qd, diagonal):
    """Return eta."""
    model, n = robot.model, robot.nv
    F, D, eta = np.empty((n, n)), np.empty(n), np.empty(n)
    memory = scratch.allocate(model.topology)
    assert not diagonal_velocities(
        model.topology, model.constants, memory, q, qd, diagonal, F, D, eta
    )
    return eta


@pytest.mark.parametrize('name', TREES)
def test_kinetic_energy_is_half_of_the_square_and_the_way_back(name):
    """eta^T eta = qd^T M qd, with rotors added on the diagonal; qd comes back."""
    robot = TREES[name]
    model, n = robot.model, robot.nv
    F, D, back = np.empty((n, n)), np.empty(n), np.full(n, 7.0)
    added = np.linspace(0.0, 2.0, n)
    for q, qd, _ in states(robot, 2):
        eta = eta_of(robot, q, qd, added)
        agree(eta @ eta, qd @ (robot.mass_matrix(q) + np.diag(added)) @ qd)
        memory = filled(model.topology)
        assert not joint_velocities(
            model.topology, model.constants, memory, q, eta, added, F, D, back
        )
        agree(back, qd)
        agree(F.T @ np.diag(D) @ F, robot.mass_matrix(q) + np.diag(added))


@pytest.mark.parametrize('name', TREES)
def test_rates_are_those_along_the_motion(name):
    """d(eta)/dt along qd and forward dynamics, by differences; C alone does no work."""
    robot = TREES[name]
    model, n = robot.model, robot.nv
    F, D, rates, none = np.empty((n, n)), np.empty(n), np.empty(n), np.zeros(n)
    rng = np.random.default_rng(5)
    for q, qd, tau in states(robot, 1):
        f_ext = rng.normal(size=(len(model.body_names), 6))
        memory = scratch.allocate(model.topology)
        eta = eta_of(robot, q, qd, none)
        joint_velocities(model.topology, model.constants, memory, q, eta, none, F, D, np.empty(n))
        given = (model.topology, model.constants, model.gravity, memory, q, qd)
        assert not diagonal_rates(*given, tau, f_ext, none, F, D, np.empty((3, n)), rates)
        qdd = np.linalg.solve(robot.mass_matrix(q), tau - _bias(robot, q, qd, f_ext))
        along = [
            eta_of(robot, q + h * qd + 0.5 * h * h * qdd, qd + h * qdd, none)
            for h in (STEP, -STEP, 2.0 * STEP, -2.0 * STEP)
        ]
        expected = (NEAR * (along[0] - along[1]) + FAR * (along[2] - along[3])) / STEP
        assert rates == pytest.approx(expected, rel=1e-7, abs=1e-7 * np.abs(expected).max())
        free, falling = np.empty(n), np.empty(n)
        for effort, found in ((robot.gravity_torque(q), free), (none, falling)):
            diagonal_rates(
                *given, effort, np.zeros_like(f_ext), none, F, D, np.empty((3, n)), found
            )
        # the weight cancels in `free`, to the rounding of its own size
        size = np.linalg.norm(free) + np.linalg.norm(falling)
        assert abs(eta @ free) <= 1e-11 * np.linalg.norm(eta) * size
        assert np.linalg.norm(free) > 1e-3 or n == 1


def _bias(robot, q, qd, f_ext):
    """Return C qd + g - J^T f_ext."""
    tau, memory = np.empty(robot.nv), scratch.allocate(robot.model.topology)
    model = robot.model
    none = np.zeros(robot.nv)
    inverse_dynamics(
        model.topology, model.constants, model.gravity, memory, q, qd, none, f_ext, tau
    )
    return tau


class Watched(np.ndarray):
    """A matrix that counts how often an entry of it is read."""

    reads = 0

    def __getitem__(self, place):
        Watched.reads += 1
        return super().__getitem__(place)


@pytest.mark.parametrize('name', TREES)
def test_factor_is_read_at_the_joints_that_carry_each_other_alone(name, monkeypatch):
    """O(n depth): one entry of F for every joint and joint below it, not n squared."""
    robot = TREES[name]
    model, n = robot.model, robot.nv
    parents, pairs = model.topology[:, PARENT], 0
    for i in range(1, len(parents)):
        while parents[i] > 0:
            i, pairs = parents[i], pairs + 1
    q, qd, tau = next(iter(states(robot, 1)))
    memory, none = scratch.allocate(model.topology), np.zeros(n)
    F, D, out = np.empty((n, n)).view(Watched), np.empty(n), np.empty(n)
    body = model.topology, model.constants
    loads = np.zeros((len(model.body_names), 6))
    calls = (
        lambda: diagonal_velocities(*body, memory, q, qd, none, F, D, out),
        lambda: joint_velocities(*body, memory, q, qd, none, F, D, out),
        lambda: diagonal_rates(
            *body, model.gravity, memory, q, qd, tau, loads, none, F, D, np.empty((3, n)), out
        ),
    )
    for call in calls:
        monkeypatch.setattr(Watched, 'reads', 0)
        call()
        assert Watched.reads == pairs
