# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Map independent coordinates to all joints and back: rates = E qd, tau = E^T tau_tree.

Joint i depends on COUNT consecutive independent velocities from FIRST on, so row i of E has as
many entries. Mimic joints have one constant entry, coupled joints several.
"""

from robodyn_ros.algorithms.constraints import loops
from robodyn_ros.algorithms.constraints.closed_positions import close
from robodyn_ros.algorithms.constraints.workspace import memory
from robodyn_ros.algorithms.core.working_memory import VECTORS
from robodyn_ros.model.layout import (
    AT,
    BALL_X,
    BALL_Y,
    BALL_Z,
    CLOSED_CONSTANT_COLUMNS,
    COORDINATE,
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
from robodyn_ros.spatial.types import Matrix, Table, Topology, Vector, Work


@primitive
def independent(topology):
    """Return the number of the independent velocities."""
    return topology[0, FIRST]


@primitive
def reduced(topology):
    """Return the topology of the elimination tree of the mass matrix.

    See model.dependent.embedding.
    """
    return topology[: topology[0, FIRST] + 1, REDUCED : REDUCED + TOPOLOGY_COLUMNS]


@primitive
def body_of(topology, status):
    """Return the row of the body that goes with a row of the reduced tree.

    It is the first body that moves with the velocity of that row. So the status of a factorisation
    over the reduced tree becomes a status over the bodies.

    `status`: row of the reduced tree, or 0.
    """
    return 0 if status == 0 else body_of_velocity(topology, reduced(topology)[status, Q])


@primitive
def body_of_velocity(topology, k):
    """Return the row of the first body that moves with an independent velocity.

    `k`: the velocity.
    """
    found = 0
    for i in range(topology.shape[0] - 1, 0, -1):
        if topology[i, DOF] > 0 and topology[i, FIRST] == k:
            found = i
    return found


@primitive
def all_positions(topology, work):
    """Return memory for the positions of all joints."""
    return memory(topology, work, 0, topology[0, AT])


@primitive
def of_joints(topology, work, k):
    """Return memory for one of several vectors over all joints.

    `k`: number of the vector, below VECTORS.
    """
    n = topology.shape[0] - 1
    return memory(topology, work, (2 + k) * n, n)


@primitive
def of_velocities(topology, work, k):
    """Return memory for one of several vectors over the independent velocities.

    It is the beginning of the vector of `of_joints` with the same number.

    `k`: number of the vector, below VECTORS.
    """
    n = topology.shape[0] - 1
    return memory(topology, work, (2 + k) * n, topology[0, FIRST])


@primitive
def expansion(topology, work):
    """Return memory for the entries of E, a row for each joint."""
    n, width = topology.shape[0] - 1, topology[0, COUNT]
    return memory(topology, work, (2 + VECTORS) * n, n * width).reshape(n, width)


@primitive
def all_square(topology, work):
    """Return memory for a matrix over all joints."""
    n, width = topology.shape[0] - 1, topology[0, COUNT]
    return memory(topology, work, (2 + VECTORS + width) * n, n * n).reshape(n, n)


@primitive
def square(topology, work):
    """Return memory for a matrix over the independent velocities."""
    n, nv, width = topology.shape[0] - 1, topology[0, FIRST], topology[0, COUNT]
    return memory(topology, work, (2 + VECTORS + width + n) * n, nv * nv).reshape(nv, nv)


@primitive
def all_columns(topology, work, rows):
    """Return memory for up to six rows, or 10 n rows, with a column for each joint.

    It begins behind `square`.

    `rows`: number of rows.
    """
    n, nv, width = topology.shape[0] - 1, topology[0, FIRST], topology[0, COUNT]
    start = (2 + VECTORS + width + n) * n + nv * n
    return memory(topology, work, start, rows * n).reshape(rows, n)


@primitive
def six_rows(topology, work):
    """Return memory for six rows over the independent velocities."""
    n, nv, width = topology.shape[0] - 1, topology[0, FIRST], topology[0, COUNT]
    start = (8 + VECTORS + width + n) * n + nv * n
    return memory(topology, work, start, 6 * nv).reshape(6, nv)


@primitive
def all_parameters(topology, work):
    """Return memory for the regressor of all joints, a row for each."""
    n, nv, width = topology.shape[0] - 1, topology[0, FIRST], topology[0, COUNT]
    start = (2 + VECTORS + width) * n + (n + nv) * (n + 6)
    return memory(topology, work, start, 10 * n * n).reshape(n, 10 * n)


@primitive
def write_coupled(topology, constants, q, everything, E):
    """Write positions and entries of E of the joints that follow several others.

    `everything` (n,): positions of all joints, of which these are written [rad or m].
    `E` (n, width): entries of E, of which these are written.
    """
    for i in range(1, topology.shape[0]):
        if topology[i, COUNT] > 1:
            position = constants[i, SHIFT]
            for m in range(min(topology[i, COUNT], constants.shape[1] - RATIOS)):
                E[i - 1, m] = constants[i, RATIOS + m]
                position = position + constants[i, RATIOS + m] * q[topology[i, AT] + m]
            everything[topology[i, Q]] = position


@primitive
def has_all_positions(topology, q):
    """Return whether q has the positions of all joints of a robot with closed loops.

    `q` (nq,): positions of the independent joints, or of all [rad or m].
    Returns false without loops, where dependent joints follow by fixed ratios.
    """
    return loops.has_loops(topology) and q.shape[0] == topology[0, AT]


@primitive
def independent_positions(topology, work, q):
    """Return the positions of the independent joints, if q has those of all.

    `q` (nq,): positions of the independent joints, or of all [rad or m].
    """
    if not has_all_positions(topology, q):
        return q
    found = loops.loop_vector(topology, work, 1, 2 * (topology.shape[0] - 1))
    for i in range(1, topology.shape[0]):
        kind, k, j = topology[i, KIND], topology[i, AT], topology[i, Q]
        if kind == BALL_X:
            for entry in range(4):
                found[k + entry] = q[j + entry]
        elif kind != BALL_Y and kind != BALL_Z and topology[i, DOF] > 0:
            found[k] = q[j]
    return found


@primitive
def copy_dependent(topology, constants, q, everything):
    """Write given positions of the dependent joints of loops.

    Joints that follow them by a fixed ratio are not read, but follow.

    `everything` (n,): positions of all joints [rad or m], of which these are written.
    """
    for i in range(1, topology.shape[0]):
        if topology[i, COORDINATE] >= topology[0, FIRST]:
            leader = i
            if constants[i, RATIO] != 1.0 or constants[i, SHIFT] != 0.0:
                for other in range(1, topology.shape[0]):
                    leads = constants[other, RATIO] == 1.0 and constants[other, SHIFT] == 0.0
                    if leads and topology[other, COORDINATE] == topology[i, COORDINATE]:
                        leader = other
            everything[topology[i, Q]] = (
                constants[i, RATIO] * q[topology[leader, Q]] + constants[i, SHIFT]
            )


@primitive
def expand_positions(topology, constants, work, q):
    """Compute the positions of all joints and the entries of E.

    `q` (nq,): joint positions [rad or m]; with closed loops also those of all joints, near closed
      ones.
    Returns positions of all joints [rad or m], a views of working memory.
    """
    everything, E = all_positions(topology, work), expansion(topology, work)
    own = independent_positions(topology, work, q)
    for i in range(1, topology.shape[0]):
        kind, k, j = topology[i, KIND], topology[i, AT], topology[i, Q]
        E[i - 1, 0] = constants[i, RATIO]
        if kind == BALL_X:
            for entry in range(4):
                everything[j + entry] = own[k + entry]
        elif kind != BALL_Y and kind != BALL_Z:
            everything[j] = constants[i, RATIO] * own[k] + constants[i, SHIFT]
    if constants.shape[1] > CLOSED_CONSTANT_COLUMNS:
        write_coupled(topology, constants, own, everything, E)
    if loops.has_loops(topology):
        near = has_all_positions(topology, q)
        if near:
            copy_dependent(topology, constants, q, everything)
        close(topology, constants, work, everything, near, E)
    return everything


@primitive
def expand_joints(
    topology: Topology, constants: Table, work: Work, q: Vector, positions: Vector, E: Matrix
):
    """Compute positions of all joints and E, as `core.expand_joints` does.

    `positions` (m,), written: positions of all joints [rad or m].
    `E` (n, nv), written: a row for each joint.
    """
    everything = expand_positions(topology, constants, work, q)
    entries = expansion(topology, work)
    for k in range(positions.shape[0]):
        positions[k] = everything[k]
    for i in range(1, topology.shape[0]):
        for k in range(E.shape[1]):
            E[i - 1, k] = 0.0
        for m in range(topology[i, COUNT]):
            E[i - 1, topology[i, FIRST] + m] = entries[i - 1, m]


@primitive
def expand(topology, work, k, rates):
    """Compute E times a vector over the independent velocities.

    Needs `expand_positions`.

    `rates` (nv,): vector, such as velocities.
    Returns result for all joints.
    """
    everything = of_joints(topology, work, k)
    write_rates(topology, work, rates, everything)
    return everything


@primitive
def write_rates(topology, work, rates, everything):
    """Write E times a vector over the independent velocities. Needs `expand_positions`.

    `rates` (nv,): vector, such as velocities.
    `everything` (n,), written: result for all joints.
    """
    E = expansion(topology, work)
    for i in range(1, topology.shape[0]):
        total = 0.0
        for m in range(topology[i, COUNT]):
            total = total + E[i - 1, m] * rates[topology[i, FIRST] + m]
        everything[i - 1] = total


@primitive
def expand_acceleration(topology, constants, work, k, qd, qdd):
    """Compute the accelerations of all joints, E qdd + dE/dt qd. Needs `expand_positions`.

    For fixed ratios dE/dt is zero.

    Returns accelerations of all joints [rad/s^2 or m/s^2].
    """
    everything = expand(topology, work, k, qdd)
    if loops.has_loops(topology):
        add_own_rate_of_expansion(topology, constants, work, qd, everything)
    return everything


@primitive
def expand_reference(topology, constants, work, k, qd, qd_r, qdd_r):
    """Compute the reference accelerations of all joints, E qdd_r + dE/dt qd_r.

    dE/dt is that along qd. Needs `expand_positions`.

    `qdd_r` (nv,): reference accelerations [rad/s^2 or m/s^2].
    Returns accelerations of all joints [rad/s^2 or m/s^2].
    """
    everything = expand(topology, work, k, qdd_r)
    if loops.has_loops(topology):
        add_rate_of_expansion(topology, constants, work, qd, qd_r, everything)
    return everything


@primitive
def unaccelerated(topology, constants, work, k, qd):
    """Compute the accelerations of all joints at qdd = 0, dE/dt qd. Needs `expand_positions`.

    Returns accelerations of all joints [rad/s^2 or m/s^2].
    """
    everything = of_joints(topology, work, k)
    for i in range(everything.shape[0]):
        everything[i] = 0.0
    if loops.has_loops(topology):
        add_own_rate_of_expansion(topology, constants, work, qd, everything)
    return everything


@primitive
def add_own_rate_of_expansion(topology, constants, work, qd, accelerations):
    """Add dE/dt qd to accelerations of all joints.

    `accelerations` (n,): accelerations to which it is added [rad/s^2 or m/s^2].
    """
    rates = loops.loop_vector(topology, work, 2, accelerations.shape[0])
    write_rates(topology, work, qd, rates)
    loops.closing_acceleration(
        topology, constants, work, all_positions(topology, work), rates, 1.0, accelerations
    )


@separate
def add_rate_of_expansion(
    topology: Topology,
    constants: Table,
    work: Work,
    qd: Vector,
    qd_r: Vector,
    accelerations: Vector,
):
    """Add dE/dt qd_r to accelerations of all joints, with dE/dt along qd.

    It is a symmetric form f(qd, qd_r), as dE/dq has the second derivatives of positions. So it is
    a quarter of f(qd + qd_r, qd + qd_r) - f(qd - qd_r, qd - qd_r).

    `accelerations` (n,): accelerations to which it is added [rad/s^2 or m/s^2].
    """
    both = loops.loop_vector(topology, work, 2, accelerations.shape[0])
    for sign in (1.0, -1.0):
        moves = False
        for i in range(1, topology.shape[0]):
            both[i - 1] = 0.0
            for m in range(topology[i, COUNT]):
                rate = qd[topology[i, FIRST] + m] + sign * qd_r[topology[i, FIRST] + m]
                both[i - 1] += expansion(topology, work)[i - 1, m] * rate
            moves = moves or both[i - 1] != 0.0
        if moves:
            loops.closing_acceleration(
                topology,
                constants,
                work,
                all_positions(topology, work),
                both,
                0.25 * sign,
                accelerations,
            )


@primitive
def project(topology, work, tau_tree, tau):
    """Compute tau = E^T tau_tree (Jain 2011, section 15.1.1). Needs `expand_positions`.

    `tau_tree` (n,): torques of all joints [N m or N].
    `tau` (nv,), written: torques or forces over the independent velocities [N m or N].
    """
    E = expansion(topology, work)
    for k in range(tau.shape[0]):
        tau[k] = 0.0
    for i in range(1, topology.shape[0]):
        for m in range(topology[i, COUNT]):
            k = topology[i, FIRST] + m
            tau[k] = tau[k] + E[i - 1, m] * tau_tree[i - 1]


@primitive
def project_columns(topology, work, J_tree, J):
    """Compute J = J_tree E. Needs `expand_positions`.

    `J_tree` (m, n): Jacobian over all joints.
    `J` (m, nv), written: Jacobian over the independent velocities.
    """
    E = expansion(topology, work)
    for row in range(J.shape[0]):
        for k in range(J.shape[1]):
            J[row, k] = 0.0
        for i in range(1, topology.shape[0]):
            for m in range(topology[i, COUNT]):
                k = topology[i, FIRST] + m
                J[row, k] = J[row, k] + E[i - 1, m] * J_tree[row, i - 1]


@primitive
def project_rows(topology, work, Y_tree, Y):
    """Compute Y = E^T Y_tree. Needs `expand_positions`.

    `Y_tree` (n, m): regressor of all joints.
    `Y` (nv, m), written: regressor over the independent velocities.
    """
    E = expansion(topology, work)
    for k in range(Y.shape[0]):
        for column in range(Y.shape[1]):
            Y[k, column] = 0.0
    for i in range(1, topology.shape[0]):
        for m in range(topology[i, COUNT]):
            k = topology[i, FIRST] + m
            for column in range(Y.shape[1]):
                Y[k, column] = Y[k, column] + E[i - 1, m] * Y_tree[i - 1, column]


@primitive
def project_both(topology, work, A_tree, A):
    """Compute A = E^T A_tree E. Needs `expand_positions`.

    `A_tree` (n, n): matrix over all joints.
    `A` (nv, nv), written: matrix over the independent velocities.
    """
    E = expansion(topology, work)
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
def project_symmetric(topology, work, M_tree, M):
    """Compute M = E^T M_tree E of the mass matrix, symmetric to the bit, in O(n depth).

    M = A + A^T, where A = E^T L E and M_tree = L + L^T. Entries of M_tree are zero unless one body
    carries the other. Needs `expand_positions`.

    `M_tree` (n, n): mass matrix of the tree.
    `M` (nv, nv), written: mass matrix over the independent velocities.
    """
    E, row = expansion(topology, work), of_velocities(topology, work, 6)
    for k in range(M.shape[0]):
        row[k] = 0.0
        for other in range(M.shape[1]):
            M[k, other] = 0.0
    for i in range(1, topology.shape[0]):
        # half of the diagonal entry, as the transpose is added at the end
        for m in range(topology[i, COUNT]):
            k = topology[i, FIRST] + m
            row[k] = row[k] + 0.5 * M_tree[i - 1, i - 1] * E[i - 1, m]
        j = topology[i, PARENT]
        while j > 0:
            for p in range(topology[j, COUNT]):
                k = topology[j, FIRST] + p
                row[k] = row[k] + M_tree[i - 1, j - 1] * E[j - 1, p]
            j = topology[j, PARENT]
        j = i
        while j > 0:
            for p in range(topology[j, COUNT]):
                other = topology[j, FIRST] + p
                for m in range(topology[i, COUNT]):
                    k = topology[i, FIRST] + m
                    M[k, other] = M[k, other] + E[i - 1, m] * row[other]
                row[other] = 0.0
            j = topology[j, PARENT]
    for k in range(M.shape[0]):
        M[k, k] = 2.0 * M[k, k]
        for other in range(k):
            M[k, other] = M[k, other] + M[other, k]
            M[other, k] = M[k, other]
