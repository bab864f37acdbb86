# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""All formulations by name, with their place in the books, cost and functions."""

from collections.abc import Callable
from dataclasses import dataclass

from robodyn_ros.errors import short_repr
from robodyn_ros.formulations.angeles import (
    euler_lagrange,
    kane,
    natural_orthogonal_complement,
    newton_euler,
    noc_forward_dynamics,
    planar,
)
from robodyn_ros.formulations.craig import iterative_newton_euler
from robodyn_ros.formulations.spong import christoffel, hamiltonian, spong_newton_euler
from robodyn_ros.formulations.turney import (
    expanded_newton_euler,
    lagrange_4x4,
    lagrange_organised,
    luh_walker_paul,
    modified_newton_euler,
    strobing,
)

ANGELES, TURNEY, SPONG, CRAIG = 'Angeles', 'Turney, Mudge, Lee', 'Spong', 'Craig'
TREE, SERIAL, PLANAR = 'any tree', 'serial', 'planar'


@dataclass(frozen=True)
class Formulation:
    """One formulation of the equations of motion.

    Parameters
    ----------
    name : str
        Name.
    book : str
        Authors of the book.
    section : str
        Sections of the book.
    equations : str
        Equations of the book.
    scope : str
        Robots that it can express.
    cost : str
        Order of its cost in the number n of joints.
    published : str
        Multiplications and additions in the book, for the same function as `main`.
    torque : callable, optional
        `torque(robot, q, qd, qdd)` returns the torques (nv,).
    mass : callable, optional
        `mass(robot, q)` returns the mass matrix (nv, nv).
    forward : callable, optional
        `forward(robot, q, qd, tau)` returns the accelerations (nv,).
    countable : bool
        Whether it runs on `count.Counted` numbers, which a complex step does not.
    """

    name: str
    book: str
    section: str
    equations: str
    scope: str
    cost: str
    published: str = ''
    torque: Callable | None = None
    mass: Callable | None = None
    forward: Callable | None = None
    countable: bool = True

    __repr__ = short_repr

    @property
    def main(self):
        """The function whose operations are counted."""
        return self.torque or self.forward or self.mass


FORMULATIONS = (
    Formulation(
        'Newton-Euler, Algorithms 7.4.1, 7.4.2',
        ANGELES,
        '7.4',
        '7.22 to 7.44',
        SERIAL,
        'n',
        '137n-22, 110n-14: 800, 646',
        newton_euler.inverse_dynamics,
    ),
    Formulation(
        'Euler-Lagrange, momentum form',
        ANGELES,
        '7.3.2',
        '7.6 to 7.20',
        TREE,
        'n^3',
        '',
        euler_lagrange.inverse_dynamics,
        euler_lagrange.mass_matrix,
        countable=False,
    ),
    Formulation(
        'Kane', ANGELES, '7.3.3', '7.21', TREE, 'n^2', '', kane.inverse_dynamics, kane.mass_matrix
    ),
    Formulation(
        'Natural orthogonal complement',
        ANGELES,
        '7.5, 7.6',
        '7.47 to 7.86',
        TREE,
        'n^3',
        '',
        natural_orthogonal_complement.inverse_dynamics,
        natural_orthogonal_complement.mass_matrix,
    ),
    Formulation(
        'The same in the plane',
        ANGELES,
        '7.6.1',
        '7.107 to 7.111',
        PLANAR,
        'n^3',
        '',
        planar.inverse_dynamics,
        planar.mass_matrix,
        planar.forward_dynamics,
        countable=False,
    ),
    Formulation(
        'Forward dynamics, L^T L',
        ANGELES,
        '7.6',
        '7.91 to 7.105',
        SERIAL,
        'n^3',
        'sum of its steps: 1540, 1137',
        None,
        noc_forward_dynamics.mass_matrix,
        noc_forward_dynamics.forward_dynamics,
    ),
    Formulation(
        'Forward dynamics, orthogonal',
        ANGELES,
        '7.6',
        '7.106',
        SERIAL,
        'n^3',
        '',
        None,
        None,
        noc_forward_dynamics.forward_dynamics_orthogonal,
    ),
    Formulation(
        'Lagrange, 4 x 4 (Uicker-Kahn)',
        TURNEY,
        '2',
        '2.1 to 2.11',
        TREE,
        'n^4',
        '66271, 51548 as written (Hollerbach 1980)',
        lagrange_4x4.inverse_dynamics,
        lagrange_4x4.mass_matrix,
    ),
    Formulation(
        'Lagrange, 4 x 4, organised',
        TURNEY,
        'appendix',
        '2.11',
        SERIAL,
        'n^3',
        '81n^3/6+165n^2/2+5n, 40n^3/3+58n^2-64n/3: 5916, 4840',
        lagrange_organised.inverse_dynamics,
    ),
    Formulation(
        'Newton-Euler in closed sums',
        TURNEY,
        '4',
        '4.1 to 4.19',
        TREE,
        'n^4',
        '',
        expanded_newton_euler.inverse_dynamics,
    ),
    Formulation(
        'Newton-Euler (Luh-Walker-Paul)',
        TURNEY,
        '3',
        '3.15 to 3.21',
        SERIAL,
        'n',
        '108n-12, 100n-9: 636, 591',
        luh_walker_paul.inverse_dynamics,
    ),
    Formulation(
        'Modified Newton-Euler',
        TURNEY,
        '5',
        '5.1, 5.2',
        SERIAL,
        'n',
        '90n-27, 88n-24: 513, 504',
        modified_newton_euler.inverse_dynamics,
    ),
    Formulation(
        'Strobed Newton-Euler',
        TURNEY,
        '3, 7',
        '2.11',
        SERIAL,
        'n^2',
        '',
        None,
        strobing.mass_matrix,
        strobing.forward_dynamics,
    ),
    Formulation(
        'Christoffel symbols',
        SPONG,
        '6.2, 6.3',
        '6.46 to 6.67',
        TREE,
        'n^4',
        '',
        christoffel.inverse_dynamics,
        christoffel.mass_matrix,
        countable=False,
    ),
    Formulation(
        'Newton-Euler, weight as force',
        SPONG,
        '6.6',
        '6.134 to 6.161',
        SERIAL,
        'n',
        '',
        spong_newton_euler.inverse_dynamics,
    ),
    Formulation(
        'Hamilton',
        SPONG,
        'problems',
        '',
        TREE,
        'n^4',
        '',
        None,
        None,
        hamiltonian.forward_dynamics,
        countable=False,
    ),
    Formulation(
        'Iterative Newton-Euler',
        CRAIG,
        '6.5',
        '6.45 to 6.53',
        TREE,
        'n',
        '',
        iterative_newton_euler.inverse_dynamics,
        iterative_newton_euler.mass_matrix,
    ),
)
