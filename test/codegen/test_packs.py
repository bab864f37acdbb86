# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Derivatives with the same quantity of several joints in one register."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from robodyn_ros.codegen import emit_python, packs
from robodyn_ros.codegen.derivative_registry import DERIVATIVES
from robodyn_ros.codegen.packs import WIDTH, shorter_with_packs
from robodyn_ros.codegen.specialise import sizes, specialise
from robodyn_ros.codegen.tape import Recorded, Tape
from robodyn_ros.compile.source_cache import imported
from support.referees import slopes
from support.robots.families import FAMILIES, MIXED, states
from test.codegen.conftest import named

#: Longer than any recording, so that packs are always shorter.
LONGEST = SimpleNamespace(computed=range(10**9), singular=False)
REFEREES = {
    'inverse_dynamics_derivatives': slopes.of_inverse_dynamics,
    'forward_dynamics_derivatives': slopes.of_forward_dynamics,
}
TREES = (
    'franka_like',
    'sliding_chain',
    'mixed_chain',
    'rotors',
    'permuted',
    'one_slide',
    'one_screw',
    'balls_in_a_row',
    'mixed_permuted',
    'mixed_tree',
    'free_base',
)


def found(name):
    """Return a random robot, or one with joints of every type."""
    return MIXED[name] if name in MIXED else named(name)


@pytest.fixture
def numbers():
    """Return a tape with five inputs."""
    tape = Tape()
    return tape, [tape.input(f'x[{k}]') for k in range(5)]


def test_a_pack_of_all_lanes_is_the_pack_itself(numbers):
    """So numbers that are taken apart and put together again take no operation."""
    tape, x = numbers
    total = tape.pack(x[:3]) + tape.pack(x[2:])
    assert tape.pack([tape.lane(total, k) for k in range(3)]) is total
    assert tape.pack([-tape.lane(total, k) for k in range(3)]) is -total
    assert tape.pack([tape.lane(-total, k) for k in range(3)]) is -total


@pytest.mark.parametrize('lanes', [(0, 1), (1, 0, 2), (0, 1, 1)])
def test_other_lanes_are_a_new_pack(numbers, lanes):
    """A part of a pack, or its lanes in another order."""
    tape, x = numbers
    total = tape.pack(x[:3]) + tape.pack(x[2:])
    new = tape.pack([tape.lane(total, k) for k in lanes])
    assert new is not total and [tape.lane(new, k) for k in range(len(lanes))] == [
        tape.lane(total, k) for k in lanes
    ]


def test_equal_numbers_are_one_number(numbers):
    """Zeros of all joints vanish, and a common number is not written to every lane."""
    tape, x = numbers
    assert tape.pack([x[1]] * 4) is x[1] and tape.pack([0.0, 0.0]) == 0.0
    assert isinstance(tape.pack([0.0, 0.5]), Recorded)
    assert tape.lane(x[1], 3) is x[1] and tape.lane(2.5, 1) == 2.5
    mixed = tape.pack([x[0], 0.5])
    assert tape.lane(mixed, 0) is x[0] and tape.lane(mixed, 1) == 0.5


def test_common_signs_move_out_of_a_pack(numbers):
    """A negated pack has the numbers of the positive one; zeros have no sign."""
    tape, x = numbers
    assert tape.pack([-x[0], 0.0, -x[1]]) is -tape.pack([x[0], 0.0, x[1]])
    assert tape.lane(tape.pack([-x[0], x[1]]), 0) is -x[0]


@pytest.mark.parametrize('which', TREES)
@pytest.mark.parametrize('name', REFEREES)
def test_recordings_with_packs_have_the_derivatives(which, name, tmp_path, monkeypatch):
    """Complex steps through other recursions. Trees, slides, screws, spherical joints, rotors."""
    monkeypatch.setenv('ROBODYN_CACHE_DIR', str(tmp_path))
    robot, recipe = found(which).robot, DERIVATIVES[name]
    recording = shorter_with_packs(name, recipe, robot.model, LONGEST)
    text = emit_python.write(recording, recording)
    run = getattr(imported(f'packs_{which}_{name}', lambda: text), f'{name}_of_packs')
    for given in states(robot, 2):
        results = [np.full(shape, np.nan) for shape in sizes(recipe.outputs, robot.model).values()]
        assert run(*given, *results) == 0
        # accelerations from the inverse of the mass matrix have errors of its condition
        slack = 1e-12 + 1e-14 * np.linalg.cond(robot.mass_matrix(given[0]))
        for mine, theirs in zip(results, REFEREES[name](robot, *given), strict=True):
            assert np.abs(mine - theirs).max() <= slack * max(1.0, np.abs(theirs).max())


@pytest.mark.parametrize('name', REFEREES)
def test_the_shorter_code_is_compiled_for_one_state(name):
    """Packs for seven joints, but not for two. Batches have the code of numbers."""
    for which, is_packed in (('franka_like', True), ('two_link', False)):
        model = named(which).robot.model
        one, rows = (
            each.python.__globals__
            for each in vars(specialise(model, name, DERIVATIVES[name])).values()
        )
        assert one is rows and (f'{name}_of_packs' in one) == is_packed


def test_each_row_of_a_result_is_written_at_once():
    """By slices of at most WIDTH numbers, and every number once."""
    name = 'inverse_dynamics_derivatives'
    model = named('franka_like').robot.model
    recording = shorter_with_packs(name, DERIVATIVES[name], model, LONGEST)
    expected = {
        f'{matrix}[{row}, {first}:{min(first + WIDTH, 7)}]'
        for matrix in recording.outputs for row in range(7) for first in range(0, 7, WIDTH)
    }  # fmt: skip
    assert set(recording.results) == expected


def test_dependent_joints_and_zero_pivots_have_no_packs():
    """Derivatives of mimic joints come from elimination; a zero pivot has no code."""
    recipe = DERIVATIVES['inverse_dynamics_derivatives']
    model = FAMILIES['permuted'].robot.model
    embedded = SimpleNamespace(is_embedded=True)
    singular = SimpleNamespace(computed=range(10**9), singular=True)
    assert packs.shorter_with_packs('any', recipe, embedded, LONGEST) is None
    assert packs.shorter_with_packs('any', recipe, model, singular) is None


def test_code_without_packs_is_not_taken_for_code_with_them():
    """Recipes that differ in their packs alone have two sources in the cache."""
    model, name = named('franka_like').robot.model, 'inverse_dynamics_derivatives'
    recipes = DERIVATIVES[name], replace(DERIVATIVES[name], packed=None)
    kernels = [specialise(model, name, recipe).one for recipe in recipes]
    assert len({kernel.python.__module__ for kernel in kernels}) == 2
