# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The regressor against inverse dynamics, the Christoffel matrix, complex steps and Pinocchio."""

import numpy as np
import pinocchio as pin
import pytest

from robodyn_ros.compile import generic
from robodyn_ros.errors import ShapeError
from robodyn_ros.model.layout import INERTIA, MASS, ROTOR, V
from robodyn_ros.robot.robot import Robot
from support.calls import run
from support.compare import agree
from support.referees.dense import along
from support.robots.families import FAMILIES, states


def rotors(robot):
    """Return the rotor inertias in joint order."""
    return robot.model.joint_values(ROTOR)


def test_torque_is_linear_in_the_parameters(every_case, referee):
    """Y theta, and the rotors, give the torque of the referees (Spong, equation 6.122)."""
    robot = every_case.robot
    for q, qd, qdd in states(robot):
        tau = robot.links.regressor(q, qd, qdd) @ robot.links.inertial_parameters()
        agree(tau + rotors(robot) * qdd, referee.inverse_dynamics(q, qd, qdd))


def test_reference_motion_takes_the_christoffel_matrix(every_case):
    """With a reference velocity, Y theta = M qdd_r + C(q, qd) qd_r + g (Slotine and Li)."""
    robot = every_case.robot
    for q, qd, qd_r in states(robot):
        qdd_r = np.cos(np.arange(robot.nv))
        tau = robot.links.regressor(q, qd, qdd_r, qd_r) @ robot.links.inertial_parameters()
        M, C = robot.mass_matrix(q), robot.coriolis_matrix(q, qd)
        agree(tau + rotors(robot) * qdd_r, M @ qdd_r + C @ qd_r + robot.gravity_torque(q))


def test_reference_velocity_commutes_with_velocity(case):
    """C(q, a) b = C(q, b) a: the symbols of Christoffel are symmetric, parameter by parameter."""
    robot = case.robot
    for q, a, b in states(robot):
        zero = np.zeros(robot.nv)
        Y = robot.links.regressor(q, a, zero, b)
        agree(Y, robot.links.regressor(q, b, zero, a), scale=np.abs(Y).max())


def test_columns_are_torques_of_unit_parameters(case):
    """Each column is the inverse dynamics of a robot with that one parameter, and no other."""
    robot, (q, qd, qdd) = case.robot, states(case.robot, 1)[0]
    Y = robot.links.regressor(q, qd, qdd)
    for k in range(10 * robot.nv):
        constants = robot.model.constants.copy()
        constants[:, MASS : INERTIA + 6] = 0.0
        constants[:, ROTOR] = 0.0
        constants[1 + k // 10, MASS + k % 10] = 1.0
        unit = Robot(robot.model.with_constants(constants))
        agree(Y[:, k], unit.inverse_dynamics(q, qd, qdd), scale=np.abs(Y).max())


def test_regressor_does_not_depend_on_the_parameters(case):
    """Another inertia in the model changes no bit of Y."""
    robot, (q, qd, qdd) = case.robot, states(case.robot, 1)[0]
    heavy = Robot(robot.model.with_scaled_masses(3.0))
    assert np.array_equal(robot.links.regressor(q, qd, qdd), heavy.links.regressor(q, qd, qdd))


def test_gravity_columns_are_gradients_of_a_potential(case):
    """At rest every column is the gradient by q of the potential energy of its parameter."""
    robot, (q, _, _) = case.robot, states(case.robot, 1)[0]
    zero = np.zeros(robot.nv)
    Y = robot.links.regressor(q, zero, zero)

    def columns(q):
        return run(robot, generic.regressor, q=q, qd=zero, qd_r=zero, qdd_r=zero)

    hessians = np.array([along(columns, q, e) for e in np.eye(robot.nv)])
    agree(hessians, hessians.transpose(1, 0, 2), scale=max(np.abs(Y).max(), 1.0))
    agree(columns(q.astype(complex)).real, Y, scale=np.abs(Y).max())


def test_rate_of_the_momentum_columns(case):
    """Ydot of M qd = Y_M theta, by complex step, is C qd + C^T qd column by column (Spong 6.3).

    With Y(q, qd, qdd, qd_r) theta = M qdd + C(q, qd) qd_r, x^T Mdot y = x^T C y + y^T C x holds
    for every theta, so also for every column.
    """
    robot = Robot(case.robot.model.with_gravity((0.0, 0.0, 0.0)))
    zero = np.zeros(robot.nv)
    for q, x, y in states(robot):
        qd = np.sin(1.0 + np.arange(robot.nv))
        rate = along(
            lambda q: run(robot, generic.regressor, q=q, qd=zero, qd_r=zero, qdd_r=y), q, qd
        )
        xCy, yCx = (a @ robot.links.regressor(q, qd, zero, b) for a, b in ((x, y), (y, x)))
        agree(x @ rate, xCy + yCx, scale=max(np.abs(rate).max(), 1.0) * np.abs(x).sum())


def test_pinocchio_has_the_same_columns(every_case):
    """computeJointTorqueRegressor, its parameters turned from its joint frames to our bodies."""
    robot, referee = every_case.robot, every_case.pinocchio
    model = robot.model
    names = [robot.joint_names[v] for v in model.topology[1:, V]]
    for q, qd, qdd in states(robot):
        theirs = np.atleast_2d(
            pin.computeJointTorqueRegressor(  # one joint: a vector
                referee.model, referee.data, referee.q(q), referee.v(qd), referee.v(qdd)
            )
        )
        Y = robot.links.regressor(q, qd, qdd)
        pin.framesForwardKinematics(referee.model, referee.data, referee.q(q))
        for body, name in enumerate(names, start=1):
            joint = referee.model.getJointId(name)
            block = theirs[referee.order, 10 * (joint - 1) : 10 * joint]
            agree(
                Y[:, 10 * (body - 1) : 10 * body],
                block @ turned(between(robot, referee, body, joint)),
                scale=np.abs(Y).max(),
            )


def between(robot, referee, body, joint):
    """Return where our frame of a body sits in Pinocchio's of its joint."""
    name = robot.model.body_names[body]
    ours = robot.model.frame(name)
    link = referee.data.oMi[joint].actInv(referee.data.oMf[referee._frame(name)])
    return link * pin.SE3(ours.rotation, ours.translation).inverse()


def turned(place):
    """Return the matrix from our ten parameters to Pinocchio's, of a frame placed like that."""
    columns = []
    for unit in np.eye(10):
        pseudo = np.zeros((4, 4))
        pseudo[3, 3] = unit[0]
        pseudo[:3, 3] = pseudo[3, :3] = unit[1:4]
        xx, xy, xz, yy, yz, zz = unit[4:]
        inertia = np.array(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))
        pseudo[:3, :3] = 0.5 * np.trace(inertia) * np.eye(3) - inertia
        X = place.homogeneous
        pseudo = X @ pseudo @ X.T
        second = pseudo[:3, :3]
        inertia = np.trace(second) * np.eye(3) - second
        columns.append(
            [
                pseudo[3, 3],
                *pseudo[:3, 3],
                inertia[0, 0],
                inertia[0, 1],
                inertia[1, 1],
                inertia[0, 2],
                inertia[1, 2],
                inertia[2, 2],
            ]
        )
    return np.array(columns).T


def test_a_batch_is_its_rows_and_out_is_written():
    """A batch is its states one by one, written where asked; a wrong shape is refused in words."""
    robot = FAMILIES['rotors'].robot
    q, qd, qdd = np.array(states(robot)).transpose(1, 0, 2)
    out = np.empty((3, robot.nv, 10 * robot.nv))
    assert robot.links.regressor(q, qd, qdd, out=out) is out
    for k in range(3):
        assert np.array_equal(out[k], robot.links.regressor(q[k], qd[k], qdd[k]))
    assert np.array_equal(robot.links.regressor(q, qd, qdd[0])[0], out[0])
    with pytest.raises(ShapeError, match='expected'):
        robot.links.regressor(q, qd, qdd[:2])
    with pytest.raises(ShapeError, match='finite'):
        robot.links.regressor(q, qd, np.nan * qdd)


def test_parameters_are_a_copy():
    """Writing to what inertial_parameters returns does not reach the model."""
    robot = FAMILIES['tree'].robot
    theta = robot.links.inertial_parameters()
    theta[:] = 0.0
    assert robot.links.inertial_parameters().any()
