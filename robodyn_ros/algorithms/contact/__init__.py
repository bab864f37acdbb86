# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Contact of bodies with obstacles: where they touch, and the impulses there.

shapes and obstacles -> points, normals and gaps -> rows of the contact Jacobian F
    -> compliance F M^-1 F^T -> impulses: complementary to gaps, in the cone of friction

layout.py         columns of the tables
pairs.py          which shape can touch which obstacle, and its points
plane.py          points of a shape on a half-space
segment_on_box.py points of a sphere or capsule on a box
box_on_box.py     points of a box on a box
contact_rows.py   directions of a contact, and their rows of the Jacobian
cone.py           the pyramid of friction, and the impulse of one contact alone
linear_solve.py   dense linear equations by elimination with pivots
gauss_seidel.py   projected Gauss-Seidel over contacts and joints
cases.py          exact impulses where it is known who separates, sticks and slides
impulses.py       both together: the solution of the complementarity problem
"""
