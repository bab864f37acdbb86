# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Times of the answers to ~/stop under each load.

The load comes from a process of its own, since the caller would wait for its own interpreter. One
more process only sleeps. If that one is late too, the machine stood still and not the controller.

Each load comes twice. Memory that it takes the first time may be spare memory of an allocator.
Memory that it adds the second time is a leak.
"""

import contextlib
import time

import numpy as np
from std_srvs.srv import Trigger

from tools.soak.growth import Growth
from tools.soak.loads import LOADS, Load
from tools.soak.log_lines import LogLines
from tools.soak.sleeper import Sleeper
from tools.soak.watcher import NAME

PAUSE = 0.02  # [s] between two calls
MOST = 20.0  # [ms] limit of 99 of 100 answers
LEFT, ADDED = 24.0, 1.0  # [MB] that a load may add the first time, and the second time


def stop(arm, count):
    """Call ~/stop `count` times under each load."""
    lines = LogLines(arm.nodes)
    with contextlib.closing(Sleeper()) as sleeper:
        found = [_under(arm, sleeper, load, count) for load in LOADS]
    return '; '.join([*found, lines.judge(arm.expect)])


def _under(arm, sleeper, load, count):
    calls, missed, grown = [], _missed(arm), []
    for most in (LEFT, ADDED):
        growth = Growth(arm.nodes)
        calls += _calls(arm, load, -(-count // 2))
        arm.recover()
        grown.append(growth.judge(arm.expect, most, f'{load}: '))
    took = 1e3 * np.array([end - begin for begin, end in calls])
    stood = 1e3 * sleeper.stood(calls)
    awake = took[stood < 0.5 * took]
    p99 = np.percentile(awake, 99)
    arm.expect(p99 <= MOST, f'{load}: p99 {p99:.1f} ms')
    return (
        f'{load}: p50 {np.median(took):.1f}, p99 {np.percentile(took, 99):.1f}, worst '
        f'{took.max():.1f} ms; without the {len(took) - len(awake)} calls that met a machine at a '
        f'stand: p99 {p99:.1f}, worst {awake.max():.1f} ms; memory {" and then ".join(grown)}; '
        f'cycles missed {_missed(arm) - missed}'
    )


def _calls(arm, load, count):
    """Call ~/stop repeatedly under a load; return begin and end of each call [s]."""
    calls = []
    with contextlib.closing(Load(load, arm.trajectory(LOADS[load].points))):
        for _ in range(count):
            begin = time.monotonic()
            answer = arm.watcher.call(Trigger, f'{NAME}/stop')
            arm.expect(answer is not None, f'{load}: no answer')
            calls.append((begin, time.monotonic()))
            time.sleep(PAUSE)
    return calls


def _missed(arm):
    return int(arm.watcher.figures.get('missed', 0))
