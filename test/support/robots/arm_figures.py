# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Readers of the descriptions in config/, kept apart from the package's own parser."""

import xml.etree.ElementTree as ElementTree
from math import cos, sin
from pathlib import Path

import numpy as np
import pytest

CONFIG = Path(__file__).resolve().parents[3] / 'config'
ARMS = ('franka_like', 'ur_like', 'two_link')


def urdf(arm):
    """Path of an arm's description."""
    return CONFIG / 'urdf' / f'{arm}.urdf'


def numbers(element, *names):
    """Named attributes of an element as floats."""
    return [float(element.get(name)) for name in names]


def vector(element, name):
    """A space separated attribute as an array."""
    return np.array(element.get(name).split(), dtype=float)


def inertials(path, prefix=''):
    """Link name -> (mass, centre of mass, inertia about it), in link axes, as written."""
    found = {}
    for link in ElementTree.parse(path).getroot().findall('link'):
        inertial = link.find('inertial')
        if inertial is None:
            continue
        origin = inertial.find('origin')
        assert not vector(origin, 'rpy').any()
        xx, xy, xz, yy, yz, zz = numbers(
            inertial.find('inertia'), 'ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz'
        )
        found[link.get('name').removeprefix(prefix)] = (
            float(inertial.find('mass').get('value')),
            vector(origin, 'xyz'),
            np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]),
        )
    return found


def moving_joints(path, prefix=''):
    """Joint name -> element, for the revolute joints in the file's order."""
    return {
        joint.get('name').removeprefix(prefix): joint
        for joint in ElementTree.parse(path).getroot().findall('joint')
        if joint.get('type') == 'revolute'
    }


def rotation_z(angle):
    """Homogeneous turn about z."""
    c, s = cos(angle), sin(angle)
    return np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])


def rotation_x(angle):
    """Homogeneous turn about x."""
    c, s = cos(angle), sin(angle)
    return np.array([[1, 0, 0, 0], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1]])


def shift(x, z):
    """Homogeneous translation along x and z."""
    T = np.eye(4)
    T[0, 3], T[2, 3] = x, z
    return T


def modified_dh(a, d, alpha, theta):
    """Craig's link transform: Rx(alpha) Tx(a) Rz(theta) Tz(d)."""
    return rotation_x(alpha) @ shift(a, 0) @ rotation_z(theta) @ shift(0, d)


def standard_dh(a, d, alpha, theta):
    """Denavit and Hartenberg's link transform: Rz(theta) Tz(d) Tx(a) Rx(alpha)."""
    return rotation_z(theta) @ shift(a, d) @ rotation_x(alpha)


def pinocchio_arm(arm):
    """The arm in Pinocchio: module, model, data."""
    pin = pytest.importorskip('pinocchio', reason='pin (the referee) is not installed')
    model = pin.buildModelFromUrdf(str(urdf(arm)))
    return pin, model, model.createData()


def frame_pose(pin, model, data, q, frame):
    """Homogeneous pose of a link frame in the base."""
    pin.framesForwardKinematics(model, data, q)
    return data.oMf[model.getFrameId(frame)].homogeneous
