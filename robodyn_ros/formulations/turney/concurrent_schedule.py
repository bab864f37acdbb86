# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Modified Newton-Euler on one processor a vector: Turney, Mudge and Lee, section 6, Table 5.

27 n + 42 steps of multiplication and 27 n + 41 of addition. The rates of the first links fill a
pipeline. Every outward stage then advances seven quantities at once, two links apart. The count
leaves out that the first inward stage waits for the lever arm of the last link.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Stage:
    """Quantities computed at the same time, as (name, link), and the steps it takes."""

    quantities: tuple
    multiplications: int
    additions: int


def needs(name, i, n):
    """Return the inputs of a quantity of link i, without the base and links beyond the tip."""
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
    """Stages for an arm of n links, as Table 5 counts them.

    w, al : rates. A : rate matrix. a : acceleration of the far origin. force : m abar. moment :
    v(A K). lever : (r + rbar) x m abar, one stage behind. f, n : wrench at the joint.
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
    """(multiplications, additions) of the whole schedule: (27 n + 42, 27 n + 41)."""
    stages = schedule(n)
    return sum(stage.multiplications for stage in stages), sum(stage.additions for stage in stages)
