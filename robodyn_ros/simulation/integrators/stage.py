# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The accelerations of one stage of a scheme that runs between events of friction."""

from robodyn_ros.simulation.dry_friction import friction_holds, slides_on
from robodyn_ros.simulation.integrators.euler import accelerate
from robodyn_ros.simulation.integrators.names import EVENT
from robodyn_ros.spatial.primitive import unfused


@unfused
def accelerate_between_events(
    topology, constants, gravity, joints, scratch, work, effort, f_ext, h, ahead, stribeck, q, qd
):
    """Write accelerations into work[QDD], see euler.accelerate.

    Returns 0, the body whose pivot is singular, or EVENT if a joint began to slide, stopped or
    reversed.
    """
    status = accelerate(
        topology,
        constants,
        gravity,
        joints,
        scratch,
        work,
        effort,
        f_ext,
        h,
        ahead,
        stribeck,
        q,
        qd,
    )
    if status != 0:
        return status
    if not slides_on(work, qd):
        return EVENT
    if not friction_holds(topology, constants, gravity, scratch, work, q, qd, f_ext):
        return EVENT
    return 0
