# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What sensors of links need of a plant: motion, and what pushes its links."""

import numpy as np

from robodyn_ros.robot.robot_view import public_names, unknown

#: What serves, by the attribute of a plant that one might want to set.
SERVES = {
    'gravity': 'Plant(robot.with_gravity(gravity), ...)',
    'payload': 'plant.attach(frame, mass, com, inertia)',
    'position': 'plant.set_state(position, velocity); plant.q has it',
    'velocity': 'plant.set_state(position, velocity); plant.qd has it',
    'command': 'plant.step(command, dt)',
    'dt': 'plant.step(command, dt)',
    'wrench': 'plant.apply_wrench(frame, wrench)',
}


class SensedPlant:
    """Base class of plants, for sensors of their links.

    A plant has `model`, `q`, `qd`, `acting_wrenches` and `contacts`.
    """

    def __setattr__(self, name, value):
        if name in SERVES:
            raise AttributeError(f'{name!r} of {self!r} cannot be set; expected {SERVES[name]}')
        super().__setattr__(name, value)

    def __getattr__(self, name):
        if name in SERVES:
            raise AttributeError(f'{type(self).__name__} has no {name!r}; see {SERVES[name]}')
        if name.startswith('_'):
            raise AttributeError(name)
        own = [each for each in vars(self) if not each.startswith('_')]
        raise unknown(type(self).__name__, name, [*public_names(type(self)), *own])

    def __repr__(self):
        return f'<{type(self).__name__} of {self.model.name!r} at t = {self.t:.6g} s>'

    @property
    def leading(self):
        """Return the plant over the joints that lead at present: this one.

        Returns
        -------
        Plant
            Its robot is that of its `model`; see PassingPlant for another one.
        """
        return self

    def pushes(self, robot):
        """Return the wrenches that acted on links in the last substep, in base axes.

        Parameters
        ----------
        robot : Robot
            The robot of the model of `leading`.

        Returns
        -------
        dict of str to (6,) ndarray
            Force and moment [N, N m] at the origin of each link: external wrenches and contacts.
        """
        lead, found = self.leading, {}
        for frame, wrench in self.acting_wrenches.items():
            rotation = robot.pose(lead.q, frame)[:3, :3]
            found[frame] = np.concatenate((rotation @ wrench[:3], rotation @ wrench[3:]))
        for touch in lead.contacts:
            lever = touch.point - robot.pose(lead.q, touch.link)[:3, 3]
            pushed = np.concatenate((touch.force, np.cross(lever, touch.force)))
            found[touch.link] = found.get(touch.link, 0.0) + pushed
        return found

    def rates(self):
        """Return the velocities from which `acceleration` begins.

        Returns
        -------
        (nv,) ndarray
            A copy of `qd`.
        """
        return self.qd.copy()

    def acceleration(self, before, dt):
        """Return the mean acceleration of the joints of `leading` over a time.

        Parameters
        ----------
        before : (nv,) ndarray
            What `rates` returned at its beginning.
        dt : float
            The time [s].

        Returns
        -------
        (nv,) ndarray
            Mean acceleration [rad/s^2 or m/s^2].
        """
        return (self.qd - before) / dt
