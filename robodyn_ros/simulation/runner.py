# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A plant with a fixed step, a sensor, a pause and a monotonic clock."""

from collections import deque

NANOSECONDS = 1_000_000_000


class Runner:
    """Advance a plant by fixed steps, and sample its sensor.

    Commands may come from another thread; all other calls need one thread at a time.

    Parameters
    ----------
    plant : Plant
        The plant.
    sensor : Sensor
        A sensor of the same robot.
    rate : float
        Steps per second of simulated time [Hz].

    Attributes
    ----------
    paused : bool
        Whether `advance` has no effect.
    steps : int
        Steps taken since the start, also across resets.
    reading_valid : bool
        Whether the last reading of the sensor is valid.
    """

    def __init__(self, plant, sensor, rate):
        self.plant, self.sensor = plant, sensor
        self.paused = False
        self.steps = 0
        self._rate, self._dt = rate, 1.0 / rate
        # append and popleft are atomic, so that no command is torn
        self._pending = deque(maxlen=1)
        self.sense()

    @property
    def time(self):
        """Return the simulated time since the start [ns], without accumulated rounding."""
        return self.steps * NANOSECONDS // self._rate

    def command(self, effort):
        """Set the efforts of the next step, in place of pending ones.

        Parameters
        ----------
        effort : (nv,) array_like
            Efforts [N m or N].
        """
        self._pending.append(effort)

    def advance(self, count=1):
        """Take steps unless paused, then a reading.

        Parameters
        ----------
        count : int
            Number of steps.
        """
        if not self.paused:
            self.step(count)
        else:
            self.sense()

    def step(self, count=1):
        """Take steps, paused or not, then a reading.

        Parameters
        ----------
        count : int
            Number of steps.
        """
        for _ in range(count):
            self.plant.step(self._pending.pop() if self._pending else None, self._dt)
        self.steps += count
        self.sense()

    def sense(self):
        """Take a reading of the present state."""
        self.reading_valid = self.sensor.read(self.plant.q, self.plant.qd)

    def reset(self):
        """Return to the initial state: no command, no latched fault. The clock goes on."""
        self._pending.clear()
        self.plant.reset()
        self.sensor.reset()
        self.sense()

    def set_state(self, position=None, velocity=None):
        """Set the state of the robot; see `Plant.set_state`.

        Parameters
        ----------
        position, velocity : (nq,) and (nv,) array_like, optional
            New state [rad or m, rad/s or m/s].
        """
        self.plant.set_state(position, velocity)
        self.sense()
