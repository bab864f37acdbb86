# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Map independent coordinates to all joints and back: rates = E qd, tau = E^T tau_tree.

Joint i depends on COUNT consecutive independent velocities from FIRST on, so row i of E has as
many entries. Mimic joints have one constant entry, coupled joints several.
"""

from robodyn_ros.algorithms.constraints import loops
from robodyn_ros.algorithms.constraints.workspace import memory
from robodyn_ros.algorithms.core.scratch import VECTORS
from robodyn_ros.model.layout import (
    AT,
    BALL_X,
    BALL_Y,
    BALL_Z,
    CLOSED_CONSTANT_COLUMNS,
    COUNT,
    DOF,
    FIRST,
    KIND,
    PARENT,
    RATIO,
    RATIOS,
    REDUCED,
    SHIFT,
    TOPOLOGY_COLUMNS,
    Q,
)
from robodyn_ros.spatial.primitive import primitive, separate
from robodyn_ros.spatial.types import Matrix, Table, Topology, Vector


@primitive
def independent(topology):
    """Return the number of the independent velocities."""
    return topology[0, FIRST]


@primitive
def reduced(topology):
    """Return the topology of the elimination tree of their mass matrix.

    See model.dependent.embedding.
    """
    return topology[: topology[0, FIRST] + 1, REDUCED : REDUCED + TOPOLOGY_COLUMNS]


@primitive
def body_of(topology, status):
    """Return the body that the velocity of a body of the reduced tree moves first; 0 of 0."""
    if status == 0:
        return 0
    k, found = reduced(topology)[status, Q], 0
    for i in range(topology.shape[0] - 1, 0, -1):
        if topology[i, DOF] > 0 and topology[i, FIRST] == k:
            found = i
    return found


@primitive
def all_positions(topology, scratch):
    """Return memory for the positions of all joints."""
    return memory(topology, scratch, 0, topology[0, AT])


@primitive
def of_joints(topology, scratch, k):
    """Return memory for vector k over all joints, k below VECTORS."""
    n = topology.shape[0] - 1
    return memory(topology, scratch, (2 + k) * n, n)


@primitive
def of_velocities(topology, scratch, k):
    """Return the same over the independent velocities, another view of `of_joints`."""
    n = topology.shape[0] - 1
    return memory(topology, scratch, (2 + k) * n, topology[0, FIRST])


@primitive
def expansion(topology, scratch):
    """Return memory for the entries of E, a row for each joint."""
    n, width = topology.shape[0] - 1, topology[0, COUNT]
    return memory(topology, scratch, (2 + VECTORS) * n, n * width).reshape(n, width)


@primitive
def all_square(topology, scratch):
    """Return memory for a matrix over all joints."""
    n, width = topology.shape[0] - 1, topology[0, COUNT]
    return memory(topology, scratch, (2 + VECTORS + width) * n, n * n).reshape(n, n)


@primitive
def square(topology, scratch):
    """Return memory for a matrix over the independent velocities."""
    n, nv, width = topology.shape[0] - 1, topology[0, FIRST], topology[0, COUNT]
    return memory(topology, scratch, (2 + VECTORS + width + n) * n, nv * nv).reshape(nv, nv)


@primitive
def all_columns(topology, scratch, rows):
    """Return memory for up to six, or ten n, rows with a column for each joint.

    Rows of six begin where `square` ends.
    """
    n, nv, width = topology.shape[0] - 1, topology[0, FIRST], topology[0, COUNT]
    start = (2 + VECTORS + width + n) * n + nv * n
    return memory(topology, scratch, start, rows * n).reshape(rows, n)


@primitive
def six_rows(topology, scratch):
    """Return memory for six rows over the independent velocities."""
    n, nv, width = topology.shape[0] - 1, topology[0, FIRST], topology[0, COUNT]
    start = (8 + VECTORS + width + n) * n + nv * n
    return memory(topology, scratch, start, 6 * nv).reshape(6, nv)


@primitive
def all_parameters(topology, scratch):
    """Return memory for the regressor of all joints, a row for each."""
    n, nv, width = topology.shape[0] - 1, topology[0, FIRST], topology[0, COUNT]
    start = (2 + VECTORS + width) * n + (n + nv) * (n + 6)
    return memory(topology, scratch, start, 10 * n * n).reshape(n, 10 * n)


@primitive
def write_coupled(topology, constants, q, everything, E):
    """Write positions of the joints that follow several others, and their entries of E."""
    for i in range(1, topology.shape[0]):
        if topology[i, COUNT] > 1:
            position = constants[i, SHIFT]
            for m in range(min(topology[i, COUNT], constants.shape[1] - RATIOS)):
                E[i - 1, m] = constants[i, RATIOS + m]
                position = position + constants[i, RATIOS + m] * q[topology[i, AT] + m]
            everything[topology[i, Q]] = position


@primitive
def expand_positions(topology, constants, scratch, q):
    """Compute positions of all joints and the entries of E; return the positions."""
    everything, E = all_positions(topology, scratch), expansion(topology, scratch)
    for i in range(1, topology.shape[0]):
        kind, k, j = topology[i, KIND], topology[i, AT], topology[i, Q]
        E[i - 1, 0] = constants[i, RATIO]
        if kind == BALL_X:
            for entry in range(4):
                everything[j + entry] = q[k + entry]
        elif kind != BALL_Y and kind != BALL_Z:
            everything[j] = constants[i, RATIO] * q[k] + constants[i, SHIFT]
    if constants.shape[1] > CLOSED_CONSTANT_COLUMNS:
        write_coupled(topology, constants, q, everything, E)
    if loops.has_loops(topology):
        loops.close(topology, constants, scratch, everything, E)
    return everything


@primitive
def expand(topology, scratch, k, rates):
    """Return E times a vector of independent velocities, as vector k over all joints.

    Needs `expand_positions`.
    """
    everything, E = of_joints(topology, scratch, k), expansion(topology, scratch)
    for i in range(1, topology.shape[0]):
        total = 0.0
        for m in range(topology[i, COUNT]):
            total = total + E[i - 1, m] * rates[topology[i, FIRST] + m]
        everything[i - 1] = total
    return everything


@primitive
def expand_acceleration(topology, constants, scratch, k, qd, qdd):
    """Return E qdd + dE/dt qd, as vector k over all joints. Needs `expand_positions`.

    dE/dt is zero for fixed ratios.
    """
    return expand_reference(topology, constants, scratch, k, qd, qd, qdd)


@primitive
def expand_reference(topology, constants, scratch, k, qd, qd_r, qdd_r):
    """Return E qdd_r + dE/dt qd_r, along qd, as vector k over all joints.

    Needs `expand_positions`.
    """
    everything = expand(topology, scratch, k, qdd_r)
    if loops.has_loops(topology):
        add_rate_of_expansion(topology, constants, scratch, qd, qd_r, everything)
    return everything


@primitive
def unaccelerated(topology, constants, scratch, k, qd):
    """Return dE/dt qd, the accelerations of all joints at qdd = 0, as vector k."""
    everything = of_joints(topology, scratch, k)
    for i in range(everything.shape[0]):
        everything[i] = 0.0
    if loops.has_loops(topology):
        add_rate_of_expansion(topology, constants, scratch, qd, qd, everything)
    return everything


@separate
def add_rate_of_expansion(
    topology: Topology,
    constants: Table,
    scratch: Matrix,
    qd: Vector,
    qd_r: Vector,
    accelerations: Vector,
):
    """Add dE/dt qd_r, along qd, to accelerations of all joints.

    It is a symmetric form f(qd, qd_r), as dE/dq has the second derivatives of positions. So it is
    a quarter of f(qd + qd_r, qd + qd_r) - f(qd - qd_r, qd - qd_r).
    """
    both = loops.loop_vector(topology, scratch, 2, accelerations.shape[0])
    for sign in (1.0, -1.0):
        moves = False
        for i in range(1, topology.shape[0]):
            both[i - 1] = 0.0
            for m in range(topology[i, COUNT]):
                rate = qd[topology[i, FIRST] + m] + sign * qd_r[topology[i, FIRST] + m]
                both[i - 1] += expansion(topology, scratch)[i - 1, m] * rate
            moves = moves or both[i - 1] != 0.0
        if moves:
            loops.closing_acceleration(
                topology,
                constants,
                scratch,
                all_positions(topology, scratch),
                both,
                0.25 * sign,
                accelerations,
            )


@primitive
def project(topology, scratch, tau_tree, tau):
    """tau = E^T tau_tree (Jain 2011, section 15.1.1). Needs `expand_positions`."""
    E = expansion(topology, scratch)
    for k in range(tau.shape[0]):
        tau[k] = 0.0
    for i in range(1, topology.shape[0]):
        for m in range(topology[i, COUNT]):
            k = topology[i, FIRST] + m
            tau[k] = tau[k] + E[i - 1, m] * tau_tree[i - 1]


@primitive
def project_columns(topology, scratch, J_tree, J):
    """J = J_tree E, of any number of rows. Needs `expand_positions`."""
    E = expansion(topology, scratch)
    for row in range(J.shape[0]):
        for k in range(J.shape[1]):
            J[row, k] = 0.0
        for i in range(1, topology.shape[0]):
            for m in range(topology[i, COUNT]):
                k = topology[i, FIRST] + m
                J[row, k] = J[row, k] + E[i - 1, m] * J_tree[row, i - 1]


@primitive
def project_rows(topology, scratch, Y_tree, Y):
    """Y = E^T Y_tree, of any number of columns. Needs `expand_positions`."""
    E = expansion(topology, scratch)
    for k in range(Y.shape[0]):
        for column in range(Y.shape[1]):
            Y[k, column] = 0.0
    for i in range(1, topology.shape[0]):
        for m in range(topology[i, COUNT]):
            k = topology[i, FIRST] + m
            for column in range(Y.shape[1]):
                Y[k, column] = Y[k, column] + E[i - 1, m] * Y_tree[i - 1, column]


@primitive
def project_both(topology, scratch, A_tree, A):
    """A = E^T A_tree E. Needs `expand_positions`."""
    E = expansion(topology, scratch)
    for k in range(A.shape[0]):
        for other in range(A.shape[1]):
            A[k, other] = 0.0
    for i in range(1, topology.shape[0]):
        for m in range(topology[i, COUNT]):
            k = topology[i, FIRST] + m
            for j in range(1, topology.shape[0]):
                for p in range(topology[j, COUNT]):
                    other = topology[j, FIRST] + p
                    entry = E[i - 1, m] * A_tree[i - 1, j - 1] * E[j - 1, p]
                    A[k, other] = A[k, other] + entry


@primitive
def project_symmetric(topology, scratch, M_tree, M):
    """The same of the mass matrix, symmetric to the bit, in O(n depth).

    Its entries are zero unless one body carries the other.
    """
    E = expansion(topology, scratch)
    for k in range(M.shape[0]):
        for other in range(M.shape[1]):
            M[k, other] = 0.0
    for i in range(1, topology.shape[0]):
        for m in range(topology[i, COUNT]):
            k = topology[i, FIRST] + m
            j = i
            while j > 0:
                for p in range(m + 1 if i == j else topology[j, COUNT]):
                    other = topology[j, FIRST] + p
                    entry = E[i - 1, m] * E[j - 1, p] * M_tree[i - 1, j - 1]
                    M[k, other] = M[k, other] + entry
                    if i != j or p != m:
                        M[other, k] = M[other, k] + entry
                j = topology[j, PARENT]
