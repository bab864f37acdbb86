# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Contact of a plant with obstacles, with friction and restitution.

    poses of shapes -> points, normals, gaps and rows of the Jacobian (approach.py)
        -> time of the first elastic impact, which divides the substep (approach.py)
        -> velocity without impulses, by the articulated-body algorithm
        -> impulses (contact_response.py) -> next state (euler_in_contact.py, contact_step.py)

arrays.py has the tables and the memory of a step.
"""
