"""Each step of the normal form: the same robot, in fewer numbers."""

import numpy as np
import pytest
from robodyn_ros.kernels.normalise import align, regroup
from robodyn_ros.kernels.specialise import counts, RECIPES
from robodyn_ros.model import layout
from robodyn_ros.robot import Robot

STEPS = {'align': align, 'regroup': regroup, 'both': lambda model: regroup(align(model))}
#: Direction cosines are cleaned within 1e-12, elsewhere only rounding is left.
EXACT = 4e-12


@pytest.fixture(params=STEPS, scope='session')
def step(request):
    """Return one step after the other."""
    return STEPS[request.param]


def test_dynamics_stay(answers, step):
    """Torques, mass matrix and forward dynamics do not notice."""
    turned = Robot(step(answers.robot.model))
    for name in ('inverse_dynamics', 'gravity_torque', 'mass_matrix', 'coriolis_matrix',
                 'forward_dynamics'):
        expected, = answers.expected(name, RECIPES[name])
        got = getattr(turned, name)(*answers.given(RECIPES[name]))
        assert np.abs(got - expected).max() <= answers.tolerance(name, expected, EXACT), name


def test_aligned_frames_keep_their_place(answers):
    """The frames that a user asks for are where they were."""
    turned = Robot(align(answers.robot.model))
    for name in ('pose', 'velocity', 'jacobian'):
        given = (answers.q, answers.qd)[:2 if name == 'velocity' else 1]
        for frame in (answers.frame, answers.robot.frames[-1]):
            expected = getattr(answers.robot, name)(*given, frame)
            got = getattr(turned, name)(*given, frame)
            assert np.abs(got - expected).max() <= EXACT * max(1.0, np.abs(expected).max())


def test_energy_of_aligned_frames(answers):
    """Kinetic energy stays; potential energy by a constant (mass slides along hinges)."""
    turned = Robot(align(answers.robot.model))
    kinetic, potential = answers.robot.energy(answers.q, answers.qd)
    got = turned.energy(answers.q, answers.qd)
    assert got[0] == pytest.approx(kinetic, rel=EXACT)
    assert got[1] == pytest.approx(potential, abs=EXACT * answers.size)


def test_aligned_chain_is_a_turn_about_x(franka):
    """In a chain the placement of a child is a turn about x, and an offset without y."""
    model = align(franka.model)
    for row in model.constants[2:]:
        R = row[layout.ROTATION:layout.ROTATION + 9].reshape(3, 3)
        assert np.abs(R[0] - (1.0, 0.0, 0.0)).max() == 0.0 and R[1, 0] == R[2, 0] == 0.0
        assert row[layout.OFFSET + 1] == 0.0


def test_regrouped_bodies_have_base_parameters(every_case):
    """A revolute body keeps no mass, no moment along its hinge and no Iyy of its own... except
    what its children gave it.
    """
    model = regroup(every_case.robot.model)
    carriers = set(model.topology[1:, layout.PARENT])
    for i in range(1, len(model.constants)):
        if i in carriers:
            continue
        row = model.constants[i]
        if model.topology[i, layout.KIND] == layout.PRISMATIC:
            assert not row[layout.INERTIA:layout.INERTIA + 6].any()
        else:
            assert row[layout.MASS] == row[layout.MOMENT + 2] == row[layout.INERTIA + 3] == 0.0


def test_every_step_saves_arithmetic(franka):
    """Aligning and regrouping each cost nothing, and together save what the report says."""
    for name in ('inverse_dynamics', 'mass_matrix', 'forward_dynamics'):
        plain, aligned, both = (sum(numbers[k] for k in ('multiplications', 'additions'))
                                for numbers in counts(franka.model, name).values())
        assert both < aligned < plain
