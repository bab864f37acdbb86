# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Hinges: Jain, section 3.2 and figure 3.2.

    Delta_V(k) = H'(k) beta(k)                                                             (3.7)

    turning about e        H' = [e; 0]             cylindrical   [e 0; 0 e]
    sliding along e             [0; e]             spherical     [1; 0]
    helical, pitch p            [e; p e]           free          1
    universal x, y         [y' x, y; 0] in the axes of the body: depends on the second angle
    rolling ball           [1; S(l)] in fixed axes, l from its centre to the contact [Sol 3.2]

The same hinge can be given by the motions that it forbids (3.1): A Delta_V = 0, A H' = 0. A hinge
with a prescribed motion of its own (acatastatic) is in `sko.formulation.acatastatic`.

H' is written in the axes of the body (the outboard frame O_k). There it is constant for all but
universal, planar and rolling hinges. Its rate is the one seen from the body. The orientation of
spherical, free and rolling hinges is a quaternion (x, y, z, w). So they have more coordinates than
velocities (3.6). Hinges in series without bodies between them are one hinge: `chained`.

Correction to the print: the rotations of (3.1) and (3.2) leave no room for a constant rotation at
the joint. Every real robot has one. Here it belongs to the body, not to the hinge.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from robodyn_ros.errors import short_repr
from robodyn_ros.formulations.jain.spatial_algebra import phi, tilde
from robodyn_ros.formulations.posture import skew

X, Y, Z = np.eye(3)
NIL = np.zeros(3)


@dataclass(frozen=True, eq=False)
class Hinge:
    """Motion that a body may make relative to its parent.

    `name`: kind of the hinge.
    `nq`: number of coordinates, r_p of the book.
    `nv`: number of velocities, r_v of the book.
    `placement`: `placement(theta)` returns (R, l). R (3, 3) turns body axes into those of the
      hinge on the parent. l (3,) is the origin of the body there [m].
    `map`: `map(theta)` returns H' (6, nv), in the axes of the body and at its origin.
    `map_rate`: `map_rate(theta, beta)` returns dH'/dt (6, nv) as the body sees it.
    `rates`: `rates(theta, beta)` returns the coordinate rates (nq,).
    """

    name: str
    nq: int
    nv: int
    placement: Callable
    map: Callable
    map_rate: Callable
    rates: Callable

    __repr__ = short_repr


def constraint(H):
    """Return the motions that a hinge forbids: A with A Delta_V = 0 (section 3.1).

    The forces A' lambda are those that the hinge carries without torque: H A' = 0.

    `H` (r, 6): joint map of the hinge.
    """
    _, sizes, rows = np.linalg.svd(H)
    return rows[len(sizes) :]


def about(axis, angle):
    """Return the rotation about an axis by an angle.

    `axis` ((3,) array_like): unit vector along the axis.
    `angle` (float or complex): angle [rad].
    """
    K = skew(axis)
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K


def rotation_of(quaternion):
    """Return the rotation of a quaternion.

    `quaternion` (4,): quaternion (x, y, z, w) of any length but zero; complex too.
    """
    *x, w = quaternion / np.sqrt(quaternion @ quaternion)
    K = skew(x)
    return np.eye(3) + 2.0 * w * K + 2.0 * K @ K


def quaternion_rate(quaternion, omega):
    """Return the rate of a quaternion from the angular velocity of its frame.

    `quaternion` (4,): quaternion (x, y, z, w) of any length but zero; complex too.
    `omega` (3,): angular velocity in the axes of the frame [rad/s].
    """
    x, w = quaternion[:3], quaternion[3]
    return 0.5 * np.concatenate((w * omega + np.cross(x, omega), [-x @ omega]))


def constant(name, columns, placement):
    """Return a hinge with constant H' in the body, whose velocities are coordinate rates.

    `name`: kind of the hinge.
    `columns` ((6, r) array_like): h'.
    `placement` (callable): see `Hinge`.
    """
    H = np.asarray(columns, float)
    r = H.shape[1]
    return Hinge(
        name,
        r,
        r,
        placement,
        lambda theta: H,
        lambda theta, beta: np.zeros((6, r)),
        lambda theta, beta: beta,
    )


def screw(name, axis, turns, slides):
    """Return a hinge with one degree of freedom along an axis.

    `name`: kind of the hinge.
    `axis` ((3,) array_like): unit vector along the axis.
    `turns`: angle per unit of the coordinate [rad].
    `slides`: travel per unit of the coordinate [m].
    """
    axis = np.asarray(axis, float)
    column = np.concatenate((turns * axis, slides * axis))
    return constant(
        name,
        column[:, None],
        lambda theta: (about(axis, turns * theta[0]), slides * theta[0] * axis),
    )


def pin(axis=Z):
    """Return a hinge that turns about an axis.

    `axis` ((3,) array_like): unit vector along the axis.
    """
    return screw('pin', axis, 1.0, 0.0)


def prismatic(axis=Z):
    """Return a hinge that slides along an axis.

    `axis` ((3,) array_like): unit vector along the axis.
    """
    return screw('prismatic', axis, 0.0, 1.0)


def helical(pitch, axis=Z):
    """Return a hinge that turns about an axis and slides along it in proportion.

    `pitch`: travel per angle [m/rad].
    `axis` ((3,) array_like): unit vector along the axis.
    """
    return screw('helical', axis, 1.0, pitch)


def cylindrical(axis=Z):
    """Return a hinge that turns about an axis and slides along it independently.

    `axis` ((3,) array_like): unit vector along the axis.
    """
    axis = np.asarray(axis, float)
    columns = np.column_stack((np.concatenate((axis, NIL)), np.concatenate((NIL, axis))))
    return constant('cylindrical', columns, lambda theta: (about(axis, theta[0]), theta[1] * axis))


def locked():
    """Return a hinge without freedom: the body is fixed to its parent."""
    return constant('locked', np.zeros((6, 0)), lambda theta: (np.eye(3), NIL))


def universal():
    """Return a hinge that turns about x of the parent, then about y of the body [Sol 3.1].

    In the axes of the parent's side, H' = [x, (0, cos theta_1, sin theta_1); 0].
    """

    def columns(theta):
        c, s = np.cos(theta[1]), np.sin(theta[1])
        return np.column_stack(([c, 0 * c, s, 0 * c, 0 * c, 0 * c], np.concatenate((Y, NIL))))

    def rate(theta, beta):
        c, s = np.cos(theta[1]), np.sin(theta[1])
        return np.column_stack(
            (beta[1] * np.array([-s, 0 * s, c, 0 * s, 0 * s, 0 * s]), np.zeros(6))
        )

    return Hinge(
        'universal',
        2,
        2,
        lambda theta: (about(X, theta[0]) @ about(Y, theta[1]), NIL),
        columns,
        rate,
        lambda theta, beta: beta,
    )


def planar():
    """Return a hinge that slides along x and y of the parent's side, then turns about z.

    The velocities are the coordinate rates, so H' turns with the angle.
    """

    def columns(theta):
        R = about(Z, theta[2])
        return np.block([[np.zeros((3, 2)), Z[:, None]], [R.T[:, :2], np.zeros((3, 1))]])

    def rate(theta, beta):
        turning = -beta[2] * skew(Z) @ about(Z, theta[2]).T
        return np.block([[np.zeros((3, 3))], [turning[:, :2], np.zeros((3, 1))]])

    return Hinge(
        'planar',
        3,
        3,
        lambda theta: (about(Z, theta[2]), theta[0] * X + theta[1] * Y),
        columns,
        rate,
        lambda theta, beta: beta,
    )


def spherical():
    """Return a ball joint.

    Returns theta is a quaternion, beta the angular velocity in the axes of the body [rad/s].
    """
    H = np.vstack((np.eye(3), np.zeros((3, 3))))
    return Hinge(
        'spherical',
        4,
        3,
        lambda theta: (rotation_of(theta), NIL),
        lambda theta: H,
        lambda theta, beta: np.zeros((6, 3)),
        quaternion_rate,
    )


def free():
    """Return a hinge without constraint.

    Returns theta is a quaternion and a position [m]. beta is the velocity of the body in its own
      axes, angular part first [rad/s, m/s].
    """

    def rates(theta, beta):
        return np.concatenate(
            (quaternion_rate(theta[:4], beta[:3]), rotation_of(theta[:4]) @ beta[3:])
        )

    return Hinge(
        'free',
        7,
        6,
        lambda theta: (rotation_of(theta[:4]), theta[4:]),
        lambda theta: np.eye(6),
        lambda theta, beta: np.zeros((6, 6)),
        rates,
    )


def rolling_ball(radius):
    """Return a ball that rolls without slip on the x-y plane of its parent [Sol 3.2].

    It has five freedoms of position but three of motion, so it is not holonomic. In the axes of
    the parent H' = [1; S(l)], with l = -radius z from the centre to the contact.

    `radius`: radius of the ball [m].
    Returns theta is a quaternion, then x and y of the centre [m]. beta is the angular velocity in
      the axes of the PARENT [rad/s].
    """
    fixed = np.vstack((np.eye(3), skew(-radius * Z)))

    def to_body(R):
        return np.block([[R.T, np.zeros((3, 3))], [np.zeros((3, 3)), R.T]])

    def rate(theta, beta):
        R = rotation_of(theta[:4])
        turning = -skew(R.T @ beta)
        return np.kron(np.eye(2), turning) @ to_body(R) @ fixed

    def rates(theta, beta):
        omega = rotation_of(theta[:4]).T @ beta
        return np.concatenate((quaternion_rate(theta[:4], omega), (fixed @ beta)[3:5]))

    return Hinge(
        'rolling ball',
        6,
        3,
        lambda theta: (rotation_of(theta[:4]), np.array([theta[4], theta[5], radius])),
        lambda theta: to_body(rotation_of(theta[:4])) @ fixed,
        rate,
        rates,
    )


#: Names of hinges that are chains of simpler ones.
CHAINS = {
    ('prismatic', 'pin'): 'cylindrical',
    ('pin', 'pin'): 'universal',
    ('prismatic', 'prismatic', 'pin'): 'planar',
    ('prismatic', 'prismatic', 'prismatic', 'spherical'): 'free',
}


def chained(parts):
    """Return one hinge that stands for several in series, without bodies between them.

    Column j of H' is the motion of part j carried to the body, phi'(j, body) H'(j). Its rate has
    two terms. The first is -tilde(velocity of the body relative to j) times the column. The second
    is the rate of H'(j), carried likewise.

    `parts` (sequence of tuple): (R, p, hinge) of each part: its placement (3, 3) and (3,) [m] on
      the part before.
    """
    if len(parts) == 1 and np.array_equal(parts[0][0], np.eye(3)) and not parts[0][1].any():
        return parts[0][2]
    kinds = tuple(hinge.name for _, _, hinge in parts)
    coordinates = np.cumsum([0] + [hinge.nq for _, _, hinge in parts])
    velocities = np.cumsum([0] + [hinge.nv for _, _, hinge in parts])

    def thetas(theta):
        return [theta[a:b] for a, b in zip(coordinates, coordinates[1:])]

    def placement(theta):
        R, l = np.eye(3), np.zeros(3)  # noqa: E741
        for (R0, p0, hinge), own in zip(parts, thetas(theta)):
            turn, offset = hinge.placement(own)
            R, l = R @ R0 @ turn, l + R @ (p0 + R0 @ offset)  # noqa: E741
        return R, l

    def columns_and_rates(theta, beta):
        carry, W, found = np.eye(6), np.zeros(6), []
        for k, own in reversed(list(enumerate(thetas(theta)))):
            R0, p0, hinge = parts[k]
            rates = beta[velocities[k] : velocities[k + 1]]
            columns = carry @ hinge.map(own)
            found.append((columns, carry @ hinge.map_rate(own, rates) - tilde(W) @ columns))
            W = W + columns @ rates
            turn, offset = hinge.placement(own)
            carry = carry @ phi(p0 + R0 @ offset, R0 @ turn).T
        columns, rates = zip(*reversed(found))
        return np.hstack(columns), np.hstack(rates)

    def rates(theta, beta):
        return np.concatenate(
            [
                hinge.rates(own, beta[a:b])
                for (_, _, hinge), own, a, b in zip(
                    parts, thetas(theta), velocities, velocities[1:]
                )
            ]
        )

    nv = int(velocities[-1])
    return Hinge(
        CHAINS.get(kinds, ' + '.join(kinds)),
        int(coordinates[-1]),
        nv,
        placement,
        lambda theta: columns_and_rates(theta, np.zeros(nv))[0],
        lambda theta, beta: columns_and_rates(theta, beta)[1],
        rates,
    )
