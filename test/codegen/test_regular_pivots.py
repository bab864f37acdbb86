# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pivots without a check in code for one robot: the referees are numpy and random postures."""

import ast
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.algorithms.core import articulated
from robodyn_ros.algorithms.mass_matrix import mass_matrix_solve
from robodyn_ros.algorithms.variants import prescribed_motion
from robodyn_ros.codegen import registry, regular_pivots, specialise
from robodyn_ros.codegen.regular_pivots import pivot_bounds, regular_joints
from robodyn_ros.compile.rebound import rebound
from robodyn_ros.model.layout import INERTIA, KIND, MASS, MOMENT, PARENT, PRISMATIC, ROTOR, V
from support.robots.families import FAMILIES, MIXED, states
from support.robots.fingers import GRIPPER
from support.robots.real_robots import robot as named

ARMS = ('franka_like', 'ur_like')
PIVOTS = ('forward_dynamics', 'mass_solve', 'mass_matrix_inverse', 'joint_inertias')
RECIPES = registry.RECIPES | registry.FURTHER_RECIPES


def checks(model, name):
    """Return the number of checks of the code of a quantity."""
    return len(specialise.record(name, RECIPES[name], model).tape.checks)


def behind(topology, i):
    """Return the rows of the bodies behind the joint of body i."""
    found = {i}
    for k in range(i + 1, len(topology)):
        if topology[k, PARENT] in found:
            found.add(k)
    return sorted(found - {i})


def schur_complement(M, topology, i):
    """Return what the joints behind joint i leave of its entry of M."""
    k, rest = topology[i, V], topology[behind(topology, i), V]
    return M[k, k] - M[k, rest] @ np.linalg.solve(M[np.ix_(rest, rest)], M[rest, k])


@pytest.mark.parametrize('name', [*FAMILIES, *MIXED])
def test_lower_bounds_hold(name):
    """No pivot is less, at postures far beyond the ranges of the joints too."""
    robot = (FAMILIES | MIXED)[name].robot
    model = robot.model
    lower, _ = pivot_bounds(model)
    for q, _, _ in states(robot, count=20):
        M = robot.mass_matrix(q)
        for i in np.flatnonzero(lower):
            pivot = schur_complement(M, model.topology, i)
            assert pivot >= lower[i] - 1e-12 * M[model.topology[i, V], model.topology[i, V]]


@pytest.mark.parametrize('name', FAMILIES)
def test_upper_bounds_hold(name):
    """The articulated inertia, about the origin of the body, has no larger trace."""
    robot = FAMILIES[name].robot
    model = robot.model
    _, upper = pivot_bounds(model)
    at_origin = ~model.link_placements()[1][:, 9:].any(axis=1)
    for q, _, _ in states(robot, count=20):
        articulated = robot.links.inertias(q)[1]
        for i in np.flatnonzero(np.isfinite(upper) & at_origin):
            block = slice(0, 3) if model.topology[i, KIND] == PRISMATIC else slice(3, 6)
            size = np.trace(articulated[i - 1][block, block])
            assert size + model.constants[i, ROTOR] <= upper[i] * (1.0 + 1e-12)


def test_bounds_are_reached():
    """By a body alone: the last of a chain, whose pivot is no more than its own inertia."""
    model = named('franka_like').robot.model
    lower, upper = pivot_bounds(model)
    row = model.constants[-1]
    assert lower[-1] == row[INERTIA + 5] + row[ROTOR]
    assert upper[-1] == row[INERTIA] + row[INERTIA + 3] + row[INERTIA + 5] + row[ROTOR]


@pytest.mark.parametrize('name', ARMS)
@pytest.mark.parametrize('quantity', PIVOTS)
def test_arms_need_no_checks(name, quantity, monkeypatch):
    """Their code has as many divisions as code with checks, and less of everything else."""
    model = named(name).robot.model
    assert not checks(model, quantity)
    own = specialise.record(quantity, RECIPES[quantity], model).counts()
    monkeypatch.setattr(specialise, 'unchecked_joints', lambda model, recipe: frozenset())
    assert checks(model, quantity)
    other = specialise.record(quantity, RECIPES[quantity], model).counts()
    assert own['divisions'] == other['divisions'] > 0
    assert own['additions'] < other['additions']


@pytest.mark.parametrize(
    ('change', 'joint'),
    [
        ('no inertia', 4),
        ('little inertia', 4),
        ('negative moment', 4),
        ('moment without mass', 4),
        ('negative rotor', 4),
        ('huge load', 7),
    ],
)
def test_doubtful_bodies_keep_the_checks(change, joint):
    """A body without inertia about its joint, one that cannot exist, and one on a huge load."""
    model = named('franka_like').robot.model
    constants = model.constants.copy()
    row = constants[joint]
    if change == 'no inertia':
        row[MASS : INERTIA + 6] = 0.0
    elif change == 'little inertia':
        row[MASS : INERTIA + 6] *= 1e-11
    elif change == 'negative moment':
        row[INERTIA] = -row[INERTIA + 3] - row[INERTIA + 5]
    elif change == 'moment without mass':
        row[MASS], row[MOMENT] = 0.0, 0.1
    elif change == 'negative rotor':
        row[ROTOR] = -1e-6
    else:
        row[MASS : INERTIA + 6] *= 1e12
    changed = model.with_constants(constants)
    before, after = regular_joints(model), regular_joints(changed)
    assert before == set(range(1, 8))
    doubtful = {'no inertia': {4}, 'little inertia': {4}, 'huge load': set(range(1, 7))}.get(
        change, set(range(1, 5))
    )
    assert before - after == doubtful
    assert checks(changed, 'forward_dynamics') >= len(doubtful - {7})


@pytest.mark.parametrize('name', ['sliding_chain', 'sliding_tree', 'rotors'])
def test_slides_leave_the_joints_that_carry_them_in_doubt(name):
    """They may carry a body as far as one likes; what they carry themselves is bounded."""
    model = FAMILIES[name].robot.model
    kinds, regular = model.topology[:, KIND], regular_joints(model)
    carrying = {
        i
        for i in range(1, len(kinds))
        if kinds[i] != PRISMATIC and (kinds[behind(model.topology, i)] == PRISMATIC).any()
    }
    assert carrying and regular == set(range(1, len(kinds))) - carrying


def test_code_for_inputs_that_change_the_mass_matrix_keeps_its_checks():
    """A diagonal may be negative, a payload heavy, and single precision rounds more."""
    model = named('franka_like').robot.model
    recipe = registry.RECIPES['forward_dynamics']
    assert regular_pivots.unchecked_joints(model, recipe) == frozenset(range(1, 8))
    for changed in (
        replace(recipe, inputs={**recipe.inputs, 'diagonal': ('nv',)}),
        replace(recipe, payloads=('tool0',)),
        replace(recipe, real='float'),
    ):
        assert not regular_pivots.unchecked_joints(model, changed)


def test_dependent_joints_keep_their_checks():
    """The pivots of a gripper are those of its independent velocities."""
    model = Robot.from_urdf(GRIPPER).model
    assert model.is_embedded and not regular_joints(model)


def test_far_apart_bodies_lose_their_regular_pivots():
    """A long arm makes the upper bound grow with its square."""
    model = named('franka_like').robot.model
    constants = model.constants.copy()
    constants[7, 9:12] *= 1e6
    assert regular_joints(model.with_constants(constants)) == {7}


def test_copies_of_a_recursion_keep_what_was_replaced_before():
    """A copy without checks of the copy with packs still has packs."""
    model = named('franka_like').robot.model
    recipe = RECIPES['forward_dynamics']
    given, seen = regular_joints(model), []

    def counted(topology, constants, work, i):
        seen.append(i)
        return mass_matrix_solve.cross_base_to_tip(topology, constants, work, i)

    changed = rebound(
        prescribed_motion.forward_dynamics, {prescribed_motion.accelerate_from_parent: counted}
    )
    recursion = regular_pivots.without_needless_checks(changed, given)
    assert recursion is not changed
    recipe = replace(recipe, recursion=recursion, others=())
    found = specialise.record('forward_dynamics', recipe, model)
    assert seen[-7:] == list(range(1, 8)) and not found.tape.checks


def test_only_eliminations_from_the_tips_may_lose_their_checks():
    """The bounds hold for these pivots alone, not for those of other matrices or orders."""
    folder, found = Path(articulated.__file__).parents[1], set()
    for path in folder.rglob('*.py'):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef) and any(
                isinstance(each, ast.Call) and getattr(each.func, 'id', '') == 'invert_pivot'
                for each in ast.walk(node)
            ):
                found.add((path.stem, node.name))
    assert found == {
        ('articulated', 'eliminate_joint'),
        ('composite', 'factorise'),
        ('articulated_world_frame', 'eliminate_joints'),
    }
