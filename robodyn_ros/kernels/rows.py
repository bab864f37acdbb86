"""The recursions over the rows of a batch, compiled for any robot; other threads run meanwhile.

Arguments as those of the recursions, states and results with one axis more in front, then the
first row and the one behind the last. Those that may meet a singular pivot return its body, else
0.
"""
import functools

from robodyn_ros.kernels.compile import Kernel
from robodyn_ros.kernels.straight import Stack
from robodyn_ros.recursions import aba, crba, gravity, rnea
from robodyn_ros.recursions import coriolis as _coriolis
from robodyn_ros.recursions import energy as _energy
from robodyn_ros.recursions import mass_solve as _mass_solve
from robodyn_ros.spatial.types import Constant, Integer, Matrix, Table, Topology, Vector

_kernel = functools.partial(Kernel, nogil=True)


@_kernel
def inverse_dynamics(topology: Topology, constants: Table, weight: Constant, scratch: Matrix,
                     q: Matrix, qd: Matrix, qdd: Matrix, f_ext: Matrix, tau: Matrix,
                     first: Integer, last: Integer):
    """Torques of motions, with one wrench for all rows."""
    for k in range(first, last):
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
                     q: Matrix, qd: Matrix, tau: Matrix, f_ext: Matrix, diagonal: Vector,
                     qdd: Matrix, first: Integer, last: Integer):
    """Accelerations, with one wrench for all rows."""
    for k in range(first, last):
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
        status = _mass_solve.mass_matrix_inverse(topology, constants, scratch, q[k], diagonal,
                                                 inverse[k])
        if status != 0:
            return status
    return 0


ALL = (inverse_dynamics, gravity_torque, bias_torque, mass_matrix, forward_dynamics, mass_solve,
       mass_matrix_inverse, coriolis_matrix, energy)
