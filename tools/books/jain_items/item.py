# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""One line of doc/books/jain.md: an item of the book, and what stands for it here."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Item:
    """What the book has under one number of our list.

    number : increasing, 1 to 157 and from 170 on. section, equations : where it stands there.
    cost : order of growth with the number of bodies n, without the O().
    functions : dotted names below robodyn_ros, such as 'algorithms.core.crba.mass_matrix'; a class
    or a method, such as 'robot.robot.Robot.mass_matrix', counts too. The form to read first.
    tests : names of test functions. correction : what is right where the print is wrong.
    theory : why there is nothing to compute, in place of functions and tests.
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
