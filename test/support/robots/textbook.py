# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The arms of the textbooks as descriptions: serial, one joint and one link after the other."""

from dataclasses import dataclass

import numpy as np

from robodyn_ros import Robot
from robodyn_ros.model import build
from robodyn_ros.model.description import Inertial, Joint, Link, Placement, RobotDescription

UP = np.array((0.0, 0.0, 9.81))  # what the texts' g makes of the base: it accelerates with it


@dataclass(frozen=True)
class Segment:
    """A joint, placed and pointed in the frame of the link before, and the link it carries."""

    type: str
    axis: tuple
    origin: tuple
    mass: float
    com: tuple
    inertia: np.ndarray | float  # about the com; a number times the unit matrix

    def inertial(self):
        """Return the inertia of the link."""
        return Inertial(
            self.mass,
            np.array(self.com, dtype=float),
            self.inertia * np.eye(3)
            if np.ndim(self.inertia) == 0
            else np.asarray(self.inertia, dtype=float),
        )


def serial(segments, gravity=(0.0, 0.0, -9.81), tip=None):
    """Return the Robot of a serial arm; tip : where a frame 'tip' sits on the last link."""
    links, joints = [Link('base')], []
    for number, segment in enumerate(segments, start=1):
        links.append(Link(f'link{number}', segment.inertial()))
        joints.append(
            Joint(
                f'joint{number}',
                segment.type,
                links[-2].name,
                links[-1].name,
                Placement(translation=np.array(segment.origin, dtype=float)),
                np.array(segment.axis, dtype=float),
            )
        )
    if tip is not None:
        joints.append(
            Joint(
                'fix',
                'fixed',
                links[-1].name,
                'tip',
                Placement(translation=np.array(tip, dtype=float)),
            )
        )
        links.append(Link('tip'))
    return Robot(
        build.build(RobotDescription('textbook', tuple(links), tuple(joints)), gravity=gravity)
    )


def planar(lengths, masses, coms, inertias, gravity=(0.0, 0.0, -9.81)):
    """Return the Robot of an arm in the x-z plane, angles lifting it, links along x, a 'tip'.

    coms : distances along the links. inertias : about the com and the plane's normal.
    """
    origins = [0.0, *lengths[:-1]]
    return serial(
        [
            Segment(
                'revolute',
                (0.0, -1.0, 0.0),
                (origin, 0.0, 0.0),
                mass,
                (com, 0.0, 0.0),
                np.diag((inertia, inertia, inertia)),
            )
            for origin, mass, com, inertia in zip(origins, masses, coms, inertias)
        ],
        gravity,
        (lengths[-1], 0.0, 0.0),
    )
