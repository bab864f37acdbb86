# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Operation counts for Jain's chapters 16 to 19 as polynomials in the number of joints."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np

from robodyn_ros.codegen.derivative_registry import DERIVATIVES
from robodyn_ros.codegen.registry import FURTHER_RECIPES, JOINT_RECIPES, LAW_RECURSIONS, RECIPES
from robodyn_ros.codegen.specialise import record_as_is
from tools.pages.reference_arms import general_arm

#: Numbers of joints. The seventh body is the first that may move in all directions (Jain 2011,
#: Remark 10.1). So all further joints cost the same.
JOINTS = range(8, 13)
#: Section, quantity, name of its recipe, and power of n in the order that the book gives.
ROWS = (
    ('16.2', 'hybrid dynamics, only the first joint passive', 'hybrid_dynamics', 1),
    ('16.2', 'the same three times, any joints passive', 'mixed_dynamics', 1),
    ('18.2', 'rates of phi, psi, M, H and G', 'link_operator_rates', 1),
    ('18.4.1', 'mass matrix by every coordinate', 'mass_matrix_derivative', 3),
    ('18.4.2', "Christoffel's matrix", 'coriolis_matrix', 2),
    ('18.5', 'rates of articulated-body inertias', 'articulated_inertia_rates', 1),
    ('18.7', 'rates of the innovations factors', 'mass_factor_rates', 2),
    ('18.7', 'gradient of log det M', 'log_det_gradient', 1),
    ('19.2', 'innovations factors', 'mass_matrix_factors', 2),
    ('19.3.1', 'diagonal velocities, before their scale', 'factor_product_transposed', 1),
    ('19.4.3', 'Coriolis and damping torques', 'damping_torques', 1),
)


def counts(name, joints):
    """Return the operations of one quantity for the general arm.

    Parameters
    ----------
    name : str
        Name of a recipe in `ROWS`.
    joints : int
        Number of joints.

    Returns
    -------
    (2,) ndarray of int
        Multiplications and additions.
    """
    model = general_arm(joints)
    recipes = RECIPES | FURTHER_RECIPES | JOINT_RECIPES | LAW_RECURSIONS | DERIVATIVES
    subject = model.joint_names[1:] if name in JOINT_RECIPES else None
    found = record_as_is(name, replace(recipes[name], others=()), model, subject).counts()
    return np.array([found['multiplications'], found['additions']])


def polynomial(values, first):
    """Return the coefficients of the polynomial of least degree through equidistant values.

    Parameters
    ----------
    values : sequence of int
        Values at first, first + 1, ...
    first : int
        The first argument.

    Returns
    -------
    list of Fraction
        Coefficients of 1, n, n^2, ...

    Raises
    ------
    ValueError
        If no polynomial of a degree below that of interpolation has these values.
    """
    differences, row = [], list(values)
    while any(row):
        if len(row) == 1:
            raise ValueError(f'got {values}, which no polynomial of low degree joins')
        differences.append(row[0])
        row = [after - before for before, after in zip(row, row[1:])]
    coefficients, basis = [Fraction(0)] * len(differences), [Fraction(1)]
    for k, difference in enumerate(differences):
        for power, each in enumerate(basis):
            coefficients[power] += Fraction(difference, math.factorial(k)) * each
        root = Fraction(first + k)
        basis = [low - root * high for low, high in zip([0, *basis], [*basis, 0])]
    return coefficients


def growth(name):
    """Return the polynomials of multiplications and additions of a quantity, see `polynomial`."""
    many = np.array([counts(name, joints) for joints in JOINTS])
    return [polynomial(each, JOINTS[0]) for each in many.T.tolist()]


def formula(coefficients):
    """Return a polynomial in n as text.

    Parameters
    ----------
    coefficients : list of Fraction
        Coefficients of 1, n, n^2, ...

    Returns
    -------
    str
        Such as '17n^2/2 - 15n + 3'.
    """
    text = ''
    for power, each in reversed(list(enumerate(coefficients))):
        if each == 0:
            continue
        top, below = abs(each.numerator), f'/{each.denominator}' * (each.denominator > 1)
        letters = ('', 'n')[power] if power < 2 else f'n^{power}'
        number = '' if top == 1 and letters else top
        text += f' {"-" if each < 0 else "+"} {number}{letters}{below}'
    return text.removeprefix(' + ')


def section():
    """Yield the lines of the section of the page."""
    yield """## Chapters 16 to 19 of Jain

For the general arm of n joints as described, from eight joints on. The last column is the order of
growth that the book states, for all results of a quantity together.

| section | quantity | six joints | multiplications | additions | order |
|---|---|---:|---:|---:|---:|"""
    for part, what, name, power in ROWS:
        six = '{} + {}'.format(*counts(name, 6))
        formulas = ' | '.join(map(formula, growth(name)))
        order = 'n' if power == 1 else f'n^{power}'
        yield f'| {part} | {what} | {six} | {formulas} | {order} |'
    yield ''
