# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Kills of each node by SIGKILL at random times, also during its start."""

import time

from tools.soak.soak_arm import STANDING, START

FRESH = 20  # every so many starts a new process is started; the others are forked
LATEST = 0.5  # [s] longest time of operation, or of a start, before a kill


def kills(arm, count):
    """Kill each node `count` times; after each kill the arm must be held again.

    Every fourth kill comes during the start of a node, and only the next one must succeed.
    """
    longest, early, held = 0.0, 0, 0
    for k in arm.turns(2 * count):
        name = ('simulator', 'controller')[k % 2]
        time.sleep(arm.rng.uniform(0.0, LATEST))
        begin, arm.watcher.state = time.monotonic(), ''
        arm.replace(name, forked=bool(k // 2 % FRESH))
        if k % 8 > 5:
            early += 1
            continue
        if name == 'simulator' and k % 8:  # else the controller is starting, too
            arm.watcher.wait(lambda: arm.watcher.state == 'STALE', 2.0)
        stands = arm.watcher.wait(lambda: arm.watcher.state in STANDING, START)
        arm.expect(stands, f'kill {k} of {name}: no HOLD')
        held += stands
        longest = max(longest, time.monotonic() - begin)
    arm.expect(
        arm.watcher.wait(lambda: arm.watcher.state in STANDING, START), 'no HOLD in the end'
    )
    arm.done //= 2
    return (
        f'{arm.done} kills of each node, {early} of them while a node started; held again each '
        f'time that it was waited for ({held}), after {longest:.1f} s at most'
    )
