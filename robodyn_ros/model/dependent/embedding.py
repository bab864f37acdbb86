# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Tables of a robot with dependent joints, for kernels over its independent coordinates.

This is constraint embedding (Jain 2011, section 15.1). Rates of all joints are E times the
independent ones. A recursion over the tree comes between a product with E and one with its
transpose. Further columns of the tables hold the data for this, see robodyn_ros.model.layout.
"""

import numpy as np

from robodyn_ros.model.dependent.aggregates import write_aggregates
from robodyn_ros.model.layout import (
    AT,
    BALL_X,
    BALL_Y,
    BALL_Z,
    CONSTANT_COLUMNS,
    COUNT,
    DOF,
    EMBEDDED_CONSTANT_COLUMNS,
    EMBEDDED_TOPOLOGY_COLUMNS,
    FIRST,
    KIND,
    PARENT,
    RATIO,
    RATIOS,
    REDUCED,
    SHIFT,
    TOPOLOGY_COLUMNS,
    Q,
    V,
)


def embed(topology, constants, following):
    """Return the tables of a robot with dependent joints.

    `topology`, `constants` ((nb, 5) and (nb, 34) ndarray): tables of the tree. Q and V of a body
      that follows are those of its first leader.
    `following` (dict): ratios and shift [rad or m] by row of each dependent body. There is a ratio
      for each velocity from the first leader to the last.
    """
    nb, nv = len(topology), topology[1:, V].max() + 1
    wide = np.zeros((nb, EMBEDDED_TOPOLOGY_COLUMNS), dtype=np.int64)
    widest = max((len(ratios) for ratios, _ in following.values()), default=1)
    values = np.zeros((nb, EMBEDDED_CONSTANT_COLUMNS if widest == 1 else RATIOS + widest))
    wide[:, :TOPOLOGY_COLUMNS] = topology
    values[:, :CONSTANT_COLUMNS] = constants
    wide[1:, FIRST], wide[1:, COUNT], wide[1:, AT] = topology[1:, V], 1, topology[1:, Q]
    wide[1:, V] = np.arange(nb - 1)
    values[1:, RATIO] = 1.0
    for row, (ratios, shift) in following.items():
        wide[row, DOF] = 0
        values[row, SHIFT] = shift
        if len(ratios) == 1:
            values[row, RATIO] = ratios[0]
        else:
            write_ratios(wide, values, row, ratios)
    position = 0
    for row in range(1, nb):
        within = topology[row, KIND] in (BALL_Y, BALL_Z)  # these share a quaternion
        wide[row, Q] = wide[row - 1, Q] if within else position
        position += 0 if within else 4 if topology[row, KIND] == BALL_X else 1
    wide[0, [FIRST, COUNT, AT]] = nv, wide[1:, COUNT].max(), position
    wide[: nv + 1, REDUCED : REDUCED + TOPOLOGY_COLUMNS] = reduced_tree(wide)
    write_aggregates(wide, values)
    return wide, values


def write_ratios(topology, constants, row, ratios):
    """Write the ratios of a coupled body to the velocities from its first leader on.

    Without ratios, before the leaders are known, the body is at rest.

    `topology`, `constants` (ndarray): tables of the robot; the constants are written.
    `row`: row of the body.
    `ratios` (sequence of float): ratio to each velocity.
    """
    topology[row, COUNT], constants[row, RATIO] = max(1, len(ratios)), 0.0
    constants[row, RATIOS:] = 0.0
    constants[row, RATIOS : RATIOS + len(ratios)] = ratios


def reduced_tree(topology):
    """Return the topology of the elimination tree of the mass matrix.

    In this tree one velocity carries another if their entry of the mass matrix, or of its factors
    L^T D L, is nonzero. For a robot without dependent joints it is the tree of the robot. Liu
    1990, "The role of elimination trees in sparse factorization".

    `topology` (nb, k): topology of the robot.
    """
    nv = topology[0, FIRST]
    moved_by = np.zeros((len(topology), nv), dtype=bool)  # whether a velocity moves a body
    for row in range(1, len(topology)):
        first = topology[row, FIRST]
        moved_by[row] = moved_by[topology[row, PARENT]]
        moved_by[row, first : first + topology[row, COUNT]] = True
    order = np.argsort(np.argmax(moved_by[1:], axis=0), kind='stable')
    couples = moved_by[1:].T.astype(float) @ moved_by[1:] > 0.0
    couples = couples[np.ix_(order, order)]
    tree = np.zeros((nv + 1, TOPOLOGY_COLUMNS), dtype=np.int64)
    for k in range(nv - 1, -1, -1):
        nearer = np.flatnonzero(couples[k, :k])
        couples[np.ix_(nearer, nearer)] = True
        tree[k + 1, [PARENT, Q, V, DOF]] = (
            nearer[-1] + 1 if len(nearer) else 0,
            order[k],
            order[k],
            1,
        )
    return tree
