# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Jain, chapter 16: hinges without a motor.

    python doc/tutorials/jain_under_actuated.py [folder for the figures]

The book has no numbers. Beside ours stand closed forms of a crane: a trolley with a motor, and a
load that swings below it. A wheel on a free body is the free-flyer. Hinges come tips first, so the
load is before the trolley.
"""

import sys

import numpy as np
from lesson import exit_code, run

from robodyn_ros.formulations.jain import composite_bodies, forward_dynamics, hinges
from robodyn_ros.formulations.jain.articulated_bodies import articulated
from robodyn_ros.formulations.jain.body_tree import Body, tree_of
from robodyn_ros.formulations.jain.inverse_dynamics import coriolis_accelerations
from robodyn_ros.formulations.jain.operators.spatial_operators import SpatialOperators
from robodyn_ros.formulations.jain.single_body import spatial_inertia
from robodyn_ros.formulations.jain.tree_kinematics import Node, velocities
from robodyn_ros.formulations.jain.under_actuated import generalized_jacobian
from robodyn_ros.formulations.jain.under_actuated.arms import active_arm, passive_arm
from robodyn_ros.formulations.jain.under_actuated.hybrid_dynamics import hybrid_dynamics
from robodyn_ros.formulations.jain.under_actuated.mixed_blocks import mixed_blocks
from robodyn_ros.formulations.simulate import runge_kutta

X, Y, Z = np.eye(3)
G = 9.81
#: Masses of trolley and load [kg], length of the rope [m], inertia of the load [kg m2].
TROLLEY, LOAD, ROPE, OWN = 5.0, 2.0, 1.5, 0.1
ABOUT = LOAD * ROPE**2 + OWN  # inertia of the load about the trolley
HOOK = Node(0, np.eye(3), -ROPE * Z)
ACTIVE = np.array([False, True])  # the load swings by itself


def crane(angle):
    """Return the tree with the rope at an angle [rad] from the vertical."""
    M = spatial_inertia(LOAD, -ROPE * Z, OWN * np.eye(3) + LOAD * ROPE**2 * np.diag((1, 1, 0)))
    still = spatial_inertia(TROLLEY, 0.0 * X, 0.2 * np.eye(3))
    row = np.eye(3), 0.0 * X
    return tree_of(
        [
            Body('trolley', None, *row, hinges.prismatic(X), still, (0,), (0,), np.zeros(1)),
            Body('load', 'trolley', *row, hinges.pin(Y), M, (1,), (1,), np.zeros(1)),
        ],
        np.array([0.3, angle]),
        (0.0, 0.0, -G),
    )


ANGLE, THD = 0.4, np.array([-0.7, 0.5])
S, C = np.sin(ANGLE), np.cos(ANGLE)
TREE = crane(ANGLE)
PUSHED = 1.2  # acceleration of the trolley [m/s2]
SWUNG = LOAD * ROPE * (C * PUSHED - G * S) / ABOUT  # that of the rope [rad/s2]
FORCE = (TROLLEY + LOAD) * PUSHED - LOAD * ROPE * (C * SWUNG - S * THD[0] ** 2)


def blocks(lesson):
    """Section 16.1: the inertia that the motor feels.

    The passive arm keeps the hinges without a motor, and freezes the others. Its inertias lie
    between articulated and composite ones.
    """
    coupling = -LOAD * ROPE * C
    found = mixed_blocks(TREE, ACTIVE)
    lesson.compare('S_aa', TROLLEY + LOAD - coupling**2 / ABOUT, found.S_aa[0, 0])
    lesson.compare('S_ap', coupling / ABOUT, found.S_ap[0, 0])
    lesson.compare('S_pp', 1.0 / ABOUT, found.S_pp[0, 0])
    P = articulated(passive_arm(TREE, ACTIVE)).P[1]
    lesson.compare('what the trolley drags', found.S_aa[0, 0], P[3, 3])
    ops = SpatialOperators(passive_arm(TREE, ACTIVE))
    M, P, E_phi, E_psi = (each.array for each in (ops.M, ops.P, ops.E_phi, ops.E_psi))
    lesson.misprint(
        'M of the load on it',
        'Jain, (16.8)',
        (P - E_phi @ P @ E_phi.T)[9, 9],
        M[9, 9],
        (P - E_psi @ P @ E_phi.T)[9, 9],
    )


def hybrid(lesson):
    """Section 16.2: forces of hinges with a motor, accelerations of hinges without one.

    One sweep inward and one outward, O(n). A hinge whose motion is prescribed counts as one with
    a motor. A locked brake is such a hinge, whose acceleration is zero.
    """
    motion = hybrid_dynamics(TREE, ACTIVE, THD, [PUSHED], [0.0])
    lesson.compare('force of the motor [N]', FORCE, motion.T[1])
    lesson.compare('rope [rad/s2]', SWUNG, motion.thdd[0])
    locked = hybrid_dynamics(TREE, ACTIVE, THD, [0.0], [0.0])
    lesson.compare('rope, trolley locked', -LOAD * ROPE * G * S / ABOUT, locked.thdd[0])
    again = forward_dynamics.dense(TREE, THD, motion.T)
    lesson.compare('forward dynamics', [SWUNG, PUSHED], again)
    floating = hybrid_dynamics(TREE, ACTIVE, THD, [PUSHED], [0.0], gravity=False)
    a = coriolis_accelerations(TREE, velocities(TREE, THD), THD)[1]
    P = articulated(passive_arm(TREE, ACTIVE)).P[1]
    plus = floating.alpha[1] - TREE.H[1].T @ floating.thdd[1:] - a
    lesson.misprint(
        'force without weight',
        'Jain, (16.15c)',
        (TREE.H[1] @ P @ (plus + floating.z[1]))[0],
        FORCE + LOAD * ROPE * C * (SWUNG - LOAD * ROPE * C * PUSHED / ABOUT),
        (TREE.H[1] @ (P @ plus + floating.z[1]))[0],
    )


def jacobians(lesson):
    """Section 16.3: how the load moves with the motor, the swing of the rope included.

    J_D gives the hinges without a motor, J_G a point of interest. Both are J for what moves by
    itself, O(n) a column.
    """
    found = generalized_jacobian.jacobians(TREE, ACTIVE, [HOOK])
    disturbed = LOAD * ROPE * C / ABOUT
    lesson.compare('J_D', disturbed, found.J_D[0, 0])
    along = np.array([C - ROPE * disturbed, 0.0, S])
    lesson.compare('J_G', [0.0, disturbed, 0.0, *along], found.J_G[:, 0])
    lesson.compare('without swing, J_a', [C, 0.0, S], _active(HOOK)[3:, 0])
    drift = hybrid_dynamics(TREE, ACTIVE, THD, [0.0], [0.0])
    wanted = found.J_G[:, 0] * PUSHED + HOOK.phi.T @ drift.alpha[0]
    motion = generalized_jacobian.computed_torque(TREE, ACTIVE, THD, wanted, [0.0], [HOOK])
    lesson.compare('computed torque (16.4)', FORCE, motion.T[1])


def _active(node):
    arm = SpatialOperators(active_arm(TREE, ACTIVE))
    return node.phi.T @ (arm.phi.T @ arm.H.T).array[TREE.rows[node.body]]


def motion(lesson):
    """Section 16.2.1: a trolley that accelerates steadily.

    In its axes the load feels the weight and a steady pull backwards, so an energy stays.
    """
    dt, angles, y = 0.005, [], np.zeros(2)

    def rates(t, y):
        found = hybrid_dynamics(crane(y[0]), ACTIVE, np.array([y[1], 0.0]), [PUSHED], [0.0])
        return np.array([y[1], found.thdd[0]])

    for k in range(400):
        y = runge_kutta(rates, k * dt, y, dt)
        angles.append(y[0])
    given = LOAD * ROPE * (PUSHED * np.sin(y[0]) - G * (1.0 - np.cos(y[0])))
    # Four stages of 5 ms leave the fifth power of the step over the period of 2.5 s.
    lesson.compare('energy after 2 s [J]', given, 0.5 * ABOUT * y[1] ** 2, 1e-7)
    lesson.compare('largest angle [rad]', 2.0 * np.arctan(PUSHED / G), max(angles), 1e-3)
    with lesson.figure('jain_crane') as axes:
        if axes is not None:
            axes.plot(dt * np.arange(1, 401), np.degrees(angles))
            axes.axhline(np.degrees(np.arctan(PUSHED / G)), color='k', linestyle=':', linewidth=1)
            axes.set(xlabel='t [s]', ylabel='[deg]', title='Rope below a trolley that accelerates')
            axes.grid(visible=True)


def free_flyer(lesson):
    """Section 16.4: a free-flyer is an arm whose base has no motors.

    Its momentum stays zero, so the base turns against a wheel on it.
    """
    body, wheel, rate = 0.9, 0.3, 4.0
    row = np.eye(3), 0.0 * X
    tree = tree_of(
        [
            Body(
                'base',
                None,
                *row,
                hinges.free(),
                spatial_inertia(8.0, 0.0 * X, body * np.eye(3)),
                tuple(range(7)),
                tuple(range(6)),
                np.zeros(6),
            ),
            Body(
                'wheel',
                'base',
                *row,
                hinges.pin(Z),
                spatial_inertia(1.0, 0.0 * X, wheel * np.eye(3)),
                (7,),
                (6,),
                np.zeros(1),
            ),
        ],
        np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.2]),
    )
    J_D = generalized_jacobian.base_jacobian(tree)
    turned = -wheel / (body + wheel)
    lesson.compare('J_D of the base', [0.0, 0.0, turned, 0.0, 0.0, 0.0], J_D[:, 0])
    thd = np.concatenate(([rate], np.linalg.solve(tree.H[1].T, J_D[:, 0] * rate)))
    lesson.compare('1 + momentum', np.ones(6), 1.0 + composite_bodies.momentum(tree, thd))


EXAMPLES = (blocks, hybrid, jacobians, motion, free_flyer)


def main(arguments=None):
    """Run the lesson; return it."""
    return run('Jain, chapter 16: hinges without a motor', EXAMPLES, arguments)


if __name__ == '__main__':
    sys.exit(exit_code(main()))
