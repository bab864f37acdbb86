# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The slow referee: every link on its own, 6x6 matrices in base axes about the base origin.

It follows the definitions, without recursions, merged links or body frames: M = sum J^T I J, V =
-sum m g.c. Christoffel symbols and gradients are complex steps. Everything runs on complex
numbers, so that any of it can be differentiated. Motions are angular first inside; Returned
Jacobians and wrenches are linear first, at the frame's origin, as those of Robot.
"""

import numpy as np

STEP = 1e-40  # of complex steps: nothing is subtracted, so it may be arbitrarily small
KEPT = 200  # placements of one robot: those of its states and of their complex steps
ONE = np.eye(3)


def blocks(a, b, c, d):
    """Return [[a, b], [c, d]]; np.block takes ten times as long."""
    return np.concatenate((np.concatenate((a, b), axis=1), np.concatenate((c, d), axis=1)))


def skew(v):
    """Return the matrix [v] with [v] x = v x x."""
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def about(axis, angle):
    """Return the rotation by an angle about a unit axis (Rodrigues)."""
    K = skew(axis)
    return ONE + np.sin(angle) * K + (1.0 - np.cos(angle)) * (K @ K)


def along(function, x, direction):
    """Return the derivative of `function` at x in a direction, by complex step."""
    return np.imag(function(x + 1j * STEP * np.asarray(direction))) / STEP


def of_quaternion(p):
    """Return R = 1 + 2 (w [v] + [v]^2) / (v.v + w^2) of a quaternion (x, y, z, w)."""
    K = skew(p[:3])
    return np.eye(3) + 2.0 * (p[3] * K + K @ K) / (p @ p)


def frame_about(axis):
    """Return a rotation whose third column is a unit axis: the smallest that turns z there."""
    x, y, z = axis
    if z <= -1.0:
        return np.diag([1.0, -1.0, -1.0])
    K = skew(np.array([-y, x, 0.0]))
    return np.eye(3) + K + K @ K / (1.0 + z)


def displaced(joint, x):
    """Return (R, p, S): where the child of a joint stands, and its motions by unit velocities.

    All in the joint's axes about its origin; S : (6, velocities), angular first. Spherical joints
    have a quaternion for x and turn about the axes of the child.
    """
    axis, none = np.asarray(joint.axis) / np.linalg.norm(joint.axis), np.zeros(3)

    def turn(n, p=none):
        return np.concatenate((n, skew(p) @ n))

    def slide(n):
        return np.concatenate((none, n))

    if joint.type == 'prismatic':
        return np.eye(3), x[0] * axis, np.array([slide(axis)]).T
    if joint.type == 'helical':
        screw = turn(axis) + joint.pitch * slide(axis)
        return about(axis, x[0]), joint.pitch * x[0] * axis, np.array([screw]).T
    if joint.type == 'cylindrical':
        return about(axis, x[1]), x[0] * axis, np.array([slide(axis), turn(axis)]).T
    if joint.type == 'universal':
        first = about(axis, x[0])
        second = np.asarray(joint.second_axis) / np.linalg.norm(joint.second_axis)
        return (first @ about(second, x[1]), none, np.array([turn(axis), turn(first @ second)]).T)
    if joint.type == 'planar':
        A = frame_about(axis)
        p = A[:, :2] @ x[:2]
        return about(axis, x[2]), p, np.array([*map(slide, A.T[:2]), turn(axis, p)]).T
    if joint.type in ('spherical', 'floating'):
        R, free = of_quaternion(x[-4:]), joint.type == 'floating'
        p = x[:3] if free else none
        slides = [slide(e) for e in np.eye(3)] if free else []
        return R, p, np.array([*slides, *(turn(n, p) for n in R.T)]).T
    return about(axis, x[0]), none, np.array([turn(axis)]).T


#: Sizes of q and qd of joints that have more than one.
SIZES = {
    'cylindrical': (2, 2),
    'universal': (2, 2),
    'planar': (3, 3),
    'spherical': (4, 3),
    'floating': (7, 6),
}


def tangent(types, q):
    """Return T with dq/dt = T qd, (nq, nv), for joints of these types in the order of q.

    d/dt p = p (omega, 0) / 2 for a quaternion p and angular velocities in axes of the child.
    """
    blocks, k = [], 0
    for kind in types:
        size = SIZES.get(kind, (1, 1))
        if size[0] > size[1]:
            slides = np.eye(size[1] - 3)
            x, y, z, w = q[k + size[0] - 4 : k + size[0]]
            turns = 0.5 * np.array([[w, -z, y], [z, w, -x], [-y, x, w], [-x, -y, -z]])
            blocks += [slides, turns]
        else:
            blocks.append(np.eye(size[0]))
        k += size[0]
    T = np.zeros((sum(len(b) for b in blocks), sum(b.shape[1] for b in blocks)), dtype=q.dtype)
    row = column = 0
    for block in blocks:
        T[row : row + len(block), column : column + block.shape[1]] = block
        row, column = row + len(block), column + block.shape[1]
    return T


def gradient(function, x):
    """Return the derivatives of `function` by every entry of x, stacked along the first axis."""
    return np.array([along(function, x, e) for e in np.eye(len(x))])


def spatial_inertia(mass, com, inertia):
    """Return the 6x6 inertia about the origin of the axes that com and inertia are given in."""
    C = mass * skew(com)
    return blocks(inertia - skew(com) @ C, C, -C, mass * ONE)


def motion_cross(V):
    """Return [V x] of motions, angular first; [V x*] of forces is minus its transpose."""
    w, v = skew(V[:3]), skew(V[3:])
    return blocks(w, np.zeros((3, 3)), v, w)


def joints_of(joint_names, description):
    """Return the joints that velocities are named after, each once."""
    known = {joint.name for joint in description.joints}
    return tuple(
        dict.fromkeys(name if name in known else name.rsplit('.', 1)[0] for name in joint_names)
    )


def point_rates(inertia, V):
    """Return sum m [[p]; 1] [-[dp/dt], 0] over the points of a body that moves with V."""
    m, h = inertia[5, 5], np.array([inertia[2, 4], inertia[0, 5], inertia[1, 3]])
    second = 0.5 * np.trace(inertia[:3, :3]) * np.eye(3) - inertia[:3, :3]  # sum m p p^T
    K = np.outer(V[3:], h) + skew(V[:3]) @ second  # sum m dp/dt p^T
    B = np.zeros((6, 6))
    B[:3, :3] = np.trace(K) * np.eye(3) - K
    B[3:, :3] = -skew(m * V[3:] + np.cross(V[:3], h))
    return B


class Dense:
    """A robot's dynamics from its description."""

    def __init__(self, case, joint_names, base):
        self.nv = len(joint_names)
        self.base = base
        self.gravity = np.array(case.gravity)
        types = {joint.name: joint.type for joint in case.whole.joints}
        chosen = joints_of(joint_names, case.whole)
        self.types = [types[name] for name in chosen]
        sizes = np.array([SIZES.get(kind, (1, 1)) for kind in self.types])
        starts = np.cumsum(sizes, axis=0) - sizes
        self.at = {
            name: (slice(q, q + nq), slice(v, v + nv))
            for name, (q, v), (nq, nv) in zip(chosen, starts.tolist(), sizes.tolist())
        }
        self.locked = case.locked
        self.inertials = {link.name: link.inertial for link in case.whole.links}
        self.joints, known, waiting = [], {base}, list(case.whole.joints)
        while ready := [joint for joint in waiting if joint.parent in known]:
            self.joints += ready
            known |= {joint.child for joint in ready}
            waiting = [joint for joint in waiting if joint.child not in known]
        self.rotors = np.zeros(self.nv)
        self._links = {}
        self.moving = set()
        for joint in self.joints:
            if joint.name in self.at:
                self.rotors[self.at[joint.name][1]] = joint.rotor_inertia
            if joint.name in self.at or joint.parent in self.moving:
                self.moving.add(joint.child)

    def links(self, q):
        """Return {link: (R, p, J)}: rotation, origin, spatial Jacobian about the base origin.

        Many tests ask for the same states, so some are kept.
        """
        key = q.dtype.char, q.tobytes()
        if key not in self._links:
            if len(self._links) >= KEPT:
                self._links.clear()
            self._links[key] = self._placed(q)
        return self._links[key]

    def _placed(self, q):
        """Compute what `links` returns."""
        found = {self.base: (np.eye(3), np.zeros(3), np.zeros((6, self.nv)))}
        for joint in self.joints:
            R, p, J = found[joint.parent]
            p, R = p + R @ joint.placement.translation, R @ joint.placement.rotation
            J = J.astype(q.dtype)
            if joint.name in self.at:
                of_q, of_v = self.at[joint.name]
                turn, travel, S = displaced(joint, q[of_q])
                S = np.concatenate((R @ S[:3], R @ S[3:]))
                J[:, of_v] += S
                J[3:, of_v] += skew(p) @ S[:3]
                R, p = R @ turn, p + R @ travel
            elif joint.type not in ('fixed', 'floating', 'planar'):
                turn, travel, _ = displaced(joint, np.array([self.locked.get(joint.name, 0.0)]))
                R, p = R @ turn, p + R @ travel
            found[joint.child] = R, p, J
        return found

    def bodies(self, q):
        """Return {link: (I, J)} of what moves and has inertia, about the base origin."""
        result = {}
        for name, (R, p, J) in self.links(q).items():
            body = self.inertials[name]
            if body is not None and name in self.moving:
                result[name] = (
                    spatial_inertia(body.mass, p + R @ body.com, R @ body.inertia @ R.T),
                    J,
                )
        return result

    def mass_matrix(self, q):
        """Return M = sum J^T I J + diag(rotors)."""
        return sum(
            (J.T @ inertia @ J for inertia, J in self.bodies(q).values()), np.diag(self.rotors)
        )

    def mass_matrix_inverse(self, q):
        """Return M^-1, by a dense inverse."""
        return np.linalg.inv(self.mass_matrix(q))

    def energy(self, q, qd):
        """Return (kinetic, potential) energy: sums over the links that move."""
        kinetic = 0.5 * self.rotors @ (qd * qd)
        for inertia, J in self.bodies(q).values():
            kinetic = kinetic + 0.5 * (J @ qd) @ inertia @ (J @ qd)
        return kinetic, self.potential(q)

    def potential(self, q):
        """Return V = -sum m g . c over what moves."""
        links, result = self.links(q), 0.0
        for name in self.moving:
            (R, p, _), body = links[name], self.inertials[name]
            if body is not None:
                result = result - body.mass * self.gravity @ (p + R @ body.com)
        return result

    def gravity_torque(self, q):
        """Return dV/dq, by complex step, along each velocity."""
        return tangent(self.types, q).T @ gradient(self.potential, q)

    def christoffel(self, q):
        """Return c[i, j, k] = (dM_kj/dq_i + dM_ki/dq_j - dM_ij/dq_k) / 2."""
        d = gradient(self.mass_matrix, q)  # d[i, k, j] = dM_kj/dq_i
        return 0.5 * (d.transpose(0, 2, 1) + d.transpose(2, 0, 1) - d.transpose(1, 2, 0))

    def coriolis_matrix(self, q, qd):
        """Return C_kj = sum_i c_ijk qd_i (Spong, equation 6.67).

        Angular velocities are the rates of no coordinates and have no Christoffel symbols. There
        it is the sum of m (dp/dt by qd)^T d/dt (dp/dt by qd) over the points p of the bodies.
        """
        if len(q) == self.nv:
            return np.einsum('ijk,i->kj', self.christoffel(q), qd)
        rates = self.along(lambda q: np.array([J for _, J in self.bodies(q).values()]), q, qd)
        return sum(
            J.T @ (inertia @ rate + point_rates(inertia, J @ qd) @ J)
            for (inertia, J), rate in zip(self.bodies(q).values(), rates)
        )

    def along(self, function, q, qd):
        """Return the rate of `function` along a motion."""
        return along(function, q, tangent(self.types, q) @ qd)

    def inverse_dynamics(self, q, qd, qdd, f_ext=None):
        """Return sum J^T (I A + V x* I V) + rotors qdd - J^T f: Newton and Euler, projected."""
        bodies = self.bodies(q)
        rates = self.along(lambda q: np.array([J for _, J in self.bodies(q).values()]), q, qd)
        lift = np.concatenate((np.zeros(3), -self.gravity))
        tau = self.rotors * qdd
        for (inertia, J), J_rate in zip(bodies.values(), rates):
            V, A = J @ qd, J @ qdd + J_rate @ qd + lift
            tau = tau + J.T @ (inertia @ A - motion_cross(V).T @ inertia @ V)
        for frame, wrench in (f_ext or {}).items():
            tau = tau - self.jacobian(q, frame).T @ np.asarray(wrench)
        return tau

    def bias_torque(self, q, qd):
        """Return C qd + g."""
        return self.inverse_dynamics(q, qd, np.zeros(self.nv))

    def forward_dynamics(self, q, qd, tau, f_ext=None):
        """Return M^-1 (tau - bias), by a dense solve."""
        rest = tau - self.inverse_dynamics(q, qd, np.zeros(self.nv), f_ext)
        return np.linalg.solve(self.mass_matrix(q), rest)

    def pose(self, q, frame):
        """Return the homogeneous transform of a link's frame."""
        R, p, _ = self.links(q)[frame]
        return blocks(R, p[:, None], np.zeros((1, 3)), np.ones((1, 1)))

    def jacobian(self, q, frame):
        """Return the Jacobian of a link's frame, linear rows first, at its origin."""
        _, p, J = self.links(q)[frame]
        return np.concatenate((J[3:] - skew(p) @ J[:3], J[:3]))

    def velocity(self, q, qd, frame):
        """Return the derivative of the pose along qd: velocity of the origin, angular velocity."""
        R, rate = self.pose(q, frame)[:3, :3], self.along(lambda q: self.pose(q, frame), q, qd)
        spin = rate[:3, :3] @ R.T
        return np.array([*rate[:3, 3], spin[2, 1], spin[0, 2], spin[1, 0]])

    def jacobian_bias(self, q, qd, frame):
        """Return Jdot qd, with Jdot by complex step."""
        return self.along(lambda q: self.jacobian(q, frame), q, qd) @ qd

    def compliance(self, q, frame):
        """Return J M^-1 J^T, by a dense solve."""
        J = self.jacobian(q, frame)
        return J @ np.linalg.solve(self.mass_matrix(q), J.T)
