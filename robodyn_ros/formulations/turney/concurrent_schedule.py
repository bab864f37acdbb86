# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Modified Newton-Euler on many processors: Turney, Mudge and Lee, section 6, Table 5.

The vector quantities and what they need are recorded from `modified_newton_euler` while it runs.
A quantity is computed by one processor, in as many steps as it takes multiplications, or
additions: the report counts these two apart. No schedule is shorter than the longest path through
the quantities. List scheduling gives the next free processor to the quantity with the longest way
to the end (Graham 1969). So it takes at most that path plus an equal share of all steps.

The report fills a pipeline. Each of n stages computes seven quantities at once, two links apart,
and takes as long as the longest of them. That makes 27 n + 42 and 27 n + 41 steps (Table 5). It
begins with w_1, al_1, A_1, w_2 and al_2 in turn, though al_i does not need w_i, nor a_1 either of
link 2. And each stage has the longest quantity of either kind. With the operations of Table 4 four
processors take 27 n + 15 and 24 n + 27 steps. As counted here it is 22 n + 1 and 19 n.
"""

import heapq
from typing import NamedTuple

from robodyn_ros.formulations.count import general_arm
from robodyn_ros.formulations.task_graph import recorded
from robodyn_ros.formulations.turney.modified_newton_euler import inverse_dynamics

#: Operations of a link in Table 4, by the recorded quantities. Its a_i are A_i r_i and R a_(i-1),
#: its f_i are R f_(i+1) and a sum, and the 15 additions of its n_i end with R n_(i+1).
TABLE_4 = {
    'w': (9, 7),
    'al': (9, 9),
    'A': (6, 9),
    'R a': (9, 6),
    'a': (9, 9),
    'm abar': (12, 9),
    'moment': (6, 3),
    '(r + rbar) x m abar': (6, 3),
    'r x R f': (6, 3),
    'R n': (9, 6),
    'R f': (9, 6),
    'f': (0, 3),
    'n of its own': (0, 12),
    'n': (0, 3),
}


class Entry(NamedTuple):
    """When and where a quantity is computed.

    `start`, `end`: steps.
    `processor`: number of the processor.
    """

    start: int
    end: int
    processor: int


def tasks_of(n):
    """Return the tasks of an arm whose axes are principal, as the report has them.

    `n`: number of links.
    """
    return recorded(inverse_dynamics, general_arm(n, principal=True))


def steps_of(tasks, kind):
    """Return the steps of every task.

    `kind` ({'multiplications', 'additions'}): the operations that count.
    """
    return {name: getattr(task, kind) for name, task in tasks.items()}


def printed_steps_of(tasks, kind):
    """Return the steps of every task by Table 4.

    `tasks`, `kind`: as of `steps_of`.
    """
    at = ('multiplications', 'additions').index(kind)
    return {(name, link): TABLE_4[name][at] for name, link in tasks}


def ways_to_the_end(tasks, steps):
    """Return the longest path from the start of every task to the end.

    `tasks` (dict of (str, int) to Task): the tasks, each behind what it needs.
    `steps` (dict of (str, int) to int): their steps.
    """
    ways = dict(steps)
    for name in reversed(tasks):
        for need in tasks[name].needs:
            ways[need] = max(ways[need], steps[need] + ways[name])
    return ways


def schedule(tasks, steps, processors):
    """Return a list schedule.

    `tasks` (dict of (str, int) to Task): the tasks, each behind what it needs.
    `steps` (dict of (str, int) to int): their steps.
    `processors`: number of processors.
    """
    ways = ways_to_the_end(tasks, steps)
    users = {name: [] for name in tasks}
    for name, task in tasks.items():
        for need in task.needs:
            users[need].append(name)
    waiting = {name: len(task.needs) for name, task in tasks.items()}
    order = {name: at for at, name in enumerate(tasks)}
    ready = [(-ways[name], order[name], name) for name in tasks if not waiting[name]]
    heapq.heapify(ready)
    free, running, entries, now = list(range(processors)), [], {}, 0
    while ready or running:
        while ready and free:
            *_, name = heapq.heappop(ready)
            entries[name] = Entry(now, now + steps[name], heapq.heappop(free))
            heapq.heappush(running, (entries[name].end, order[name], name))
        now = running[0][0]
        while running and running[0][0] == now:
            *_, name = heapq.heappop(running)
            heapq.heappush(free, entries[name].processor)
            for user in users[name]:
                waiting[user] -= 1
                if not waiting[user]:
                    heapq.heappush(ready, (-ways[user], order[user], user))
    return entries


def length(entries):
    """Return the steps of a schedule.

    `entries` (dict of (str, int) to Entry): the schedule.
    """
    return max(entry.end for entry in entries.values())


def fewest_processors(tasks, steps):
    """Return the least number of processors whose list schedule is as short as any can be.

    `steps` (dict of (str, int) to int): their steps.
    """
    shortest, processors = max(ways_to_the_end(tasks, steps).values()), 1
    while length(schedule(tasks, steps, processors)) > shortest:
        processors += 1
    return processors


def shortest(n, steps_of=steps_of):
    """Return the steps of the shortest schedules for an arm, and the processors they need.

    `n`: number of links.
    `steps_of` (callable): `steps_of` for the operations as they run, or `printed_steps_of`.
    Returns `steps` ((int, int)): steps of multiplication and of addition.
    Returns `processors` ((int, int)): fewest processors of each.
    """
    tasks = tasks_of(n)
    steps, processors = [], []
    for kind in ('multiplications', 'additions'):
        each = steps_of(tasks, kind)
        steps.append(max(ways_to_the_end(tasks, each).values()))
        processors.append(fewest_processors(tasks, each))
    return tuple(steps), tuple(processors)


def printed(n):
    """Return the steps of Table 5.

    `n`: number of links.
    """
    return 27 * n + 42, 27 * n + 41
