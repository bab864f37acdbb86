# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A measured vector with noise, bias, drift, resolution, latency and jitter, from a seed."""

from collections import deque
from dataclasses import dataclass

import numpy as np

from robodyn_ros.simulation.plant_settings import at_least_zero, whole


@dataclass(frozen=True)
class Imperfections:
    """Imperfections of the entries of a measured vector; none by default.

    `noise`: standard deviation of white noise.
    `bias`: half-width of a constant error, drawn once for each entry.
    `drift`: standard deviation of a random walk after one second [unit/sqrt(s)].
    `resolution`: step of the readings; 0 for continuous ones.
    Raises ParameterError: for the first value that is not allowed.
    """

    noise: float = 0.0
    bias: float = 0.0
    drift: float = 0.0
    resolution: float = 0.0

    def __post_init__(self):
        for name in ('noise', 'bias', 'drift', 'resolution'):
            at_least_zero(name, getattr(self, name))


class Instrument:
    """Measure a vector, with imperfections for each part and a delay.

    Every step takes a sample. It is delivered `latency` steps later, plus a random number of steps
    up to `jitter`. Readings keep their order.

    `parts` (sequence of (int, Imperfections)): size and imperfections of each part of the vector.
    `latency`, `jitter`: delay of a reading, and largest random additional delay [steps].
    `seed` (int or SeedSequence): seed. With the same seed the same calls give the same bits.
    `value` (size,): the last reading.
    `remembers`: whether readings depend on earlier samples.
    `is_ideal`: whether a reading is the true value without delay.
    """

    def __init__(self, parts, latency=0, jitter=0, seed=0):
        whole('latency', latency, 0, 10000)
        whole('jitter', jitter, 0, 10000)
        each = {
            name: np.concatenate([np.full(size, getattr(part, name)) for size, part in parts])
            for name in ('noise', 'bias', 'drift', 'resolution')
        }
        self._noise, self._bias, self._drift = each['noise'], each['bias'], each['drift']
        self._steps = np.flatnonzero(each['resolution'])
        self._resolution = each['resolution'][self._steps]
        self._is_noisy, self._drifts = self._noise.any(), self._drift.any()
        self._is_off = self._drifts or self._bias.any()
        self._latency, self._jitter, self._seed = latency, jitter, seed
        self.value = np.zeros(len(self._noise))
        self.remembers = bool(latency or jitter or self._drifts)
        distorts = self._is_off or self._is_noisy or len(self._steps)
        self.is_ideal = not (distorts or self.remembers)
        self.reset()

    def reset(self):
        """Restart, with the same sequence of errors."""
        seed = self._seed
        if not isinstance(seed, np.random.SeedSequence):
            seed = np.random.SeedSequence(seed)
        # spawn() would give other children after each reset
        children = [
            np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, k)) for k in range(4)
        ]
        self._white, self._walk, constant, self._delays = (
            np.random.Generator(np.random.PCG64(child)) for child in children
        )
        self._constant = constant.uniform(-1.0, 1.0, len(self.value)) * self._bias
        self._wandered = np.zeros(len(self.value))
        self._line = deque(maxlen=self._latency + self._jitter + 1)
        self._age = 0  # steps since the sample that was delivered last

    def sample(self, truth, dt):
        """Sample the true vector.

        `truth` ((size,) array_like): True values.
        `dt`: time since the previous sample [s]; 0 replaces that one.
        """
        reading = self.distorted(truth, dt)
        if dt == 0.0 and self._line:
            self._line.pop()
        else:
            self._age += 1
        self._line.append(reading)

    def deliver(self):
        """Write the sample that arrives now into `value`."""
        delay = self._latency
        if self._jitter:
            delay += int(self._delays.integers(self._jitter + 1))
        self._age = min(delay, self._age, len(self._line) - 1)
        self.value[:] = self._line[-1 - self._age]

    def distorted(self, truth, dt):
        """Return the true vector with the errors of this sample.

        `truth` ((size,) array_like): True values.
        `dt`: time since the previous sample [s].
        """
        reading = np.array(truth, dtype=np.float64)
        if self._drifts and dt > 0.0:
            step = self._walk.standard_normal(len(reading))
            self._wandered += np.sqrt(dt) * self._drift * step
        if self._is_off:
            reading += self._constant + self._wandered
        if self._is_noisy:
            reading += self._noise * self._white.standard_normal(len(reading))
        if len(self._steps):
            grid = reading[self._steps] / self._resolution
            reading[self._steps] = np.rint(grid) * self._resolution
        return reading
