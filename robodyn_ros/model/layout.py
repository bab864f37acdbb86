# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Columns of the two tables that describe a robot to every recursion.

`topology` (nb, 5) int64: the parent of each body, and the index of its coordinates.
`constants` (nb, 34) float64: placement, inertia and joint constants of each body.
Both have more columns if joints depend on others, such as the fingers of a gripper: see
`EMBEDDED_TOPOLOGY_COLUMNS` and robodyn_ros.model.dependent.embedding.

Row 0 is the world (the base link, at rest). Its first entry may be the address of a table with
the code of this robot, see robodyn_ros.compile.robot_code_table. Rows 1 .. nb-1 are the moving
bodies from base to tip. So the parent of a body always has a smaller row. A body's frame B has its
origin on its joint, and its z axis along the joint axis. P is the frame of its parent body.
"""

PARENT, KIND, Q, V, DOF = range(5)
TOPOLOGY_COLUMNS = 5
CODE = 0  # of row 0, which has no parent

# Motion of a body on its parent. A joint of several degrees of freedom is a chain of such bodies,
# all massless but the last. BALL_X, BALL_Y, BALL_Z are those of a spherical joint. Their z axes
# are x, y and z of the last one, which rotates by the quaternion at Q (doc/robots/joints.md).
WORLD, REVOLUTE, PRISMATIC, HELICAL, BALL_X, BALL_Y, BALL_Z = range(7)

ROTATION = 0  # R_PB at q = 0, row-major, 9 entries: v_P = R_PB v_B; of BALL_X that of BALL_Z
OFFSET = 9  # p_PB_P at q = 0, 3 entries [m]
MASS = 12  # [kg]
MOMENT = 13  # first moment of mass about the body origin, mass * com, 3 entries [kg m]
INERTIA = 16  # about the body origin, xx xy xz yy yz zz [kg m2]
ROTOR = 22  # rotor inertia seen at the joint [kg m2 or kg]
DAMPING = 23  # viscous friction [N m s/rad or N s/m]
FRICTION = 24  # Coulomb friction [N m or N]
ZERO = 25  # added to the joint coordinate [rad or m]; for a helical joint to its angle alone
PITCH = 26  # travel of a helical joint per angle [m/rad]; zero for other joints
STICTION = 27  # static friction beyond Coulomb friction [N m or N]
STRIBECK_VELOCITY = 28  # at which half or 37 % of STICTION is left [rad/s or m/s]; 0 without
COSINE = 29  # amplitudes of Coulomb friction that varies with the position [N m or N]
SINE = 30
WAVENUMBER = 31  # of that wave [rad/rad or rad/m]; 0 without
DEAD_BAND = 32  # velocity around 0 without feed-forward of dry friction [rad/s or m/s]
STRIBECK_EXPONENT = 33  # 1 or 2 for an exponential curve; 0 for the rational one
CONSTANT_COLUMNS = 34
#: Columns of a joint that are the effort of friction, and may be scaled together.
DRY_FRICTION = (FRICTION, STICTION, COSINE, SINE)
#: All columns of the friction of a joint.
JOINT_FRICTION = (
    DAMPING,
    *DRY_FRICTION,
    STRIBECK_VELOCITY,
    WAVENUMBER,
    DEAD_BAND,
    STRIBECK_EXPONENT,
)

# For a robot with dependent joints Q and V are indices of the coordinates of all joints, in row
# order. DOF is 0 if a body moves only with another joint. The following columns are added. Row 0
# has the number of independent velocities, the largest COUNT, and the number of all positions.
FIRST = 5  # first of the independent velocities that move the joint
COUNT = 6  # their number
AT = 7  # index of the independent position that the joint follows
REDUCED = 8  # 5 columns: topology of the elimination tree of M of the independent velocities
# Aggregated body k is in row k, see robodyn_ros.model.dependent.aggregates. Its bodies have
# consecutive places in the order of a sweep, and so have its independent velocities. Row 0 has the
# number of aggregated bodies, and the largest number of velocities of one.
AGGREGATE_FIRST, AGGREGATE_BODIES = 13, 14  # place of its first body, number of its bodies
AGGREGATE_SPEEDS_FIRST, AGGREGATE_SPEEDS = 15, 16  # the same for its velocities, from place 0
AGGREGATES, WIDEST = 13, 14  # of row 0
BODY_IN_ORDER = 17  # row k: row of the body at place k
SPEED_IN_ORDER = 18  # row k + 1: independent velocity at place k
PLACE_OF_SPEED = 19  # row k + 1: place of independent velocity k
EMBEDDED_TOPOLOGY_COLUMNS = 20

# For a robot with closed loops these columns are added. Closure k is in row k + 1. Row 0 has the
# numbers of closures, of dependent joints, and of constrained motions. Dependent joints of loops
# have COUNT consecutive independent velocities from FIRST on. Closures that share dependent joints
# form a group, with consecutive rows and consecutive dependent joints.
# index of the joint in the loops: the independent ones, then from nv the dependent ones; or -1
COORDINATE = 20
BODY_A, BODY_B = 21, 22  # to which the two frames of the closure are fixed
STOPS = 23  # bits of the constrained motions: along and about x y z in axes of A; the distance
DISTANCE = 6  # its bit
CLOSURES, UNKNOWNS, STOPPED_ROWS = 21, 22, 23  # of row 0
LAST_CLOSURE = 24  # row of the last closure of the group
GROUP_ROWS = 25  # constrained motions of the group
FIRST_UNKNOWN, GROUP_UNKNOWNS = 26, 27  # its dependent joints
FIRST_LEADER, LEADERS = 28, 29  # consecutive independent velocities with those of the group
CLOSED_TOPOLOGY_COLUMNS = 30
RATIO = 34  # position of the joint per position of the one it follows
SHIFT = 35  # position of the joint when the one it follows is at zero [rad or m]
EMBEDDED_CONSTANT_COLUMNS = 36
REFERENCE = 36  # position of the joint in a posture in which all loops are closed [rad or m]
FRAME_A, FRAME_B = 37, 49  # rotations and translations of the frames on their bodies, 12 each
LENGTH = 61  # the distance that is kept [m]
CLOSED_CONSTANT_COLUMNS = 62

# A coupled joint follows several others. For a robot with such joints these columns of the
# constants come behind all of the above. A coupled body has COUNT independent velocities from
# FIRST on, and as many positions from AT on. Here are its ratios to them. They are zero for joints
# between its leaders that it does not follow.
RATIOS = 62

# For a robot whose links bend by modes these columns follow the first five. Modes come behind the
# joints in q and qd. Their constants are in rows behind those of the bodies. A column gives the
# index there, see robodyn_ros.algorithms.flexible.modal_storage.
MODES = 5  # number of modes of the body
FIRST_MODE = 6  # the first of them among all modes
SHAPE = 7  # index of the constants of the modes of the body
MOUNT = 8  # index of the mode shapes of its parent at the mount of the body
ROOM = 9  # memory of the body in working memory
MOUNT_ROOM = 10  # memory of its mount there
FIRST_POSITION, FIRST_VELOCITY = MODES, FIRST_MODE  # of row 0: of the modes in q and qd
NODES, FIRST_NODE = SHAPE, MOUNT  # of row 0: number of loaded nodes, and the index of the first
ALL_ROOM = ROOM  # of row 0: entries of memory
FLEXIBLE_TOPOLOGY_COLUMNS = 11
