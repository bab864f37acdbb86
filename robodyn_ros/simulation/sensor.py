# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Measured joint states: noise, quantisation, faults; seeded."""

from dataclasses import dataclass

import numpy as np

from robodyn_ros.model.rotation_matrix import SHORTEST
from robodyn_ros.simulation.faults import Faults
from robodyn_ros.simulation.plant_settings import at_least_zero, whole


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
        Seed of the noise, and of the readings that a fault drops.

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

    def __post_init__(self):
        for name in ('position_noise', 'velocity_noise', 'position_step', 'velocity_step'):
            at_least_zero(name, getattr(self, name))
        whole('seed', self.seed, 0, 2**63 - 1)


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
        Index of each quaternion in q. Quaternions are normalised after the noise is added, so the
        noise rotates them by twice its size [rad].

    Attributes
    ----------
    position, velocity : (nq,) and (nv,) ndarray
        The last reading [rad or m, rad/s or m/s].
    faults : Faults
        Faults that act on the encoders; assign to change them.
    """

    def __init__(self, nv, settings=SensorSettings(), nq=None, quaternions=()):
        self.settings = settings
        self._quaternions = [slice(k, k + 4) for k in quaternions]
        self.faults = Faults()
        self.position = np.zeros(nv if nq is None else nq)
        self.velocity = np.zeros(nv)
        self._errors = np.empty(len(self.position))
        self.reset()

    def reset(self):
        """Restart the noise: the same calls give the same readings, bit for bit."""
        noise, losses = np.random.SeedSequence(self.settings.seed).spawn(2)
        self._noise = np.random.Generator(np.random.PCG64(noise))
        self._losses = np.random.Generator(np.random.PCG64(losses))

    def read(self, q, qd):
        """Take a reading; return whether it is valid.

        Parameters
        ----------
        q, qd : (nq,) and (nv,) ndarray
            State of the plant [rad or m, rad/s or m/s].
        """
        if not self.faults.frozen_sensor:
            settings = self.settings
            self._distort(q, settings.position_noise, settings.position_step, self.position)
            for where in self._quaternions:
                self._make_unit(where, q)
            self._distort(qd, settings.velocity_noise, settings.velocity_step, self.velocity)
        dropped = self.faults.dropped_states
        return dropped == 0.0 or self._losses.random() >= dropped

    def _make_unit(self, where, q):
        """Normalise a quaternion; use the true one if the reading has length zero."""
        reading = self.position[where]
        length = np.linalg.norm(reading)
        reading[:] = reading / length if length > SHORTEST else q[where]

    def _distort(self, truth, deviation, resolution, reading):
        reading[:] = truth
        if deviation > 0.0:
            error = self._errors[: len(reading)]
            self._noise.standard_normal(out=error)
            error *= deviation
            reading += error
        if resolution > 0.0:
            reading /= resolution
            np.rint(reading, out=reading)
            reading *= resolution
