# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Encoders: measured joint states, with imperfections and faults from a seed."""

from dataclasses import dataclass

import numpy as np

from robodyn_ros.errors import short_repr
from robodyn_ros.model.rotation_matrix import SHORTEST
from robodyn_ros.simulation.faults import Faults
from robodyn_ros.simulation.plant_settings import at_least_zero, one_of, whole
from robodyn_ros.simulation.sensors.instrument import Imperfections, Instrument

MEASURED, DIFFERENCES = 'measured', 'differences'
VELOCITY_SOURCES = (MEASURED, DIFFERENCES)


@dataclass(frozen=True)
class SensorSettings:
    """Imperfections of the encoders; none by default.

    Parameters
    ----------
    position_noise, velocity_noise : float
        Standard deviation of white noise [rad or m, rad/s or m/s].
    position_step, velocity_step : float
        Resolution [rad or m, rad/s or m/s]; 0 for continuous readings.
    seed : int
        Seed of all errors, and of the readings that a fault drops.
    position_bias, velocity_bias : float
        Half-width of a constant error of each joint [rad or m, rad/s or m/s].
    position_drift, velocity_drift : float
        Standard deviation of a random walk after one second [rad or m, rad/s or m/s].
    latency, jitter : int
        Delay of a reading, and largest random additional delay [steps].
    velocity_source : {'measured', 'differences'}
        Whether velocities have a sensor of their own. Otherwise they are differences of the
        measured positions of successive steps, as in many drives.

    Raises
    ------
    ParameterError
        For the first value that is not allowed.
    """

    position_noise: float = 0.0
    velocity_noise: float = 0.0
    position_step: float = 0.0
    velocity_step: float = 0.0
    seed: int = 0
    position_bias: float = 0.0
    velocity_bias: float = 0.0
    position_drift: float = 0.0
    velocity_drift: float = 0.0
    latency: int = 0
    jitter: int = 0
    velocity_source: str = MEASURED

    __repr__ = short_repr

    def __post_init__(self):
        for part in ('position', 'velocity'):
            for name in ('noise', 'step', 'bias', 'drift'):
                at_least_zero(f'{part}_{name}', getattr(self, f'{part}_{name}'))
        whole('seed', self.seed, 0, 2**63 - 1)
        whole('latency', self.latency, 0, 10000)
        whole('jitter', self.jitter, 0, 10000)
        one_of('velocity_source', self.velocity_source, VELOCITY_SOURCES)

    def imperfections(self, part):
        """Return the errors of one part.

        Parameters
        ----------
        part : {'position', 'velocity'}
            The part.

        Returns
        -------
        Imperfections
        """
        values = (getattr(self, f'{part}_{name}') for name in ('noise', 'bias', 'drift', 'step'))
        return Imperfections(*values)


class Encoders(Instrument):
    """Measure positions and velocities of joints as one vector.

    Quaternions are normalised after the errors are added, so the noise rotates them by twice its
    size [rad].

    `settings` (SensorSettings): imperfections.
    `nv`, `nq`: number of velocities and of positions.
    `quaternions` (sequence of int): index of each quaternion in q.
    `coordinates` ((nv,) sequence of int): index in q of the position of each velocity, -1 without
      one.
    `seed` (int or SeedSequence): seed of the errors.
    """

    def __init__(self, settings, nv, nq, quaternions, coordinates, seed):
        self._nq, self._quaternions = nq, [slice(k, k + 4) for k in quaternions]
        self._rows = np.flatnonzero(np.asarray(coordinates) >= 0)
        self._at = np.asarray(coordinates)[self._rows]
        self._differences = settings.velocity_source == DIFFERENCES
        parts = [
            (nq, settings.imperfections('position')),
            (nv, settings.imperfections('velocity')),
        ]
        super().__init__(parts, settings.latency, settings.jitter, seed)
        self.remembers = self.remembers or self._differences
        if self._quaternions or self._differences:
            self.is_ideal = False

    def reset(self):
        super().reset()
        self._before = None

    def distorted(self, truth, dt):
        reading = super().distorted(truth, dt)
        for where in self._quaternions:
            length = np.linalg.norm(reading[where])
            reading[where] = reading[where] / length if length > SHORTEST else truth[where]
        if self._differences:
            self._derive(reading, dt)
        return reading

    def _derive(self, reading, dt):
        """Replace velocities by differences of positions, except for quaternions."""
        nq, before = self._nq, self._before
        position = reading[self._at].copy()
        if before is None:
            reading[nq + self._rows] = 0.0
        elif dt > 0.0:
            reading[nq + self._rows] = (position - before[0]) / dt
        else:
            reading[nq + self._rows] = before[1]
        self._before = position, reading[nq + self._rows].copy()


class Sensor:
    """The encoders of a plant.

    Parameters
    ----------
    nv : int
        Number of velocities.
    settings : SensorSettings
        Imperfections.
    nq : int, optional
        Number of positions; nv if not given.
    quaternions : sequence of int
        Index of each quaternion in q.
    coordinates : (nv,) sequence of int, optional
        Index in q of the position of each velocity, -1 without one; its own if not given.

    Attributes
    ----------
    reading : (nq + nv,) ndarray
        The last reading [rad or m, rad/s or m/s]; live.
    position, velocity : (nq,) and (nv,) ndarray
        The parts of the reading; live.
    faults : Faults
        Faults that act on the encoders; assign to change them.
    """

    def __init__(self, nv, settings=SensorSettings(), nq=None, quaternions=(), coordinates=None):
        nq = nv if nq is None else nq
        self.settings = settings
        self.faults = Faults()
        encoders, self._losses_seed = np.random.SeedSequence(settings.seed).spawn(2)
        where = range(nv) if coordinates is None else coordinates
        self._encoders = Encoders(settings, nv, nq, quaternions, where, encoders)
        self._is_ideal = self._encoders.is_ideal
        self._truth, self.reading = np.zeros((2, nq + nv))
        self._true_position, self._true_velocity = self._truth[:nq], self._truth[nq:]
        self.position, self.velocity = self.reading[:nq], self.reading[nq:]
        self.reset()

    def __repr__(self):
        return f'<Sensor of {self.velocity.size} velocities, {self.settings!r}>'

    @property
    def remembers(self):
        """Return whether readings depend on earlier samples."""
        return self._encoders.remembers

    def reset(self):
        """Restart the errors: the same calls give the same readings, bit for bit."""
        self._encoders.reset()
        self._losses = np.random.Generator(np.random.PCG64(self._losses_seed))

    def sample(self, q, qd, dt):
        """Sample the state.

        Parameters
        ----------
        q, qd : (nq,) and (nv,) ndarray
            State of the plant [rad or m, rad/s or m/s].
        dt : float
            Time since the previous sample [s]; 0 replaces that one.
        """
        self._true_position[:], self._true_velocity[:] = q, qd
        if not self._is_ideal:
            self._encoders.sample(self._truth, dt)

    def deliver(self):
        """Make the sample that arrives now the reading.

        Returns
        -------
        bool
            Whether the reading is valid.
        """
        reading = self._truth
        if not self._is_ideal:
            self._encoders.deliver()
            reading = self._encoders.value
        if not self.faults.frozen_sensor:
            self.reading[:] = reading
        dropped = self.faults.dropped_states
        return dropped == 0.0 or self._losses.random() >= dropped

    def sample_and_deliver(self, q, qd, dt=0.0):
        """Sample the state, then deliver.

        Parameters
        ----------
        q, qd : (nq,) and (nv,) ndarray
            State of the plant [rad or m, rad/s or m/s].
        dt : float
            Time since the previous sample [s]; 0 replaces that one.

        Returns
        -------
        bool
            Whether the reading is valid.
        """
        self.sample(q, qd, dt)
        return self.deliver()
