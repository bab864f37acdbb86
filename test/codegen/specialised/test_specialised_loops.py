# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Code for one robot with closed loops, against the kernels for any robot.

Those are held to dense systems of the tree in test_loops. Both close the loops to rounding, and
differ by the condition of the closures, below 1e3 here: 1e-12 of the largest entry.
"""

import numpy as np
import pytest

from robodyn_ros.codegen import emit_python
from robodyn_ros.codegen.derivative_registry import DERIVATIVES
from robodyn_ros.codegen.emission import c_package
from robodyn_ros.codegen.emission.emit_c import Style
from robodyn_ros.codegen.loops import common_subexpressions, loop_closing
from robodyn_ros.codegen.loops.sparse_elimination import sparse_pivots
from robodyn_ros.codegen.registry import FRAME_RECIPES, RECIPES
from robodyn_ros.codegen.specialise import record
from robodyn_ros.errors import ModelError
from robodyn_ros.model.layout import REFERENCE
from robodyn_ros.robot.robot import Robot
from support.c_libraries import EXACT, call, emitted, shared
from support.compare import agree
from support.referees.tape_results import by_the_tape, played
from support.robots.closed_loops import MECHANISMS, Referee, at
from support.robots.mechanisms import STANDARD

ALL = MECHANISMS | STANDARD
RECORDED = (
    'four-bar with rotors',
    'rod of constant length',
    'arm with a four-bar',
    'five-bar',
    'palletizer',
    'gripper',
)
QUANTITIES = ('forward_dynamics', 'inverse_dynamics', 'bias_torque', 'coriolis_matrix', 'energy')
NEAR = 1e-12


def states(robot, seed=2, reach=0.1):
    """Return three states near the posture in which the loops were closed."""
    rng = np.random.default_rng(seed)
    return [
        (
            robot.model.closed_posture + rng.uniform(-reach, reach, robot.nv),
            *rng.uniform(-1.5, 1.5, (2, robot.nv)),
        )
        for _ in range(3)
    ]


def test_the_code_of_a_delta_robot_is_that_for_any_robot():
    """Six balls hold its platform: fifteen dependent joints of one group.

    Those of the second rod of each arm move as those of the first. Equal values share a node, so
    the code is half as long as without that.
    """
    robot = ALL['Delta'].robot()
    closing = loop_closing.plan(robot.model)
    assert len(closing.pivots) == 9 and len(closing.together.leaders) == 15
    recording = record('forward_dynamics', RECIPES['forward_dynamics'], robot.model)
    assert sum(recording.counts().values()) < 4300
    for q, qd, tau in states(robot):
        found, holds = played(recording, q=q, qd=qd, tau=tau)
        assert holds
        agree(found, robot.forward_dynamics(q, qd, tau), tolerance=NEAR)


@pytest.mark.parametrize('name', ['gripper', 'palletizer', 'Delta'])
def test_forward_dynamics_are_those_of_the_dense_system(name):
    """Of all joints and multipliers, all over the box: 1e-11, the rounding of the dense solution.

    Here joints move together, and equal values share a node. The referee knows of neither.
    """
    robot, referee = ALL[name].robot(), Referee(ALL[name])
    closing, rng = loop_closing.plan(robot.model), np.random.default_rng(11)
    recording = record('forward_dynamics', RECIPES['forward_dynamics'], robot.model)
    names = referee.tree.joint_names
    lead = [names.index(each) for each in robot.joint_names]
    for _ in range(5):
        q = robot.model.closed_posture.copy()
        share = rng.uniform(0.02, 0.98, len(closing.coordinates))
        q[closing.coordinates] = closing.low + share * closing.width
        qd, tau = rng.uniform(-1.5, 1.5, (2, robot.nv))
        theta, rates, _ = (dict(zip(robot.all_joint_names, x)) for x in robot.expand(q, qd))
        driven = np.zeros(len(names))
        driven[lead] = tau
        expected, _ = referee.solve(
            *(np.array([each[joint] for joint in names]) for each in (theta, rates)), driven
        )
        found, holds = played(recording, q=q, qd=qd, tau=tau)
        assert holds
        agree(found, expected[lead], tolerance=1e-11)


def test_the_platform_of_a_delta_robot_does_not_turn():
    """Its rotation is a number in the code, but not if one rod is not parallel to its twin."""
    mechanism = ALL['Delta']
    beside = {'rod1b_y': {'placement': at(0.25, -0.05, 0.0)}}
    for each, numbers in ((mechanism, 9), (mechanism.with_joints(**beside), 0)):
        model = each.robot().model
        recording = record('pose', FRAME_RECIPES['pose'], model, 'tool')
        entries = [recording.results[f'X[{i}, {j}]'] for i in range(3) for j in range(3)]
        assert sum(isinstance(entry, float) for entry in entries) == numbers
        if numbers:
            agree(np.array(entries), np.eye(3).ravel(), 1.0, NEAR)


@pytest.mark.parametrize('name, most', [('gripper', 45), ('palletizer', 650)])
def test_parallelograms_need_no_steps(name, most):
    """Their dependent joints are sums of independent ones, and dE/dt is zero."""
    robot = ALL[name].robot()
    closing = loop_closing.plan(robot.model)
    assert closing.steps == 0 and not closing.pivots
    recording = record('forward_dynamics', RECIPES['forward_dynamics'], robot.model)
    assert sum(recording.counts().values()) < most


def test_joints_move_together_only_if_they_do_in_every_posture():
    """A ratio that is no sign, and a bend of 1e-9, leave unknowns independent."""
    q = np.random.default_rng(1).uniform(-1.0, 1.0, (20, 3))
    x = np.sin(q[:, 0] + q[:, 1])
    unknowns = np.stack((x, 0.3 - x, 2.0 * x, x + 1e-9 * q[:, 0], q[:, 0] - q[:, 2] + 0.1), axis=1)
    found = common_subexpressions.moving_together(unknowns, q, np.arange(3))
    assert found.leaders.tolist() == [0, 0, 2, 3, -1]
    assert found.ratios.tolist() == [1.0, -1.0, 1.0, 1.0, 0.0]
    assert found.slopes[4].tolist() == [1.0, 0.0, -1.0] and not found.slopes[:4].any()
    agree(found.shifts[[1, 4]], np.array([0.3, 0.1]), 1.0, 1e-13)


def test_newtons_method_begins_close_to_the_loops():
    """In numbers as in recordings, for which its steps are counted; so a Delta robot needs three.

    Where only the last factor of each term counted, the start was 0.3 rad off and took six.
    """
    model = ALL['Delta'].robot().model
    closing = loop_closing.plan(model)
    assert closing.steps == 3 and closing.width.min() > 1.8
    (part,) = closing.parts
    x = np.random.default_rng(3).uniform(-1.0, 1.0, (20, 3))
    terms = np.array([part.values(row) for row in x])
    agree(terms, part.values(x.T).T, tolerance=1e-15)
    for row in x:
        q = model.closed_posture.copy()
        q[closing.coordinates] = closing.low + 0.5 * (row + 1.0) * closing.width
        closed = Robot(model).expand(q)[0]
        begun = closed.copy()
        part.write(closing.topology, row, begun)
        assert 0.0 < np.abs(begun - closed).max() < 0.02


def test_the_last_step_is_exact_up_to_the_corners_of_the_box():
    """It keeps the factors of the step before; a corner takes the longest steps."""
    robot = ALL['Delta'].robot()
    closing = loop_closing.plan(robot.model)
    recording = record('gravity_torque', RECIPES['gravity_torque'], robot.model)
    for corner in np.ndindex(2, 2, 2):
        q = robot.model.closed_posture.copy()
        q[closing.coordinates] = closing.low + (0.02 + 0.96 * np.array(corner)) * closing.width
        found, holds = played(recording, q=q)
        assert holds
        agree(found, robot.gravity_torque(q), tolerance=NEAR)


def test_wrenches_of_links_have_no_code():
    """Closures act on the links, too, with wrenches of their own solution."""
    robot = ALL['four-bar in a tree'].robot()
    with pytest.raises(ModelError, match='which code of joint_wrenches cannot take'):
        robot.specialised(also=('joint_wrenches',))


def test_the_order_of_pivots_avoids_fill_in():
    """The matrix of an arrow: its dense row and column come last, so nothing fills up."""
    samples = np.eye(6)[None] * np.linspace(1.0, 2.0, 4)[:, None, None]
    samples[:, 0, :] = samples[:, :, 0] = 3.0
    pivots = sparse_pivots(samples)
    assert [pivot[:2] for pivot in pivots[:4]] == [(k, k) for k in range(1, 5)]


@pytest.mark.sensitive
def test_a_last_bit_of_the_samples_does_not_change_pivots():
    """They are of postures that Newton's method closed, with other rounding on other machines."""
    samples = np.random.default_rng(0).uniform(-1.0, 1.0, (5, 4, 4))
    assert sparse_pivots(samples * (1.0 + 2.0**-52)) == sparse_pivots(samples.copy())


@pytest.mark.sensitive
@pytest.mark.parametrize('name', ['four-bar with rotors', 'tool on a rail'])
def test_a_last_bit_of_the_closed_posture_does_not_change_what_is_recorded(name):
    """Nor where rotors follow a dependent joint."""
    model, found = ALL[name].robot().model, []
    for rounding in (0.0, 2.0**-50):
        constants = model.constants.copy()
        constants[1:, REFERENCE] += rounding
        changed = model.with_constants(constants)
        found.append(emit_python.write(record('bias_torque', RECIPES['bias_torque'], changed)))
    assert found[0] == found[1]


@pytest.mark.parametrize('name', RECORDED)
def test_recordings_are_those_for_any_robot(name):
    """Also where dependent joints have rotors, closures are redundant, and a distance is kept."""
    robot = ALL[name].robot()
    recordings = {each: record(each, RECIPES[each], robot.model) for each in QUANTITIES}
    frame = robot.frames[-1]
    pose = record('pose', FRAME_RECIPES['pose'], robot.model, frame)
    for q, qd, third in states(robot):
        for each, recording in recordings.items():
            given = (q, qd, third) if each.endswith('ward_dynamics') else (q, qd)
            given = (q, qd, third) if each == 'inverse_dynamics' else given
            found, holds = played(recording, q=q, qd=qd, qdd=third, tau=third)
            expected = np.ravel(getattr(robot, each)(*given))
            assert holds
            if each == 'energy':  # the potential is that of the bodies as described
                assert len(expected) == len(found)
            agree(found, expected, max(np.abs(expected).max(), 1.0), NEAR)
        agree(played(pose, q=q)[0], robot.pose(q, frame).ravel(), 1.0, NEAR)


def test_a_recording_states_where_it_does_not_hold():
    """Outside the box of its polynomial; inside of it the samples close the loops."""
    robot = ALL['arm with a four-bar'].robot()
    recording = record('gravity_torque', RECIPES['gravity_torque'], robot.model)
    closing = loop_closing.plan(robot.model)
    (k,) = closing.coordinates
    q = robot.model.closed_posture.copy()
    for share, inside in ((0.02, True), (0.98, True), (-0.01, False), (1.01, False)):
        q[k] = closing.low[0] + share * closing.width[0]
        found, holds = played(recording, q=q)
        assert holds == inside
        if inside:
            agree(found, robot.gravity_torque(q), tolerance=NEAR)


@pytest.fixture(scope='module')
def both():
    """Return a four-bar between two links of an arm, and the same with code of its own."""
    robot = ALL['four-bar in a tree'].robot()
    return robot, robot.specialised(frames=('tool',))


def test_methods_and_batches_are_those_for_any_robot(both):
    """By machine code: one state, rows, wrenches, and a frame."""
    robot, mine = both
    assert not mine.generic
    wrench = {'tool': np.array((3.0, -2.0, 5.0, 0.4, -0.7, 0.3))}
    rows = [np.array(each) for each in zip(*(states(robot, 4) + states(robot, 5)))]
    for q, qd, tau in states(robot):
        expected = robot.forward_dynamics(q, qd, tau)
        agree(mine.forward_dynamics(q, qd, tau), expected, tolerance=NEAR)
        agree(
            mine.forward_dynamics(q, qd, tau, wrench),
            robot.forward_dynamics(q, qd, tau, wrench),
            tolerance=NEAR,
        )
        agree(mine.mass_matrix(q), robot.mass_matrix(q), tolerance=NEAR)
        agree(mine.jacobian(q, 'tool'), robot.jacobian(q, 'tool'), tolerance=NEAR)
        found, given = (each.operational_space_inertia(q, 'tool') for each in both)
        agree(found.inverse, given.inverse, tolerance=NEAR)
    agree(mine.inverse_dynamics(*rows), robot.inverse_dynamics(*rows), tolerance=NEAR)


def test_c_code_has_the_bits_of_the_tape(both, tmp_path):
    """Cosines of the dependent joints follow from earlier cosines: in further stages."""
    robot, _ = both
    found, texts = emitted(
        robot.model,
        Style('arm'),
        ['forward_dynamics', 'inverse_dynamics_derivatives', 'pose'],
        ['tool'],
    )
    c_package.write(tmp_path, texts)
    library = shared(tmp_path, Style('arm'), [*EXACT, '-O0', '-DARM_LIBM'], 'gcc')
    q, qd, tau = states(robot)[0]
    for one in found:
        given = [q, qd, tau][: len(one.recording.inputs)]
        status, results = call(library, Style('arm'), one, given)
        assert status == 0
        for mine, expected in zip(results, by_the_tape(one, given)):
            assert mine.tobytes() == expected.tobytes(), one.name


def test_postures_that_its_code_leaves_have_the_same_answers(both):
    """A crank a turn away, alone and in a batch."""
    robot, mine = both
    q, qd, tau = states(robot)[0]
    far = q.copy()
    far[robot.joint_names.index('crank')] += 2.0 * np.pi
    np.testing.assert_array_equal(
        mine.forward_dynamics(far, qd, tau), robot.forward_dynamics(far, qd, tau)
    )
    rows = np.array([q, far] * 4)
    agree(mine.gravity_torque(rows), robot.gravity_torque(rows), tolerance=NEAR)


def test_its_derivatives_are_those_for_any_robot(both):
    """In its code, and far from the closed posture, which the code leaves to the kernels."""
    robot, mine = both
    for q, qd, third in states(robot):
        for turns in (0.0, 2.0 * np.pi):
            q[robot.joint_names.index('crank')] += turns
            for name in ('inverse_dynamics', 'forward_dynamics'):
                found, expected = (
                    getattr(each.derivatives, name)(q, qd, third) for each in (mine, robot)
                )
                for one, other in zip(found, expected):
                    agree(one, other, np.abs(other).max(), tolerance=10 * NEAR)
    assert DERIVATIVES.keys() - {'mass_matrix_derivative'} <= mine.kernels.keys()
    assert not mine.generic
