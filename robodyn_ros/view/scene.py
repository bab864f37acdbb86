# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where the shapes of a robot's links are at a posture."""

import numpy as np


class Scene:
    """The shapes of a robot, fixed to its links.

    `shapes` (sequence of Shape): shapes of its links. Those of links that it does not have are
      left out, as of links below its base.
    `joints` (sequence of Joint): joints of its description, fixed ones included.
    `shapes` (tuple of Shape): the shapes that are left.
    `left_out` (tuple of str): names of the links whose shapes are left out.
    """

    def __init__(self, robot, shapes, joints):
        self._robot = robot
        self.shapes = tuple(shape for shape in shapes if shape.link in robot.frames)
        left = (shape.link for shape in shapes if shape.link not in robot.frames)
        self.left_out = tuple(dict.fromkeys(left))
        self._links = tuple(dict.fromkeys(shape.link for shape in self.shapes))
        self._local = np.zeros((len(self.shapes), 4, 4))
        for local, shape in zip(self._local, self.shapes):
            local[:3, :3], local[:3, 3] = shape.placement.rotation, shape.placement.translation
            local[3, 3] = 1.0
        self._of = [self._links.index(shape.link) for shape in self.shapes]
        bones = [(j.parent, j.child) for j in joints if {j.parent, j.child} <= {*robot.frames}]
        self._bones = tuple(bones)

    def poses(self, q):
        """Return the poses of all shapes in the base: X_0S = X_0L X_LS."""
        return self._robot.frames.poses(q, self._links)[self._of] @ self._local

    def skeleton(self, q):
        """Return a segment from the frame of each link to that of each link it carries."""
        ends = [name for bone in self._bones for name in bone]
        return self._robot.frames.poses(q, ends)[:, :3, 3].reshape(-1, 2, 3)
