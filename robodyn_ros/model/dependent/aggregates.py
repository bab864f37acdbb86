# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Aggregated bodies: sets of bodies whose joints move together, for sweeps over a robot.

A sweep takes the joints of a set at once, since dependent joints have no velocity of their own.
All bodies of a set are carried by one body outside it. So the sets form a tree (Jain 2011,
sections 14.4 and 15.1). A joint that neither leads nor follows is a set of one body.
"""

import numpy as np

from robodyn_ros.model.layout import (
    AGGREGATE_BODIES,
    AGGREGATE_FIRST,
    AGGREGATE_SPEEDS,
    AGGREGATE_SPEEDS_FIRST,
    AGGREGATES,
    BODY_A,
    BODY_B,
    BODY_IN_ORDER,
    CLOSURES,
    COORDINATE,
    COUNT,
    DOF,
    EMBEDDED_TOPOLOGY_COLUMNS,
    FIRST,
    PARENT,
    PLACE_OF_SPEED,
    RATIO,
    RATIOS,
    SPEED_IN_ORDER,
    WIDEST,
)


def aggregates(topology, constants):
    """Return the sets of bodies whose joints move together.

    A loop is the smallest sub-tree between the two bodies of its closure. A joint that follows
    another brings all joints between the two. Sets that share a body are one set.

    `topology`, `constants` (ndarray): tables of the robot, complete but for the columns of
      `write_aggregates`.
    Returns rows of each set in ascending order. The sets are in the order of their first rows, so
      a set comes behind the one that carries it.
    """
    sets = [{row} for row in range(1, len(topology))]
    for joined in _moving_together(topology, constants):
        sets = _with(sets, _sub_tree(topology, joined))
    while any(len(bodies) < len(_sub_tree(topology, bodies)) for bodies in sets):
        for bodies in list(sets):
            sets = _with(sets, _sub_tree(topology, bodies))
    return sorted(sorted(bodies) for bodies in sets)


def write_aggregates(topology, constants):
    """Write the columns of the aggregated bodies, see robodyn_ros.model.layout.

    `topology`, `constants` (ndarray): tables of the robot; the topology is written.
    """
    found, bodies, speeds = aggregates(topology, constants), [], []
    for number, rows in enumerate(found, start=1):
        own = sorted(int(topology[row, FIRST]) for row in rows if topology[row, DOF])
        topology[number, [AGGREGATE_FIRST, AGGREGATE_BODIES]] = len(bodies) + 1, len(rows)
        topology[number, [AGGREGATE_SPEEDS_FIRST, AGGREGATE_SPEEDS]] = len(speeds), len(own)
        bodies, speeds = bodies + rows, speeds + own
    topology[1:, BODY_IN_ORDER] = bodies
    topology[1 : len(speeds) + 1, SPEED_IN_ORDER] = speeds
    topology[1 : len(speeds) + 1, PLACE_OF_SPEED] = np.argsort(speeds)
    topology[0, AGGREGATES] = len(found)
    topology[0, WIDEST] = topology[1 : len(found) + 1, AGGREGATE_SPEEDS].max()


def _moving_together(topology, constants):
    """Yield sets of rows whose joints a closure or a ratio ties to each other."""
    leaders = {int(row[FIRST]): k for k, row in enumerate(topology) if k and row[DOF]}
    with_loops = topology.shape[1] > EMBEDDED_TOPOLOGY_COLUMNS
    led = topology[:, COORDINATE] if with_loops else np.full(len(topology), -1)
    if with_loops:
        for closure in topology[1 : topology[0, CLOSURES] + 1]:
            yield {*_path(topology, closure[BODY_A])} ^ {*_path(topology, closure[BODY_B])}
    for row in range(1, len(topology)):
        if topology[row, DOF]:
            continue
        if led[row] >= topology[0, FIRST]:  # with the first joint that is the same unknown
            yield {row, int(np.flatnonzero(led[1:] == led[row])[0]) + 1}
            continue
        several = topology[row, COUNT] > 1
        ratios = constants[row, RATIOS:] if several else constants[row, [RATIO]]
        first = int(topology[row, FIRST])
        follows = {leaders[first + k] for k in range(topology[row, COUNT]) if ratios[k]}
        yield {row, *follows}


def _with(sets, bodies):
    """Return the sets, with those that share one of some bodies united."""
    apart = [each for each in sets if not each & bodies]
    return [*apart, bodies.union(*(each for each in sets if each & bodies))]


def _sub_tree(topology, bodies):
    """Return bodies and those on the paths to the closest one that carries all of them.

    That one belongs to them only if it is one of them.
    """
    paths = [_path(topology, row) for row in bodies]
    common = set(paths[0]).intersection(*paths)
    closest = max(common, default=0)
    found = {row for path in paths for row in path if row > closest and row not in common}
    return found | ({closest} & bodies)


def _path(topology, row):
    """Return the rows from a body to the base, without it."""
    path = []
    while row > 0:
        path.append(int(row))
        row = topology[row, PARENT]
    return path
