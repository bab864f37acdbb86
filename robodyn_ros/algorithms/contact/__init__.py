# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Contact of bodies with obstacles: where they touch, and the impulses there.

pairs.py calls plane.py, segment_on_box.py and box_on_box.py, which find points, normals and gaps.
contact_rows.py computes the rows of the contact Jacobian F. impulses.py finds the impulses with
the compliance F M^-1 F^T: complementary to the gaps, in the cone of friction. Its solvers are
gauss_seidel.py, cases.py and pivoting.py.

May import: spatial.
"""
