# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A robot that differs from its controller's model."""

from dataclasses import dataclass

import numpy as np

from robodyn_ros.errors import ParameterError, short_repr
from robodyn_ros.model.layout import DAMPING, DRY_FRICTION, INERTIA, MASS, MOMENT
from robodyn_ros.simulation.plant_settings import at_least_zero, whole


@dataclass(frozen=True)
class Perturbation:
    """Random errors of each body and joint, uniform and without bias; none by default.

    Parameters
    ----------
    mass : float
        Largest relative error of mass and inertia [-], below 1.
    com : float
        Largest shift of the centre of mass along each axis [m].
    friction : float
        Largest relative error of viscous and of dry friction [-], at most 1.
    seed : int
        Seed of the errors; the same seed gives the same robot.

    Raises
    ------
    ParameterError
        For the first value that is not allowed.
    """

    mass: float = 0.0
    com: float = 0.0
    friction: float = 0.0
    seed: int = 0

    __repr__ = short_repr

    def __post_init__(self):
        for name in ('mass', 'com', 'friction'):
            at_least_zero(name, getattr(self, name))
        whole('seed', self.seed, 0, 2**63 - 1)
        if self.mass >= 1.0:
            raise ParameterError(
                f'mass perturbation is {self.mass}; expected below 1, or a mass could vanish'
            )
        if self.friction > 1.0:
            raise ParameterError(
                f'friction perturbation is {self.friction}; expected at most 1, '
                'or friction could drive'
            )


def perturbed(model, perturbation):
    """Return the model with a random error of every body and joint; inertias stay physical.

    Mass, first moment and inertia have the same factor, so principal moments keep their
    proportions. Then the centre of mass moves, and the inertia about it stays.

    Parameters
    ----------
    model : RobotModel
        The model.
    perturbation : Perturbation
        Size of the errors.

    Returns
    -------
    RobotModel
    """
    generator = np.random.Generator(np.random.PCG64(perturbation.seed))
    draws = generator.uniform(-1.0, 1.0, (len(model.body_names), 6))
    model = model.with_scaled_masses(1.0 + perturbation.mass * draws[:, 0])
    constants = model.constants.copy()
    for row, draw in zip(constants[1:], draws[1:]):
        shift_com(row, perturbation.com * draw[1:4])
        row[DAMPING] *= 1.0 + perturbation.friction * draw[4]
        row[[*DRY_FRICTION]] *= 1.0 + perturbation.friction * draw[5]
    return model.with_constants(constants)


def shift_com(row, shift):
    """Shift the centre of mass of a body, in place.

    `row` (ndarray): row of the model's constants.
    `shift` (3,): shift in axes of the body [m].
    """
    before = row[MOMENT : MOMENT + 3].copy()
    row[MOMENT : MOMENT + 3] += row[MASS] * shift
    after = row[MOMENT : MOMENT + 3]
    if row[MASS] > 0.0:
        change = (spread(after) - spread(before)) / row[MASS]
        row[INERTIA : INERTIA + 6] += change[np.triu_indices(3)]


def spread(moment):
    """Return h.h 1 - h h^T: the inertia of a point mass times its mass.

    `moment` (3,): first moment h [kg m].
    """
    return moment @ moment * np.eye(3) - np.outer(moment, moment)
