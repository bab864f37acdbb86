"""Derivatives of forward dynamics, from those of inverse dynamics at the acceleration found."""
from robodyn_ros.model.layout import PARENT, V
from robodyn_ros.recursions.aba import forward_dynamics
from robodyn_ros.recursions.composite import factorise
from robodyn_ros.recursions.inverse_dynamics_derivatives import inverse_dynamics_derivatives
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.types import Constant, Matrix, Table, Topology, Vector


@primitive
def subtract_row(X, row, other, share):
    """Take `share` times another row of X from a row of X."""
    for column in range(X.shape[1]):
        X[row, column] = X[row, column] - share * X[other, column]


@primitive
def solve_rows(topology, M, X):
    """X becomes (L^T D L)^-1 X, of the factors that `composite.factorise` leaves in M: all columns
    at once, row by row.
    """
    for k in range(topology.shape[0] - 1, 0, -1):
        row, i = topology[k, V], topology[k, PARENT]
        while i > 0:
            subtract_row(X, topology[i, V], row, M[row, topology[i, V]])
            i = topology[i, PARENT]
    for k in range(1, topology.shape[0]):
        row, i = topology[k, V], topology[k, PARENT]
        for column in range(X.shape[1]):
            X[row, column] = M[row, row] * X[row, column]
        while i > 0:
            subtract_row(X, row, topology[i, V], M[row, topology[i, V]])
            i = topology[i, PARENT]


@primitive
def forward_dynamics_derivatives(topology: Topology, constants: Table, gravity: Constant,
                                 scratch: Matrix, q: Vector, qd: Vector, tau: Vector,
                                 f_ext: Matrix, diagonal: Vector, bias: Vector, M: Matrix,
                                 by_q: Matrix, by_qd: Matrix, by_tau: Matrix):
    """dqdd/dq = -M^-1 dtau/dq along unit velocities, dqdd/dqd = -M^-1 dtau/dqd and dqdd/dtau =
    M^-1, in O(n^2 depth).

    Carpentier and Mansard 2018: inverse dynamics gives back tau at every state. q : (nq,); qd, tau
    : (nv,); f_ext as of inverse_dynamics_derivatives; diagonal : (nv,) zeros. bias (nv,)
    and M (nv, nv) are overwritten; by_q, by_qd, by_tau : (nv, nv), row of the acceleration,
    written. Returns 0, or the body whose pivot is singular.
    """
    status = forward_dynamics(topology, constants, gravity, scratch, q, qd, tau, f_ext, diagonal,
                              bias)
    inverse_dynamics_derivatives(topology, constants, gravity, scratch, q, qd, bias, f_ext, by_q,
                                 by_qd, M)
    if status == 0:
        status = factorise(topology, diagonal, M, bias)
    for row in range(M.shape[0]):
        for column in range(M.shape[0]):
            by_q[row, column] = -by_q[row, column]
            by_qd[row, column] = -by_qd[row, column]
            by_tau[row, column] = 1.0 if row == column else 0.0
    solve_rows(topology, M, by_q)
    solve_rows(topology, M, by_qd)
    solve_rows(topology, M, by_tau)
    return status
