# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Contact of bodies with obstacles: where they touch, and the impulses there.

shapes and obstacles -> points, normals and gaps -> rows of the contact Jacobian F
    -> compliance F M^-1 F^T -> impulses: complementary to gaps, in the cone of friction

pairs.py begins; plane.py, segment_on_box.py and box_on_box.py find the points. contact_rows.py has
the rows. gauss_seidel.py, cases.py and pivoting.py solve, and impulses.py joins them.
May import: spatial.
"""
