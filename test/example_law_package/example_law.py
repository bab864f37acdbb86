# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Hand guiding: the arm floats, damped, and comes to rest where it is left."""

from robodyn_ros.algorithms.core.gravity import gravity_torque
from robodyn_ros.compile import kernel
from robodyn_ros.control import ControlLaw
from robodyn_ros.control.laws.law import GRAVITY, OTHER, VELOCITY_GAIN, model_arrays
from robodyn_ros.spatial.types import Constant, Matrix, Table, Topology, Vector, Work


@kernel
def hand_guiding(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    work: Work,
    q: Vector,
    qd: Vector,
    gains: Matrix,
    terms: Matrix,
):
    """Gravity term, and damping in the term that is called 'other'."""
    gravity_torque(topology, constants, gravity, work, q, terms[GRAVITY])
    for i in range(q.shape[0]):
        terms[OTHER, i] = -gains[VELOCITY_GAIN, i] * qd[i]


class HandGuiding(ControlLaw):
    """tau = g(q) - Kd qd."""

    name = 'hand_guiding'
    equation = 'tau = g(q) - Kd qd'
    tracks = False
    gain_unit = ('', 'N m s/rad')
    kernels = (hand_guiding,)

    def __init__(self, robot):
        super().__init__(robot)
        self._arrays = model_arrays(robot)

    def torques(self, q, qd, reference, gains, terms):
        """Write the gravity term and the damping, in O(n)."""
        self._torques(*self._arrays, q, qd, gains, terms)
