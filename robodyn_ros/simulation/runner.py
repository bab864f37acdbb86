# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A runner: a plant with a fixed step, sensors, a pause and a monotonic clock."""

from threading import Lock

import numpy as np

from robodyn_ros.robot.robot import Robot
from robodyn_ros.simulation.command_modes import merged
from robodyn_ros.simulation.sensors.link_sensors import Motion

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
    instruments : sequence of LinkSensor
        Further sensors of the robot.

    Attributes
    ----------
    paused : bool
        Whether `advance` has no effect.
    steps : int
        Steps taken since the start, also across resets.
    reading_valid : bool
        Whether the last reading of the sensor is valid.
    """

    def __init__(self, plant, sensor, rate, instruments=()):
        self.plant, self.sensor, self.instruments = plant, sensor, tuple(instruments)
        self._robot = Robot(plant.model)
        self.paused = False
        self.steps = 0
        self._rate, self._dt = rate, 1.0 / rate
        self._pending, self._lock = None, Lock()
        self.sense()

    def __repr__(self):
        return f'<Runner of {self.plant!r}, {self.steps} steps>'

    @property
    def time(self):
        """Return the simulated time since the start [ns], without accumulated rounding."""
        return self.steps * NANOSECONDS // self._rate

    def command(self, command):
        """Set the command of the next step; other joints keep their pending commands.

        Parameters
        ----------
        command : (nv,) array_like or Command
            As for `Plant.step`.

        Raises
        ------
        ShapeError
            For a command of another size.
        """
        command = self.plant.command_with_modes(command)
        with self._lock:
            self._pending = merged(self._pending, command) if self._pending else command

    def advance(self, count=1):
        """Take steps unless paused, then read the sensors.

        Parameters
        ----------
        count : int
            Number of steps.
        """
        if not self.paused:
            self.step(count)
        else:
            self.sense()

    def step(self, count=1, command=None):
        """Take steps, paused or not, then read the sensors.

        Parameters
        ----------
        count : int
            Number of steps.
        command : Command, optional
            Command of the first step; by default the pending commands.
        """
        plant = self.plant
        for left in reversed(range(count)):
            if command is None:
                with self._lock:
                    command, self._pending = self._pending, None
            before = plant.rates() if self.instruments else None
            plant.step(command, self._dt)
            command = None
            if left == 0 or self.sensor.remembers:
                self.sensor.sample(*plant.measured, self._dt)
            if self.instruments:
                self._sample(plant.acceleration(before, self._dt), self._dt)
        self.steps += count
        self._deliver()

    def sense(self):
        """Read the sensors in the present state."""
        self.sensor.sample(*self.plant.measured, 0.0)
        if self.instruments:
            self._sample(np.zeros_like(self.plant.leading.qd), 0.0)
        self._deliver()

    def _sample(self, acceleration, dt):
        model = self.plant.leading.model
        if self._robot.model is not model:
            self._robot = Robot(model)
        motion = Motion.of(self.plant, self._robot, acceleration)
        for instrument in self.instruments:
            instrument.sample(motion, dt)

    def _deliver(self):
        self.reading_valid = self.sensor.deliver()
        for instrument in self.instruments:
            instrument.deliver()

    def reset(self):
        """Return to the initial state: no command, no latched fault. The clock goes on."""
        with self._lock:
            self._pending = None
        self.plant.reset()
        self.sensor.reset()
        for instrument in self.instruments:
            instrument.reset()
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
