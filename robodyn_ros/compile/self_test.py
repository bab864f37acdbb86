# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A short known-answer test of the machine code before its use."""

import numpy as np

from robodyn_ros.algorithms.core import working_memory
from robodyn_ros.compile import generic
from robodyn_ros.errors import KernelError
from robodyn_ros.model import layout

#: A state of Spong's planar elbow, and its answers to 12 digits from the closed form.
Q, QD, QDD = (0.3, 0.7), (0.4, -0.6), (1.0, -0.5)
TAU = (20.6107131866, 2.57231305512)
GRAVITY_TORQUE = (18.5208854253, 2.12014624823)
MASS_MATRIX = ((2.31687374983, 0.515936874914), (0.515936874914, 0.21))
TOLERANCE = 1e-9  # the answers have eleven to twelve digits


def known_answers():
    """Run kernels of inverse and forward dynamics, gravity and M on a known case.

    Raises KernelError: with the name of the first wrong kernel.
    """
    topology, constants, gravity = _elbow()
    work = working_memory.allocate(topology)
    work.view(np.float64).fill(np.nan)
    q, qd, qdd, zero = (np.array(x) for x in (Q, QD, QDD, (0.0, 0.0)))
    f_ext, vector, matrix = np.zeros((3, 6)), np.empty(2), np.empty((2, 2))
    generic.inverse_dynamics(topology, constants, gravity, work, q, qd, qdd, f_ext, vector)
    _expect(generic.inverse_dynamics, vector, TAU)
    generic.gravity_torque(topology, constants, gravity, work, q, vector)
    _expect(generic.gravity_torque, vector, GRAVITY_TORQUE)
    generic.mass_matrix(topology, constants, work, q, matrix)
    _expect(generic.mass_matrix, matrix, MASS_MATRIX)
    generic.forward_dynamics(
        topology, constants, gravity, work, q, qd, np.array(TAU), f_ext, zero, vector
    )
    _expect(generic.forward_dynamics, vector, QDD)


def _expect(kernel, got, expected):
    """Raise a KernelError if a result is not the known answer."""
    error = np.abs(got - np.array(expected)).max()
    if not error <= TOLERANCE * np.abs(expected).max():
        raise KernelError(
            f'kernel {kernel.name} fails its known-answer test: got {got.tolist()}, expected '
            f'{np.array(expected).tolist()}; remove the kernel cache and try again'
        )


def _elbow():
    """Return a planar elbow as model arrays: axes (0, -1, 0), links along x, gravity along -z."""
    masses, lengths, centres, inertias = (1.5, 1.0), (1.0, 0.8), (0.5, 0.4), (0.12, 0.05)
    topology = np.zeros((3, layout.TOPOLOGY_COLUMNS), dtype=np.int64)
    constants = np.zeros((3, layout.CONSTANT_COLUMNS))
    constants[:, [0, 4, 8]] = 1.0
    # z of body 1 along -y of the base, x along x
    constants[1, layout.ROTATION : layout.ROTATION + 9] = (1, 0, 0, 0, 0, -1, 0, 1, 0)
    constants[2, layout.OFFSET] = lengths[0]
    for i, (m, c, inertia) in enumerate(zip(masses, centres, inertias), start=1):
        topology[i] = (i - 1, layout.REVOLUTE, i - 1, i - 1, 1)
        constants[i, layout.MASS] = m
        constants[i, layout.MOMENT] = m * c
        about_origin = m * c * c
        constants[i, layout.INERTIA : layout.INERTIA + 6] = (
            0,
            0,
            0,
            about_origin,
            0,
            inertia + about_origin,
        )
    gravity = np.array((0.0, 0.0, -9.81))
    for array in (topology, constants, gravity):
        array.flags.writeable = False
    return topology, constants, gravity
