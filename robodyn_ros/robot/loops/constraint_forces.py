# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The wrenches of closures: they supply the efforts of the dependent joints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from robodyn_ros.algorithms.constraints.loops import row_axis
from robodyn_ros.compile import generic
from robodyn_ros.errors import ShapeError
from robodyn_ros.model.layout import (
    BODY_A,
    BODY_B,
    COORDINATE,
    DISTANCE,
    FRAME_A,
    FRAME_B,
    RATIO,
    STOPS,
)
from robodyn_ros.robot.loops.equations import LoopEquations

if TYPE_CHECKING:  # which imports this module
    from robodyn_ros.robot.robot import Robot


def constraint_forces(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    tau: ArrayLike,
    f_ext: Mapping[str, ArrayLike] | None = None,
) -> dict[str, np.ndarray]:
    """Return the wrenches of the closures; see Loops.constraint_forces.

    J_u^T lambda = tau_tree for the dependent joints, which have no motor (Jain 2011, eq. 11.8).

    `robot`: with closed loops.
    `tau`: torques of the independent joints [N m or N].
    `f_ext`: external wrenches, as of `forward_dynamics`.
    Raises ShapeError: for a batch, or a wrong shape.
    Raises SingularityError: if the loops cannot be closed.
    """
    checked, k = robot._states(q, qd, tau)
    if k is not None:
        raise ShapeError(
            f'robot {robot.name!r}: got {k} states for the forces of its closures; expected one'
        )
    qdd = robot.forward_dynamics(checked[0], checked[1], checked[2], f_ext)
    state = robot.expand(checked[0], checked[1], qdd)
    pushes = robot._wrenches(checked[0], None, f_ext)[0]
    found = _wrenches(robot, state, pushes, {})
    return {name: wrench for name, (wrench, _) in found.items()}


def link_wrenches(
    robot: Robot,
    q: np.ndarray,
    qd: np.ndarray,
    qdd: np.ndarray,
    f_ext: Mapping[str, ArrayLike] | None = None,
    efforts: Mapping[str, float] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the wrench that its parent exerts on each link, and the efforts of all joints.

    Closures act on the links of their frames, beside inertia and f_ext. Their wrenches are those
    that leave dependent joints of loops their efforts: J_u^T lambda = tau_tree - tau_u.

    `robot`: with closed loops.
    `qdd`: accelerations [rad/s^2 or m/s^2].
    `f_ext`: external wrenches, as of `Links.joint_wrenches`.
    `efforts`: efforts of motors, friction and stops of dependent joints of loops [N m or N]; zero
      by default.
    Returns `wrenches` (nb - 1, 6): as of `Links.joint_wrenches`.
    Returns `efforts` (n,): of the joints in `all_joint_names`, transmitted to their
      links [N m or N].
    Raises SingularityError: if the loops cannot be closed.
    """
    state = robot.expand(q, qd, qdd)
    pushes = robot._wrenches(q, None, f_ext)[0].copy()
    for _, ends in _wrenches(robot, state, pushes, efforts or {}).values():
        for body, frame, share in ends:
            generic.apply_wrench.vectorcall(*robot._body, state[0], body, frame, share, pushes)
    wrenches, transmitted = np.empty(robot.links._links_shape), np.empty(len(state[1]))
    generic.joint_wrenches.vectorcall(
        *robot._weighted, *robot._links, *state, pushes, transmitted, wrenches
    )
    return wrenches, transmitted


def _wrenches(robot, state, pushes, efforts):
    """Return the wrench of each closure on B, and its ends: body, frame and wrench of each.

    pushes : (nb, 6) external wrenches on the bodies. efforts : of dependent joints, by name.
    """
    model, tau_tree = robot.model, np.empty(len(state[1]))
    generic.inverse_dynamics.vectorcall(*robot._weighted, *state, pushes, tau_tree)
    for name, effort in efforts.items():
        tau_tree[model.all_joint_names.index(name)] -= effort
    loops, rows = LoopEquations(model), np.array(model.led_by_loops, dtype=np.int64)
    unknowns, needed = model.topology[rows, COORDINATE] - model.nv, np.zeros(loops.unknowns)
    np.add.at(needed, unknowns, model.constants[rows, RATIO] * tau_tree[rows - 1])
    J = loops.equations(state[0])[:, : loops.unknowns]
    shares, found, pose = iter(np.linalg.lstsq(J.T, needed, rcond=None)[0]), {}, np.empty((4, 4))
    for row, name in enumerate(model.closures, start=1):
        origins, ends = [], []
        for body, frame in ((BODY_B, FRAME_B), (BODY_A, FRAME_A)):
            ends.append((model.topology[row, body], model.constants[row, frame : frame + 12]))
            generic.pose.vectorcall(*robot._body, state[0], *ends[-1], pose)
            origins.append(pose[:3, 3].copy())
        wrench, stops, lever = np.zeros(6), model.topology[row, STOPS], origins[0] - origins[1]
        for bit in range(DISTANCE + 1):
            if stops & (1 << bit):
                along = lever / np.linalg.norm(lever) if bit == DISTANCE else lever
                part = slice(3, 6) if 3 <= bit < DISTANCE else slice(3)
                wrench[part] += next(shares) * np.array(row_axis(pose, stops, bit, along))
        back = -wrench
        back[3:] -= np.cross(lever, wrench[:3])
        found[name] = wrench, ((*ends[0], wrench), (*ends[1], back))
    return found
