# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""One posture of a robot seen from the base, in the letters of the books.

    e_i axis of joint i     o_i its origin     c_i centre of mass of link i     r_ij = c_i - o_j
    rho_i = c_i - o_i       delta_i = o_(i+1) - c_i       a_i = o_(i+1) - o_i = rho_i + delta_i

Everything is in base axes. Joint i moves link i, numbered as in q. At a prismatic joint o_i slides
with the link (Angeles, section 7.5.1: R'_i = delta_(i-1) + b_i e_i + rho_i). Any tree: "link
i - 1" of a book is `parent[i]` here, and the base is -1.
"""

from dataclasses import dataclass

import numpy as np

from robodyn_ros.errors import ModelError, ShapeError, short_repr
from robodyn_ros.model.layout import (
    INERTIA,
    KIND,
    MASS,
    MOMENT,
    OFFSET,
    PARENT,
    PRISMATIC,
    REVOLUTE,
    ROTATION,
    ROTOR,
    V,
)

NEXT, LAST = (1, 2, 0), (2, 0, 1)


@dataclass(frozen=True, eq=False)
class Arm:
    """A robot with n joints at one posture, in base axes.

    `parent`: link that carries each joint; -1 for the base.
    `outward`: links from base to tip.
    `revolute`: whether each joint is revolute.
    `turns`: e_i of revolute joints; zero for the others.
    `slides`: e_i of prismatic joints; zero for the others.
    `o`: origins of the joints [m].
    `c`: centres of mass of the links [m].
    `Q`: rotations from link axes to base axes.
    `m`: masses [kg].
    `I`: inertia tensors about c_i [kg m2].
    `rotor`: inertia of the drives, reflected to the joints [kg m2 or kg].
    `g`: acceleration of free fall [m/s2].
    """

    parent: tuple
    outward: tuple
    revolute: np.ndarray
    turns: np.ndarray
    slides: np.ndarray
    o: np.ndarray
    c: np.ndarray
    Q: np.ndarray
    m: np.ndarray
    I: np.ndarray  # noqa: E741  the letter of every book
    rotor: np.ndarray
    g: np.ndarray

    __repr__ = short_repr

    @property
    def n(self):
        """Number of joints."""
        return len(self.m)

    def path(self, i):
        """Yield the joints that move a link, from its own to the base.

        `i`: the link.
        """
        while i >= 0:
            yield i
            i = self.parent[i]


def model_of(robot):
    """Return the RobotModel of a robot.

    Raises ModelError: if some joints depend on others.
    """
    model = getattr(robot, 'model', robot)
    model.refuse_dependent('a formulation of the books')
    return model


def states(robot, *arrays):
    """Return states of a robot as arrays, real or complex.

    `*arrays` ((nv,) array_like): coordinates, velocities or torques.
    Raises ShapeError: if an array has another shape.
    """
    model = model_of(robot)
    checked = [np.asarray(array) for array in arrays]
    for array in checked:
        if array.shape != (model.nv,):
            raise ShapeError(
                f'robot {model.name!r}: got a state of shape {array.shape}; expected '
                f'({model.nv},), in the order {", ".join(model.joint_names)}'
            )
    return checked


def rotation_z(angle):
    """Return the rotation about z, also by a complex angle for complex-step derivatives.

    `angle` (float or complex): angle [rad].
    """
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def cross(u, v):
    """Return u x v on the last axis, also of `count.Counted` numbers.

    np.cross of NumPy 1 does not take such numbers.

    `u`, `v` ((..., 3) array_like): vectors.
    """
    u, v = np.asarray(u), np.asarray(v)
    return u[..., NEXT] * v[..., LAST] - u[..., LAST] * v[..., NEXT]


def skew(v):
    """Return the cross-product matrix: skew(v) u = v x u.

    `v` ((3,) array_like): vector.
    """
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def symmetric(xx, xy, xz, yy, yz, zz):
    """Return the symmetric matrix of six numbers.

    `xx`, `xy`, `xz`, `yy`, `yz`, `zz`: entries.
    """
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


@dataclass(frozen=True, eq=False)
class Link:
    """A link in its own frame, with z along its joint and the origin on it.

    `parent`: link that carries the joint, in the order of q; -1 for the base.
    `joint`: number of the joint, and of the link, in the order of q.
    `revolute`: whether the joint is revolute.
    `R`: axes in the parent's frame at q = 0.
    `p`: origin in the parent's frame at q = 0 [m].
    `m`: mass [kg].
    `rho`: centre of mass [m].
    `I`: inertia tensor about the centre of mass [kg m2].
    `rotor`: inertia of the drive, reflected to the joint [kg m2 or kg].
    """

    parent: int
    joint: int
    revolute: bool
    R: np.ndarray
    p: np.ndarray
    m: float
    rho: np.ndarray
    I: np.ndarray  # noqa: E741
    rotor: float

    __repr__ = short_repr

    def placement(self, q):
        """Return the pose of the link's frame in its parent's.

        `q` (float or complex): coordinate of the joint [rad or m].
        Returns `rotation` (3, 3): axes of the frame.
        Returns `origin` (3,): origin of the frame [m].
        """
        if self.revolute:
            return self.R @ rotation_z(q), self.p
        return self.R, self.p + self.R[:, 2] * q


def links_of(robot):
    """Return every moving link, from base to tip.

    Raises ModelError: if a joint is neither revolute nor prismatic, as those of the books are.
    """
    model = model_of(robot)
    for name, kind in zip(model.body_names[1:], model.topology[1:, KIND]):
        if kind not in (REVOLUTE, PRISMATIC):
            raise ModelError(
                f'robot {model.name!r}: the joint of link {name!r} is helical or '
                'spherical; expected revolute and prismatic joints, as in the books'
            )
    return [_link(model.topology, model.constants, i) for i in range(1, len(model.topology))]


def _link(topology, constants, i):
    """Return the Link of row i of the model."""
    row, up = constants[i], topology[i, PARENT]
    m, moment = row[MASS], row[MOMENT : MOMENT + 3]
    rho = moment / m if m > 0.0 else np.zeros(3)
    about_origin = symmetric(*row[INERTIA : INERTIA + 6])
    return Link(
        parent=topology[up, V] if up > 0 else -1,
        joint=topology[i, V],
        revolute=topology[i, KIND] == REVOLUTE,
        R=row[ROTATION : ROTATION + 9].reshape(3, 3),
        p=row[OFFSET : OFFSET + 3],
        m=m,
        rho=rho,
        I=about_origin + m * skew(rho) @ skew(rho),
        rotor=row[ROTOR],
    )


def arm_at(robot, q):
    """Return a robot at given coordinates.

    `q` ((nv,) array_like): coordinates, real or complex [rad, m].
    """
    (q,) = states(robot, q)
    links = links_of(robot)
    n, kind = len(links), np.result_type(q, float)
    # Row -1 is the base, which parent -1 refers to.
    Q, o = np.zeros((n + 1, 3, 3), kind), np.zeros((n + 1, 3), kind)
    Q[-1] = np.eye(3)
    c, I = np.zeros((n, 3), kind), np.zeros((n, 3, 3), kind)  # noqa: E741
    m, rotor = np.zeros(n), np.zeros(n)
    parent, revolute = np.zeros(n, int), np.zeros(n, bool)
    for link in links:
        i, up = link.joint, link.parent
        rotation, origin = link.placement(q[i])
        Q[i], o[i] = Q[up] @ rotation, o[up] + Q[up] @ origin
        c[i], I[i] = o[i] + Q[i] @ link.rho, Q[i] @ link.I @ Q[i].T
        m[i], rotor[i], parent[i], revolute[i] = link.m, link.rotor, up, link.revolute
    e = Q[:n, :, 2]
    return Arm(
        tuple(parent),
        tuple(link.joint for link in links),
        revolute,
        e * revolute[:, None],
        e * ~revolute[:, None],
        o[:n],
        c,
        Q[:n],
        m,
        I,
        rotor,
        model_of(robot).gravity,
    )


def velocities(arm, qd, base=((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))):
    """Return the velocities of all links (Angeles, 7.25a, 7.33a).

    omega_i = omega_(i-1) + qd_i e_i,  cdot_i = odot_i + omega_i x rho_i.

    `arm` (Arm): the robot at one posture.
    `qd` ((n,) array_like): joint velocities [rad/s, m/s].
    `base` (pair of (3,) array_like): angular velocity of the base and velocity of its origin; at
      rest by default.
    Returns `omega` (n, 3): angular velocities [rad/s].
    Returns `odot` (n, 3): velocities of the origins [m/s].
    Returns `cdot` (n, 3): velocities of the centres of mass [m/s].
    """
    kind = np.result_type(arm.o, qd)
    w, v = np.zeros((arm.n + 1, 3), kind), np.zeros((arm.n + 1, 3), kind)
    w[-1], v[-1] = base
    o = np.vstack((arm.o, np.zeros(3)))
    for i in arm.outward:
        up = arm.parent[i]
        w[i] = w[up] + qd[i] * arm.turns[i]
        v[i] = v[up] + cross(w[up], o[i] - o[up]) + qd[i] * arm.slides[i]
    w, v = w[:-1], v[:-1]
    return w, v, v + cross(w, arm.c - arm.o)


def accelerations(arm, qd, qdd):
    """Return the accelerations of all links, with the base at rest (Angeles, 7.25b, 7.33b, 7.34f).

    `arm` (Arm): the robot at one posture.
    `qd` ((n,) array_like): joint velocities [rad/s, m/s].
    `qdd` ((n,) array_like): joint accelerations [rad/s2, m/s2].
    Returns `omegadot` (n, 3): angular accelerations [rad/s2].
    Returns `cddot` (n, 3): accelerations of the centres of mass [m/s2].
    """
    w, _, _ = velocities(arm, qd)
    w = np.vstack((w, np.zeros(3)))
    wd, a = np.zeros_like(w), np.zeros_like(w)
    o = np.vstack((arm.o, np.zeros(3)))
    for i in arm.outward:
        up, reach = arm.parent[i], o[i] - o[arm.parent[i]]
        wd[i] = wd[up] + cross(w[up], qd[i] * arm.turns[i]) + qdd[i] * arm.turns[i]
        a[i] = (
            a[up]
            + cross(wd[up], reach)
            + cross(w[up], cross(w[up], reach))
            + 2.0 * cross(w[up], qd[i] * arm.slides[i])
            + qdd[i] * arm.slides[i]
        )
    w, wd, a, rho = w[:-1], wd[:-1], a[:-1], arm.c - arm.o
    return wd, a + cross(wd, rho) + cross(w, cross(w, rho))
