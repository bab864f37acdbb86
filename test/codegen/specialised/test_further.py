# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What is specialised when it is asked for: joint wrenches, momentum, factors."""

import itertools
import re
from operator import attrgetter
from pathlib import Path

import numpy as np
import pytest

from robodyn_ros.codegen.derivative_registry import DERIVATIVES
from robodyn_ros.codegen.registry import (
    FRAME_RECIPES,
    FURTHER_FRAME_RECIPES,
    FURTHER_RECIPES,
    JOINT_RECIPES,
    LAW_RECURSIONS,
    RECIPES,
    frame_recipes,
)
from robodyn_ros.codegen.specialise import record
from robodyn_ros.compile import generic
from robodyn_ros.errors import ShapeError, SingularityError, UnknownNameError
from robodyn_ros.robot.dispatch import method_of, place_of
from robodyn_ros.robot.robot import Robot
from robodyn_ros.robot.specialised_variants import PUSHED
from robodyn_ros.robot.variants import REFERENCES, Variants
from support.compare import agree
from support.robots.families import FAMILIES, MIXED, states
from support.robots.families import case as make
from support.robots.real_robots import ARMS
from test.codegen.conftest import named
from test.codegen.specialised.test_specialised_code import exact, plain

REFERENCES_OF = {f'inverse_dynamics_{reference}': reference for reference in REFERENCES}
#: Those that solve: their rounding grows with the condition of the mass matrix.
SOLVES = (
    'joint_inertias',
    'mass_matrix_factors',
    'log_det_gradient',
    'mass_factor_rates',
    'factor_product',
    'forward_dynamics',
    'hamilton',
    'body_inertias',
    'articulated_inertia_rates',
    'link_operator',
)
#: Those that have no sense where velocities are not the rates of coordinates.
OF_RATES = {
    'hamilton_rates',
    'damping_torques',
    *(name for name, recipe in FURTHER_RECIPES.items() if recipe.of_rates),
}
#: Those that are recorded for every robot. The others are long, or close to one of these, or
#: test_specialised_references has them for every robot.
EVERYWHERE = tuple(FURTHER_RECIPES)[:9]
FRAMES, DRIVEN = ('link3', 'link2'), ('joint2', 'joint3')
BRANCHES = make('three with rotors', 3, kinds=('revolute', 'prismatic'), branching=2, rotors=True)


def expected(robot, name, given):
    """Return the outputs of a recipe by a robot."""
    if name == 'mass_matrix_factors':
        factors = robot.mass_operator.factors(*given)
        return [np.swapaxes(factors.L, -1, -2), factors.D]
    if name == 'mass_factor_rates':
        rates = robot.mass_operator.factor_rates(*given)
        return [np.swapaxes(rates.L, -1, -2), rates.D]
    if name in REFERENCES_OF:
        return [robot.variants.inverse_dynamics_in(REFERENCES_OF[name], *given)]
    if name.startswith('factor_product'):
        return [
            robot.mass_operator.factor_product(
                *given, transposed='transposed' in name, inverse='inverse' in name
            )
        ]
    if name == 'regressor':
        q, qd, qd_r, qdd = given
        return [robot.links.regressor(q, qd, qdd, qd_r)]
    result = method_of(robot, name)(*given)
    if name == 'articulated_inertia_rates':
        return [result.reshape(*result.shape[:-3], -1, 6)]
    if name.startswith('link_operator'):
        blocks = [getattr(result, block) for block in ('phi', 'psi', 'M')]
        return [*(x.reshape(*x.shape[:-3], -1, 6) for x in blocks), result.H, result.G]
    if name == 'body_inertias':
        return [blocks.reshape(*blocks.shape[:-3], -1, 6) for blocks in result]
    if name == 'composite_inertia':
        return list(result[1:])
    return list(result) if isinstance(result, tuple) else [result]


def size(robot, name, result, q, qd):
    """Return the size of what was added up to a result that may cancel."""
    if name == 'centre_of_mass':
        return max(np.linalg.norm(robot.pose(q, frame)[:3, 3]) for frame in robot.frames) + 1.0
    if name.startswith('centroidal'):
        reach = np.abs(robot.centroidal.momentum_matrix(q)).max()
        return max(reach, reach * np.abs(qd).sum() ** 2)
    scale = np.abs(result).max()
    if name == 'link_operator_rates':
        scale = max(scale, np.abs(qd).max())  # a gain without a rate: terms of phi qd cancel
    return scale * (np.linalg.cond(robot.mass_matrix(q)) if name.startswith(SOLVES) else 1.0)


def arguments(name, q, qd, x):
    """Return the inputs of a recipe, of the numbers of a state."""
    return (q, qd, x, qd)[: len(FURTHER_RECIPES[name].inputs)]


def refused(robot, name):
    """Return whether a quantity has no sense for a robot."""
    return name in OF_RATES and robot.nq != robot.nv


@pytest.mark.parametrize(
    'case, name',
    [
        *itertools.product([*FAMILIES, *MIXED, *ARMS], EVERYWHERE),
        *itertools.product(
            ['mixed_tree', 'one_slide', 'permuted'], sorted({*FURTHER_RECIPES} - {*EVERYWHERE})
        ),
    ],
)
def test_recorded_text_of_every_recipe_gives_what_the_recursion_gives(case, name):
    """Any robot, any further quantity: the recorded text gives what the recursion gives."""
    robot, recipe = ({**FAMILIES, **MIXED}.get(case) or named(case)).robot, FURTHER_RECIPES[name]
    q, qd, x = states(robot, 1)[0]
    given = arguments(name, q, qd, x)
    if refused(robot, name):
        pytest.skip('its velocities are not the rates of its coordinates')
    recording = record(name, recipe, robot.model)
    got = [np.full(shape, np.nan) for shape in recording.outputs.values()]
    assert plain(recording)(*given, *got) == 0
    for mine, theirs in zip(got, expected(robot, name, given)):
        agree(mine, theirs, scale=size(robot, name, theirs, q, qd), tolerance=exact(robot.model))


@pytest.fixture(scope='module')
def fast():
    """Return a tree with slides and rotors, with everything specialised."""
    robot = BRANCHES.robot
    return robot, robot.specialised(
        [FRAMES[0], FRAMES],
        also=[*FURTHER_RECIPES, *FURTHER_FRAME_RECIPES, ('hybrid_dynamics', DRIVEN)],
    )


@pytest.mark.parametrize('name', FURTHER_RECIPES)
def test_machine_code_answers_states_and_batches(fast, name):
    """One state and batches by machine code; the code answers, not the generic kernel."""
    robot, special = fast
    given = arguments(name, *(np.array(rows) for rows in zip(*states(robot, 21))))
    together = expected(special, name, given)
    for k, row in enumerate(zip(*given)):
        for mine, many, theirs in zip(
            expected(special, name, row), together, expected(robot, name, row)
        ):
            scale = size(robot, name, theirs, row[0], row[1 % len(row)])
            agree(mine, theirs, scale=scale, tolerance=1e-13)
            agree(many[k], theirs, scale=scale, tolerance=1e-13)
    one = special.kernels[name].one
    results = [np.full(np.shape(x), np.nan) for x in expected(robot, name, [x[0] for x in given])]
    assert one(*(x[0] for x in given), *results) == 0
    assert all(np.isfinite(x).all() for x in results)


@pytest.mark.parametrize('frames', [FRAMES[:1], FRAMES])
@pytest.mark.parametrize('name', ['torque_of_wrench', 'acceleration_of_wrench'])
def test_wrenches_on_frames_act_as_in_the_generic_robot(fast, name, frames, monkeypatch):
    """Of one frame and of two, for one state, a batch, and a wrench for each row of it."""
    robot, special = fast
    rng = np.random.default_rng(2)
    q = np.array([state[0] for state in states(robot, 11)])
    f_ext = {frame: rng.normal(size=6) for frame in frames}
    by_row = f_ext | {frames[0]: rng.normal(size=(11, 6))}
    wanted = [method_of(robot, name)(*given) for given in ((q[0], f_ext), (q, f_ext), (q, by_row))]
    owner, title = place_of(robot, name)
    monkeypatch.setattr(type(owner), title, None)
    out = np.empty((11, robot.nv))
    found = [
        method_of(special, name)(*given) for given in ((q[0], f_ext), (q, f_ext), (q, by_row, out))
    ]
    assert found[2] is out
    for mine, theirs in zip(found, wanted):
        worst = max(map(np.linalg.cond, robot.mass_matrix(q)))
        agree(mine, theirs, tolerance=1e-13 * (worst if name.startswith('acc') else 1.0))


@pytest.mark.parametrize('frames', [FRAMES[:1], FRAMES, ('link1', 'link3')])
@pytest.mark.parametrize('name', PUSHED)
def test_dynamics_under_wrenches_agree_with_the_generic_robot(fast, name, frames, monkeypatch):
    """Compare one state, a batch, and a wrench for each row. Frames with and without code of their
    own are pushed. The recursion for any robot is not called.
    """
    robot, special = fast
    rng = np.random.default_rng(3)
    given = [np.array(rows) for rows in zip(*states(robot, 11))]
    f_ext = {frame: 10.0 * rng.normal(size=6) for frame in frames}
    by_row = f_ext | {frames[0]: 10.0 * rng.normal(size=(11, 6))}
    first = [rows[0] for rows in given]
    wanted = [
        method_of(robot, name)(*first, f_ext),
        method_of(robot, name)(*given, f_ext),
        method_of(robot, name)(*given, f_ext=by_row),
    ]
    owner, title = place_of(robot, name)
    monkeypatch.setattr(type(owner), title, None)
    out, method = np.empty((11, robot.nv)), method_of(special, name)
    found = [method(*first, f_ext), method(*given, f_ext), method(*given, by_row, out)]
    assert found[2] is out
    worst = max(map(np.linalg.cond, robot.mass_matrix(given[0])))
    for mine, theirs in zip(found, wanted):
        agree(mine, theirs, tolerance=1e-13 * (worst if name.startswith('forward') else 1.0))
    agree(
        method(*(x.tolist() for x in first), f_ext),
        wanted[0],
        tolerance=1e-13 * (worst if name.startswith('forward') else 1.0),
    )


def test_other_dynamics_under_wrenches_agree_with_the_generic_robot(fast, monkeypatch):
    """In each reference, and where the motion of some joints is given."""
    robot, special = fast
    q, qd, x = (np.array(rows) for rows in zip(*states(robot, 11)))
    f_ext = {FRAMES[0]: np.arange(1.0, 7.0), 'link1': -np.arange(6.0)}
    wanted = [
        robot.variants.inverse_dynamics_in(reference, q, qd, x, f_ext) for reference in REFERENCES
    ]
    moved = robot.variants.hybrid_dynamics(q, qd, x, qd, DRIVEN, f_ext)
    monkeypatch.setattr(Variants, 'inverse_dynamics_in', None)
    monkeypatch.setattr(Variants, 'hybrid_dynamics', None)
    for reference, theirs in zip(REFERENCES, wanted):
        agree(
            special.variants.inverse_dynamics_in(reference, q, qd, x, f_ext),
            theirs,
            tolerance=1e-13,
        )
    for mine, theirs in zip(special.variants.hybrid_dynamics(q, qd, x, qd, DRIVEN, f_ext), moved):
        agree(mine, theirs, tolerance=1e-13 * max(map(np.linalg.cond, robot.mass_matrix(q))))


def test_mistakes_about_wrenches_raise_the_generic_errors(fast):
    """The sentences of Robot: an unknown frame, five numbers, a result of another shape."""
    robot, special = fast
    q, qd, x = states(robot, 1)[0]
    for f_ext, options in (
        ({'link9': np.ones(6)}, {}),
        ({'link3': np.ones(5)}, {}),
        (np.ones(6), {}),
        ({'link3': np.ones(6)}, {'out': np.empty(2)}),
    ):
        sentences = []
        for of in (robot, special):
            with pytest.raises((ShapeError, UnknownNameError)) as refused_:
                of.forward_dynamics(q, qd, x, f_ext, **options)
            sentences.append(str(refused_.value))
        assert sentences[0] == sentences[1]


def test_hybrid_dynamics_of_the_chosen_joints_is_specialised(fast, monkeypatch):
    """Some joints by their motion, the others by their torque; another choice is left to Robot."""
    robot, special = fast
    q, qd, x = (np.array(rows) for rows in zip(*states(robot, 11)))
    other = robot.joint_names[:1]
    left = special.variants.hybrid_dynamics(q[0], qd[0], x[0], x[0], other)
    wanted = robot.variants.hybrid_dynamics(q, qd, x, qd, DRIVEN)
    for mine, theirs in zip(left, robot.variants.hybrid_dynamics(q[0], qd[0], x[0], x[0], other)):
        assert np.array_equal(mine, theirs)
    monkeypatch.setattr(Variants, 'hybrid_dynamics', None)
    flags = [name in DRIVEN for name in robot.joint_names]
    together = special.variants.hybrid_dynamics(q, qd, x, qd, flags)
    alone = special.variants.hybrid_dynamics(q[4], qd[4], x[4], qd[4], DRIVEN)
    tolerance = 1e-13 * max(map(np.linalg.cond, robot.mass_matrix(q)))
    for many, one, theirs in zip(together, alone, wanted):
        agree(many, theirs, tolerance=tolerance)
        agree(one, theirs[4], tolerance=tolerance)


def test_frame_accelerations_are_consistent_with_the_bias(fast):
    """J qdd + Jdot qd of the free robot is what the operational-space bias is made of."""
    robot, special = fast
    q, qd, _ = (np.array(rows) for rows in zip(*states(robot, 11)))
    for frame in (FRAMES[0], FRAMES):
        bias, wanted = (of.task_space.bias(q, qd, frame, 'x y', 0.1) for of in (special, robot))
        agree(
            bias.free_acceleration,
            wanted.free_acceleration,
            tolerance=1e-13 * max(map(np.linalg.cond, robot.mass_matrix(q))),
        )


def test_every_kernel_is_listed():
    """Every generic kernel is recorded, or the document says in a line why it is not."""
    model = BRANCHES.robot.model
    recipes = [
        *RECIPES.values(),
        *FURTHER_RECIPES.values(),
        *JOINT_RECIPES.values(),
        *LAW_RECURSIONS.values(),
        *FRAME_RECIPES.values(),
        *DERIVATIVES.values(),
        *frame_recipes(model, FRAMES, FURTHER_FRAME_RECIPES).values(),
    ]
    recorded = {recipe.recursion for recipe in recipes}
    left = {kernel.python.__name__ for kernel in generic.ALL if kernel.python not in recorded}
    text = (Path(__file__).resolve().parents[3] / 'doc' / 'code' / 'specialisation.md').read_text()
    section = text.partition('\n## What stays for any robot\n')[2].partition('\n## ')[0]
    reasons = dict(re.findall(r'^\| `(\w+)` \| (.+) \|$', section, re.MULTILINE))
    assert left == {*reasons} and all(len(reason) > 20 for reason in reasons.values())


def test_what_follows_from_them(fast):
    """Determinant, momentum about the base, velocity and Jacobian of the centre of mass."""
    robot, special = fast
    q, qd, _ = states(robot, 1)[0]
    for name, given in (
        ('mass_operator.log_det', [q]),
        ('mass_operator.trace', [q]),
        ('centroidal.momentum_about_base', [q, qd]),
        ('centroidal.centre_of_mass_velocity', [q, qd]),
        ('centroidal.centre_of_mass_jacobian', [q]),
        ('centroidal.velocity', [q, qd]),
    ):
        method = attrgetter(name)
        agree(method(special)(*given), method(robot)(*given))


def test_the_python_path_takes_all_other_calls(fast):
    """Lists, wrenches and mistakes take the path of Robot."""
    robot, special = fast
    q, qd, x = states(robot, 1)[0]
    f_ext = {robot.frames[-1]: np.arange(6.0)}
    assert np.array_equal(
        special.links.joint_wrenches(q, qd, x, f_ext), robot.links.joint_wrenches(q, qd, x, f_ext)
    )
    assert np.array_equal(
        special.centroidal.centre_of_mass(q.tolist()), robot.centroidal.centre_of_mass(q)
    )
    with pytest.raises(ShapeError, match='finite'):
        special.mass_operator.joint_inertias(np.full(robot.nv, np.nan))
    out = np.empty(3)
    assert special.centroidal.centre_of_mass(q, out=out) is out


def test_unknown_names_and_centres_are_refused():
    """Names that there are not, and centres that there are not."""
    robot = FAMILIES['one_hinge'].robot
    with pytest.raises(UnknownNameError, match="'zero_moment'.*joint_wrenches"):
        robot.specialised(also=['zero_moment'])
    with pytest.raises(UnknownNameError, match="'hybrid_dynamics' to specialise"):
        robot.specialised(also=['hybrid_dynamics'])
    with pytest.raises(UnknownNameError, match='joint9'):
        robot.specialised(also=[('hybrid_dynamics', ['joint9'])])
    with pytest.raises(ShapeError, match='coordinates for'):
        MIXED['one_ball'].robot.specialised(also=['hamilton_rates'])
    constants = robot.model.constants.copy()
    constants[:, 12:22] = 0.0
    with pytest.raises(SingularityError, match='no mass'):
        Robot(robot.model.with_constants(constants)).specialised(also=['centre_of_mass'])
