# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""One line of doc/books/jain.md: an item of the book, and its counterpart here."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Item:
    """An item of the book, under one number of our list.

    Parameters
    ----------
    number : int
        1, 2, ... without a gap.
    section, equations : str
        Its place in the book.
    cost : str
        Order of growth with the number of bodies n, without the O().
    functions : tuple of str
        Dotted names below robodyn_ros, such as 'algorithms.core.crba.mass_matrix'. Classes and
        methods are allowed, such as 'robot.robot.Robot.mass_matrix'. The best one to read is
        first.
    tests : tuple of str
        Names of test functions.
    correction : str
        Correction of a misprint.
    theory : str
        Why there is nothing to compute, in place of functions and tests.
    """

    number: int
    section: str
    equations: str
    title: str
    cost: str = '1'
    functions: tuple = ()
    tests: tuple = ()
    correction: str = ''
    theory: str = ''
