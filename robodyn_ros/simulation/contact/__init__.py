# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Contact of a plant with obstacles, with friction and restitution.

poses of shapes -> points, normals, gaps and rows of the Jacobian (approach.py)
    -> time of the first elastic impact, which divides the substep (approach.py)
    -> free velocity by articulated bodies -> impulses (respond.py) -> next state (contact_step.py)

arrays.py        tables and memory of a step
approach.py      contacts within reach of a substep, and the next elastic impact
respond.py       velocities after impulses and impacts; recovery from penetrations
contact_step.py  the compiled step
"""
