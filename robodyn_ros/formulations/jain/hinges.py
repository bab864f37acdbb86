# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Hinges: Jain, section 3.2 and figure 3.2.

    Delta_V(k) = H'(k) beta(k)                                                             (3.7)

    turning about e        H' = [e; 0]             cylindrical   [e 0; 0 e]
    sliding along e             [0; e]             spherical     [1; 0]
    helical, pitch p            [e; p e]           free          1
    universal x, y         [y' x, y; 0] in the axes of the body: depends on the second angle
    rolling ball           [1; S(l)] in fixed axes, l from its centre to the contact [Sol 3.2]

The same hinge by its forbidden motions, its implicit characterisation (3.1): A Delta_V = 0,
A H' = 0. A hinge that moves by itself (acatastatic, a term beside H' beta):
`sko.formulation.acatastatic`.

H' is written in the axes of the body (the outboard frame O_k). There it is constant for all but
the last two. Its rate is that seen from the body. A quaternion (x, y, z, w) stands for the
orientation of spherical, free and rolling hinges. They have more coordinates than velocities
(3.6). Hinges one after the other, without bodies between them, are one hinge: `chained`.

Correction to the print: the rotations of (3.1) and (3.2) leave no room for a constant rotation at
the joint. Every real robot has one. Here it belongs to the body, not to the hinge.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from robodyn_ros.formulations.arm import skew
from robodyn_ros.formulations.jain.spatial_algebra import phi, tilde

X, Y, Z = np.eye(3)
NIL = np.zeros(3)


@dataclass(frozen=True, eq=False)
class Hinge:
    """How a body may move on its parent.

    nq, nv : numbers of coordinates and of velocities, r_p and r_v of the book.
    placement(theta) -> (R, l) : axes of the body into those of the hinge on its parent, and the
    origin of the body there [m].
    map(theta) -> H' (6, nv), in axes of the body, at its origin.
    map_rate(theta, beta) -> dH'/dt (6, nv) as the body sees it.
    rates(theta, beta) -> thetadot (nq,).
    """

    name: str
    nq: int
    nv: int
    placement: Callable
    map: Callable
    map_rate: Callable
    rates: Callable


def constraint(H):
    """Return A (6 - r, 6), A Delta_V = 0: the motions that a hinge of map H (r, 6) forbids.

    The rows are orthonormal.

    A' lambda are the forces that the hinge carries without torque: H A' = 0 (section 3.1).
    """
    _, sizes, rows = np.linalg.svd(H)
    return rows[len(sizes) :]


def about(axis, angle):
    """Rotation (3, 3) by an angle [rad] about a unit axis (3,), complex angles too."""
    K = skew(axis)
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K


def rotation_of(quaternion):
    """R (3, 3) of a quaternion (x, y, z, w), of any length but zero; complex too."""
    *x, w = quaternion / np.sqrt(quaternion @ quaternion)
    K = skew(x)
    return np.eye(3) + 2.0 * w * K + 2.0 * K @ K


def quaternion_rate(quaternion, omega):
    """Rate (4,) of a quaternion whose frame turns at omega (3,) [rad/s] in its own axes."""
    x, w = quaternion[:3], quaternion[3]
    return 0.5 * np.concatenate((w * omega + np.cross(x, omega), [-x @ omega]))


def constant(name, columns, placement):
    """Return a hinge with constant H' (6, r) in the body; its velocities are coordinate rates."""
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
    """One degree of freedom along a unit axis: turns [rad] and slides [m] for each unit of it."""
    axis = np.asarray(axis, float)
    column = np.concatenate((turns * axis, slides * axis))
    return constant(
        name,
        column[:, None],
        lambda theta: (about(axis, turns * theta[0]), slides * theta[0] * axis),
    )


def pin(axis=Z):
    """Turning about an axis (3,)."""
    return screw('pin', axis, 1.0, 0.0)


def prismatic(axis=Z):
    """Sliding along an axis (3,)."""
    return screw('prismatic', axis, 0.0, 1.0)


def helical(pitch, axis=Z):
    """Turning about an axis (3,), and sliding along it by `pitch` [m/rad]."""
    return screw('helical', axis, 1.0, pitch)


def cylindrical(axis=Z):
    """Turning about an axis (3,) and sliding along it, in this order of theta."""
    axis = np.asarray(axis, float)
    columns = np.column_stack((np.concatenate((axis, NIL)), np.concatenate((NIL, axis))))
    return constant('cylindrical', columns, lambda theta: (about(axis, theta[0]), theta[1] * axis))


def locked():
    """No freedom: the body is fixed to its parent."""
    return constant('locked', np.zeros((6, 0)), lambda theta: (np.eye(3), NIL))


def universal():
    """Turning about x of the parent, then about y of the body [Sol 3.1].

    In axes of the parent's side, H' = [x, (0, cos theta_1, sin theta_1); 0].
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
    """Sliding along x and y of the parent's side, then turning about z: theta = (x, y, angle).

    The velocities are those of the coordinates, so H' turns with the angle.
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
    """Turning about a point: theta a quaternion, beta the angular velocity in the body's axes."""
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
    """No constraint: theta a quaternion and a position, beta the body's velocity in its axes."""

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

    theta : a quaternion, and x and y of its centre; beta : its angular velocity in axes of the
    PARENT. Five freedoms of place, three of motion: not holonomic. H' = [1; S(l)] in those axes,
    with l = -radius z from the centre to the contact.
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


#: What chains of simpler hinges are called.
CHAINS = {
    ('prismatic', 'pin'): 'cylindrical',
    ('pin', 'pin'): 'universal',
    ('prismatic', 'prismatic', 'pin'): 'planar',
    ('prismatic', 'prismatic', 'prismatic', 'spherical'): 'free',
}


def chained(parts):
    """One hinge of several, each (R, p, hinge) placed on the one before, without bodies between.

    theta and beta are those of the parts in turn. Column j of H' is the motion of part j carried
    to the body, phi'(j, body) H'(j). Its rate is - tilde(velocity of the body relative to j) of
    it, and what part j itself adds.
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
