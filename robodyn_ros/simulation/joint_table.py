# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Columns of a plant's joint table (nv, WIDTH), and rows of its work array (rows, nq)."""

# joint table: one row per velocity
LOWER = 0  # stop [rad or m]
UPPER = 1  # stop [rad or m]
EFFORT = 2  # largest effort of the motor [N m or N]
DAMPING = 3  # viscous friction [N m s/rad or N s/m]
FRICTION = 4  # Coulomb friction [N m or N]
STRENGTH = 5  # share of its effort that the motor gives [-]
BRAKED = 6  # 1.0 where the joint cannot move
ASSISTED = 7  # 1.0 where the drive compensates gravity
AT = 8  # index of its position in q; -1 for a velocity without one, see manifold.py
STATIC = 9  # static friction: its limit at rest [N m or N]
WIDTH = 10

# work array (rows, nq), without meaning between two steps
OLD_Q, OLD_QD = 0, 1  # state at the start of a substep, or of a piece of it
QDD = 2  # acceleration
TORQUE = 3  # effort less friction
DIAGONAL = 4  # added to the diagonal of the mass matrix
RATE = 5  # of the positions
MEAN_RATE = 6  # weighted sums of the Runge-Kutta slopes
MEAN_QDD = 7
IMPULSE = 8  # of friction and stops [N m s or N s]
SLIDING = 9  # direction in which the joint slides on its friction, or 0
STUCK = 10  # 1.0 where friction holds the joint at rest
LEVEL = 11  # effort of friction while the joint slides, and its limit at rest [N m or N]
NEXT = 12  # velocity at the end of the substep
FREE = 13  # the same without friction and stops
KEPT_IMPULSE, KEPT_NEXT = 14, 15  # of Gauss-Seidel, during the exact solution
TARGET = 16  # velocity that a constraint prescribes
KIND_OF = 17  # of the constraint in force, see impulses.py
RHS = 18  # right-hand side, then solution, of the prescribed joints
START_Q, START_QD = 19, 20  # state at the start of the substep
NEEDED = 21  # effort of the motion, by inverse dynamics
WORK_DONE = 22  # in its first entry: of motors and friction [J]
INVERSE = 23  # nv rows of M^-1, then nv rows of a Cholesky factor of a part of it

#: Diagonal that locks a joint: so large that rounding hides any inertia beside it.
BRAKE = 1e20


def work_rows(nv):
    """Return the number of rows of the work array for nv velocities."""
    return INVERSE + 2 * nv
