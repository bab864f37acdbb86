# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Each step of the normal form: the same robot, in fewer numbers."""

from dataclasses import replace

import numpy as np
import pytest

from robodyn_ros.codegen.registry import RECIPES
from robodyn_ros.codegen.specialise import counts
from robodyn_ros.model import layout
from robodyn_ros.model.normal_form import align, clean, cleaned_cosines, normal_form, regroup
from robodyn_ros.robot.robot import Robot
from test.codegen.conftest import named

pytestmark = pytest.mark.sensitive

STEPS = {'clean': clean, 'align': align, 'regroup': regroup, 'all': normal_form}
#: Direction cosines are cleaned within 1e-12, elsewhere only rounding is left.
EXACT = 4e-12


@pytest.fixture(params=STEPS, scope='session')
def step(request):
    """Return one step after the other."""
    return STEPS[request.param]


def test_dynamics_are_the_same_in_normal_form(answers, step):
    """Torques, mass matrix and forward dynamics do not notice."""
    turned = Robot(step(answers.robot.model))
    for name in (
        'inverse_dynamics',
        'gravity_torque',
        'mass_matrix',
        'coriolis_matrix',
        'forward_dynamics',
    ):
        (expected,) = answers.expected(name, RECIPES[name])
        got = getattr(turned, name)(*answers.given(RECIPES[name]))
        assert np.abs(got - expected).max() <= answers.tolerance(name, expected, EXACT), name


def test_aligned_frames_keep_their_place(answers):
    """The frames that a user asks for are where they were."""
    turned = Robot(align(answers.robot.model))
    for name in ('pose', 'velocity', 'jacobian'):
        given = (answers.q, answers.qd)[: 2 if name == 'velocity' else 1]
        for frame in (answers.frame, answers.robot.frames[-1]):
            expected = getattr(answers.robot, name)(*given, frame)
            got = getattr(turned, name)(*given, frame)
            assert np.abs(got - expected).max() <= EXACT * max(1.0, np.abs(expected).max())


def test_alignment_keeps_energy_up_to_a_constant(answers):
    """Kinetic energy stays; potential energy by a constant (mass slides along joints)."""
    turned = Robot(align(answers.robot.model))
    kinetic, potential = answers.robot.energy(answers.q, answers.qd)
    got = turned.energy(answers.q, answers.qd)
    assert got[0] == pytest.approx(kinetic, rel=EXACT)
    assert got[1] == pytest.approx(potential, abs=EXACT * answers.size)


def test_aligned_chain_is_a_turn_about_x(franka):
    """In a chain the placement of a child is a turn about x, and an offset without y."""
    model = align(franka.model)
    for row in model.constants[2:]:
        R = row[layout.ROTATION : layout.ROTATION + 9].reshape(3, 3)
        assert np.abs(R[0] - (1.0, 0.0, 0.0)).max() == 0.0 and R[1, 0] == R[2, 0] == 0.0
        assert row[layout.OFFSET + 1] == 0.0


def test_regrouped_bodies_have_base_parameters(every_case):
    """A revolute body keeps no mass, no moment along its joint and no Iyy of its own... except
    what its children gave it.
    """
    model = regroup(every_case.robot.model)
    carriers = set(model.topology[1:, layout.PARENT])
    for i in range(1, len(model.constants)):
        if i in carriers:
            continue
        row = model.constants[i]
        if model.topology[i, layout.KIND] == layout.PRISMATIC:
            assert not row[layout.INERTIA : layout.INERTIA + 6].any()
        else:
            assert row[layout.MASS] == row[layout.MOMENT + 2] == row[layout.INERTIA + 3] == 0.0


def almost(model, off):
    """The model with a turn of `off` about x before the second body: cosines almost 0 and 1."""
    constants = model.constants.copy()
    R = constants[2, layout.ROTATION : layout.ROTATION + 9].reshape(3, 3)
    R[...] = R @ np.array(
        [[1.0, 0.0, 0.0], [0.0, np.cos(off), -np.sin(off)], [0.0, np.sin(off), np.cos(off)]]
    )
    return model.with_constants(constants)


def test_cleaning_states_what_it_changes(franka):
    """Cosines within 1e-12 of 0 become 0, and are named; others stay, and are not."""
    assert cleaned_cosines(franka.model) == []
    name = franka.model.body_names[2]
    model = almost(franka.model, 3e-13)
    changes = cleaned_cosines(model)
    assert len(changes) == 2 and {body for body, *_ in changes} == {name}
    for _, row, column, value in changes:
        assert abs(value) == pytest.approx(3e-13, rel=1e-3)
        assert clean(model).constants[2, layout.ROTATION + 3 * row + column] == 0.0
    assert (clean(model).constants == franka.model.constants).all()
    assert cleaned_cosines(clean(model)) == []
    assert cleaned_cosines(almost(franka.model, 3e-11)) == []


def test_a_specialised_robot_states_what_it_cleaned():
    """Its report has a note on each cosine, of bodies and of frames; the model's has none."""
    model = named('one_slide').robot.model
    tip = tuple(model.frames)[-1]
    off = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, -2e-13], [0.0, 2e-13, 1.0]])
    model = replace(model, frames=model.frames | {tip: replace(model.frames[tip], rotation=off)})
    robot = Robot(model).specialised()
    notes = set(robot.report.notes) - set(model.report.notes)
    assert len(notes) == 2
    assert all(
        note.startswith(f'frame {tip}: the direction cosine') and note.endswith('is taken to be 0')
        for note in notes
    )
    assert robot.report.warnings == model.report.warnings


def test_cleaning_saves_arithmetic(franka):
    """What is almost zero costs as much as any number, until it is cleaned."""
    table = counts(almost(franka.model, 3e-13), 'inverse_dynamics')
    before, after = (
        sum(table[step][k] for k in ('multiplications', 'additions'))
        for step in ('as described', 'cleaned')
    )
    assert after < before
    assert table['cleaned'] == counts(franka.model, 'inverse_dynamics')['as described']


def test_regrouping_saves_arithmetic_alone(franka):
    """Without aligned frames too."""
    from robodyn_ros.codegen.specialise import record_as_is

    recipe = RECIPES['inverse_dynamics']
    before, after = (
        sum(record_as_is('inverse_dynamics', recipe, model).counts().values())
        for model in (franka.model, regroup(franka.model))
    )
    assert after < before


def test_what_is_compiled_is_the_shortest_way(answers):
    """Turned frames are left alone where that makes a frame's quantity longer."""
    for name in ('pose', 'jacobian'):
        table = counts(answers.robot.model, name, answers.frame)
        lengths = {step: sum(table[step].values()) for step in table}
        assert lengths['compiled'] <= min(lengths['cleaned'], lengths['regrouped'])


def test_every_step_saves_arithmetic(franka):
    """Aligning and regrouping each cost nothing, and together save what the report says."""
    for name in ('inverse_dynamics', 'mass_matrix', 'forward_dynamics'):
        table = counts(franka.model, name)
        plain, aligned, both = (
            sum(table[step][k] for k in ('multiplications', 'additions'))
            for step in ('as described', 'aligned', 'regrouped')
        )
        assert both < aligned < plain
        assert table['compiled'] == table['regrouped']
