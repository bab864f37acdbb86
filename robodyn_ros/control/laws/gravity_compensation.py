# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Gravity compensation: an operator can move the arm, and it stays where it is released."""

import numpy as np

from robodyn_ros.algorithms.core.gravity import gravity_torque
from robodyn_ros.compile import kernel
from robodyn_ros.control.laws.law import FEEDBACK, GRAVITY, ControlLaw, model_arrays
from robodyn_ros.spatial.types import Constant, Matrix, Table, Topology, Vector


@kernel
def gravity_compensation(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    scratch: Matrix,
    damping: Vector,
    q: Vector,
    qd: Vector,
    terms: Matrix,
):
    """Compute g(q) and -D qd.

    Parameters
    ----------
    damping, q, qd : (nv,)
    terms : (6, nv)
        Two rows written.
    """
    gravity_torque(topology, constants, gravity, scratch, q, terms[GRAVITY])
    for i in range(q.shape[0]):
        terms[FEEDBACK, i] = -damping[i] * qd[i]


class GravityCompensation(ControlLaw):
    """tau = g(q) - D qd; the supervisor sets D to bring the arm to rest."""

    name = 'gravity_compensation'
    stateful = False
    equation = 'tau = g(q)'
    tracks = False
    kernels = (gravity_compensation,)

    def __init__(self, robot):
        super().__init__(robot)
        self.damping = np.zeros(robot.nv)  # [N m s/rad or N s/m]
        self._arrays = model_arrays(robot)

    def torques(self, q, qd, reference, gains, terms):
        """Write the gravity term, in O(n)."""
        self._torques(*self._arrays, self.damping, q, qd, terms)
