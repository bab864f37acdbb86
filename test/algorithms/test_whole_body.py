# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Joint wrenches, centre of mass and momentum against sums over links and against Pinocchio."""

from operator import attrgetter

import numpy as np
import pytest

from robodyn_ros.errors import ShapeError, SingularityError
from robodyn_ros.model.layout import PARENT, ROTOR
from robodyn_ros.robot.robot import Robot
from support.compare import agree, solve_tolerance
from support.referees.whole_body import REFEREES, links_of
from support.robots.families import FAMILIES, states

WRENCH = np.array((3.0, -2.0, 5.0, 0.4, -0.7, 0.3))  # [N, N m]


@pytest.fixture(scope='session')
def every_case(every_joint_type):
    """Return robots with joints of any number of freedoms."""
    return every_joint_type


@pytest.fixture(params=REFEREES, scope='module')
def whole(request, every_case):
    """Return one referee after the other."""
    return REFEREES[request.param](every_case)


def test_joint_wrenches_are_those_of_inverse_dynamics(every_case, whole):
    """What inverse dynamics hands on, with and without wrenches at the tip and half-way."""
    robot, links = every_case.robot, links_of(every_case.robot)
    f_ext = {every_case.tip: WRENCH, links[len(links) // 2]: -0.5 * WRENCH}
    rows = [robot.model.body_names.index(link) - 1 for link in links]
    for q, qd, qdd in states(robot):
        found = robot.links.joint_wrenches(q, qd, qdd)
        agree(found[rows], whole.joint_wrenches(q, qd, qdd))
        for row in set(range(len(found))) - set(rows):  # within a joint
            assert np.array_equal(found[row], found[row + 1])
        agree(
            robot.links.joint_wrenches(q, qd, qdd, f_ext)[rows],
            whole.joint_wrenches(q, qd, qdd, f_ext),
        )


def test_link_motions_are_j_qd_and_its_rate(every_case):
    """Velocity and acceleration of every link: J qd and J qdd + Jdot qd of the dense referee."""
    robot, dense = every_case.robot, every_case.dense
    for q, qd, qdd in states(robot, 1):
        V, A = robot.links.motions(q, qd, qdd)
        for link in links_of(robot):
            row, J = robot.model.body_names.index(link) - 1, dense.jacobian(q, link)
            agree(V[row], J @ qd, scale=np.abs(V).max())
            agree(A[row], J @ qdd + dense.jacobian_bias(q, qd, link), scale=np.abs(A).max())


def test_joint_wrenches_of_forward_dynamics(every_case):
    """Those of articulated bodies are those of inverse dynamics at the same acceleration."""
    robot, f_ext = every_case.robot, {every_case.tip: WRENCH}
    for q, qd, tau in states(robot):
        tolerance = solve_tolerance(robot.mass_matrix(q))
        qdd, wrenches = robot.links.forward_dynamics_wrenches(q, qd, tau, f_ext)
        agree(qdd, robot.forward_dynamics(q, qd, tau, f_ext), tolerance=tolerance)
        agree(wrenches, robot.links.joint_wrenches(q, qd, qdd, f_ext), tolerance=tolerance)


def test_joint_wrenches_hold_the_torque(every_case):
    """Their component along or about each joint, and what turns its rotor, is the torque. This is
    the power balance of the joint, with its axis from the Jacobian of the link.
    """
    robot = every_case.robot
    names, parents = robot.model.body_names, robot.model.topology[:, PARENT]
    for q, qd, qdd in states(robot, 1):
        wrenches = robot.links.joint_wrenches(q, qd, qdd)
        given = robot.model.joint_values(ROTOR) * qdd
        for link in links_of(robot):
            row = names.index(link)
            parent = parents[row]
            while parent > 0 and names[parent] not in robot.frames:  # within the same joint
                parent = parents[parent]
            J, carrier = robot.jacobian(q, link), robot.jacobian(q, names[parent])
            lever = robot.pose(q, link)[:3, 3] - robot.pose(q, names[parent])[:3, 3]
            carrier[:3] += np.cross(carrier[3:], lever, axisa=0, axisb=0, axisc=0)
            given += (J - carrier).T @ wrenches[row - 1]
        agree(given, robot.inverse_dynamics(q, qd, qdd))


def test_centre_of_mass_is_the_sum_over_the_bodies(every_case, whole):
    """Mass, centre and its Jacobian."""
    robot = every_case.robot
    agree(robot.centroidal.mass, whole.mass())
    for q, qd, _ in states(robot):
        agree(robot.centroidal.centre_of_mass(q), whole.centre_of_mass(q))
        J = whole.centre_of_mass_jacobian(q)
        agree(robot.centroidal.centre_of_mass_jacobian(q), J)
        agree(
            robot.centroidal.centre_of_mass_velocity(q, qd),
            J @ qd,
            scale=np.abs(J).max() * len(qd),
        )


def test_momentum_is_the_sum_over_the_bodies(every_case, whole):
    """About the centre of mass, as a vector and as a matrix, and about the base."""
    robot = every_case.robot
    for q, qd, _ in states(robot):
        A, h = whole.centroidal_momentum_matrix(q), whole.momentum(q, qd)
        size = np.abs(A).max() * np.abs(qd).sum()
        agree(robot.centroidal.momentum_matrix(q), A)
        agree(robot.centroidal.momentum(q, qd), h, scale=size)
        about_base = np.concatenate((h[:3], h[3:] + np.cross(whole.centre_of_mass(q), h[:3])))
        agree(robot.centroidal.momentum_about_base(q, qd), about_base, scale=size)


def test_momentum_bias_is_the_rate_at_zero_acceleration(every_case, whole):
    """Adot qd, against the complex step of the sums and against Pinocchio."""
    robot = every_case.robot
    for q, qd, _ in states(robot):
        A = robot.centroidal.momentum_matrix(q)
        agree(
            robot.centroidal.momentum_bias(q, qd),
            whole.momentum_bias(q, qd),
            scale=np.abs(A).max() * np.abs(qd).sum() ** 2,
        )


def test_composite_inertia_is_that_of_one_rigid_body(every_case, whole):
    """The robot as one rigid body, and the velocity that body would need for the momentum."""
    robot = every_case.robot
    for q, qd, _ in states(robot):
        mass, com, inertia = robot.centroidal.composite_inertia(q)
        expected = whole.composite_inertia(q)
        agree(mass, expected[0])
        agree(com, expected[1])
        agree(inertia, expected[2])
        V, h = robot.centroidal.velocity(q, qd), robot.centroidal.momentum(q, qd)
        agree(np.concatenate((mass * V[:3], inertia @ V[3:])), h, tolerance=1e-11)


def test_base_wrench_is_rate_of_momentum(every_case):
    """Newton's law holds for the whole robot. The wrench at the base and the weight are the rate
    of the momentum about the base, by central differences.
    """
    robot, step = every_case.robot, 1e-5
    q, qd, qdd = states(robot, 1)[0]
    ahead, behind = (
        robot.centroidal.momentum_about_base(
            robot.configuration.integrate(q, qd + 0.5 * t * qdd, t), qd + t * qdd
        )
        for t in (step, -step)
    )
    total = robot.centroidal.mass * np.concatenate(
        (robot.model.gravity, np.cross(robot.centroidal.centre_of_mass(q), robot.model.gravity))
    )
    wrenches, roots = robot.links.joint_wrenches(q, qd, qdd), robot.model.topology[1:, PARENT] == 0
    for row in np.flatnonzero(roots):
        while robot.model.body_names[row + 1] not in robot.frames:  # within a joint
            row += 1
        total += wrenches[row]
        place = robot.pose(q, robot.model.body_names[row + 1])[:3, 3]
        total[3:] += np.cross(place, wrenches[row, :3])
    # differences of step 1e-5: 1e-10 by truncation, 1e-11 by rounding
    agree((ahead - behind) / (2.0 * step), total, scale=np.abs(wrenches).max(), tolerance=1e-7)


def test_payload_of_a_locked_robot():
    """A robot locked and carried as a payload weighs what it weighs."""
    arm, tool = FAMILIES['skew_chain'].robot, FAMILIES['tree'].robot
    (q,) = states(tool, 1)[0][:1]
    mass, com, inertia = tool.centroidal.composite_inertia(q)
    loaded, frame = arm.with_payload(arm.frames[-1], mass, com, inertia), arm.frames[-1]
    agree(loaded.centroidal.mass, arm.centroidal.mass + tool.centroidal.mass)
    q, qd, qdd = states(arm, 1)[0]
    X = arm.pose(q, frame)
    agree(
        loaded.centroidal.mass * loaded.centroidal.centre_of_mass(q),
        arm.centroidal.mass * arm.centroidal.centre_of_mass(q)
        + mass * (X[:3, :3] @ com + X[:3, 3]),
    )
    difference = loaded.links.joint_wrenches(q, qd, qdd) - arm.links.joint_wrenches(q, qd, qdd)
    V, a = (
        arm.velocity(q, qd, frame),
        arm.jacobian(q, frame) @ qdd + arm.jacobian_bias(q, qd, frame),
    )
    r, w = X[:3, :3] @ com, V[3:]
    a = a[:3] + np.cross(a[3:], r) + np.cross(w, np.cross(w, r))
    force = mass * (a - arm.model.gravity)
    agree(difference[:, :3], np.tile(force, (arm.nv, 1)))


BATCHED = {
    'links.motions': 3,
    'links.joint_wrenches': 3,
    'links.forward_dynamics_wrenches': 3,
    'centroidal.centre_of_mass': 1,
    'centroidal.centre_of_mass_velocity': 2,
    'centroidal.centre_of_mass_jacobian': 1,
    'centroidal.momentum_about_base': 2,
    'centroidal.momentum': 2,
    'centroidal.momentum_bias': 2,
    'centroidal.momentum_matrix': 1,
    'centroidal.velocity': 2,
    'centroidal.composite_inertia': 1,
}


@pytest.mark.parametrize('name', BATCHED)
def test_a_batch_is_its_rows_one_by_one(name):
    """Row by row the same as one by one, into an array of the caller's where there is one."""
    robot, count = FAMILIES['permuted'].robot, BATCHED[name]
    method = attrgetter(name)(robot)
    given = [np.array(states_) for states_ in zip(*states(robot, 4))][:count]
    together = method(*given)
    for k in range(4):
        alone = method(*(array[k] for array in given))
        if isinstance(together, tuple):
            for mine, theirs in zip(together, alone):
                assert np.array_equal(mine if np.isscalar(mine) else mine[k], theirs)
        else:
            assert np.array_equal(together[k], alone)
    if not isinstance(together, tuple) and name != 'centroidal.velocity':
        out = np.full(together.shape, np.nan)
        assert method(*given, out=out) is out and np.array_equal(out, together)
        with pytest.raises(ShapeError, match='for out'):
            method(*given, out=np.empty(2))


def test_wrong_shapes_and_a_robot_without_mass_are_refused():
    """States of the wrong shape, and a robot without mass."""
    robot = FAMILIES['skew_chain'].robot
    q, qd, qdd = states(robot, 1)[0]
    with pytest.raises(ShapeError, match='expected'):
        robot.links.joint_wrenches(q, qd, qdd[1:])
    constants = robot.model.constants.copy()
    constants[:, 12:22] = 0.0
    empty = Robot(robot.model.with_constants(constants))
    for name in ('centre_of_mass', 'momentum_matrix', 'composite_inertia'):
        with pytest.raises(SingularityError, match='no mass'):
            getattr(empty.centroidal, name)(q)
    constants[-1, 12] = 1.0  # a point on the last joint
    with pytest.raises(SingularityError, match='on a line'):
        Robot(robot.model.with_constants(constants)).centroidal.velocity(q, qd)
