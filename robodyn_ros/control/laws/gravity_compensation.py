# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Gravity compensation: an operator can move the robot by hand, and it stays where it is left."""

from robodyn_ros.algorithms.core.gravity import gravity_torque
from robodyn_ros.compile import kernel
from robodyn_ros.control.laws.law import GRAVITY, ControlLaw, model_arrays
from robodyn_ros.spatial.types import Constant, Matrix, Table, Topology, Vector, Work


@kernel
def gravity_compensation(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    work: Work,
    q: Vector,
    qd: Vector,
    terms: Matrix,
):
    """Compute g(q).

    `terms`: torque terms [N m or N]; one row is written.
    """
    gravity_torque(topology, constants, gravity, work, q, terms[GRAVITY])


class GravityCompensation(ControlLaw):
    """tau = g(q).

    `robot` (Robot): the robot under control.
    """

    name = 'gravity_compensation'
    stateful = False
    equation = 'tau = g(q)'
    tracks = False
    kernels = (gravity_compensation,)

    def __init__(self, robot):
        super().__init__(robot)
        self._arrays = model_arrays(robot)

    def torques(self, q, qd, reference, gains, terms):
        """Write the term of gravity, in O(n)."""
        self._torques(*self._arrays, q, qd, terms)
