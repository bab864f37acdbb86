# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Modified Newton-Euler on one processor per vector: Turney, Mudge and Lee, section 6, Table 5.

It takes 27 n + 42 steps of multiplication and 27 n + 41 of addition. The angular velocities and
accelerations of the first links fill a pipeline. Every outward stage then computes seven
quantities at once, two links apart. The count leaves out that the first inward stage waits for the
lever arm of the last link.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Stage:
    """Quantities computed at the same time, and the steps they take.

    Parameters
    ----------
    quantities : tuple of tuple
        (name, link) of each.
    multiplications : int
        Steps of multiplication.
    additions : int
        Steps of addition.
    """

    quantities: tuple
    multiplications: int
    additions: int


def needs(name, i, n):
    """Return the inputs of a quantity, without those of the base and beyond the tip.

    Parameters
    ----------
    name : str
        Name of the quantity, see `schedule`.
    i : int
        Its link.
    n : int
        Number of links.

    Returns
    -------
    list of tuple
        (name, link) of each input.
    """
    table = {
        'w': (('w', i - 1),),
        'al': (('al', i - 1), ('w', i - 1)),
        'A': (('w', i), ('al', i)),
        'a': (('A', i), ('a', i - 1)),
        'force': (('A', i), ('a', i - 1)),
        'moment': (('A', i),),
        'lever': (('force', i),),
        'f': (('force', i), ('f', i + 1)),
        'n': (('moment', i), ('lever', i), ('f', i + 1), ('n', i + 1)),
    }
    return [(what, link) for what, link in table[name] if 1 <= link <= n]


def schedule(n):
    """Return the stages for an arm, as Table 5 counts them.

        w, al    angular velocity and acceleration      A       rate matrix
        a        acceleration of the far origin         force   m abar
        lever    (r + rbar) x m abar, a stage later     moment  v(A K)
        f, n     wrench at the joint

    Parameters
    ----------
    n : int
        Number of links.

    Returns
    -------
    list of Stage
        The stages.
    """

    def of_arm(*quantities):
        return tuple((name, link) for name, link in quantities if 1 <= link <= n)

    fill = [
        Stage(of_arm(('w', 1)), 9, 7),
        Stage(of_arm(('al', 1)), 9, 9),
        Stage(of_arm(('A', 1)), 6, 9),
        Stage(of_arm(('w', 2)), 9, 7),
        Stage(of_arm(('al', 2)), 9, 9),
    ]
    outward = [
        Stage(
            of_arm(
                ('w', i + 2),
                ('al', i + 2),
                ('A', i + 1),
                ('a', i),
                ('force', i),
                ('moment', i),
                ('lever', i - 1),
            ),
            18,
            15,
        )
        for i in range(1, n + 1)
    ]
    inward = [
        Stage(of_arm(*((('lever', n),) if i == n else ()), ('f', i), ('n', i)), 9, 12)
        for i in range(n, 0, -1)
    ]
    return fill + outward + inward


def steps(n):
    """Return the steps of the whole schedule, 27 n + 42 and 27 n + 41.

    Parameters
    ----------
    n : int
        Number of links.

    Returns
    -------
    multiplications : int
        Steps of multiplication.
    additions : int
        Steps of addition.
    """
    stages = schedule(n)
    return sum(stage.multiplications for stage in stages), sum(stage.additions for stage in stages)
