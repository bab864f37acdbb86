# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Aggregated bodies: which they are, dynamics with diagonals and wrenches, and long rows."""

from dataclasses import replace

import numpy as np
import pytest

from robodyn_ros.algorithms.constraints import forward_dynamics
from robodyn_ros.algorithms.core import rnea, working_memory
from robodyn_ros.compile import embedded, generic
from robodyn_ros.formulations.jain.embedding import subgraphs
from robodyn_ros.model.dependent.aggregates import aggregates
from robodyn_ros.model.dependent.coupling import Coupling, with_couplings
from robodyn_ros.model.layout import PARENT, V
from robodyn_ros.robot.robot import Robot
from support.compare import agree
from support.robots.closed_loops import MECHANISMS, Referee, four_bar, several_four_bars
from support.robots.families import describe
from support.robots.mechanisms import STANDARD, wrist
from support.work import PlainWork


def sets_of(robot):
    """Return the aggregated bodies of more than one body, by the names of their joints."""
    model = robot.model
    found = aggregates(model.topology, model.constants)
    assert sorted(row for rows in found for row in rows) == [*range(1, len(model.topology))]
    for rows in found:
        assert len({model.topology[row, PARENT] for row in rows} - {*rows}) == 1
    names = robot.all_joint_names
    return [{names[model.topology[row, V]] for row in rows} for rows in found if len(rows) > 1]


def with_mimic(description, **leaders):
    """Return a description in which joints follow others."""
    joints = [
        replace(joint, mimic=leaders.get(joint.name, ''), multiplier=-1.3)
        for joint in description.joints
    ]
    return replace(description, joints=tuple(joints))


@pytest.mark.parametrize('name', STANDARD)
def test_a_loop_is_the_sub_tree_of_chapter_15(name):
    """Paths from both bodies of a closure to where they meet; loops that share joints unite."""
    robot = STANDARD[name].robot()
    model, n = robot.model, len(robot.model.topology) - 1
    parent = [n - row for row in model.topology[:0:-1, PARENT]]  # Jain's numbers grow inboard
    united = []
    for closure in STANDARD[name].closures:
        bodies = (model.frame(end).body for end in (closure.a, closure.b))
        loop = subgraphs.loop(parent, *(n - row for row in bodies))
        rows = {n - node for node in loop}
        shared = [each for each in united if each & rows]
        united = [each for each in united if not each & rows] + [rows.union(*shared)]
    found = [{*rows} for rows in aggregates(model.topology, model.constants) if len(rows) > 1]
    if name == 'gripper':  # whose second loop follows the first by a mimic joint
        united = [set().union(*united)]
    assert sorted(map(sorted, found)) == sorted(map(sorted, united))


def test_a_joint_far_from_its_leader_brings_all_between():
    """Along a chain, and up one branch and down another; joints beyond stay alone."""
    chain = with_mimic(describe('far', 8, branching=1), joint6='joint2')
    assert sets_of(Robot.from_description(chain)) == [{f'joint{k}' for k in range(2, 7)}]
    loop = four_bar()
    across = replace(loop, description=with_mimic(loop.description, slide='yaw')).robot()
    assert sets_of(across) == [{'yaw', 'crank', 'coupler', 'rocker', 'slide'}]
    crossed = with_couplings(
        describe('crossed', 8, branching=1),
        [Coupling('joint4', {'joint2': 0.5, 'joint3': -0.7}), Coupling('joint7', {'joint5': 2.0})],
    )
    assert sets_of(Robot.from_description(crossed)) == [
        {'joint2', 'joint3', 'joint4'},
        {'joint5', 'joint6', 'joint7'},
    ]


def turning_tool():
    """Return the four-bar with a spherical joint of its tool, for a free base."""
    plain = four_bar()
    joints = [
        replace(joint, type='spherical') if joint.name == 'slide' else joint
        for joint in plain.description.joints
    ]
    return replace(plain, description=replace(plain.description, joints=tuple(joints)))


CASES = (
    MECHANISMS
    | {
        'differential wrist': wrist(),
        'three in a row': several_four_bars(3, further=2),
        'three side by side': several_four_bars(3, further=2, in_a_row=False),
        'spherical joint on a free base': turning_tool(),
    }
    | STANDARD
)


@pytest.mark.parametrize('name', CASES)
def test_dynamics_with_diagonal_and_wrenches_are_those_of_multipliers(name):
    """Dense, to 1e-11 of the largest entry: its matrix has condition numbers up to 1e4."""
    options = {'free_base': True} if 'free base' in name else {}
    robot, referee = CASES[name].robot(**options), Referee(CASES[name], **options)
    tree, model, rng = referee.tree, robot.model, np.random.default_rng(8)
    lead = [tree.joint_names.index(joint) for joint in robot.joint_names]
    rows = [model.body_names.index(body) for body in tree.model.body_names]
    for _ in range(2):
        q = robot.configuration.integrate(
            model.closed_posture, rng.uniform(-0.05, 0.05, robot.nv), 1.0
        )
        qd, tau = rng.uniform(-1.5, 1.5, (2, robot.nv))
        added, f_ext = rng.uniform(0.1, 2.0, robot.nv), rng.uniform(-3.0, 3.0, (len(rows), 6))
        driven, diagonal = np.zeros((2, tree.nv))
        driven[lead], diagonal[lead] = tau, added
        theta, rates = (
            np.array([dict(zip(names, values))[each] for each in wanted])
            for names, values, wanted in zip(
                (robot.all_position_names, robot.all_joint_names),
                robot.expand(q, qd),
                (tree.position_names, tree.joint_names),
            )
        )
        held = np.zeros(tree.nv)
        rnea.inverse_dynamics(
            *(tree.model.topology, tree.model.constants, tree.model.gravity),
            *(working_memory.allocate(tree.model.topology), theta, rates, 0.0 * rates),
            *(f_ext[rows], held),
        )
        expected, _ = referee.solve(theta, rates, driven, held, diagonal)
        found = np.zeros(robot.nv)
        status = embedded.kernel_of(generic.forward_dynamics)(
            *(
                model.topology,
                model.constants,
                model.gravity,
                working_memory.allocate(model.topology),
            ),
            *(q, qd, tau, f_ext, added, found),
        )
        assert status == 0
        agree(found, expected[lead], tolerance=1e-11)


def test_a_row_of_loops_keeps_its_digits():
    """Thirty bodies against the same sums in long double, whose rounding is 2000 times smaller.

    Articulated inertias of a row do not cancel, entries of its mass matrix do: its factors lose
    four digits here.
    """
    model = several_four_bars(3).robot().model
    rng = np.random.default_rng(3)
    q = model.closed_posture + rng.uniform(-0.1, 0.1, model.nv)
    state = (q, *rng.uniform(-1.0, 1.0, (2, model.nv)), np.zeros((len(model.topology), 6)))

    def accelerations(function, dtype, *work):
        given = (each.astype(dtype) for each in (*state, np.zeros(model.nv)))
        memory, found = PlainWork(model.topology, dtype(0.0)), np.zeros(model.nv, dtype)
        tables = (each.astype(dtype) for each in (model.constants, model.gravity))
        status = function(model.topology, *tables, memory, *given, *work, found)
        assert status == 0
        return found

    exact = accelerations(forward_dynamics.forward_dynamics, np.longdouble)
    found = accelerations(forward_dynamics.forward_dynamics, float)
    M, bias = np.zeros((model.nv, model.nv)), np.zeros(model.nv)
    by_factors = accelerations(forward_dynamics.forward_dynamics_factored, float, M, bias)
    agree(found, exact.astype(float), tolerance=1e-13)
    agree(by_factors, found, tolerance=1e-10)
