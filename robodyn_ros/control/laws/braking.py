# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The weight and the momentum of a robot, of which the supervisor makes the torque of a stop."""

import math

import numpy as np

from robodyn_ros.algorithms.core.aba import forward_dynamics
from robodyn_ros.algorithms.core.friction import friction_torque
from robodyn_ros.algorithms.core.gravity import gravity_torque
from robodyn_ros.algorithms.mass_matrix.mass_matrix_product import mass_product
from robodyn_ros.compile import kernel
from robodyn_ros.control.laws.law import FEEDBACK, GRAVITY, ControlLaw, model_arrays
from robodyn_ros.spatial.types import Constant, Matrix, Scalar, Table, Topology, Vector, Work

#: Velocity below which the secant of friction is that of this velocity.
SLOWEST = 1e-3  # [rad/s or m/s]


@kernel
def braking(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    work: Work,
    q: Vector,
    qd: Vector,
    terms: Matrix,
):
    """Compute g(q) and -M(q) qd.

    `terms`: two rows are written: the gravity torque [N m or N], and the negative momentum [N m s
      or N s] in place of the feedback.
    """
    gravity_torque(topology, constants, gravity, work, q, terms[GRAVITY])
    mass_product(topology, constants, work, q, qd, terms[FEEDBACK])
    for i in range(q.shape[0]):
        terms[FEEDBACK, i] = -terms[FEEDBACK, i]


@kernel
def predict(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    work: Work,
    wrenches: Matrix,
    rows: Matrix,
    command: Vector,
    weight: Vector,
    elapsed: Scalar,
    state: Matrix,
):
    """Advance a state by one semi-implicit step of the model.

    The step is implicit in friction, by its secant through zero, so that it is stable at rest. The
    state stays as it is if the acceleration is not finite.

    `wrenches`: zeros.
    `rows`: memory.
    `command`: commanded torque [N m or N].
    `weight`: torque that the robot adds to it [N m or N].
    `elapsed`: length of the step [s].
    `state`: positions and velocities [rad or m, rad/s or m/s], updated.
    """
    n = command.shape[0]
    torque, diagonal, qdd = rows[0], rows[1], rows[2]
    friction_torque(topology, constants, state[0], state[1], torque)
    for i in range(n):
        diagonal[i] = elapsed * abs(torque[i]) / max(abs(state[1, i]), SLOWEST)
        torque[i] = command[i] + weight[i] - torque[i]
    forward_dynamics(
        topology, constants, gravity, work, state[0], state[1], torque, wrenches, diagonal, qdd
    )
    for i in range(n):
        if not math.isfinite(qdd[i]):  # of a sum the compiler would assume it
            return
    for i in range(n):
        state[1, i] += elapsed * qdd[i]
        state[0, i] += elapsed * state[1, i]


class Braking(ControlLaw):
    """tau = g(q) - M(q) qd / T, with T = 1 s; `guards.brake` divides by the time constant in use.

    The kinetic energy E changes by qd.tau = -2 E / T beside the work of gravity and friction. So a
    model with wrong masses brakes, too: its mass matrix is positive definite.

    `robot` (Robot): the robot under control.
    """

    name = 'braking'
    stateful = False
    tracks = False
    equation = 'tau = g(q) - M(q) qd / T'
    kernels = (braking, predict)

    def __init__(self, robot):
        super().__init__(robot)
        self._arrays = model_arrays(robot)
        self._memory = np.zeros((len(robot.model.topology), 6)), np.zeros((3, robot.nv))

    def replace_kernels(self, replacements):
        """Replace both kernels; see `ControlLaw.replace_kernels`.

        `replacements` (mapping of Kernel to Kernel): kernels for this robot by the generic ones.
        """
        super().replace_kernels(replacements)
        self._predict = self._replacements[predict].vectorcall

    def predict(self, command, weight, elapsed, state):
        """Advance a state as the model moves under a torque, in O(n).

        `command`, `weight` (nv,): commanded torque, and what the robot adds to it [N m
          or N].
        `elapsed`: time [s].
        `state` (2, nv): positions and velocities [rad or m, rad/s or m/s], updated.
        """
        self._predict(*self._arrays, *self._memory, command, weight, elapsed, state)

    def torques(self, q, qd, reference, gains, terms):
        """Write the terms of gravity and of the negative momentum, in O(n)."""
        self._torques(*self._arrays, q, qd, terms)
