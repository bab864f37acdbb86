# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The accelerations of one stage of an integrator between events of friction."""

from robodyn_ros.simulation.dry_friction import friction_holds, keeps_sliding
from robodyn_ros.simulation.integrators.euler import accelerate
from robodyn_ros.simulation.integrators.names import EVENT
from robodyn_ros.spatial.primitive import unfused


@unfused
def accelerate_between_events(
    topology,
    constants,
    gravity,
    joints,
    work,
    joint_work,
    effort,
    f_ext,
    h,
    ahead,
    stribeck,
    q,
    qd,
):
    """Write the accelerations into joint_work[QDD] and detect events of friction.

    See `euler.accelerate`.

    `ahead`: time from the state to the point where damping acts [s].
    Returns 0, or the body whose pivot is singular. EVENT if a joint began to slide, stopped or
      reversed.
    """
    status = accelerate(
        topology,
        constants,
        gravity,
        joints,
        work,
        joint_work,
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
    if not keeps_sliding(joint_work, qd):
        return EVENT
    if not friction_holds(topology, constants, gravity, work, joint_work, q, qd, f_ext):
        return EVENT
    return 0
