# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The state of all joints, dependent ones too, as the simulator publishes it."""

import numpy as np

from robodyn_ros.algorithms.core import working_memory
from robodyn_ros.compile import embedded
from robodyn_ros.model.robot_model import RobotModel


class AllJoints:
    """Compute the state of all joints from that of the independent ones.

    `model` (RobotModel): model of a robot with dependent joints.
    """

    def __init__(self, model: RobotModel):
        n = len(model.all_joint_names)
        self._model = model.topology, model.constants, working_memory.allocate(model.topology)
        self._still, self._accelerations = np.zeros(model.nv), np.zeros(n)
        self._position, self._velocity = np.zeros(len(model.all_position_names)), np.zeros(n)
        self._effort = np.zeros(n)  # zero except at the independent joints
        self._driven = [model.all_joint_names.index(name) for name in model.joint_names]
        self._expand = embedded.expand_state.compiled

    def state(self, position: np.ndarray, velocity: np.ndarray, effort: np.ndarray):
        """Return position, velocity and effort of all joints.

        The three arrays are reused: the next call overwrites them.

        `position`, `velocity`, `effort`: state and efforts of the independent joints [rad or m,
          rad/s or m/s, N m or N].
        Returns `position, velocity, effort` (ndarray): of all joints. The effort of a dependent
          joint is 0.
        """
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
