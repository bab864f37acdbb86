# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Columns of the tables of contact."""

# shapes (s, SHAPE_COLUMNS): boxes with rounded edges, in their own frame
HALF = 0  # half edges, 3 [m]: zero for a sphere, along z alone for a capsule
RADIUS = 3  # of the rounding [m]: zero for a box
REACH = 4  # distance of the farthest point from the centre [m]
SHAPE_COLUMNS = 5

# obstacles (o, OBSTACLE_COLUMNS), fixed to the base
IS_BOX = 0  # 1.0 for a box, 0.0 for the half-space below the plane z = 0 of its frame
TURN = 1  # row-major rotation of its frame, 9
PLACE = 10  # origin of its frame, 3 [m]
SIZE = 13  # half edges of a box, 3 [m]
FRICTION = 16  # coefficient [-]
RESTITUTION = 17  # share of the speed of approach with which a contact separates [-]
OBSTACLE_COLUMNS = 18

# contacts (capacity, CONTACT_COLUMNS), in base axes
SHAPE, OBSTACLE = 0, 1  # their rows
POINT = 2  # of the shape, 3 [m]
NORMAL = 5  # from the obstacle to the shape, 3
GAP = 8  # distance along the normal [m], negative inside
TANGENT_1, TANGENT_2 = 9, 12  # 3 each
FORCE = 15  # on the shape along normal and tangents, 3 [N]
ELASTIC = 18  # 1.0 where the contact is left to its impact
CONTACT_COLUMNS = 19

# blocks (b, BLOCK_COLUMNS): the conditions on the velocity, of joints and of contacts
KIND = 0  # JOINT or CONTACT
ROW = 1  # first row of its directions: one of a joint; normal and tangents of a contact
LOW = 2  # least velocity, that of a contact along its normal [rad/s or m/s]
HIGH = 3  # largest velocity of a joint
BOUND = 4  # largest impulse of a joint's friction [N m s or N s]; coefficient of a contact [-]
CASE = 5  # see below
EDGE = 6  # of the pyramid, where a contact slides
COMPLIANCE = 7  # of its directions, 3 x 3 row-major, or 1 x 1
SHIFT = 16  # impulse that corrects a penetration [m kg]
BLOCK_COLUMNS = 17

JOINT, CONTACT = 0.0, 1.0
# cases of a block: without impulse; at rest; sliding (a joint forward or backward); at a bound
FREE, STICKS, SLIDES, SLIDES_BACK, AT_LOW, AT_HIGH = 0.0, 1.0, 2.0, 3.0, 4.0, 5.0
BETWEEN = 6.0  # a contact whose friction lies between two edges, EDGE and the next
