# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Recursions in one frame for all bodies. Referees are composite bodies joint by joint, numpy, and
the rigid bodies themselves.
"""

import inspect
from dataclasses import replace

import numpy as np
import pytest

from robodyn_ros.algorithms.core import crba_world_frame, world_frame
from robodyn_ros.algorithms.core.joint_transform import joint_transforms
from robodyn_ros.algorithms.mass_matrix import (
    mass_matrix_factors_world_frame,
    mass_matrix_inverse,
    mass_matrix_inverse_world_frame,
)
from robodyn_ros.codegen.registry import RECIPES
from robodyn_ros.codegen.specialise import record
from robodyn_ros.codegen.tape import needed
from robodyn_ros.model.layout import V
from robodyn_ros.spatial.articulated_inertia import load_general
from robodyn_ros.spatial.vec3 import load
from support.robots.families import case
from support.work import PlainWork


def run(recursion, model, **given):
    """Run a plain recursion on numbers, its working memory full of NaN; return its status."""
    known = {
        'topology': model.topology,
        'constants': model.constants,
        'work': PlainWork(model.topology),
        **given,
    }
    return recursion(*(known[name] for name in inspect.signature(recursion).parameters))


def test_mass_matrix_in_one_frame_agrees_entry_by_entry(answers):
    """Entry by entry, and what no joint carries is zero."""
    robot, n = answers.robot, answers.robot.nv
    M = np.full((n, n), np.nan)
    run(crba_world_frame.mass_matrix, robot.model, q=answers.q, M=M)
    expected = robot.mass_matrix(answers.q)
    # some hundred operations with lengths and masses of the whole robot
    assert np.abs(M - expected).max() <= 1e-13 * np.abs(expected).max()
    assert not M[expected == 0.0].any()
    assert np.array_equal(M, M.T)


@pytest.mark.parametrize(
    'recursion',
    [
        mass_matrix_inverse.mass_matrix_inverse_in_place,
        mass_matrix_inverse_world_frame.mass_matrix_inverse,
    ],
)
def test_inverse_in_one_frame_inverts_the_mass_matrix(answers, recursion):
    """With and without something on the diagonal; joint by joint, and in one frame."""
    robot, n = answers.robot, answers.robot.nv
    for diagonal in (np.zeros(n), np.linspace(0.1, 0.5, n)):
        inverse = np.full((n, n), np.nan)
        assert (
            run(
                recursion,
                robot.model,
                q=answers.q,
                diagonal=diagonal,
                inverse=inverse,
                motions=np.full(mass_matrix_inverse_world_frame.motions(n), np.nan),
            )
            == 0
        )
        expected = np.linalg.inv(robot.mass_matrix(answers.q) + np.diag(diagonal))
        error = np.abs(inverse - expected).max()
        assert error <= 1e-13 * answers.condition * np.abs(expected).max()


def test_factors_in_one_frame_give_the_mass_matrix(answers):
    """F is unit triangular in the order of the bodies, and F^T D F the mass matrix."""
    robot, n = answers.robot, answers.robot.nv
    for diagonal in (np.zeros(n), np.linspace(0.1, 0.5, n)):
        F, D = np.full((n, n), np.nan), np.full(n, np.nan)
        assert (
            run(
                mass_matrix_factors_world_frame.mass_factors,
                robot.model,
                q=answers.q,
                diagonal=diagonal,
                F=F,
                D=D,
            )
            == 0
        )
        expected = robot.mass_matrix(answers.q) + np.diag(diagonal)
        assert np.abs(F.T @ np.diag(D) @ F - expected).max() <= 1e-13 * np.abs(expected).max()
        order = robot.model.topology[1:, V]
        assert np.array_equal(np.triu(F[np.ix_(order, order)]), np.eye(n)) and (D > 0.0).all()


def test_the_common_frame_keeps_placements_on_parents(answers):
    """In the common frame, bodies keep their placements on their parents. The common frame is the
    first body of each tree, or one that it carries without a branch.
    """
    model = answers.robot.model
    work = PlainWork(model.topology)
    joint_transforms(model.topology, model.constants, work, answers.q)
    world_frame.poses_in_world_frame(model.topology, work)
    bodies = range(len(model.topology))
    rotations = np.array([load_general(work[i].world_rotation) for i in bodies[1:]], float)
    rotations = np.concatenate(([np.full(9, np.nan)], rotations)).reshape(-1, 3, 3)
    origins = np.array([load(work[i].world_position) for i in bodies], float)
    seen_from = [np.array_equal(R, np.eye(3)) and not p.any() for R, p in zip(rotations, origins)]
    first = [i for i in bodies[1:] if model.topology[i, 0] == 0]
    assert sum(seen_from) >= len(first)
    for i in bodies[1:]:
        parent, body = model.topology[i, 0], work[i]
        assert np.abs(rotations[i] @ rotations[i].T - np.eye(3)).max() < 1e-14
        if parent > 0:
            cos, sin = body.cos, body.sin
            turn = np.reshape(load_general(body.rotation), (3, 3)) @ [
                [cos, -sin, 0.0],
                [sin, cos, 0.0],
                [0.0, 0.0, 1.0],
            ]
            offset = rotations[parent] @ load(body.position)
            assert np.abs(rotations[parent] @ turn - rotations[i]).max() < 1e-14
            assert np.abs(origins[parent] + offset - origins[i]).max() < 1e-13


@pytest.mark.parametrize('name', ['mass_matrix', 'mass_matrix_inverse'])
def test_long_chains_take_it(name, franka):
    """It serves chains with many joints under a wrench; the code of an arm stays the same."""
    model = case('long_chain', 24).robot.model
    assert record(name, RECIPES[name], model).origin.endswith('_world_frame')
    assert not record(name, RECIPES[name], franka.model).origin.endswith('_world_frame')


def test_one_frame_takes_fewer_operations(franka):
    """Of 24 skew joints the mass matrix takes two thirds of the operations that it takes joint by
    joint. The Coriolis matrix of an arm does not depend on its first angle.
    """
    model, recipe = case('long_chain', 24).robot.model, RECIPES['mass_matrix']
    best, before = (
        sum(record('mass_matrix', way, model).counts().values())
        for way in (recipe, replace(recipe, others=()))
    )
    assert 3 * best < 2 * before
    recording = record('coriolis_matrix', RECIPES['coriolis_matrix'], franka.model)
    nodes = [recording.tape.nodes[index] for index in needed(recording.tape, recording.needed())]
    assert ('input', 'q[0]') not in nodes and ('input', 'qd[0]') in nodes
