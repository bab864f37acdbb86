# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rows of the tables of a robot that gets further joints."""

from robodyn_ros.model.dependent.embedding import embed
from robodyn_ros.model.layout import (
    AT,
    CONSTANT_COLUMNS,
    COUNT,
    DOF,
    FIRST,
    RATIO,
    RATIOS,
    SHIFT,
    TOPOLOGY_COLUMNS,
    Q,
    V,
)


def simple_topology(model):
    """Return the topology as if no joint depended on others.

    Joints that follow others have the indices of their first leader.
    """
    simple = model.topology[:, :TOPOLOGY_COLUMNS].copy()
    if model.is_embedded:
        simple[1:, Q], simple[1:, V] = model.topology[1:, AT], model.topology[1:, FIRST]
        simple[1:, DOF] = 1
    return simple


def embedded_again(model, order, topology, constants):
    """Return the new tables with the dependent joints of the model, if it has some.

    `model` (RobotModel): the robot before it got further rows.
    `order` (sequence of int or None): row of `model` of each row, or None for a new row.
    `topology`, `constants` (ndarray): the new tables.
    """
    if not model.is_embedded:
        return topology, constants
    following = {
        place: (_ratios(model, row, constants[place]), constants[place, SHIFT])
        for place, row in enumerate(order)
        if row and model.topology[row, DOF] == 0
    }
    return embed(topology, constants[:, :CONSTANT_COLUMNS], following)


def _ratios(model, row, constants):
    """Return the ratios of a dependent body to the velocities from its first leader on."""
    count = model.topology[row, COUNT]
    return constants[[RATIO]] if count == 1 else constants[RATIOS : RATIOS + count]


def read_only(array):
    """Make an array read-only.

    Returns the same array.
    """
    array.flags.writeable = False
    return array
