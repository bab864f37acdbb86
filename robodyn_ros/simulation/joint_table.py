# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Columns of a plant's joint table (nv, WIDTH), and rows of its work array (rows, nq)."""

# joint table: one row per velocity
LOWER = 0  # stop [rad or m]
UPPER = 1  # stop [rad or m]
EFFORT = 2  # largest effort of the motor [N m or N]
DAMPING = 3  # viscous friction [N m s/rad or N s/m]
FRICTION = 4  # Coulomb friction, the mean over all positions [N m or N]
STRENGTH = 5  # share of its effort that the motor gives [-]
BRAKED = 6  # 1.0 where the joint cannot move
ASSISTED = 7  # 1.0 where the drive carries the weight by itself
AT = 8  # index in q of its position; -1 for joints without one, which have no stop
STATIC = 9  # static friction, its largest value at rest [N m or N]
MODE = 10  # one of the modes below
STIFFNESS = 11  # Kp of the drive in position mode [N m/rad or N/m]
RATE_GAIN = 12  # Kd of the drive in position mode, Kv in velocity mode [N m s/rad or N s/m]
TOP_SPEED = 13  # of a joint that is moved kinematically [rad/s or m/s]
COSINE, SINE = 14, 15  # amplitudes of friction that varies with the position [N m or N]
WAVENUMBER = 16  # of that variation [rad/rad or rad/m]; 0 without
SLOWNESS = 17  # Stribeck velocity of the joint over that of the settings [-]
EXPONENT = 18  # 1 or 2 of an exponential Stribeck curve; 0 of the rational one
WIDTH = 19

# modes of a drive; a BRAKED joint in position or velocity mode is moved kinematically
EFFORT_MODE, POSITION_MODE, VELOCITY_MODE = 0.0, 1.0, 2.0

# work array (rows, nq); no row keeps its meaning from one step to the next
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
KEPT_IMPULSE, KEPT_NEXT = 14, 15  # results of Gauss-Seidel, kept during the exact solution
TARGET = 16  # velocity that a constraint prescribes
KIND_OF = 17  # case of the joint, see joint_impulses.py
RHS = 18  # right-hand side, then solution, of the prescribed joints
START_Q, START_QD = 19, 20  # state at the start of the substep
NEEDED = 21  # effort of the motion, by inverse dynamics
WORK_DONE = 22  # first entry: work of motors and friction [J]
SETPOINT = 23  # of the drive [rad or m, rad/s or m/s]
WEIGHT = 24  # gravity torque that the drive adds [N m or N]
SIDE = 25  # sign of the effort where the drive saturates, else 0
GAIN = 26  # damping by the drive [N m s/rad or N s/m]
PRESCRIBED = 27  # velocity of a braked joint: 0, unless it is moved kinematically
MOMENTUM = 28  # of a free flyer: linear, angular about the origin [N s, N m s]
LOCKED = 29  # its motion with that momentum and all other joints locked; else zero
ERROR = 30  # first entry: estimated error of a scheme over its tolerance [-]
STAGES = 12  # largest number of stages of a scheme
START_LEVEL = 31  # of dry friction at the start of the step [N m or N]
SLOPE_OF_Q = 32  # STAGES rows: derivatives of the positions in the stages
SLOPE_OF_QD = SLOPE_OF_Q + STAGES  # STAGES rows: accelerations in the stages
INVERSE = SLOPE_OF_QD + STAGES  # nv rows of M^-1, then nv rows of a Cholesky factor

#: Diagonal that locks a joint: so large that rounding hides any inertia beside it.
BRAKE = 1e20


def work_rows(nv):
    """Return the number of rows of the work array.

    `nv`: number of velocities.
    """
    return INVERSE + 2 * nv
