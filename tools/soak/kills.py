# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Kills of each node by SIGKILL at random times, also while it starts."""

import time

from tools.soak.soak_arm import STANDING, START

FRESH = 20  # every so many starts one is a process from the beginning, the others are forked
LATEST = 0.5  # [s] of standing, or of starting, before a kill


def kills(arm, count):
    """Kill each node `count` times; after each kill the arm is held again, or the next one comes.

    One kill of four meets the node while it starts.
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
