# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Entries of the simulator on /diagnostics: the simulated robot, its commands, its loop."""

import time
from typing import NamedTuple

from diagnostic_msgs.msg import DiagnosticArray

from robodyn_ros.ros.common.diagnostic_entry import ERROR, OK, WARN, diagnostic_status

TOO_SLOW = 0.95  # share of the requested speed below which to warn


class Totals(NamedTuple):
    """Counters and clocks of a session at one moment.

    `time`: monotonic time [s].
    `cpu`: processor time of the process [s].
    `simulated`: simulated time [s].
    `accepted`: number of accepted commands.
    `rejected`: number of rejected commands.
    """

    time: float
    cpu: float
    simulated: float
    accepted: int
    rejected: int


class SimulatorDiagnostics:
    """Build diagnostics of the time since the last message.

    `name`: name of the node.
    """

    def __init__(self, name: str):
        self._name = name
        self._session, self._before = None, Totals(0.0, 0.0, 0.0, 0, 0)

    def build(self, session, waiting: str, clock_trouble: str) -> DiagnosticArray:
        """Return the message.

        `session` (SimulatorSession or None): session of the node.
        `waiting`: why there is no session.
        `clock_trouble`: why /clock is not published, else ''.
        """
        if session is None:
            self._session = None
            return DiagnosticArray(
                status=[diagnostic_status(f'{self._name}: robot', WARN, waiting, {})]
            )
        now = _totals(session)
        before = self._before if session is self._session else now
        # the time before a simulation runs is none in which it is slow
        self._session, self._before = session if session.running else None, now
        new = Totals._make(b - a for a, b in zip(before, now))
        status = [self._robot(session), self._commands(session, new)]
        if new.time > 0.0:
            status.append(self._loop(session, new, clock_trouble))
        return DiagnosticArray(status=status)

    def _robot(self, session):
        plant = session.runner.plant
        names = plant.model.joint_names
        level, text = OK, 'The robot follows its commands.'
        fast = [name for name, over in zip(names, plant.over_speed) if over]
        if plant.fault:
            level, text = ERROR, plant.fault
        elif fast:
            level, text = WARN, f'Faster than their limits: {", ".join(fast)}.'
        elif session.runner.paused:
            text = 'The simulation is paused.'
        elif not plant.commanded.any():
            text = 'No node commands the robot.'
        return diagnostic_status(
            f'{self._name}: robot',
            level,
            text,
            {
                'simulated_time': session.runner.time * 1e-9,
                'steps': session.runner.steps,
                'blow_ups': plant.faults,
                'joints_commanded': int(plant.commanded.sum()),
                'joints': len(names),
                'modes': ' '.join(plant.modes),
                'kernels': session.kernels.text,
            },
        )

    def _commands(self, session, new):
        intake = session.intake
        level, text = OK, 'Commands are accepted.'
        if new.rejected:
            level, text = WARN, f'{new.rejected} commands were ignored: {intake.detail}'
        rejected = {f'rejected.{reason}': count for reason, count in intake.rejected.items()}
        return diagnostic_status(
            f'{self._name}: commands',
            level,
            text,
            {
                'accepted_per_second': new.accepted / new.time if new.time else 0.0,
                'accepted': intake.accepted,
                'for_no_joint': intake.empty,
                'rejected_wrenches': session.refused_wrenches,
                **rejected,
            },
        )

    def _loop(self, session, new, clock_trouble):
        speed = new.simulated / new.time
        wanted = session.values['speed_factor'] if session.timed else 0.0
        level, text = OK, 'The simulation keeps its speed.'
        if clock_trouble:
            level, text = ERROR, clock_trouble
        elif wanted and speed < TOO_SLOW * wanted and not session.runner.paused:
            level, text = WARN, f'The simulation runs at {speed:.3g} of real time, not {wanted:g}.'
        loop = session.loop
        return diagnostic_status(
            f'{self._name}: loop',
            level,
            text,
            {
                'real_time_factor': speed,
                'cycles': loop.counts.cycles,
                'missed': loop.counts.missed,
                'lost_steps': session.lost,
                'tick_p50': loop.tick_time.percentile(50),
                'tick_p99': loop.tick_time.percentile(99),
                'wake_p50': loop.wake_latency.percentile(50),
                'wake_p99': loop.wake_latency.percentile(99),
                'cpu_share': new.cpu / new.time,
                'gc_collections': session.pause.collections,
            },
        )


def _totals(session) -> Totals:
    return Totals(
        time.monotonic(),
        time.process_time(),
        session.runner.time * 1e-9,
        session.intake.accepted,
        session.intake.rejected.total(),
    )
