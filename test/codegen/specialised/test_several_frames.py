# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What couples several frames, recorded and compiled for one robot."""

import numpy as np
import pytest

from robodyn_ros.codegen.registry import frame_recipes
from robodyn_ros.codegen.specialise import record, specialise
from robodyn_ros.robot.robot import Robot
from support.compare import agree, solve_tolerance
from support.robots.families import case, states

FORK = case('fork of 5', 5, kinds=('revolute', 'prismatic'), branching=2, rotors=True)
FRAMES = ('link3', 'link5', 'link4')


@pytest.fixture(scope='module')
def kernel():
    """Return the code of three frames of a small tree."""
    recipe = frame_recipes(FORK.robot.model, FRAMES)['coupled_compliance']
    return specialise(FORK.robot.model, 'coupled_compliance', recipe, FRAMES).one.compiled


def test_code_of_several_frames_is_their_recursion(kernel):
    """J and J M^-1 J^T of three frames, by straight-line code and by the dense referee."""
    for q, _, _ in states(FORK.robot):
        J, compliance = np.full((18, 5), np.nan), np.full((18, 18), np.nan)
        assert kernel(q, J, compliance) == 0
        expected = np.concatenate([FORK.dense.jacobian(q, frame) for frame in FRAMES])
        M = FORK.dense.mass_matrix(q)
        agree(J, expected)
        agree(compliance, expected @ np.linalg.solve(M, expected.T), tolerance=solve_tolerance(M))


def test_a_specialised_robot_uses_it(monkeypatch):
    """The face of a robot that is specialised for a pair of frames asks the code of that pair."""
    robot = FORK.robot.specialised(frames=[FRAMES[:2]])
    q, qd, _ = states(FORK.robot)[0]
    expected = FORK.robot.operational_space_inertia(q, FRAMES[:2])
    bias = FORK.robot.task_space.bias(q, qd, FRAMES[:2])
    other = robot.operational_space_inertia(q, FRAMES[1:])
    monkeypatch.setattr(Robot, '_fill', None)
    found = robot.operational_space_inertia(q, FRAMES[:2])
    tolerance = solve_tolerance(FORK.dense.mass_matrix(q))
    agree(found.inverse, expected.inverse, tolerance=tolerance)
    assert found.rank == expected.rank and found.rows == expected.rows
    agree(
        robot.task_space.bias(q, qd, FRAMES[:2]).free_acceleration,
        bias.free_acceleration,
        tolerance=tolerance,
    )
    assert other.rows.keys() == {*FRAMES[1:]}


def test_operations_grow_with_the_path():
    """Two frames at the ends of two arms of n bodies on one trunk: as many for every body more."""

    def operations(n):
        robot = case(f'chain of {n} for counting', n, welds=0.0).robot
        names = robot.model.body_names
        frames = names[-1], names[2]
        recipe = frame_recipes(robot.model, frames)['coupled_compliance']
        return sum(record('coupled_compliance', recipe, robot.model, frames).counts().values())

    found = [operations(n) for n in (8, 12, 16, 20)]
    steps = np.diff(found)
    assert steps[0] > 0
    # the same for every four bodies, but for constants that happen to be zero or one
    assert np.abs(steps - steps[0]).max() < 0.02 * steps[0]
