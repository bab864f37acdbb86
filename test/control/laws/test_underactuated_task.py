# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A tool that follows its path while joints without motor swing (Jain, Algorithm 16.4)."""

import numpy as np
import pytest

from robodyn_ros.algorithms.core.friction import friction_torque
from robodyn_ros.control import TERMS
from robodyn_ros.control.laws.underactuated import UnderactuatedComputedTorque
from robodyn_ros.control.laws.underactuated_task import UnderactuatedOperationalSpace
from robodyn_ros.errors import RobodynError, UnknownNameError
from robodyn_ros.formulations.jain.body_tree import tree_at
from robodyn_ros.formulations.jain.tree_kinematics import node
from robodyn_ros.formulations.jain.under_actuated.generalized_jacobian import jacobians
from robodyn_ros.spatial.turning import quaternion_of, turn_between
from support.compare import agree, solve_tolerance
from support.robots.families import FAMILIES
from support.supervised import FRANKA, TWO_LINK, arm, lagging
from test.control.laws.test_underactuated_law import ELBOW, PASSIVE, tracked, wanted

#: The tool of each robot, its passive joints, and as many axes as the driven joints can give.
TOOLS = {
    'franka_like': (FRANKA, ('joint4',), 'tool0', (1, 1, 1, 1, 1, 1)),
    'two lost': (FRANKA, ('joint4', 'joint6'), 'tool0', (1, 1, 1, 0, 0, 0)),
    'ur_like': (arm('ur_like'), PASSIVE['ur_like'][1], 'tool0', (0, 1, 1, 0, 0, 0)),
    'none lost': (arm('ur_like'), (), 'tool0', (1, 1, 1, 0, 0, 1)),
    **{
        name: (*PASSIVE[name], FAMILIES[name].tip, (1, 0, 1, 0, 0, 0))
        for name in ('skew_chain', 'rotors')
    },
}
by_case = pytest.mark.parametrize(('robot', 'names', 'tool', 'axes'), TOOLS.values(), ids=TOOLS)
#: The forearm hangs from a lost elbow, and the other joints can move the tool along every axis.
ASIDE = np.array([0.0, 1.3, 0.0, -2.134, 1.57, 1.1, 0.8])
AXES, REACH, HOLD = slice(13, 19), 20, 21


def law_of(robot, names, tool, axes=(1, 1, 1, 0, 0, 0), locked=False, reach=1e-6):
    """Return the law of a tool, whose directions are all kept."""
    law = UnderactuatedOperationalSpace(robot, names, tool)
    law.values[0], law.values[AXES], law.values[REACH] = locked, axes, reach
    return law


def accelerations(law, q, qd, reference, gains):
    """Return the accelerations of the robot under the law, without friction of driven joints."""
    robot, terms = law.robot, np.zeros((len(TERMS), law.robot.nv))
    assert not law.torques(q, qd, reference, gains, terms)
    drag = np.zeros(robot.nv)
    friction_torque(robot.model.topology, robot.model.constants, q, qd, drag)
    tau = terms.sum(axis=0) - terms[TERMS.index('friction')] - np.where(law.undriven, drag, 0.0)
    assert (terms[:, law.undriven] == 0.0).all()
    return robot.forward_dynamics(q, qd, tau)


def motion_of(robot, tool, q, qd, qdd):
    """Return velocity and acceleration of a tool."""
    J = robot.jacobian(q, tool)
    return J @ qd, J @ qdd + robot.jacobian_bias(q, qd, tool)


def pose_error(robot, tool, q, other):
    """Return (6,), from the pose at q to that at other: a distance and a rotation vector."""
    here, there = robot.pose(q, tool), robot.pose(other, tool)
    turns = [quaternion_of(*each[:3, :3].T) for each in (there, here)]
    return np.concatenate((there[:3, 3] - here[:3, 3], turn_between(*turns)))


@by_case
def test_the_tool_is_a_linear_oscillator_about_its_path(robot, names, tool, axes):
    """x'' = x''_r + Kd (v_r - v) + Kp e in every axis, however the passive joints move."""
    q, qd, reference, gains = lagging(robot)
    law, kept = law_of(robot, names, tool, axes), np.array(axes) > 0
    law.values[1:13] = np.linspace(50.0, 5.0, 12)
    qdd = accelerations(law, q, qd, reference, gains)
    v_r, a_r = motion_of(robot, tool, *reference)
    v, a = motion_of(robot, tool, q, qd, qdd)
    e = pose_error(robot, tool, q, reference[0])
    asked = a_r + law.values[7:13] * (v_r - v) + law.values[1:7] * e
    slack = 1e3 * solve_tolerance(robot.mass_matrix(q))
    agree(a[kept], asked[kept], np.abs(qdd).max() + np.abs(a_r).max(), slack)
    if names:  # the law of the joints leaves the tool somewhere else
        joints = UnderactuatedComputedTorque(robot, names)
        _, missed = motion_of(robot, tool, q, qd, accelerations(joints, q, qd, reference, gains))
        assert np.abs(missed - asked)[kept].max() > 1e-2 * np.abs(asked).max()


@by_case
def test_driven_joints_obey_their_gains_where_the_tool_leaves_a_choice(robot, names, tool, axes):
    """N^T (qdd_a - a) = 0 with J_G N = 0: the nearest accelerations to a.

    J_G is that of dense blocks. The columns of J_G have the lengths and angles of those
    of Algorithm 16.3, which are in axes of the tool.
    """
    q, qd, reference, gains = lagging(robot)
    law = law_of(robot, names, tool, axes)
    qdd, kept = accelerations(law, q, qd, reference, gains), np.array(axes) > 0
    M, J = robot.mass_matrix(q), robot.jacobian(q, tool)
    a, p = ~law.undriven, law.undriven
    J_D = -np.linalg.solve(M[np.ix_(p, p)], M[np.ix_(p, a)])
    full = np.zeros(J.shape)
    full[:, a] = J[:, a] + J[:, p] @ J_D
    J_G = full[kept][:, a]
    null = np.linalg.svd(J_G)[2][len(J_G) :].T
    asked = wanted(q, qd, reference, gains)[a]
    slack = 1e3 * solve_tolerance(M)
    if null.size:
        size = np.abs(asked).max() + np.abs(qdd).max()
        agree(null.T @ (qdd[a] - asked), np.zeros(null.shape[1]), size, slack)
    if names:
        tree = tree_at(robot, q)
        active = ~tree.to_jain(law.undriven)
        book = jacobians(tree, active, [node(tree, robot, tool)]).J_G
        mine = np.array([tree.to_jain(row) for row in full])[:, active]
        agree(mine.T @ mine, book.T @ book, tolerance=slack)


#: One passive joint of each robot, and axes that leave the driven joints enough choice to hold it.
HELD = {
    'franka_like': (FRANKA, ('joint4',), 'tool0', (1, 1, 1, 0, 0, 0)),
    'two lost': (FRANKA, ('joint4', 'joint6'), 'tool0', (1, 1, 1, 0, 0, 0)),
    'ur_like': (arm('ur_like'), ('wrist_1_joint',), 'tool0', (1, 1, 0, 0, 0, 0)),
    'skew_chain': (*PASSIVE['skew_chain'], FAMILIES['skew_chain'].tip, (0, 0, 1, 0, 0, 0)),
}


@pytest.mark.parametrize(('robot', 'names', 'tool', 'axes'), HELD.values(), ids=HELD)
def test_driven_joints_to_spare_hold_the_passive_ones(robot, names, tool, axes):
    """(16.25): [J_G; J_D] x is as asked, with the least x - a; the tool moves as without `hold`.

    The referee is the pseudo-inverse of the stacked matrix, from dense blocks of M.
    """
    q, qd, reference, gains = lagging(robot)
    law, kept = law_of(robot, names, tool, axes), np.array(axes) > 0
    loose = accelerations(law, q, qd, reference, gains)
    law.values[HOLD] = 1.0
    qdd = accelerations(law, q, qd, reference, gains)
    M, J = robot.mass_matrix(q), robot.jacobian(q, tool)[kept]
    a, p = ~law.undriven, law.undriven
    J_D = -np.linalg.solve(M[np.ix_(p, p)], M[np.ix_(p, a)])
    stacked = np.vstack((J[:, a] + J[:, p] @ J_D, J_D))
    slack, size = 1e4 * solve_tolerance(M), np.abs(qdd).max()
    assert np.linalg.matrix_rank(stacked) == len(stacked) <= a.sum()
    agree(qdd[p], gains[1][p] * (reference[1] - qd)[p], size, slack)
    agree(J @ qdd, J @ loose, size, slack)
    rest = np.linalg.svd(stacked)[2][len(stacked) :]
    asked = wanted(q, qd, reference, gains)[a]
    if len(rest):
        agree(rest @ (qdd[a] - asked), np.zeros(len(rest)), size + np.abs(asked).max(), slack)
    assert np.abs((loose - qdd)[p]).max() > 1e-2 * size
    law.values[HOLD] = 0.25
    part = accelerations(law, q, qd, reference, gains)
    agree(part, loose + 0.25 * (qdd - loose), size, slack)


def test_a_tool_that_needs_all_driven_joints_comes_first():
    """Six axes with six motors: nothing holds the elbow, and the tool moves as without `hold`."""
    q, qd, reference, gains = lagging(FRANKA)
    law = law_of(FRANKA, ('joint4',), 'tool0', (1, 1, 1, 1, 1, 1))
    loose = accelerations(law, q, qd, reference, gains)
    law.values[HOLD] = 1.0
    held = accelerations(law, q, qd, reference, gains)
    J = FRANKA.jacobian(q, 'tool0')
    slack = 1e4 * solve_tolerance(FRANKA.mass_matrix(q))
    agree(J @ held, J @ loose, np.abs(loose).max(), slack)


def test_a_braked_joint_is_not_held_twice():
    """`locked` with `hold`: the torques of `locked` alone."""
    q, qd, reference, gains = lagging(FRANKA)
    found = []
    for share in (0.0, 1.0):
        law = law_of(FRANKA, ('joint4',), 'tool0', locked=True)
        law.values[HOLD] = share
        terms = np.zeros((len(TERMS), FRANKA.nv))
        assert not law.torques(q, qd, reference, gains, terms)
        found.append(terms)
    agree(found[1], found[0], np.abs(found[0]).max())


def test_near_a_lost_direction_the_torque_stays_bounded():
    """A straight arm cannot move its tool along itself: that direction fades out."""
    q = np.zeros(FRANKA.nv)
    reference = np.array((q + 0.1, q, q))
    for lift in (0.0, 1e-7, 1e-4, 1e-2):
        law = law_of(FRANKA, ('joint4',), 'tool0', (1, 1, 1, 1, 1, 1), reach=0.01)
        law.values[HOLD] = 1.0
        terms = np.zeros((len(TERMS), FRANKA.nv))
        assert not law.torques(q + lift, q, reference, np.ones((2, FRANKA.nv)), terms)
        assert np.abs(terms.sum(axis=0)).max() < 5e3


def tool_errors(errors, positions):
    """Return the distance [m] of the tool from its path, for each cycle."""
    there, here = (
        FRANKA.pose(np.ascontiguousarray(q), 'tool0')[:, :3, 3]
        for q in (positions + errors, positions)
    )
    return np.linalg.norm(there - here, axis=1)


def test_the_tool_of_an_arm_that_lost_its_elbow_motor_follows_its_path():
    """Within a millimetre, while the elbow swings and rests; the law of joints misses by 100.

    That one puts the driven joints where the reference has them, and the tool where the elbow is.
    What is left is friction that sticks, which the law takes for none.
    """
    law = UnderactuatedOperationalSpace(FRANKA, ('joint4',), 'tool0')
    errors, positions, commands = tracked(law, ('joint4',), home=ASIDE, lift=0.1)
    elbow = positions[:, ELBOW]
    assert tool_errors(errors, positions).max() < 1e-3
    assert np.ptp(elbow[:4000]) > 0.1 and np.ptp(elbow[-500:]) < 1e-6
    assert (commands[:, ELBOW] == 0.0).all()
    joints = UnderactuatedComputedTorque(FRANKA, ('joint4',))
    plain, there, _ = tracked(joints, ('joint4',), seconds=4.0, home=ASIDE, lift=0.1)
    assert tool_errors(plain, there).max() > 0.1


def test_with_its_brake_closed_the_tool_follows_too():
    """`locked`: the other joints make the whole way of the tool."""
    law = law_of(FRANKA, ('joint4',), 'tool0', locked=True)
    way = {'brake': True, 'seconds': 4.0, 'home': ASIDE, 'lift': 0.1}
    errors, positions, _ = tracked(law, ('joint4',), **way)
    assert np.ptp(positions[:, ELBOW]) == 0.0
    assert tool_errors(errors, positions).max() < 1e-3


def test_a_tool_that_coupling_alone_reaches_has_to_be_named():
    """The elbow of an arm without a motor in its shoulder: J_G = J_p J_D vanishes on its way.

    A motor that moves the elbow itself, or a tool by name, is accepted.
    """
    with pytest.raises(RobodynError, match="alone move the origin of 'link2'; expected the name"):
        UnderactuatedOperationalSpace(TWO_LINK, ('joint1',))
    couplings = []
    for elbow in (0.4, 2.7):
        M = TWO_LINK.mass_matrix(np.array([0.3, elbow]))
        couplings.append(-M[0, 1] / M[0, 0])
    assert couplings[0] < -0.1 and couplings[1] > 0.03
    UnderactuatedOperationalSpace(TWO_LINK, ('joint2',))
    for name in ('link2', 'tool0'):
        UnderactuatedOperationalSpace(TWO_LINK, ('joint1',), name)


def test_a_tool_that_does_not_exist_or_move_is_refused():
    """Each sentence says what was got."""
    with pytest.raises(UnknownNameError, match='hand'):
        UnderactuatedOperationalSpace(TWO_LINK, ('joint2',), 'hand')
    with pytest.raises(
        RobodynError, match=f"got '{TWO_LINK.model.body_names[0]}', which does not"
    ):
        UnderactuatedOperationalSpace(TWO_LINK, ('joint2',), TWO_LINK.model.body_names[0])
    with pytest.raises(UnknownNameError, match="'elbow'; expected names"):
        UnderactuatedOperationalSpace(TWO_LINK, ('elbow',), 'tool0')
