# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Code for one robot with closed loops from the positions of all joints.

Those are given as `Robot.expand` returns them. The referees are the dense system of the tree, and
the kernels for any robot: 1e-12 of the largest entry, as in test_specialised_loops.
"""

import numpy as np
import pytest

from robodyn_ros.codegen import emit_python
from robodyn_ros.codegen.loops import column_packs, given_positions
from robodyn_ros.codegen.registry import FRAME_RECIPES, RECIPES
from robodyn_ros.codegen.specialise import record
from robodyn_ros.compile.source_cache import imported
from robodyn_ros.errors import SingularityError
from robodyn_ros.robot.robot import Robot
from robodyn_ros.robot.specialised_robot import OF_ALL
from support.compare import agree
from support.referees.tape_results import played
from support.robots.closed_loops import MECHANISMS, Referee
from support.robots.mechanisms import STANDARD

ALL = MECHANISMS | STANDARD
NEAR = 1e-12
RECORDED = (
    'four-bar with rotors',
    'rod of constant length',
    'tool on a rail',
    'two four-bars, one pinned twice',
    'arm with a four-bar',
    'palletizer',
    'gripper',
    'Delta',
    'two arms with a bar',
)


def code(name, quantity='forward_dynamics', recipes=RECIPES, subject=None):
    """Return a robot, and the recording of a quantity from the positions of all joints."""
    robot = ALL[name].robot()
    recipe = recipes[quantity].from_all_positions()
    return robot, record(quantity, recipe, robot.model, subject)


def dense_states(name):
    """Yield states of a robot, and their accelerations by the dense system of all joints.

    Postures are up to 0.1 rad from the reference in each joint, and from anywhere else.
    """
    robot, referee = ALL[name].robot(), Referee(ALL[name])
    names, rng = referee.tree.joint_names, np.random.default_rng(11)
    lead = [names.index(each) for each in robot.joint_names]
    order = [robot.all_joint_names.index(each) for each in names]
    around = robot.model.closed_posture + rng.uniform(-0.1, 0.1, (5, robot.nv))
    far = given_positions.plan(robot.model).postures[-4:]
    for every in (*robot.expand(around)[0], *far):
        qd, tau = rng.uniform(-1.5, 1.5, (2, robot.nv))
        theta, rates, _ = robot.expand(every, qd)
        driven = np.zeros(len(names))
        driven[lead] = tau
        yield (every, qd, tau), referee.solve(theta[order], rates[order], driven)[0][lead]


@pytest.mark.parametrize('name', RECORDED)
def test_forward_dynamics_are_those_of_the_dense_system(name):
    """Of all joints and multipliers, 1e-11 by the rounding of its solution.

    There is no box, and the two arms have code.
    """
    _, recording = code(name)
    for (every, qd, tau), expected in dense_states(name):
        found, holds = played(recording, q=every, qd=qd, tau=tau)
        assert holds
        agree(found, expected, tolerance=1e-11)


@pytest.mark.parametrize('name', [*RECORDED, 'Stewart platform'])
def test_packs_of_columns_have_the_same_forward_dynamics(name, tmp_path, monkeypatch):
    """Run as Python, where packs are arrays. They refuse what the code of numbers refuses."""
    monkeypatch.setenv('ROBODYN_CACHE_DIR', str(tmp_path))
    monkeypatch.setattr(column_packs, 'SHARE', np.inf)
    robot = ALL[name].robot()
    recipe = RECIPES['forward_dynamics'].from_all_positions().of_model(robot.model)
    recording = record('forward_dynamics', recipe, robot.model)
    packed = column_packs.shorter_with_columns('forward_dynamics', recipe, robot.model, recording)
    text, accepted = emit_python.write(recording, packed), []
    module = imported(f'columns_of_{robot.name}', lambda: text)
    for state, expected in dense_states(name):
        found = np.full(robot.nv, np.nan)
        accepted.append(module.forward_dynamics_of_packs(*state, found) == 0)
        assert accepted[-1] == (module.forward_dynamics(*state, np.empty(robot.nv)) == 0)
        if accepted[-1]:
            agree(found, expected, tolerance=1e-11)
    assert all(accepted[:5])  # near the reference posture


@pytest.mark.parametrize(
    ('name', 'share'),
    [
        ('two arms with a bar', 0.8),
        ('Stewart platform', 0.72),
        ('Delta', None),
        ('palletizer', None),
    ],
)
def test_packs_are_taken_where_they_save_enough_statements(name, share):
    """Where many joints close a loop, and few values are equal in all postures."""
    model, quantity = ALL[name].robot().model, 'forward_dynamics'
    recipe = column_packs.from_all_positions(quantity, RECIPES[quantity]).of_model(model)
    recording = record(quantity, recipe, model)
    packed = recipe.packed(quantity, recipe, model, recording)
    assert (packed is None) == (share is None)
    if packed:
        assert len(packed.computed) < share * len(recording.computed)
        assert {'pack', 'lane'} <= {packed.tape.nodes[i][0] for i in packed.computed}


def test_the_code_of_a_delta_robot_is_half_as_long_as_with_closing():
    """Of 15 dependent joints, those of the second rods follow. Nothing is closed or fitted."""
    _, recording = code('Delta')
    assert sum(recording.counts().values()) < 2400
    _, pose = code('Delta', 'pose', FRAME_RECIPES, 'tool')
    rotation = [pose.results[f'X[{i}, {j}]'] for i in range(3) for j in range(3)]
    agree(np.array(rotation, float), np.eye(3).ravel(), 1.0, NEAR)


@pytest.mark.parametrize('name', ['palletizer', 'Delta', 'two arms with a bar'])
def test_it_takes_closed_positions_alone(name):
    """An error of 1e-10 of any dependent joint is left to the kernel that closes the loops.

    It also shows where no closure has a gap: joints that move with others, half a turn of a weld.
    """
    robot, recording = code(name, 'gravity_torque')
    every = robot.expand(robot.model.closed_posture)[0]
    assert played(recording, q=every)[1]
    for k, joint in enumerate(robot.all_joint_names):
        for error, takes in ((1e-14, True), (1e-10, False), (np.pi, False)):
            if joint not in robot.joint_names:
                wrong = every.copy()
                wrong[k] += error
                assert played(recording, q=wrong)[1] == takes, (joint, error)


def test_crossed_cranks_of_a_parallelogram_are_left_to_the_kernel_for_any_robot():
    """Their pin has no gap either, but joints that move together in the code do not there."""
    robot, recording = code('parallelogram in a tree', 'gravity_torque')
    names = robot.all_joint_names
    every = robot.expand(robot.model.closed_posture)[0]
    crossed = every.copy()
    crank, rocker = every[names.index('crank')], every[names.index('rocker')]
    ground, length = 0.45, 0.3
    pin = length * np.array((np.cos(crank), np.sin(crank)))
    far = np.array((ground, 0.0)) - pin
    # the end of the rocker is mirrored by the line between the pins of crank and rocker
    way = 2.0 * np.arctan2(far[1], far[0])
    crossed[names.index('rocker')] = way - rocker
    end = np.array((ground, 0.0)) + length * np.array((np.cos(way - rocker), np.sin(way - rocker)))
    coupler = np.arctan2(*(end - pin)[::-1])
    crossed[names.index('coupler')] += coupler - (crank + every[names.index('coupler')])
    closed = robot.expand(crossed)[0]
    agree(closed, crossed, 1.0, 1e-11)
    assert np.abs(closed - every).max() > 0.3
    assert played(recording, q=every)[1] and not played(recording, q=closed)[1]


@pytest.fixture(scope='module')
def arms():
    """Return two arms with a bar, and the same with code of its own."""
    robot = ALL['two arms with a bar'].robot()
    return robot, robot.specialised()


def test_methods_and_batches_are_those_for_any_robot(arms):
    """The two arms have no code from independent positions, and need none."""
    robot, mine = arms
    rng = np.random.default_rng(4)
    q = robot.model.closed_posture + rng.uniform(-0.05, 0.05, (9, robot.nv))
    qd, tau = rng.uniform(-1.0, 1.0, (2, 9, robot.nv))
    every, push = robot.expand(q)[0], {'bar': np.arange(6.0)}
    expected = robot.forward_dynamics(q, qd, tau)
    assert 'forward_dynamics' in mine.generic
    for _ in range(2):  # the first call compiles, the second one runs
        agree(mine.forward_dynamics(every[0], qd[0], tau[0]), expected[0], None, NEAR)
    one = mine.kernels['forward_dynamics', OF_ALL].one
    assert 'forward_dynamics_of_packs' in one.python.__globals__
    agree(mine.forward_dynamics(q=every[0], qd=qd[0], tau=tau[0]), expected[0], None, NEAR)
    agree(mine.forward_dynamics(every, qd, tau), expected, tolerance=NEAR)
    agree(mine.forward_dynamics(q, qd, tau), expected, tolerance=NEAR)
    out = np.empty((9, robot.nv))
    assert mine.forward_dynamics(every, qd, tau, out=out) is out
    agree(out, expected, tolerance=NEAR)
    pushed = robot.forward_dynamics(q, qd, tau, push)
    agree(mine.forward_dynamics(every, qd, tau, push), pushed, tolerance=NEAR)
    agree(mine.forward_dynamics(every[3], qd[3], tau[3], push), pushed[3], tolerance=NEAR)


def test_positions_that_it_leaves_have_the_answers_of_any_robot(arms):
    """Those with gaps, one of a batch too, and those that no step closes."""
    robot, mine = arms
    q = robot.model.closed_posture + np.linspace(-0.03, 0.03, 9)[:, None]
    every, free = robot.expand(q)[0], robot.all_joint_names.index('right6')
    rough = every.copy()
    rough[4, free] += 1e-3
    for given in (every, rough):
        for _ in range(2):
            agree(mine.mass_matrix(given), robot.mass_matrix(q), tolerance=NEAR)
            agree(mine.mass_matrix(given[4]), robot.mass_matrix(q[4]), tolerance=NEAR)
    rough[4, free] += 1.0
    with pytest.raises(SingularityError, match='at most 0.1 rad or m from closed ones'):
        mine.mass_matrix(rough[4])


def test_a_robot_with_code_from_both_tells_them_by_their_length():
    """By machine code, whichever comes first; in another process as well."""
    robot = ALL['four-bar in a tree'].robot()
    mine, q = robot.specialised(), robot.model.closed_posture + 0.02
    every, expected = robot.expand(q)[0], robot.gravity_torque(q)
    for _ in range(2):
        for given in (every, q):
            agree(mine.gravity_torque(given), expected, tolerance=NEAR)
    assert {'gravity_torque', ('gravity_torque', OF_ALL)} <= mine.kernels.keys()
    assert isinstance(mine, Robot) and mine.gravity_torque.__name__ == 'gravity_torque'
    assert mine.gravity_torque.__doc__ == Robot.gravity_torque.__doc__
