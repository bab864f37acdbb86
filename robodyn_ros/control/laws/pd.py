# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Joint-space PD control, with and without gravity compensation."""

from robodyn_ros.algorithms.core.gravity import gravity_torque
from robodyn_ros.compile import kernel
from robodyn_ros.control.laws.law import (
    FEEDBACK,
    GRAVITY,
    POSITION,
    POSITION_GAIN,
    VELOCITY,
    VELOCITY_GAIN,
    ControlLaw,
    model_arrays,
)
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.types import Constant, Matrix, Table, Topology, Vector


@primitive
def feedback(q, qd, reference, gains, out):
    """Compute Kp e + Kd ed, with e = q_r - q and ed = qd_r - qd.

    Parameters
    ----------
    q, qd, reference, gains
        As of `ControlLaw.torques`.
    out : (nv,) ndarray
        The feedback, written.
    """
    for i in range(out.shape[0]):
        out[i] = gains[POSITION_GAIN, i] * (reference[POSITION, i] - q[i]) + gains[
            VELOCITY_GAIN, i
        ] * (reference[VELOCITY, i] - qd[i])


@kernel
def pd(q: Vector, qd: Vector, reference: Matrix, gains: Matrix, terms: Matrix):
    """Compute the feedback term.

    Parameters
    ----------
    q, qd : (nv,) ndarray
        State [rad or m, rad/s or m/s].
    reference : (3, nv) ndarray
        Reference of position, velocity and acceleration.
    gains : (2, nv) ndarray
        Kp and Kd [N m/rad, N m s/rad].
    terms : (6, nv) ndarray
        Torque terms [N m or N]; one row is written.
    """
    feedback(q, qd, reference, gains, terms[FEEDBACK])


@kernel
def pd_gravity(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    scratch: Matrix,
    q: Vector,
    qd: Vector,
    reference: Matrix,
    gains: Matrix,
    terms: Matrix,
):
    """Compute the terms of feedback and gravity.

    Parameters
    ----------
    topology, constants, gravity, scratch : ndarray
        Arrays of the model; see `model_arrays`.
    q, qd, reference, gains, terms
        As of `pd`; two rows of terms are written.
    """
    feedback(q, qd, reference, gains, terms[FEEDBACK])
    gravity_torque(topology, constants, gravity, scratch, q, terms[GRAVITY])


class PD(ControlLaw):
    """tau = Kp e + Kd ed, with e = q_r - q; gravity leaves an error at rest."""

    name = 'pd'
    stateful = False
    equation = 'tau = Kp (q_r - q) + Kd (qd_r - qd)'
    gain_unit = ('N m/rad', 'N m s/rad')
    kernels = (pd,)

    def torques(self, q, qd, reference, gains, terms):
        """Write the feedback term.

        Parameters
        ----------
        q, qd, reference, gains, terms
            As of `ControlLaw.torques`.
        """
        self._torques(q, qd, reference, gains, terms)


class PDGravity(ControlLaw):
    """tau = Kp e + Kd ed + g(q); the robot rests at its reference (Takegaki and Arimoto 1981).

    Parameters
    ----------
    robot : Robot
        The robot under control.
    """

    name = 'pd_gravity'
    stateful = False
    equation = 'tau = Kp (q_r - q) + Kd (qd_r - qd) + g(q)'
    gain_unit = ('N m/rad', 'N m s/rad')
    kernels = (pd_gravity,)

    def __init__(self, robot):
        super().__init__(robot)
        self._arrays = model_arrays(robot)

    def torques(self, q, qd, reference, gains, terms):
        """Write the feedback and gravity terms, in O(n).

        Parameters
        ----------
        q, qd, reference, gains, terms
            As of `ControlLaw.torques`.
        """
        self._torques(*self._arrays, q, qd, reference, gains, terms)
