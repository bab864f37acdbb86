# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The text of every quantity, run as plain Python, against the generic kernels."""

import ast

import numpy as np
import pytest

from robodyn_ros.codegen import emit_python
from robodyn_ros.codegen.registry import FRAME_RECIPES, RECIPES
from robodyn_ros.codegen.specialise import record
from robodyn_ros.codegen.tape import Tape
from robodyn_ros.model import layout

#: Rounding; and where makers wrote right angles with eleven digits, what cleaning them moves.
EXACT, CLEANED = 1e-13, 4e-12


def exact(model):
    """Return the relative error allowed: more where a direction cosine is almost 0 or 1."""
    cosines = model.constants[:, layout.ROTATION : layout.ROTATION + 9]
    off = np.abs(cosines - np.round(cosines))
    return CLEANED if ((off > 2e-16) & (off < 1e-10)).any() else EXACT


def plain(recording):
    """Return the function of a recording as plain Python."""
    text, end, _ = emit_python.write(recording).partition('\n_one = ')
    assert end
    space = {}
    exec(text, space)  # a tree of its syntax would take three times as long
    return space[recording.name]


def test_recorded_text_of_every_recipe_gives_what_the_recursion_gives(
    answers, quantity, every_case
):
    """Any robot, any quantity: the recorded text gives what the recursion gives."""
    name, recipe = quantity
    answers.skip_if_pointless(name)
    frame = answers.frame if name in FRAME_RECIPES else None
    recording = record(name, recipe, answers.robot.model, frame)
    got = [np.full(shape, np.nan) for shape in recording.outputs.values()]
    status = plain(recording)(*answers.given(recipe), *got)
    assert status == answers.refuses(name)
    if status:
        assert all(np.isnan(array).all() for array in got)
        return
    allowed = exact(answers.robot.model)
    for mine, theirs in zip(got, answers.expected(name, recipe)):
        assert np.abs(mine - theirs).max() <= answers.tolerance(name, theirs, allowed) + 1e-15


def test_generated_source_names_its_robot_its_cost_and_its_parts(franka):
    """It says what it is of which robot, what it costs, where it is from, and names its parts."""
    text = emit_python.write(record('inverse_dynamics', RECIPES['inverse_dynamics'], franka.model))
    tree = ast.parse(text)
    said = ast.get_docstring(tree)
    assert 'inverse_dynamics of robot franka_like' in said
    assert 'multiplications' in said and 'algorithms.core.rnea' in said
    for part in ('cos_2_0', 'omega_3_', 'force_5_', 'moment_2_'):
        assert part in text


def test_a_name_is_never_code(franka):
    """Whatever a robot is called stays a word in a comment."""
    from dataclasses import replace

    evil = replace(franka.model, name='a"""\nraise SystemExit(1)\n"""{counts}\\')
    text = emit_python.write(record('gravity_torque', RECIPES['gravity_torque'], evil))
    assert not [node for node in ast.parse(text).body if isinstance(node, ast.Raise)]


def test_nothing_is_read_before_it_is_written(franka):
    """A recursion that relied on old working memory would fail while it is recorded."""
    from robodyn_ros.codegen.specialise import RecordingWork

    with pytest.raises(KeyError):
        RecordingWork(Tape(), 3)[1].omega[0]


def test_a_refused_text_reports_it(franka):
    """Code beyond the limit is not compiled, and the text states its size."""
    text = emit_python.refuse(record('gravity_torque', RECIPES['gravity_torque'], franka.model))
    space = {}
    exec(text, space)
    assert space['one'] is None and 'multiplications' in space['__doc__']
