# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Dependent joints in messages: published with the others, skipped in received messages."""

import numpy as np
from sensor_msgs.msg import JointState

from robodyn_ros.algorithms.core import scratch
from robodyn_ros.compile import embedded
from robodyn_ros.model.robot_model import RobotModel


class AllJoints:
    """Compute the state of all joints from that of the independent ones.

    Args:
      model: of a robot with dependent joints.

    """

    def __init__(self, model: RobotModel):
        n = len(model.all_joint_names)
        self._model = model.topology, model.constants, scratch.allocate(model.topology)
        self._still, self._accelerations = np.zeros(model.nv), np.zeros(n)
        self._position, self._velocity = np.zeros(len(model.all_position_names)), np.zeros(n)
        self._effort = np.zeros(n)  # zero except at the independent joints
        self._driven = [model.all_joint_names.index(name) for name in model.joint_names]
        self._expand = embedded.expand_state.compiled

    def state(self, position: np.ndarray, velocity: np.ndarray, effort: np.ndarray):
        """Return position, velocity and effort of all joints; the next call overwrites them."""
        self._expand(
            *self._model,
            position,
            velocity,
            self._still,
            self._position,
            self._velocity,
            self._accelerations,
        )
        self._effort[self._driven] = effort
        return self._position, self._velocity, self._effort


def independent_joints(message: JointState, model: RobotModel) -> JointState:
    """Return the message without its dependent joints, which the independent ones determine."""
    dependent = {*model.all_joint_names} - {*model.joint_names}
    kept = [k for k, name in enumerate(message.name) if name not in dependent]
    if not kept or len(kept) == len(message.name):
        return message
    fields = {
        field: [values[k] for k in kept] if len(values) == len(message.name) else values
        for field in ('name', 'position', 'velocity', 'effort')
        for values in (getattr(message, field),)
    }
    return JointState(header=message.header, **fields)
