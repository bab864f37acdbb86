# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Recursions over bodies: one algorithm per file, plain functions over the model's arrays.

Bodies are numbered base to tip (parent < child), row 0 is the world. Quantities are in the frame
of their body, z along the joint, angular parts first. Accelerations are classical, not spatial.
The base accelerates with -gravity (Angeles 7.44). doc/architecture.md compares the letters with
those of other sources. May import: spatial, model.layout.

What kernels take, here and in robodyn_ros.simulation; they tell what is special:

topology, constants  structure of the robot and numbers of its bodies, see model/layout.py
work                 working memory, a row with named fields for each body, see spatial/work.py
gravity (3,)         gravitational acceleration in base axes [m/s^2]
q (nq,)              joint positions [rad or m]
qd, qdd (nv,)        joint velocities and accelerations [rad/s, rad/s^2 or m/s, m/s^2]
tau (nv,)            joint torques or forces [N m or N]
f_ext (nb, 6)        external moment and force on each body, in its frame about its origin [N m, N]
diagonal (nv,)       added to the diagonal of the mass matrix [kg m^2 or kg]
i, body              row of a body
frame (12,)          rotation, row-major, and origin of a frame in its body [-, m]
joints, joint_work   joint table and its memory, see joint_table.py
h                    length of a substep [s]
a, b, v, n, f        3-vectors; symmetric matrices are six numbers: xx, xy, xz, yy, yz, zz

Results are arrays that the caller gives. A status is 0, or the row of the body whose pivot is
singular.
"""
