# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A satellite's arm holds its tool in space while the satellite is pushed.

    python examples/hold_a_tool_in_space.py

The velocities of the base and of the joints share the momentum h: M_bb V + M_ba qd = h. So

    v_tool = J_a qd + J_b V = J_G qd + J_b M_bb^-1 h,   J_G = J_a - J_b M_bb^-1 M_ba

with the generalised Jacobian J_G (Jain, section 16.3.1). The joints follow
J_G^+ (K e - J_b M_bb^-1 h), for the error e of the tool. The law knows that the base reacts to
their torques.
"""

import numpy as np

from robodyn_ros import Robot, example
from robodyn_ros.control import TERMS, law_class
from robodyn_ros.simulation import Plant

TOOL, PERIOD, SECONDS = 'tool0', 2e-3, 6.0
HOME = np.array([0.0, 0.3, 0.0, -1.6, 0.0, 1.6, 0.8])
SATELLITE = (120.0, (0.0, 0.0, -0.4), np.diag([15.0, 12.0, 10.0]))  # [kg, m, kg m^2]
PUSH = np.array([5.0, -3.0, 2.0, 0.4, 0.5, -0.6])  # [N, N m] for 2 s, then back
GAINS = np.outer([400.0, 40.0], np.ones(7))  # [1/s^2, 1/s] of the joints
STIFFNESS = 5.0  # [1/s] of the tool


def main():
    """Print how far tool and base move [mm]; return {name: (tool, base)} as arrays (k,) [m]."""
    arm = Robot.from_urdf(example('franka_like')).with_gravity((0.0, 0.0, 0.0))
    arm = arm.with_payload(arm.model.body_names[0], *SATELLITE)
    found = {name: fly(arm, holds) for name, holds in (('joints held', 0), ('tool held', 1))}
    for name, (tool, base) in found.items():
        print(f'{name}: base moves {1e3 * base.max():6.1f} mm, tool {1e3 * tool.max():6.2f} mm')
    return found


def fly(arm, holds_tool):
    """Return the distances (k,) of tool and base from their start [m]."""
    flyer, law = (
        arm.extended.with_free_base(),
        law_class('floating_base_computed_torque')(arm, 'free'),
    )
    law.period = PERIOD
    plant = Plant(flyer, position=np.concatenate((np.zeros(6), [1.0], HOME)))
    reference, goal = np.array((HOME, np.zeros(7), np.zeros(7))), flyer.pose(plant.q, TOOL)
    command, terms = np.full(flyer.nv, np.nan), np.zeros((len(TERMS), arm.nv))
    distances = []
    for k in range(round(SECONDS / PERIOD)):
        if k in (0, round(2.0 / PERIOD)):
            plant.apply_wrench('base_link', -PUSH if k else PUSH, duration=2.0)
        if holds_tool:
            reference[1] = resolved_rates(flyer, plant.q, plant.qd, goal)
            reference[0] += PERIOD * reference[1]
        law.set_base(plant.q[:7], plant.qd[:6])
        terms[:] = 0.0
        law.torques(plant.q[7:], plant.qd[6:], reference, GAINS, terms)
        command[6:] = terms.sum(axis=0)
        plant.step(command, PERIOD)
        tool = flyer.pose(plant.q, TOOL)[:3, 3] - goal[:3, 3]
        distances.append((np.linalg.norm(tool), np.linalg.norm(plant.q[:3])))
    assert not plant.fault, plant.fault
    return np.array(distances).T


def resolved_rates(flyer, q, qd, goal):
    """Return the joint rates (n,) that keep the tool at its goal [rad/s]."""
    J, M = flyer.jacobian(q, TOOL), flyer.mass_matrix(q)
    to_base = np.linalg.solve(M[:6, :6], np.column_stack((M[:6] @ qd, M[:6, 6:])))
    drift, generalised = J[:, :6] @ to_base[:, 0], J[:, 6:] - J[:, :6] @ to_base[:, 1:]
    pose = flyer.pose(q, TOOL)
    turn = goal[:3, :3] @ pose[:3, :3].T
    skew = 0.5 * (turn - turn.T)
    error = np.concatenate((goal[:3, 3] - pose[:3, 3], skew[[2, 0, 1], [1, 2, 0]]))
    return np.linalg.pinv(generalised, rcond=1e-3) @ (STIFFNESS * error - drift)


if __name__ == '__main__':
    main()
