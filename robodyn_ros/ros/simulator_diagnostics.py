"""The simulator on /diagnostics: the simulated robot, its loop, its commands."""
import time
from math import nan

from diagnostic_msgs.msg import DiagnosticArray

from robodyn_ros.ros.controller_diagnostics import ERROR, OK, WARN, _entry
from robodyn_ros.ros.meter import Meter

TOO_SLOW = 0.95   # share of the wanted speed below which to warn


class SimulatorDiagnostics:
    """Builds the message, from what happened since the last one.

    Args:
      name: of the node.

    """

    def __init__(self, name: str):
        self._name, self._meter = name, Meter()
        self._session, self._time, self._steps = None, 0.0, 0

    def build(self, session, waiting: str, clock_trouble: str) -> DiagnosticArray:
        """The message.

        Args:
          session: the SimulatorSession, or None.
          waiting: why there is none; '' for no known reason.
          clock_trouble: what stands against publishing /clock, '' for nothing.

        """
        reading, speed = self._meter.read(session), self._speed(session)
        if session is None:
            return DiagnosticArray(status=[_entry(f'{self._name}: robot', WARN, waiting, {})])
        return DiagnosticArray(status=[self._robot(session), self._commands(session, reading),
                                       self._loop(session, reading, speed, clock_trouble)])

    def _speed(self, session):
        """Simulated over real time since the last report; nan in the first of a session."""
        now, steps = time.monotonic(), session.runner.steps if session else 0
        if session is None or session is not self._session:
            speed = nan
        else:
            simulated = (steps - self._steps) / session.values['update_rate']
            speed = simulated / max(now - self._time, 1e-9)
        self._session, self._time, self._steps = session, now, steps
        return speed

    def _robot(self, session):
        plant = session.runner.plant
        names = plant.model.joint_names
        level, text = OK, 'The robot follows its commands.'
        if plant.fault:
            level, text = ERROR, plant.fault
        elif session.runner.paused:
            text = 'The simulation is paused.'
        elif not plant.commanded.any():
            text = 'Nobody commands the robot.'
        fast = [name for name, over in zip(names, plant.over_speed) if over]
        if fast and level == OK:
            level, text = WARN, f'Joints {", ".join(fast)} are faster than their limits.'
        return _entry(f'{self._name}: robot', level, text, {
            'simulated_time': session.runner.time * 1e-9, 'steps': session.runner.steps,
            'blow_ups': plant.faults, 'joints_commanded': int(plant.commanded.sum()),
            'joints': len(names)})

    def _commands(self, session, reading):
        intake = session.intake
        level, text = OK, 'Commands are accepted.'
        if reading.rejected:
            level, text = WARN, f'{reading.rejected} commands were ignored: {intake.detail}'
        rejected = {f'rejected.{reason}': count for reason, count in intake.rejected.items()}
        return _entry(f'{self._name}: commands', level, text, {
            'accepted_per_second': reading.accepted, 'accepted': intake.accepted,
            'without_effort': intake.empty, 'rejected_wrenches': session.refused_wrenches,
            **rejected})

    def _loop(self, session, reading, speed, clock_trouble):
        wanted = session.values['speed_factor'] if session.timed else 0.0
        level, text = OK, 'The simulation keeps its speed.'
        if clock_trouble:
            level, text = ERROR, clock_trouble
        elif wanted and speed < TOO_SLOW * wanted and not session.runner.paused:
            level, text = WARN, f'The simulation runs at {speed:.3g} of real time, not {wanted:g}.'
        loop = session.loop
        return _entry(f'{self._name}: loop', level, text, {
            'real_time_factor': speed, 'cycles': loop.counts.cycles, 'missed': loop.counts.missed,
            'success_rate': reading.success, 'lost_steps': session.lost,
            'tick_p50': loop.tick_time.percentile(50), 'tick_p99': loop.tick_time.percentile(99),
            'wake_p50': loop.wake_latency.percentile(50),
            'wake_p99': loop.wake_latency.percentile(99), 'cpu_share': reading.cpu_share,
            'gc_collections': session.pause.collections})
