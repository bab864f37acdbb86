# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Several frames at once: the compliance that couples them, and how they accelerate."""

from dataclasses import replace

import numpy as np
import pytest

from robodyn_ros.errors import ShapeError, UnknownNameError
from robodyn_ros.model.description import Joint, Link, Placement
from support.compare import agree, solve_tolerance
from support.robots.families import FAMILIES, MIXED, states
from support.robots.real_robots import robot as real

#: Two end effectors each; those of baxter share nothing but the base, the others a torso; talos
#: floats.
DUAL_ARMS = {
    'baxter': ('left_gripper', 'right_gripper'),
    'tiago_dual': ('arm_left_tool_link', 'arm_right_tool_link'),
    'talos_upper_body': ('gripper_left_base_link', 'gripper_right_base_link'),
    'pr2': ('l_gripper_palm_link', 'r_gripper_palm_link'),
    'talos': ('gripper_left_base_link', 'gripper_right_base_link'),
}


@pytest.fixture
def case(any_case):
    """Return one robot after the other, with joints of every kind."""
    return any_case


@pytest.fixture(params=DUAL_ARMS)
def dual_arm(request):
    """Return one real dual arm after the other, and its end effectors."""
    case = real(request.param)
    if case is None:
        pytest.skip('example-robot-data is not installed')
    return case, list(DUAL_ARMS[request.param])


def frames_of(case, count=4, seed=0):
    """Return some links of a robot, always the tip and a carrier of it among them."""
    names = [link.name for link in case.description.links if link.name in case.robot.frames]
    drawn = np.random.default_rng(seed).choice(names, min(count, len(names)), replace=False)
    return list(dict.fromkeys([case.tip, *map(str, drawn)]))


def stacked(referee, q, frames):
    """Return J of several frames, and J M^-1 J^T by a dense solve."""
    J = np.concatenate([referee.jacobian(q, frame) for frame in frames])
    return J, J @ np.linalg.solve(referee.mass_matrix(q), J.T)


def test_every_block_equals_the_dense_inverse(case):
    """J_i M^-1 J_j^T for any frames of any tree, in any order (Jain 2011, eq. 10.12, 10.18)."""
    frames = frames_of(case)
    for q, _, _ in states(case.robot):
        J, expected = stacked(case.dense, q, frames)
        task = case.robot.operational_space_inertia(q, frames)
        agree(task.jacobian, J)
        agree(task.inverse, expected, tolerance=solve_tolerance(case.dense.mass_matrix(q)))
        assert np.array_equal(task.inverse, task.inverse.T)
        turned = case.robot.operational_space_inertia(q, frames[::-1])
        for i, one in enumerate(frames):
            for j, other in enumerate(frames):
                block = expected[6 * i : 6 * i + 6, 6 * j : 6 * j + 6]
                for found in (task, turned):
                    agree(
                        found.block(one, other, of='inverse'),
                        block,
                        scale=np.abs(expected).max(),
                        tolerance=solve_tolerance(case.dense.mass_matrix(q)),
                    )


def test_one_frame_in_a_list_is_the_frame_alone(case):
    """The same bits in the compliance, whether a frame comes alone or in a list.

    Among others it comes from another kernel. A compiler may order sums otherwise there, and
    contract other products. So the two agree to the rounding of a solve.
    """
    q, _, _ = states(case.robot)[0]
    alone = case.robot.operational_space_inertia(q, case.tip)
    listed = case.robot.operational_space_inertia(q, [case.tip])
    among = case.robot.operational_space_inertia(q, frames_of(case))
    assert np.array_equal(alone.inverse, listed.inverse)
    assert np.array_equal(alone.inertia, listed.inertia)
    agree(
        among.block(case.tip, of='inverse'),
        alone.inverse,
        tolerance=solve_tolerance(case.dense.mass_matrix(q)),
    )
    assert alone.rows == listed.rows == {case.tip: slice(0, 6)}


def test_two_end_effectors_of_real_robots_agree_with_pinocchio(dual_arm):
    """Lambda of both end effectors of a dual arm, against Pinocchio and a dense inverse."""
    case, hands = dual_arm
    for q, _, _ in states(case.robot):
        J, expected = stacked(case.pinocchio, q, hands)
        task = case.robot.operational_space_inertia(q, hands)
        tolerance = solve_tolerance(case.pinocchio.mass_matrix(q))
        agree(task.jacobian, J, tolerance=1e-11)  # two parsers, rounded decimals of the URDF
        agree(task.inverse, expected, tolerance=tolerance)
        assert task.rank == 12
        agree(task.inertia, np.linalg.inv(expected), tolerance=solve_tolerance(expected))
        agree(task.inertia @ task.inverse, np.eye(12), tolerance=solve_tolerance(expected))


def test_end_effectors_are_coupled_by_shared_bodies():
    """Arms on a fixed torso are not coupled at all; a torso that moves couples them."""
    q = {name: states(real(name).robot)[0][0] for name in DUAL_ARMS if real(name)}
    for name, hands in DUAL_ARMS.items():
        if name in q:
            task = real(name).robot.operational_space_inertia(q[name], list(hands))
            for of in ('inverse', 'inertia'):
                coupled = np.abs(task.block(*hands, of)).max() > 1e-6
                assert coupled == (name != 'baxter')
            if name == 'baxter':
                assert not task.block(*hands, 'inverse').any()


def test_a_force_at_one_end_effector_moves_the_other(dual_arm):
    """J_i (qdd(f at j) - qdd(0)) = J_i M^-1 J_j^T f, by two runs of forward dynamics."""
    case, (left, right) = dual_arm
    force = np.array((3.0, -2.0, 5.0, 0.4, -0.7, 0.3))
    for q, qd, tau in states(case.robot):
        task = case.robot.operational_space_inertia(q, [left, right])
        free = case.robot.forward_dynamics(q, qd, tau)
        pushed = case.robot.forward_dynamics(q, qd, tau, {left: force})
        agree(
            task.jacobian @ (pushed - free),
            task.inverse[:, task.rows[left]] @ force,
            scale=np.abs(task.jacobian).max() * (np.abs(free).sum() + np.abs(pushed).sum()),
            tolerance=solve_tolerance(case.robot.mass_matrix(q)),
        )


def test_axes_may_differ_between_frames(dual_arm):
    """{frame: axes}: rows of each frame, the inverse of their common sub-block."""
    case, (left, right) = dual_arm
    q, _, _ = states(case.robot)[0]
    whole = case.robot.operational_space_inertia(q, [left, right])
    task = case.robot.operational_space_inertia(q, [left, right], {left: 'x y z', right: 'rz'})
    kept = [0, 1, 2, 11]
    assert task.axes == ('x', 'y', 'z', 'rz')
    assert task.rows == {left: slice(0, 3), right: slice(3, 4)}
    assert np.array_equal(task.inverse, whole.inverse[np.ix_(kept, kept)])
    agree(task.inertia, np.linalg.inv(task.inverse), tolerance=solve_tolerance(task.inverse))
    both = case.robot.operational_space_inertia(q, [left, right], 'x z')
    assert both.axes == ('x', 'z', 'x', 'z') and both.inertia.shape == (4, 4)
    partly = case.robot.operational_space_inertia(q, [left, right], {right: 'x'})
    assert partly.rows == {left: slice(0, 6), right: slice(6, 7)}


def test_frames_of_a_free_base():
    """A floating robot moves in all six directions anywhere: Lambda of the base body is P (Remark
    10.2).

    The end effector of a floating robot is more compliant than with the base held (Jain 2011, eq.
    10.24). Every pair of frames is coupled.
    """
    case = MIXED['free_base']
    trunk = case.robot.model.body_names[6]  # the last of the six rows of the free joint
    for q, _, _ in states(case.robot):
        M = case.dense.mass_matrix(q)
        task = case.robot.operational_space_inertia(q, [trunk, case.tip])
        assert case.robot.operational_space_inertia(q, trunk).rank == 6
        assert np.abs(task.block(trunk, case.tip, 'inverse')).max() > 1e-3
        J = case.dense.jacobian(q, case.tip)
        held = J[:, 6:] @ np.linalg.solve(M[6:, 6:], J[:, 6:].T)
        surplus = task.block(case.tip, of='inverse') - held
        assert np.linalg.eigvalsh(surplus).min() > -solve_tolerance(M) * np.abs(held).max()
        assert np.trace(surplus) > 1e-3 * np.trace(held)
        free = task.block(trunk, of='inverse')
        # articulated inertia of the base body: its own and all that hangs on it, joints free
        joined = M[:6, :6] - M[:6, 6:] @ np.linalg.solve(M[6:, 6:], M[6:, :6])
        J = case.dense.jacobian(q, trunk)[:, :6]
        agree(free, J @ np.linalg.solve(joined, J.T), tolerance=solve_tolerance(M))


def test_what_floats_does_not_care_which_body_is_its_base():
    """The same robot, described from another body: the same compliance of any frames.

    Omega of a free-flying system does not depend on the choice of its base (Jain 2011, Remark
    10.2, section 17.4).
    """
    case = MIXED['free_base']
    other = replace(case, description=rerooted(case.description, case.tip))
    frames = [case.tip, 'link1', 'base']
    for q, _, _ in states(case.robot):
        X = case.robot.pose(q, case.tip)
        angles = dict(zip(case.robot.joint_names[6:], q[7:]))
        moved = np.concatenate(
            (
                X[:3, 3],
                quaternion(X[:3, :3]),
                [angles[name] for name in other.robot.joint_names[6:]],
            )
        )
        for frame in frames:
            agree(other.robot.pose(moved, frame), case.robot.pose(q, frame), tolerance=1e-11)
        expected = case.robot.task_space.compliance(q, frames)[1]
        agree(
            other.robot.task_space.compliance(moved, frames)[1],
            expected,
            tolerance=10.0 * solve_tolerance(case.robot.mass_matrix(q)),
        )


def rerooted(description, root):
    """Return the same robot, its joints between the old root and the new one turned around."""
    links, joints = [*description.links], {joint.child: joint for joint in description.joints}
    while root in joints:
        joint = joints.pop(root)
        R, p = joint.placement.rotation, joint.placement.translation
        at, axis = f'{joint.name} turned', np.zeros(3) if joint.axis is None else -joint.axis
        links.append(Link(at))
        joints[at] = replace(
            joint, parent=root, child=at, axis=axis, placement=Placement(np.eye(3), np.zeros(3))
        )
        joints[f'{at}, weld'] = Joint(
            f'{at}, weld', 'fixed', at, joint.parent, Placement(R.T, -R.T @ p)
        )
        root = joint.parent
    return replace(description, links=tuple(links), joints=tuple(joints.values()))


def quaternion(R):
    """x, y, z, w of a rotation by less than half a turn, from its eigenvector."""
    K = np.array(
        [
            [R[0, 0] - R[1, 1] - R[2, 2], 0.0, 0.0, 0.0],
            [R[0, 1] + R[1, 0], R[1, 1] - R[0, 0] - R[2, 2], 0.0, 0.0],
            [R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], R[2, 2] - R[0, 0] - R[1, 1], 0.0],
            [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1], np.trace(R)],
        ]
    )
    return np.linalg.eigh(K)[1][:, -1]


def test_a_frame_and_another_on_its_body_are_one_body():
    """Frames welded together: rank 6 of 12, and Lambda is the pseudo-inverse."""
    case = next(
        case
        for case in FAMILIES.values()
        if any(
            joint.type == 'fixed' and joint.parent != case.root
            for joint in case.description.joints
        )
        and case.robot.nv > 8
    )
    weld = [joint for joint in case.description.joints if joint.type == 'fixed'][-1]
    q, _, _ = states(case.robot)[0]
    task = case.robot.operational_space_inertia(q, [weld.parent, weld.child])
    alone = case.robot.operational_space_inertia(q, weld.parent)
    assert task.rank == alone.rank
    W, L = task.inverse, task.inertia
    values = np.linalg.eigvalsh(W)[::-1][: task.rank]
    tolerance = max(1e-12, 1e-15 * values[0] / values[-1])
    agree(W @ L @ W, W, tolerance=tolerance)
    agree(L @ W @ L, L, tolerance=tolerance)


def test_bias_is_minus_lambda_times_the_free_acceleration(case):
    """xdd = J qdd + Jdot qd at tau = 0; mu + p = -Lambda xdd (Jain 2011, eq. 10.8)."""
    robot, frames = case.robot, frames_of(case, 2)
    for q, qd, _ in states(robot):
        qdd = case.dense.forward_dynamics(q, qd, np.zeros(robot.nv))
        expected = np.concatenate(
            [
                case.dense.jacobian(q, frame) @ qdd + case.dense.jacobian_bias(q, qd, frame)
                for frame in frames
            ]
        )
        bias = robot.task_space.bias(q, qd, frames)
        tolerance = solve_tolerance(robot.mass_matrix(q))
        scale = np.abs(bias.task.jacobian).max() * np.abs(qdd).sum()
        agree(bias.free_acceleration, expected, scale=scale, tolerance=tolerance)
        L, J = bias.task.inertia, bias.task.jacobian
        size = np.abs(L).max() * scale * len(L)
        agree(bias.total, -L @ expected, scale=size, tolerance=tolerance)
        weight = case.dense.gravity_torque(q)
        agree(
            bias.gravity,
            L @ J @ np.linalg.solve(case.dense.mass_matrix(q), weight),
            scale=size,
            tolerance=tolerance,
        )


def test_the_task_moves_as_the_bias_says(dual_arm):
    """Driven by J^T F with F = Lambda u + mu + p, both end effectors accelerate with u (Jain
    10.10)."""
    case, hands = dual_arm
    u = np.arange(1.0, 13.0) / 7.0
    for q, qd, _ in states(case.robot):
        bias = case.robot.task_space.bias(q, qd, hands)
        force = bias.task.inertia @ u + bias.total
        tau = bias.task.jacobian.T @ force
        qdd = case.robot.forward_dynamics(q, qd, tau)
        drift = np.concatenate([case.robot.jacobian_bias(q, qd, hand) for hand in hands])
        agree(
            bias.task.jacobian @ qdd + drift,
            u,
            scale=np.abs(qdd).sum(),
            tolerance=solve_tolerance(bias.task.inverse),
        )


def test_null_space_is_dynamically_consistent(dual_arm):
    """N N = N, J N = 0, J M^-1 N^T = 0: a null-space torque moves neither end effector."""
    case, hands = dual_arm
    for q, qd, tau in states(case.robot):
        task = case.robot.operational_space_inertia(q, hands)
        N, J = case.robot.task_space.null_space_projection(q, hands), task.jacobian
        assert np.array_equal(N, task.null_space_projection)
        tolerance = solve_tolerance(task.inverse)
        agree(N @ N, N, tolerance=tolerance)
        agree(J @ N, np.zeros_like(J), scale=np.abs(J).max(), tolerance=tolerance)
        Minv = case.robot.mass_matrix_inverse(q)
        agree(J @ Minv @ N.T, np.zeros_like(J), scale=np.abs(J @ Minv).max(), tolerance=tolerance)
        free = case.robot.forward_dynamics(q, qd, np.zeros(case.robot.nv))
        moved = case.robot.forward_dynamics(q, qd, N.T @ tau) - free
        assert np.abs(moved).max() > 1e-3
        agree(
            J @ moved,
            np.zeros(12),
            scale=np.abs(J).max() * np.abs(free).sum(),
            tolerance=tolerance,
        )
        assert np.linalg.matrix_rank(N, tol=1e-6) == case.robot.nv - 12


@pytest.mark.parametrize('axes', [None, 'x z ry'])
def test_batches_of_several_frames_equal_single_states(axes):
    """Lambda, what couples the frames, bias, and a motion they are held to: state by state."""
    case = FAMILIES['tree']
    robot, frames = case.robot, frames_of(case, 2)
    q, qd, tau = (np.array(rows) for rows in zip(*states(robot, 3)))
    J, compliance = robot.task_space.compliance(q, frames)
    bias = robot.task_space.bias(q, qd, frames, axes, 0.1)
    N = robot.task_space.null_space_projection(q, frames, axes, 0.1)
    held = robot.task_space.constrained_dynamics(q, qd, tau, frames[0], 'x z')
    for k in range(3):
        alone = robot.task_space.bias(q[k], qd[k], frames, axes, 0.1)
        for name in ('inertia', 'inverse', 'jacobian', 'singular_values', 'consistent_inverse'):
            agree(getattr(bias.task, name)[k], getattr(alone.task, name), tolerance=1e-12)
        assert bias.task.rank[k] == alone.task.rank and bias.task.rows == alone.task.rows
        for name in ('coriolis', 'gravity', 'free_acceleration', 'total'):
            agree(getattr(bias, name)[k], getattr(alone, name), tolerance=1e-12)
        agree(N[k], alone.task.null_space_projection, tolerance=1e-12)
        for mine, theirs in zip((J, compliance), robot.task_space.compliance(q[k], frames)):
            agree(mine[k], theirs, tolerance=1e-14)
        for mine, theirs in zip(
            held, robot.task_space.constrained_dynamics(q[k], qd[k], tau[k], frames[0], 'x z')
        ):
            agree(mine[k], theirs, tolerance=1e-11)  # undamped, by an inverse of its own


def test_what_is_not_a_task_is_refused():
    """Names twice, none, unknown ones, and axes for a frame that was not asked for."""
    robot = FAMILIES['tree'].robot
    q, qd, _ = states(robot)[0]
    for frames in ([], ['link1', 'link1'], 7):
        with pytest.raises(ShapeError, match='each once'):
            robot.operational_space_inertia(q, frames)
    with pytest.raises(UnknownNameError, match='nowhere'):
        robot.operational_space_inertia(q, ['link1', 'nowhere'])
    with pytest.raises(UnknownNameError, match="'link9'.*expected one of link1, link2"):
        robot.operational_space_inertia(q, ['link1', 'link2'], {'link9': 'x'})
    with pytest.raises(UnknownNameError, match="'link9'.*expected one of link1, link2"):
        robot.operational_space_inertia(q, ['link1', 'link2']).block('link9')
