"""The recursions over the rows of a batch, compiled for any robot; other threads run meanwhile.

Arguments as those of the recursions, states and results with one axis more in front, then the
first row and the one behind the last. Those that may meet a singular pivot return its body, else
0.
"""
import functools

import numpy as np

from robodyn_ros.kernels.compile import Kernel
from robodyn_ros.kernels.straight import Stack
from robodyn_ros.recursions import aba, crba, gravity, kinematics, rnea
from robodyn_ros.recursions import coriolis as _coriolis
from robodyn_ros.recursions import energy as _energy
from robodyn_ros.recursions import jacobian as _jacobian
from robodyn_ros.recursions import mass_matrix_inverse as _mass_matrix_inverse
from robodyn_ros.recursions import mass_solve as _mass_solve
from robodyn_ros.recursions import operational_space as _operational_space
from robodyn_ros.recursions import regressor as _regressor
from robodyn_ros.recursions import task_inertia as _task_inertia
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.types import (
    Constant, Indices, Integer, Matrix, Scalar, Table, Topology, Vector)

_kernel = functools.partial(Kernel, nogil=True)


@primitive
def load_wrenches(topology, constants, scratch, q, bodies, frames, wrenches, f_ext):
    """f_ext of one row: the wrenches on m frames, in the axes of the bodies."""
    f_ext[:] = 0.0
    for j in range(len(bodies)):
        kinematics.apply_wrench(topology, constants, scratch, q, bodies[j], frames[j],
                                wrenches[j], f_ext)


@_kernel
def inverse_dynamics(topology: Topology, constants: Table, weight: Constant, scratch: Matrix,
                     q: Matrix, qd: Matrix, qdd: Matrix, bodies: Indices, frames: Table,
                     wrenches: Stack, tau: Matrix, first: Integer, last: Integer):
    """Torques of motions; wrenches : (k, m, 6) on m frames, or (1, m, 6) for all rows."""
    f_ext = np.zeros((len(topology), 6))
    for k in range(first, last):
        load_wrenches(topology, constants, scratch, q[k], bodies, frames,
                      wrenches[k % len(wrenches)], f_ext)
        rnea.inverse_dynamics(topology, constants, weight, scratch, q[k], qd[k], qdd[k], f_ext,
                              tau[k])
    return 0


@_kernel
def bias_torque(topology: Topology, constants: Table, weight: Constant, scratch: Matrix,
                q: Matrix, qd: Matrix, tau: Matrix, first: Integer, last: Integer):
    """Torques without acceleration."""
    for k in range(first, last):
        rnea.bias_torque(topology, constants, weight, scratch, q[k], qd[k], tau[k])
    return 0


@_kernel
def gravity_torque(topology: Topology, constants: Table, weight: Constant, scratch: Matrix,
                   q: Matrix, tau: Matrix, first: Integer, last: Integer):
    """Torques at rest."""
    for k in range(first, last):
        gravity.gravity_torque(topology, constants, weight, scratch, q[k], tau[k])
    return 0


@_kernel
def mass_matrix(topology: Topology, constants: Table, scratch: Matrix, q: Matrix, M: Stack,
                first: Integer, last: Integer):
    """Mass matrices."""
    for k in range(first, last):
        crba.mass_matrix(topology, constants, scratch, q[k], M[k])
    return 0


@_kernel
def coriolis_matrix(topology: Topology, constants: Table, scratch: Matrix, q: Matrix, qd: Matrix,
                    C: Stack, first: Integer, last: Integer):
    """Coriolis matrices."""
    for k in range(first, last):
        _coriolis.coriolis_matrix(topology, constants, scratch, q[k], qd[k], C[k])
    return 0


@_kernel
def energy(topology: Topology, constants: Table, weight: Constant, scratch: Matrix, q: Matrix,
           qd: Matrix, energies: Matrix, first: Integer, last: Integer):
    """Kinetic and potential energies."""
    for k in range(first, last):
        _energy.energy(topology, constants, weight, scratch, q[k], qd[k], energies[k])
    return 0


@_kernel
def forward_dynamics(topology: Topology, constants: Table, weight: Constant, scratch: Matrix,
                     q: Matrix, qd: Matrix, tau: Matrix, bodies: Indices, frames: Table,
                     wrenches: Stack, diagonal: Vector, qdd: Matrix, first: Integer,
                     last: Integer):
    """Accelerations; wrenches as those of inverse_dynamics."""
    f_ext = np.zeros((len(topology), 6))
    for k in range(first, last):
        load_wrenches(topology, constants, scratch, q[k], bodies, frames,
                      wrenches[k % len(wrenches)], f_ext)
        status = aba.forward_dynamics(topology, constants, weight, scratch, q[k], qd[k], tau[k],
                                      f_ext, diagonal, qdd[k])
        if status != 0:
            return status
    return 0


@_kernel
def mass_solve(topology: Topology, constants: Table, scratch: Matrix, q: Matrix, diagonal: Vector,
               b: Matrix, x: Matrix, first: Integer, last: Integer):
    """Solves with the mass matrices."""
    for k in range(first, last):
        status = _mass_solve.mass_solve(topology, constants, scratch, q[k], diagonal, b[k], x[k])
        if status != 0:
            return status
    return 0


@_kernel
def mass_matrix_inverse(topology: Topology, constants: Table, scratch: Matrix, q: Matrix,
                        diagonal: Vector, inverse: Stack, first: Integer, last: Integer):
    """Inverses of the mass matrices."""
    for k in range(first, last):
        status = _mass_matrix_inverse.mass_matrix_inverse(topology, constants, scratch, q[k],
                                                          diagonal, inverse[k])
        if status != 0:
            return status
    return 0


@_kernel
def regressor(topology: Topology, constants: Table, weight: Constant, scratch: Matrix, q: Matrix,
              qd: Matrix, qd_r: Matrix, qdd: Matrix, Y: Stack, first: Integer, last: Integer):
    """Regressors."""
    for k in range(first, last):
        _regressor.regressor(topology, constants, weight, scratch, q[k], qd[k], qd_r[k], qdd[k],
                             Y[k])
    return 0


@_kernel
def pose(topology: Topology, constants: Table, scratch: Matrix, q: Matrix, body: Integer,
         frame: Constant, X: Stack, first: Integer, last: Integer):
    """Poses of a frame."""
    for k in range(first, last):
        kinematics.pose(topology, constants, scratch, q[k], body, frame, X[k])
    return 0


@_kernel
def velocity(topology: Topology, constants: Table, scratch: Matrix, q: Matrix, qd: Matrix,
             body: Integer, frame: Constant, V: Matrix, first: Integer, last: Integer):
    """Velocities of a frame."""
    for k in range(first, last):
        kinematics.velocity(topology, constants, scratch, q[k], qd[k], body, frame, V[k])
    return 0


@_kernel
def jacobian(topology: Topology, constants: Table, scratch: Matrix, q: Matrix, body: Integer,
             frame: Constant, J: Stack, first: Integer, last: Integer):
    """Jacobians of a frame."""
    for k in range(first, last):
        _jacobian.jacobian(topology, constants, scratch, q[k], body, frame, J[k])
    return 0


@_kernel
def jacobian_bias(topology: Topology, constants: Table, scratch: Matrix, q: Matrix, qd: Matrix,
                  body: Integer, frame: Constant, zero: Vector, bias: Matrix, first: Integer,
                  last: Integer):
    """Accelerations of a frame without joint accelerations."""
    for k in range(first, last):
        _jacobian.jacobian_bias(topology, constants, scratch, q[k], qd[k], body, frame, zero,
                                bias[k])
    return 0


@_kernel
def operational_space(topology: Topology, constants: Table, scratch: Matrix, q: Matrix,
                      diagonal: Vector, body: Integer, frame: Constant, J: Stack,
                      compliance: Stack, first: Integer, last: Integer):
    """Jacobians and compliances of a frame."""
    for k in range(first, last):
        status = _operational_space.operational_space(
            topology, constants, scratch, q[k], diagonal, body, frame, J[k], compliance[k])
        if status != 0:
            return status
    return 0


@_kernel
def task_solve(topology: Topology, constants: Table, scratch: Matrix, q: Matrix, diagonal: Vector,
               J: Stack, X: Stack, first: Integer, last: Integer):
    """J M^-1 of tasks."""
    for k in range(first, last):
        status = _operational_space.task_solve(topology, constants, scratch, q[k], diagonal, J[k],
                                               X[k])
        if status != 0:
            return status
    return 0


@_kernel
def task_inertia(compliance: Stack, damping: Scalar, inertia: Stack, singular_values: Matrix,
                 rank: Vector, first: Integer, last: Integer):
    """Inertias, singular values and ranks of tasks."""
    m = compliance.shape[1]
    work, vectors = np.empty((m, m)), np.empty((m, m))
    for k in range(first, last):
        rank[k] = _task_inertia.task_inertia(compliance[k], damping, work, vectors, inertia[k],
                                             singular_values[k])
    return 0


ALL = (inverse_dynamics, gravity_torque, bias_torque, mass_matrix, forward_dynamics, mass_solve,
       mass_matrix_inverse, coriolis_matrix, energy, regressor, pose, velocity, jacobian,
       jacobian_bias, operational_space, task_solve, task_inertia)
