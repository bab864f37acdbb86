# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The periodic loop keeps its phase and counts every slot exactly once."""

import gc
import os
import statistics
import sys
import threading
import time
import weakref
from types import SimpleNamespace

import pytest

from robodyn_ros.errors import RobodynError
from robodyn_ros.realtime import os_requests
from robodyn_ros.realtime.loop import PeriodicLoop
from robodyn_ros.realtime.os_requests import CollectorPause, RealTime, settle_memory
from support.patience import PATIENCE
from support.processes import run_script

MILLISECOND = 1_000_000


class FakeTime:
    """A monotonic clock [ns] that only sleeping and working advance; waking late by `latency`."""

    def __init__(self, latency=0):
        self.now, self.latency = 5_000_000_123, latency

    def clock(self):
        return self.now

    def sleep(self, seconds):
        assert seconds > 0.0
        self.now += round(seconds * 1e9) + self.latency


def run(loads, latency=0):
    """Run one tick per duration [ns] in `loads`; the loop and its wake-up times [ns]."""
    time = FakeTime(latency)
    start, wakes, loads = time.now, [], list(loads)

    def tick(now):
        wakes.append(time.now - start)
        assert now == time.now / 1e9
        time.now += loads[len(wakes) - 1]
        if len(wakes) == len(loads):
            loop.stop()

    loop = PeriodicLoop(1e-3, tick, pytest.fail, clock=time.clock, sleep=time.sleep)
    loop.run()
    return loop, wakes


def test_ticks_stand_at_multiples_of_the_period():
    loop, wakes = run([200_000] * 50)
    assert wakes == [k * MILLISECOND for k in range(1, 51)]
    assert loop.counts == (50, 0, 50 * MILLISECOND)


def test_lateness_of_one_tick_does_not_shift_the_next():
    _, wakes = run([0] * 20, latency=70_000)
    assert wakes == [k * MILLISECOND + 70_000 for k in range(1, 21)]


def test_an_overrun_is_skipped_and_counted_and_the_phase_is_kept():
    # The third tick takes 4.5 periods: slots 4, 5, 6 pass meanwhile, 7 is run half a period late.
    loop, wakes = run([0, 0, 4_500_000, 0, 0])
    assert wakes == [w * MILLISECOND // 10 for w in (10, 20, 30, 75, 80)]
    assert loop.counts.cycles == 5
    assert loop.counts.missed == 3


@pytest.mark.parametrize('seed', range(20))
def test_cycles_and_missed_add_up_to_elapsed_time(seed):
    import random

    draw = random.Random(seed)
    loads = [int(draw.expovariate(1.0) * MILLISECOND) for _ in range(500)]
    loop, wakes = run(loads, latency=draw.randrange(2 * MILLISECOND))
    cycles, missed, elapsed = loop.counts
    assert cycles == len(wakes) == 500
    assert missed > 0
    assert cycles + missed == elapsed // MILLISECOND
    assert loop.tick_time.count == loop.wake_latency.count == 500
    slots = [wake // MILLISECOND for wake in wakes]
    assert slots == sorted(set(slots)), 'a slot ran twice: a burst'


@pytest.mark.parametrize('latency, late', [(0, 0), (40_000, 0), (79_000, 0)])
def test_waking_ahead_prepares_each_tick_and_hides_the_lateness(latency, late):
    """The deadline is met to the nanosecond as long as the thread does not wake later than it."""
    time, prepared, ticks = FakeTime(latency), [], []
    start = time.now

    def clock():
        time.now += 1  # reading it takes time, so waiting ends
        return time.now

    def tick(now):
        ticks.append(round(now * 1e9) - start)
        if len(ticks) == 30:
            loop.stop()

    loop = PeriodicLoop(
        1e-3,
        tick,
        pytest.fail,
        ahead=80e-6,
        clock=clock,
        sleep=time.sleep,
        prepare=[lambda now: prepared.append(round(now * 1e9) - start)],
    )
    loop.run()
    assert len(prepared) == len(ticks) == 30
    for k, (early, at) in enumerate(zip(prepared, ticks, strict=True), start=1):
        deadline = k * MILLISECOND
        assert 0 <= early - (deadline - 80_000 + latency) < 500
        assert 0 <= at - (deadline + late) < 500
    assert loop.counts.missed == 0


@pytest.mark.parametrize('load, third', [(400_000, ['prepare']), (700_000, [])])
def test_a_tick_that_is_late_is_not_prepared(load, third):
    """Nothing delays it further; and it wakes ahead by half a period at most."""
    time, calls, loads = FakeTime(), [], [0, load, 0, 0]

    def tick(now):
        calls.append('tick')
        time.now += loads[calls.count('tick') - 1]
        if calls.count('tick') == len(loads):
            loop.stop()

    def clock():
        time.now += 1
        return time.now

    loop = PeriodicLoop(
        1e-3,
        tick,
        pytest.fail,
        ahead=0.9e-3,
        clock=clock,
        sleep=time.sleep,
        prepare=[lambda now: calls.append('prepare')],
    )
    loop.run()
    assert calls == [*['prepare', 'tick'] * 2, *third, 'tick', 'prepare', 'tick']


def test_a_thread_that_wakes_after_the_deadline_does_not_prepare():
    """The tick is late already."""
    time, ticks = FakeTime(100_000), []

    def tick(now):
        ticks.append(now)
        if len(ticks) == 5:
            loop.stop()

    loop = PeriodicLoop(
        1e-3,
        tick,
        pytest.fail,
        ahead=80e-6,
        prepare=[pytest.fail],
        clock=time.clock,
        sleep=time.sleep,
    )
    loop.run()
    assert len(ticks) == 5 and loop.faults == 0 and loop.counts.missed == 0


@pytest.mark.parametrize(
    'longs, called',
    [((10_000, 10_000, 10_000), 3), ((10_000, 90_000, 0), 2), ((100_000, 0, 0), 1)],
)
def test_what_there_is_no_time_for_is_not_prepared(longs, called):
    """Each step ends before the next, and none begins after the deadline."""
    time, calls, ticks = FakeTime(), [], []

    def step(k):
        def prepare(now):
            assert now == time.now / 1e9
            calls.append(k)
            time.now += longs[k]

        return prepare

    def tick(now):
        ticks.append(now)
        if len(ticks) == 4:
            loop.stop()

    def clock():
        time.now += 1
        return time.now

    loop = PeriodicLoop(
        1e-3,
        tick,
        pytest.fail,
        ahead=80e-6,
        prepare=[step(k) for k in range(3)],
        clock=clock,
        sleep=time.sleep,
    )
    loop.run()
    assert calls == [*range(called)] * 4 and loop.counts.missed == 0


def test_what_fails_ahead_of_a_tick_is_reported_and_the_tick_comes():
    """Both are guarded alike."""
    time, errors, ticks = FakeTime(), [], []

    def clock():
        time.now += 1
        return time.now

    def tick(now):
        ticks.append(now)
        if len(ticks) == 3:
            loop.stop()

    def fail(now):
        raise OSError('no message')

    loop = PeriodicLoop(
        1e-3, tick, errors.append, ahead=1e-4, prepare=[fail], clock=clock, sleep=time.sleep
    )
    loop.run()
    assert len(ticks) == 3 and loop.faults == 3 and all(isinstance(e, OSError) for e in errors)


@pytest.mark.parametrize('ahead', [0.0, 80e-6])
def test_a_tick_that_is_late_looks_once(ahead):
    """What has come meanwhile is not left for the next one."""
    time, calls = FakeTime(100_000), []

    def tick(now):
        calls.append('tick')
        if len(calls) == 8:
            loop.stop()

    loop = PeriodicLoop(
        1e-3,
        tick,
        pytest.fail,
        ahead=ahead,
        clock=time.clock,
        sleep=time.sleep,
        look=lambda now: calls.append('look'),
    )
    loop.run()
    assert calls == ['look', 'tick'] * 4 and loop.faults == 0


@pytest.mark.parametrize('working, looks', [(100, [7, 7, 7]), (3, [4, 4, 4])])
def test_what_comes_while_the_loop_waits_is_looked_for_until_the_tick(working, looks):
    """From what was prepared to the deadline and no longer, or until looking for it fails."""
    time, calls, errors = FakeTime(), [], []
    start = time.now

    def clock():
        time.now += 5_000
        return time.now

    def look(now):
        calls[-1].append(round(now * 1e9) - start)
        time.now += 8_000
        if len(calls[-1]) > working:
            raise OSError('no message')

    def tick(now):
        if len(calls) == 3:
            loop.stop()

    loop = PeriodicLoop(
        1e-3,
        tick,
        errors.append,
        ahead=100e-6,
        clock=clock,
        sleep=time.sleep,
        prepare=[lambda now: calls.append([])],
        look=look,
    )
    loop.run()
    assert [len(times) for times in calls] == looks
    for k, times in enumerate(calls, start=1):
        assert all(-100_000 < at - k * MILLISECOND < 0 for at in times)
    assert loop.faults == len(errors) == (0 if working == 100 else 3)


def test_a_tick_that_raises_is_reported_and_the_loop_goes_on():
    time = FakeTime()
    ticks, faults = [], []

    def tick(_):
        ticks.append(time.now)
        if len(ticks) == 10:
            loop.stop()
        if len(ticks) in (3, 4):
            raise RuntimeError(f'tick {len(ticks)}')

    loop = PeriodicLoop(1e-3, tick, faults.append, clock=time.clock, sleep=time.sleep)
    loop.run()
    assert [str(fault) for fault in faults] == ['tick 3', 'tick 4']
    assert loop.faults == 2
    assert loop.counts == (10, 0, 10 * MILLISECOND)


def test_stop_joins_and_start_begins_anew():
    ticked = threading.Event()
    loop = PeriodicLoop(1e-3, lambda _: ticked.set(), pytest.fail)
    for _ in range(2):
        ticked.clear()
        loop.start()
        assert ticked.wait(PATIENCE)
        assert loop.running
        loop.stop()
        assert not loop.running
        cycles, missed, elapsed = loop.counts
        assert cycles + missed == elapsed // MILLISECOND
    loop.stop()


def test_a_tick_may_stop_the_loop_that_runs_it():
    loop = PeriodicLoop(1e-3, lambda _: loop.stop(), pytest.fail)
    loop.start()
    loop._thread.join(5.0)
    assert not loop.running
    assert loop.counts.cycles == 1


def test_starting_twice_is_refused():
    loop = PeriodicLoop(1e-3, lambda _: None, pytest.fail)
    loop.start()
    with pytest.raises(RuntimeError, match='runs already'):
        loop.start()
    loop.stop()


@pytest.mark.parametrize('period', [0.0, -1.0, float('nan')])
def test_a_period_that_is_not_positive_is_refused(period):
    with pytest.raises(ValueError, match='positive period'):
        PeriodicLoop(period, lambda _: None, pytest.fail)


def test_no_garbage_collection_during_a_pause():
    pause = CollectorPause()
    with pause:
        tracked = [[] for _ in range(100_000)]  # enough to trigger a collection otherwise
        assert not gc.isenabled()
    assert pause.collections == 0
    assert gc.isenabled()
    del tracked


def test_row_67_tuples_that_were_cut_to_size_do_not_pile_up_during_a_pause():
    """CPython keeps each of them as a spare, which is not used before the collector runs."""
    gc.collect()  # it frees the spare tuples
    with CollectorPause():
        before = sys.getallocatedblocks()
        for size in range(1, 10):
            for _ in range(300):
                tuple(k for k in range(size))
        grown = sys.getallocatedblocks() - before
    assert grown < 100


def test_collections_are_counted_and_pauses_overlap():
    first, second = CollectorPause(), CollectorPause()
    with first:
        with second:
            gc.collect()
        assert not gc.isenabled()
        gc.collect()
    assert gc.isenabled()
    assert (first.collections, second.collections) == (2, 1)
    gc.collect()
    assert first.collections == 2


def test_a_collector_that_was_off_stays_off_after_a_pause():
    gc.disable()
    try:
        with CollectorPause():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_what_lives_is_exempt_from_collections_once_memory_is_settled():
    gc.unfreeze()
    settle_memory()
    assert gc.get_freeze_count() > 0
    gc.unfreeze()


def test_what_the_system_refuses_becomes_a_sentence(monkeypatch):
    def refuse(*_):
        raise PermissionError('not today')

    monkeypatch.setattr('os.sched_setscheduler', refuse)
    monkeypatch.setattr('os.sched_setaffinity', refuse)
    interval = sys.getswitchinterval()
    warnings = RealTime(priority=50, cpus=(0,), switch_interval=1e-4).apply()
    assert sys.getswitchinterval() == pytest.approx(1e-4)
    sys.setswitchinterval(interval)
    assert len(warnings) == 2
    assert 'SCHED_FIFO priority 50 was refused (not today)' in warnings[0]
    assert 'processors [0]' in warnings[1]


def test_processors_bind_the_calling_thread_or_all_threads_of_the_process():
    """In lock step also the threads of the middleware: then no message wakes another processor."""
    allowed = os.sched_getaffinity(0)
    cpus, kept = (min(allowed),), sys.getswitchinterval()
    end, bound = threading.Event(), {}

    def apply(binds_process):
        RealTime(cpus=cpus, switch_interval=kept, binds_process=binds_process).apply()
        bound[binds_process] = os.sched_getaffinity(0), os.sched_getaffinity(bystander.native_id)

    bystander = threading.Thread(target=end.wait)
    bystander.start()
    try:
        for binds_process in (False, True):
            caller = threading.Thread(target=apply, args=(binds_process,))
            caller.start()
            caller.join()
    finally:
        for thread in os.listdir('/proc/self/task'):
            os.sched_setaffinity(int(thread), allowed)
        end.set()
        bystander.join()
    assert bound == {False: (set(cpus), allowed), True: (set(cpus), set(cpus))}


def test_row_71_memory_that_cannot_be_locked_becomes_a_sentence(monkeypatch):
    refuse = SimpleNamespace(mlockall=lambda _: -1, prctl=lambda *_: 0)
    monkeypatch.setattr(os_requests, '_libc', lambda: refuse)
    (sentence,) = RealTime(lock_memory=True, switch_interval=sys.getswitchinterval()).apply()
    assert 'could not be locked' in sentence and "'memlock unlimited'" in sentence


def test_row_71_what_the_system_refuses_is_known_when_the_loop_has_started():
    """No machine has a processor of that number."""
    loop = PeriodicLoop(0.01, lambda _: None, print, RealTime(cpus=(1023,)))
    loop.start()
    told = loop.warnings
    loop.stop()
    assert len(told) == 1 and 'processors [1023]' in told[0]


@pytest.mark.parametrize(('required', 'cpus'), [(True, ()), (False, (1023,))])
def test_row_71_only_what_is_required_and_refused_ends_it(required, cpus):
    from robodyn_ros.ros.common.realtime_parameters import require_granted

    loop = PeriodicLoop(0.01, lambda _: None, print, RealTime(cpus=cpus))
    loop.start()
    loop.stop()
    require_granted(loop, {'realtime.require': required})
    loop.warnings = ('The memory could not be locked.',)
    with pytest.raises(RobodynError, match='memory could not be locked'):
        require_granted(loop, {'realtime.require': True})


def test_garbage_of_an_earlier_loop_is_collected_before_the_next():
    """Or every time that a node is configured again costs memory for good."""

    class Session:
        pass

    session = Session()
    session.itself = session
    settle_memory()
    gone = weakref.ref(session)
    del session
    settle_memory()
    assert gone() is None
    gc.unfreeze()


def busy_time_per_cycle(realtime, cycles=200):
    """Return the median processor time [s] of a busy Python thread from one tick to the next.

    Other processes do not count, however busy they keep the machine.
    """
    stopping, marks, over = [], [], threading.Event()

    def work():
        while not stopping:
            pass

    def tick(_):
        marks.append(time.clock_gettime(clock))
        if len(marks) > cycles:
            loop.stop()
            over.set()

    busy = threading.Thread(target=work, daemon=True)
    loop, interval = PeriodicLoop(1e-3, tick, pytest.fail, realtime), sys.getswitchinterval()
    busy.start()
    clock = time.pthread_getcpuclockid(busy.ident)
    try:
        loop.start()
        assert over.wait(PATIENCE)
    finally:
        stopping.append(True)
        busy.join()
        loop.stop()
        sys.setswitchinterval(interval)
    return statistics.median(after - before for before, after in zip(marks, marks[1:]))


def test_row_56_a_busy_python_thread_takes_no_cycles():
    """It has the GIL for less than half of Python's own interval of 5 ms, which is five cycles."""
    assert busy_time_per_cycle(RealTime()) < 0.5 * 5e-3


CLOCK_THAT_IS_SET = """
import json, time
step, real = [0], time.time_ns
time.time_ns = lambda: real() + step[0]
time.time = lambda: 1e-9 * time.time_ns()
from robodyn_ros.realtime.loop import PeriodicLoop
lags, steps = [], {10: -3600 * 10**9, 20: 3600 * 10**9}
def tick(now):
    lags.append(time.monotonic() - now)
    step[0] += steps.get(len(lags), 0)
    if len(lags) == 30:
        loop.stop()
loop = PeriodicLoop(1e-3, tick, print)
loop.start()
loop._thread.join(30.0)
print(json.dumps([lags, loop.counts]))
"""


def test_row_52_a_system_clock_that_is_set_costs_no_cycle(tmp_path):
    """Back and forth by an hour: no wait, no burst, and ticks are told monotonic time."""
    (lags, (cycles, missed, elapsed)), _ = run_script(CLOCK_THAT_IS_SET, tmp_path)
    assert len(lags) == cycles == 30
    assert all(0.0 <= lag < 60.0 for lag in lags)
    assert cycles + missed == elapsed // MILLISECOND < 60_000
