# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What must not matter: the order things are written down in, and where the base is put."""

from dataclasses import replace

import numpy as np
import pytest

from robodyn_ros.model.description import Joint, Link, Placement, RobotDescription
from robodyn_ros.model.layout import PARENT, V
from support.compare import agree, solve_tolerance
from support.robots.families import FAMILIES, Case, inertial, rotation, states

BRANCHED = ('tree', 'sliding_tree', 'massless_branches', 'rotors', 'permuted', 'locked')


def test_sibling_order_does_not_matter(case):
    """Links and joints written down in another order make the same robot."""
    rng = np.random.default_rng(1)
    old = case.description
    other = replace(
        case,
        description=RobotDescription(
            old.name,
            tuple(rng.permutation(np.array(old.links, dtype=object))),
            tuple(rng.permutation(np.array(old.joints, dtype=object))),
        ),
        joints=case.robot.joint_names,
        base=case.root,
    )
    same_motion(case.robot, other.robot, np.eye(case.robot.nv))


def test_joint_order_only_permutes_results(case):
    """Asking for the joints in another order permutes every result, and changes no bit of it."""
    order = np.random.default_rng(2).permutation(case.robot.nv)
    names = tuple(case.robot.joint_names[k] for k in order)
    held = {name: value for name, value in case.locked.items() if name not in names}
    robot, other = case.robot, replace(case, joints=names, locked=held).robot
    assert other.joint_names == names
    for q, qd, qdd in states(robot):
        a, b = (
            robot.inverse_dynamics(q, qd, qdd),
            other.inverse_dynamics(q[order], qd[order], qdd[order]),
        )
        assert np.array_equal(a[order], b)
        for one, two in (
            (robot.mass_matrix(q), other.mass_matrix(q[order])),
            (robot.mass_matrix_inverse(q), other.mass_matrix_inverse(q[order])),
            (robot.coriolis_matrix(q, qd), other.coriolis_matrix(q[order], qd[order])),
        ):
            assert np.array_equal(one[np.ix_(order, order)], two)
        assert np.array_equal(
            robot.jacobian(q, case.tip)[:, order], other.jacobian(q[order], case.tip)
        )
        assert np.array_equal(
            robot.forward_dynamics(q, qd, qdd)[order],
            other.forward_dynamics(q[order], qd[order], qdd[order]),
        )


def test_reversed_axes_reverse_their_coordinates(case):
    """With S = diag(+-1) for the axes turned around: M(S q) = S M S, tau(S q, ...) = S tau."""
    rng = np.random.default_rng(3)
    signs = dict(zip(case.robot.joint_names, rng.choice((-1.0, 1.0), case.robot.nv)))
    joints = tuple(
        replace(joint, axis=joint.axis * signs.get(joint.name, 1.0))
        for joint in case.description.joints
    )
    other = replace(case, description=replace(case.description, joints=joints))
    same_motion(case.robot, other.robot, np.diag([*signs.values()]))


def test_base_may_be_mounted_at_any_orientation(case):
    """A base turned by R under gravity R g moves as before; poses and Jacobians turn with it."""
    R, p = rotation(np.random.default_rng(4)), np.array((0.3, -0.2, 0.5))
    old = case.description
    mounted = RobotDescription(
        old.name,
        (Link('mount'), *old.links),
        (Joint('bolts', 'fixed', 'mount', case.root, Placement(R, p)), *old.joints),
    )
    if case.base is not None:
        pytest.skip('a base inside the tree has a parent already')
    other = replace(
        case, description=mounted, gravity=tuple(R @ case.gravity), joints=case.robot.joint_names
    )
    same_motion(case.robot, other.robot, np.eye(case.robot.nv))
    X, turn = np.eye(4), np.kron(np.eye(2), R)
    X[:3, :3], X[:3, 3] = R, p
    for q, qd, _ in states(case.robot):
        agree(other.robot.pose(q, case.tip), X @ case.robot.pose(q, case.tip))
        agree(other.robot.jacobian(q, case.tip), turn @ case.robot.jacobian(q, case.tip))
        agree(other.robot.velocity(q, qd, case.tip), turn @ case.robot.velocity(q, qd, case.tip))
        agree(
            other.robot.operational_space_inertia(q, case.tip).inverse,
            turn @ case.robot.operational_space_inertia(q, case.tip).inverse @ turn.T,
        )


def test_only_gravity_in_base_axes_counts(case):
    """with_gravity(g) is the robot that was built under g."""
    g = np.array((2.0, 9.0, -1.0))
    other = replace(case, gravity=tuple(g)).robot
    for q, qd, qdd in states(case.robot):
        assert np.array_equal(
            case.robot.with_gravity(g).inverse_dynamics(q, qd, qdd),
            other.inverse_dynamics(q, qd, qdd),
        )


def test_weightless_and_at_rest_needs_no_torque(case):
    """Without gravity and motion the torque is exactly zero (free fall; Angeles P15)."""
    robot = case.robot.with_gravity((0.0, 0.0, 0.0))
    for q, _, _ in states(robot):
        assert not robot.gravity_torque(q).any()
        assert not robot.inverse_dynamics(q, 0.0 * q, 0.0 * q).any()


def test_twice_the_mass_takes_twice_the_torque():
    """Scaling every mass by two scales every torque by two, to the last bit."""
    for name in ('skew_chain', 'sliding_tree', 'massless_links'):
        robot = FAMILIES[name].robot
        heavy = type(robot)(robot.model.with_scaled_masses(2.0))
        for q, qd, qdd in states(robot):
            assert np.array_equal(
                heavy.inverse_dynamics(q, qd, qdd), 2.0 * robot.inverse_dynamics(q, qd, qdd)
            )


def test_locked_joints_leave_the_sub_block():
    """Of the moving robot's M, g and C at the angles of the lock, only the free rows are left."""
    case = FAMILIES['locked']
    whole = Case(case.description, gravity=case.gravity).robot
    free = [whole.joint_names.index(name) for name in case.robot.joint_names]
    for q, qd, _ in states(case.robot):
        every_q, every_qd = np.zeros(whole.nv), np.zeros(whole.nv)
        for name, value in case.locked.items():
            every_q[whole.joint_names.index(name)] = value
        every_q[free], every_qd[free] = q, qd
        agree(case.robot.mass_matrix(q), whole.mass_matrix(every_q)[np.ix_(free, free)])
        agree(case.robot.gravity_torque(q), whole.gravity_torque(every_q)[free])
        agree(
            case.robot.coriolis_matrix(q, qd),
            whole.coriolis_matrix(every_q, every_qd)[np.ix_(free, free)],
        )


def test_payload_is_a_body_welded_on(case):
    """with_payload gives the robot whose description has one link more, welded to that frame."""
    body, frame = inertial(np.random.default_rng(5)), case.tip
    loaded = case.robot.with_payload(frame, body.mass, body.com, body.inertia)
    old = case.description
    welded = replace(
        case,
        description=RobotDescription(
            old.name,
            (*old.links, Link('payload', body)),
            (*old.joints, Joint('grip', 'fixed', frame, 'payload')),
        ),
    )
    same_motion(welded.robot, loaded, np.eye(case.robot.nv))


def test_payload_adds_inertia_in_every_direction(case):
    """M with a payload minus M without is positive semidefinite (Loewner order)."""
    body = inertial(np.random.default_rng(6))
    loaded = case.robot.with_payload(case.tip, body.mass, body.com, body.inertia)
    for q, _, _ in states(case.robot):
        M, more = case.robot.mass_matrix(q), loaded.mass_matrix(q)
        assert np.linalg.eigvalsh(more - M)[0] >= -1e-12 * np.abs(more).max()
        assert np.trace(more) > np.trace(M)


def test_unrelated_bodies_do_not_couple():
    """M is exactly zero where neither body carries the other (Jain 2011, section 9.3.2)."""
    for name in BRANCHED:
        robot = FAMILIES[name].robot
        topology = robot.model.topology
        ancestors = [{0}]
        for row in topology[1:]:
            ancestors.append({len(ancestors)} | ancestors[row[PARENT]])
        for q, qd, _ in states(robot):
            M, C = robot.mass_matrix(q), robot.coriolis_matrix(q, qd)
            for i in range(1, len(topology)):
                for j in range(1, len(topology)):
                    related = i in ancestors[j] or j in ancestors[i]
                    k, m = topology[i, V], topology[j, V]
                    assert (M[k, m] != 0.0) == related
                    assert related or C[k, m] == 0.0


def test_pattern_of_the_tree_in_the_book():
    """The mass matrix of the seven bodies of Jain 2011, Remark 8.2, his numbers tip to base."""
    parents = {1: 3, 2: 4, 3: 6, 4: 6, 5: 6, 6: 7, 7: 0}
    rng = np.random.default_rng(7)
    links = [Link('body0')] + [Link(f'body{k}', inertial(rng)) for k in parents]
    joints = [
        Joint(
            f'joint{k}',
            'revolute',
            f'body{parent}',
            f'body{k}',
            Placement(rotation(rng), rng.normal(size=3)),
            rng.normal(size=3),
        )
        for k, parent in parents.items()
    ]
    robot = Case(
        RobotDescription('book', tuple(links), tuple(joints)),
        joints=tuple(f'joint{k}' for k in parents),
    ).robot
    pattern = robot.mass_matrix(states(robot)[0][0]) != 0.0
    assert [''.join('X' if entry else '.' for entry in row) for row in pattern] == [
        'X.X..XX',
        '.X.X.XX',
        'X.X..XX',
        '.X.X.XX',
        '....XXX',
        'XXXXXXX',
        'XXXXXXX',
    ]


def same_motion(robot, other, S):
    """Assert that other is robot in coordinates S q, for S = S^T = S^-1."""
    for q, qd, qdd in states(robot):
        agree(
            other.inverse_dynamics(S @ q, S @ qd, S @ qdd), S @ robot.inverse_dynamics(q, qd, qdd)
        )
        agree(other.gravity_torque(S @ q), S @ robot.gravity_torque(q))
        agree(other.mass_matrix(S @ q), S @ robot.mass_matrix(q) @ S)
        agree(
            other.coriolis_matrix(S @ q, S @ qd),
            S @ robot.coriolis_matrix(q, qd) @ S,
            scale=np.abs(robot.mass_matrix(q)).max() * np.abs(qd).sum(),
        )
        agree(
            other.forward_dynamics(S @ q, S @ qd, S @ qdd),
            S @ robot.forward_dynamics(q, qd, qdd),
            tolerance=solve_tolerance(robot.mass_matrix(q)),
        )
        agree(other.energy(S @ q, S @ qd)[0], robot.energy(q, qd)[0])
