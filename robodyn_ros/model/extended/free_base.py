# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The robot whose base moves freely, from the arrays of the one whose base is fixed."""

from dataclasses import replace
from types import MappingProxyType

import numpy as np

from robodyn_ros.errors import ModelError
from robodyn_ros.model.build import build
from robodyn_ros.model.description import Inertial, Link, RobotDescription, on_free_base
from robodyn_ros.model.extended.rows import embedded_again, read_only, simple_topology
from robodyn_ros.model.layout import INERTIA, MASS, PARENT
from robodyn_ros.model.robot_model import JointLimits, RobotModel

ROWS = 6  # of the floating joint: x, y, z and three of the rotation
POSITIONS = 7


def with_free_base(model: RobotModel) -> RobotModel:
    """Return the robot on a floating joint 'free_base', below a link 'world'.

    `model`: the robot with a fixed base, such as an arm on a satellite or a vehicle.
    Returns as `build` with `free_base`. q begins with x, y, z [m] and the quaternion of the base.
      qd begins with its velocity in world axes, and its angular velocity in its own axes. Gravity
      is in world axes.
    Raises ModelError: for a robot with loops, or with links or joints of these names.
    """
    model.refuse_loops('a free base')
    one = Inertial(1.0, np.zeros(3), np.eye(3))
    link = RobotDescription(model.name, (Link(model.body_names[0], one),), ())
    described, free, world = on_free_base(link, model.body_names[0], [])
    for name in (free, world):
        if name in model.frames:
            raise ModelError(
                f'robot {model.name!r} has a link or joint {name!r} already; expected none, as '
                'the free base has that name'
            )
    base = build(described, joints=(free,))
    topology, constants = simple_topology(model), model.constants.copy()
    topology[1:] += np.array([0, 0, POSITIONS, ROWS, 0])
    topology[1:, PARENT] += ROWS
    own = np.zeros((ROWS + 1, constants.shape[1]))
    own[:, : base.constants.shape[1]] = base.constants
    own[ROWS, MASS : INERTIA + 6] = model.base_inertia
    order = [*[None] * (ROWS + 1), *range(1, len(topology))]
    topology, constants = embedded_again(
        model,
        order,
        np.concatenate((base.topology, topology[1:])),
        np.concatenate((own, constants[1:])),
    )
    moved = {name: replace(frame, body=frame.body + ROWS) for name, frame in model.frames.items()}
    return replace(
        model,
        joint_names=base.joint_names + model.joint_names,
        position_names=base.position_names + model.position_names,
        nq=model.nq + POSITIONS,
        nv=model.nv + ROWS,
        body_names=base.body_names + model.body_names[1:],
        multi_dof_joints=(
            *base.multi_dof_joints,
            *(
                replace(
                    each,
                    positions=_shifted(each.positions, POSITIONS),
                    velocities=_shifted(each.velocities, ROWS),
                )
                for each in model.multi_dof_joints
            ),
        ),
        frames=MappingProxyType({**base.frames, **moved}),
        topology=read_only(topology),
        constants=read_only(constants),
        limits=JointLimits(
            *(
                read_only(np.append(getattr(base.limits, name), getattr(model.limits, name)))
                for name in ('lower', 'upper', 'velocity', 'effort')
            )
        ),
        all_joint_names=base.joint_names + model.all_joint_names,
        all_position_names=base.position_names + model.all_position_names,
        base_inertia=read_only(np.zeros(INERTIA + 6 - MASS)),
    )


def _shifted(where, by):
    """Return a slice, shifted."""
    return slice(where.start + by, where.stop + by)
