# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Base class of plants with flexibility: springs move further coordinates behind the joints."""

from dataclasses import replace

import numpy as np

from robodyn_ros.simulation.command_modes import CODES, UNCHANGED, Command, modes_of
from robodyn_ros.simulation.sensed_plant import SensedPlant

#: Attributes that are delegated to the plant inside.
SAME = (
    't',
    'fault',
    'faults',
    'refused',
    'command_bounds',
    'linked',
    'replace_kernel',
    'apply_wrench',
    'acting_wrenches',
    'contacts',
    'dependent_efforts',
    'stepped_model',
)
#: Settings of a plant that have an entry for each joint.
PER_JOINT = {'command_modes': 'effort', 'stiffness': 0.0, 'rate_gain': 0.0, 'velocity_gain': 0.0}


class SpringPlant(SensedPlant):
    """The interface of `Plant` for a robot with joints and springs.

    A plant inside has all coordinates: first the joints, then the deflections of the springs.
    Commands, drives, brakes, friction and stops act on the joints.

    `model` (RobotModel): the model of the joints alone.
    `settings` (PlantSettings): settings with one entry for each joint.
    `inside` (Plant): the plant of all coordinates.
    """

    def __dir__(self):
        return {*super().__dir__(), *SAME}

    def __getattr__(self, name):
        """Return an attribute of the plant inside: time, faults, wrenches, kernels."""
        if name not in SAME:
            return super().__getattr__(name)
        return getattr(self.inside, name)

    @property
    def spring_count(self):
        """Return the number of spring coordinates."""
        return len(self.inside.model.springs)

    def command_with_modes(self, command):
        """Return a command with its modes; see `Plant.command_with_modes`.

        `command` ((nv,) array_like or Command): as for `Plant.step`.
        Raises ShapeError: for a command of another size.
        """
        given = self._rigid.command_with_modes(command)
        if isinstance(command, Command):
            return given
        return Command(given.value, np.array([CODES[mode] for mode in self.modes]))

    @property
    def injected_faults(self):
        """Return the injected Faults; assign to change them; see `Plant.injected_faults`."""
        return self.inside.injected_faults

    @injected_faults.setter
    def injected_faults(self, faults):
        faults.check_names(self.model.name, self.model.joint_names)
        self.inside.injected_faults = faults

    @property
    def command_modes(self):
        """Return the command modes of the joints; see `Plant.command_modes`."""
        return self.inside.command_modes[: self.model.nv]

    @command_modes.setter
    def command_modes(self, names):
        names = modes_of(self.model, names)
        self.inside.command_modes = names + ('effort',) * self.spring_count

    @property
    def modes(self):
        """Return the present mode of each joint: 'effort', 'position' or 'velocity'."""
        return self.inside.modes[: self.model.nv]

    @property
    def accepted_quantities(self):
        """Return (nv, 3) whether each joint takes efforts, positions and velocities; live."""
        return self.inside.accepted_quantities[: self.model.nv]

    @property
    def commanded(self):
        """Return (nv,) whether each joint follows a command at present."""
        return self.inside.commanded[: self.model.nv]

    @property
    def over_speed(self):
        """Return (nv,) whether each joint exceeds its velocity limit."""
        return np.abs(self.qd) > self.model.limits.velocity

    def _spread(self, settings, spring_count):
        """Return settings for all coordinates of the plant inside."""
        entries = {}
        for name, none in PER_JOINT.items():
            given = getattr(settings, name)
            given = given * self.model.nv if len(given) == 1 else given
            entries[name] = (*given, *[none] * spring_count) if given else ()
        return replace(settings, **entries)

    def _spread_command(self, command):
        """Return a command to all coordinates, of which springs get none."""
        none = [np.full(self.spring_count, each) for each in (np.nan, UNCHANGED)]
        return Command(*(np.concatenate(pair) for pair in zip(command, none)))
