# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What sensors of links need of a plant: motion, and what pushes its links."""

import numpy as np


class SensedPlant:
    """Base class of plants, for sensors of their links.

    A plant has `model`, `q`, `qd`, `acting_wrenches` and `contacts`.
    """

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
