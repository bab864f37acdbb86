"""One line of doc/jain.md: something the book has, and what stands for it in this package."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Item:
    """What the book has under one number of our list.

    number : 1 to 95, in the order of the book. section, equations : where it stands there.
    cost : order of growth with the number of bodies n, without the O().
    functions : dotted names below robodyn_ros, such as 'recursions.crba.mass_matrix'; a class or a
    method, such as 'robot.Robot.mass_matrix', counts too. The form to read first, the fast after.
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
