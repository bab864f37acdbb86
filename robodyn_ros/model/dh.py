# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Denavit-Hartenberg rows to a description, in both conventions of the textbooks.

standard (Denavit and Hartenberg 1955; Spong, Hutchinson and Vidyasagar, equation 3.10; Angeles,
section 4.2): T = Rz(theta) Tz(d) Tx(a) Rx(alpha). Frame i is at the DISTAL end of link i. Joint i
moves about the z axis of frame i-1.

modified (Craig, equation 3.6): T = Rx(alpha) Tx(a) Rz(theta) Tz(d), with a and alpha of the
previous link. Frame i is at the PROXIMAL end of link i, and joint i moves about its own z axis.
"""

from dataclasses import dataclass

import numpy as np

from robodyn_ros.errors import ModelError, short_repr
from robodyn_ros.model.description import (
    ONE_AXIS,
    Inertial,
    Joint,
    Limit,
    Link,
    Placement,
    RobotDescription,
)
from robodyn_ros.model.rotation_matrix import about_x, about_z

CONVENTIONS = ('modified', 'standard')
JOINTS = ONE_AXIS + ('fixed',)
SHAPES = {
    'a': (),
    'alpha': (),
    'd': (),
    'theta': (),
    'mass': (),
    'com': (3,),
    'inertia': (3, 3),
    'rotor_inertia': (),
    'damping': (),
    'friction': (),
}


@dataclass(frozen=True, eq=False)
class DHRow:
    """One joint and its child link.

    Parameters
    ----------
    a, alpha, d, theta : float
        The row of the table at q = 0 [m, rad, m, rad]. q adds to theta of a revolute joint, and to
        d of a prismatic one.
    joint : {'revolute', 'continuous', 'prismatic', 'fixed'}
        Type of the joint.
    mass : float
        Mass of the link [kg].
    com : (3,) array_like
        Centre of mass [m] in the link's frame: distal if standard, proximal if modified.
    inertia : (3, 3) array_like
        Inertia about the centre of mass [kg m^2], in the axes of that frame.
    rotor_inertia, damping, friction : float
        At the joint [kg m^2 or kg, N m s/rad or N s/m, N m or N].
    limit : Limit
        Limits of the joint.
    joint_name, link_name : str
        Names; if empty 'joint1', 'link1', ..., by position.
    """

    a: float = 0.0
    alpha: float = 0.0
    d: float = 0.0
    theta: float = 0.0
    joint: str = 'revolute'
    mass: float = 0.0
    com: tuple = (0.0, 0.0, 0.0)
    inertia: tuple = ((0.0,) * 3,) * 3
    rotor_inertia: float = 0.0
    damping: float = 0.0
    friction: float = 0.0
    limit: Limit = Limit()
    joint_name: str = ''
    link_name: str = ''

    __repr__ = short_repr


def describe(rows, convention='modified', name='dh', base='base'):
    """Return the description of a table of DHRow, with the frames of the table as link frames.

    Parameters
    ----------
    rows : sequence of DHRow
        Rows from base to tip.
    convention : {'modified', 'standard'}
        The standard convention has frame 'link1' at the far end of a link. A link 'link1_proximal'
        at each joint carries it.
    name : str
        Name of the robot.
    base : str
        Name of frame 0.

    Returns
    -------
    RobotDescription
        Links and joints of the table.

    Raises
    ------
    ModelError
        For an unknown convention, or an entry that is not a finite number of its shape.
    """
    if convention not in CONVENTIONS:
        raise ModelError(
            f'robot {name!r}: DH convention is {convention!r}; expected one of '
            f'{", ".join(CONVENTIONS)}'
        )
    links, joints = [Link(base)], []
    for number, row in enumerate(rows, start=1):
        _check(f'robot {name!r}: DH row {number}', row)
        about_link = Placement(about_x(row.alpha), np.array([row.a, 0.0, 0.0]))
        about_joint = Placement(about_z(row.theta), np.array([0.0, 0.0, row.d]))
        joint_name = row.joint_name or f'joint{number}'
        link = row.link_name or f'link{number}'
        parent = links[-1].name
        if convention == 'modified':
            joints.append(_joint(row, joint_name, parent, link, about_link @ about_joint))
        else:
            proximal = f'{link}_proximal'
            joints.append(_joint(row, joint_name, parent, proximal, about_joint))
            joints.append(Joint(f'{joint_name}_distal', 'fixed', proximal, link, about_link))
            links.append(Link(proximal))
        links.append(
            Link(
                link,
                Inertial(
                    row.mass, np.array(row.com, dtype=float), np.array(row.inertia, dtype=float)
                ),
            )
        )
    return RobotDescription(name, tuple(links), tuple(joints))


def _check(where, row):
    """Refuse a row with an unknown joint, or with an entry that is no finite number."""
    if row.joint not in JOINTS:
        raise ModelError(f'{where} has joint {row.joint!r}; expected one of {", ".join(JOINTS)}')
    for what, shape in SHAPES.items():
        given = getattr(row, what)
        try:
            numbers = np.asarray(given, dtype=float)
        except (TypeError, ValueError):
            numbers = np.array(np.nan)
        if numbers.shape != shape or not np.all(np.isfinite(numbers)):
            expected = f'finite numbers of shape {shape}' if shape else 'a finite number'
            raise ModelError(f'{where}: {what} is {given!r}; expected {expected}')


def _joint(row, name, parent, child, placement):
    """Return the joint of a row, about or along z."""
    return Joint(
        name,
        row.joint,
        parent,
        child,
        placement,
        np.array([0.0, 0.0, 1.0]),
        row.limit,
        row.damping,
        row.friction,
        row.rotor_inertia,
    )
