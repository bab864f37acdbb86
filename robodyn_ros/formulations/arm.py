# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""One posture of a robot seen from the base, in the letters of the books.

    e_i axis of joint i     o_i its origin     c_i centre of mass of link i     r_ij = c_i - o_j
    rho_i = c_i - o_i       delta_i = o_(i+1) - c_i       a_i = o_(i+1) - o_i = rho_i + delta_i

Everything in base axes; link i is the one that joint i moves, numbered as q is. On a sliding joint
o_i slides with the link (Angeles, section 7.5.1: R'_i = delta_(i-1) + b_i e_i + rho_i). Any tree:
"link i - 1" of a book is `parent[i]` here, and the base is -1.
"""

from dataclasses import dataclass

import numpy as np

from robodyn_ros.errors import ModelError, ShapeError
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
    """A robot at one posture; n joints.

    parent (n,) of int. outward : link numbers from base to tip. revolute (n,) bool.
    turns, slides (n, 3) : e_i where the joint turns and zero where it slides, and the reverse.
    o, c (n, 3) [m]. Q (n, 3, 3) : link axes to base axes. m (n,) [kg]. I (n, 3, 3) [kg m2] about
    c_i. rotor (n,) : inertia of the drive seen at the joint. g (3,) [m/s2].
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

    @property
    def n(self):
        """Number of joints."""
        return len(self.m)

    def path(self, i):
        """Yield the joints that move link i, from joint i to the base.

        Yields
        ------
        int
            A joint.
        """
        while i >= 0:
            yield i
            i = self.parent[i]


def model_of(robot):
    """Return the RobotModel of a Robot or RobotModel; ModelError where joints depend on others."""
    model = getattr(robot, 'model', robot)
    model.refuse_dependent('a formulation of the books')
    return model


def states(robot, *arrays):
    """Each as an array (nv,), real or complex; ShapeError otherwise."""
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
    """Rotation (3, 3) about z; of a complex angle too, so that it can be differentiated by one."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def cross(u, v):
    """u x v on the last axis; of counting numbers too, which np.cross is not in numpy 1."""
    u, v = np.asarray(u), np.asarray(v)
    return u[..., NEXT] * v[..., LAST] - u[..., LAST] * v[..., NEXT]


def skew(v):
    """Return the cross-product matrix: skew(v) u = v x u."""
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def symmetric(xx, xy, xz, yy, yz, zz):
    """Symmetric matrix (3, 3) of its six numbers."""
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


@dataclass(frozen=True, eq=False)
class Link:
    """A link in its own frame, z along its joint and origin on it.

    R (3, 3), p (3,) : placement in the parent's frame at q = 0. m [kg], rho (3,) [m] centre of
    mass, I (3, 3) [kg m2] about it. parent and joint are link numbers in the order of q.
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

    def placement(self, q):
        """(rotation, origin) of the link's frame in its parent's, its joint at q."""
        if self.revolute:
            return self.R @ rotation_z(q), self.p
        return self.R, self.p + self.R[:, 2] * q


def links_of(robot):
    """Return every moving link as a Link, from base to tip.

    The books have turning and sliding joints; ModelError for any other.
    """
    model = model_of(robot)
    for name, kind in zip(model.body_names[1:], model.topology[1:, KIND]):
        if kind not in (REVOLUTE, PRISMATIC):
            raise ModelError(
                f'robot {model.name!r}: the joint of link {name!r} is helical or '
                'spherical; expected turning and sliding joints, as in the books'
            )
    return [_link(model.topology, model.constants, i) for i in range(1, len(model.topology))]


def _link(topology, constants, i):
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
    """Return the Arm of a Robot or RobotModel at q (nv,) [rad or m], real or complex."""
    (q,) = states(robot, q)
    links = links_of(robot)
    n, kind = len(links), np.result_type(q, float)
    # Row -1 is the base, at rest in the origin: it is what parent -1 finds.
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
    """(omega_i, odot_i, cdot_i), each (n, 3): of every link, of its origin, of its centre of mass.

    omega_i = omega_(i-1) + qd_i e_i,  cdot_i = odot_i + omega_i x rho_i; Angeles, (7.25a, 7.33a).
    base : angular velocity of the base and velocity of its origin, (3,) each; at rest by default.
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
    """(omegadot_i, cddot_i), each (n, 3), the base at rest; Angeles, (7.25b, 7.33b, 7.34f)."""
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
