"""The slow referee: every link on its own, 6x6 matrices in base axes about the base origin.

Straight from the definitions, without a recursion, without merging links, without body frames:
M = sum J^T I J, V = -sum m g.c, Christoffel symbols and gradients by complex step. Everything runs
on complex numbers, so that any of it can be differentiated. Motions are angular first inside;
Jacobians and wrenches that leave are linear first, at the frame's origin, as those of Robot.
"""

import numpy as np

STEP = 1e-40  # of complex steps: nothing is subtracted, so it may be as small as it likes


def skew(v):
    """Return the matrix [v] with [v] x = v x x."""
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def about(axis, angle):
    """Return the rotation by an angle about a unit axis (Rodrigues)."""
    K = skew(axis)
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * (K @ K)


def along(function, x, direction):
    """Return the derivative of `function` at x in a direction, by complex step."""
    return np.imag(function(x + 1j * STEP * np.asarray(direction))) / STEP


def gradient(function, x):
    """Return the derivatives of `function` by every entry of x, stacked along the first axis."""
    return np.array([along(function, x, e) for e in np.eye(len(x))])


def spatial_inertia(mass, com, inertia):
    """Return the 6x6 inertia about the origin of the axes that com and inertia are given in."""
    C = mass * skew(com)
    return np.block([[inertia - skew(com) @ C, C], [-C, mass * np.eye(3)]])


def motion_cross(V):
    """Return [V x] of motions, angular first; [V x*] of forces is minus its transpose."""
    w, v = skew(V[:3]), skew(V[3:])
    return np.block([[w, np.zeros((3, 3))], [v, w]])


class Dense:
    """A robot's dynamics from its description."""

    def __init__(self, case, joint_names, base):
        self.nv = len(joint_names)
        self.base = base
        self.gravity = np.array(case.gravity)
        self.index = {name: k for k, name in enumerate(joint_names)}
        self.locked = case.locked
        self.inertials = {link.name: link.inertial for link in case.description.links}
        self.joints, known, waiting = [], {base}, list(case.description.joints)
        while ready := [joint for joint in waiting if joint.parent in known]:
            self.joints += ready
            known |= {joint.child for joint in ready}
            waiting = [joint for joint in waiting if joint.child not in known]
        self.rotors = np.zeros(self.nv)
        self.moving = set()
        for joint in self.joints:
            if joint.name in self.index:
                self.rotors[self.index[joint.name]] = joint.rotor_inertia
            if joint.name in self.index or joint.parent in self.moving:
                self.moving.add(joint.child)

    def links(self, q):
        """Return {link: (R, p, J)}: rotation, origin, spatial Jacobian about the base origin."""
        found = {self.base: (np.eye(3), np.zeros(3), np.zeros((6, self.nv)))}
        for joint in self.joints:
            R, p, J = found[joint.parent]
            p, R = p + R @ joint.placement.translation, R @ joint.placement.rotation
            k, J = self.index.get(joint.name), J.astype(q.dtype)
            x = q[k] if k is not None else self.locked.get(joint.name, 0.0)
            if joint.type != 'fixed':
                axis = np.asarray(joint.axis) / np.linalg.norm(joint.axis)
                column = np.concatenate((R @ axis, np.cross(p, R @ axis)))
                if joint.type == 'prismatic':
                    column = np.concatenate((np.zeros(3), R @ axis))
                    p = p + x * (R @ axis)
                else:
                    R = R @ about(axis, x)
                if k is not None:
                    J[:, k] += column
            found[joint.child] = R, p, J
        return found

    def bodies(self, q):
        """Return {link: (I, J)} of what moves and has inertia, about the base origin."""
        result = {}
        for name, (R, p, J) in self.links(q).items():
            body = self.inertials[name]
            if body is not None and name in self.moving:
                result[name] = spatial_inertia(body.mass, p + R @ body.com,
                                               R @ body.inertia @ R.T), J
        return result

    def mass_matrix(self, q):
        """Return M = sum J^T I J + diag(rotors)."""
        return sum((J.T @ inertia @ J for inertia, J in self.bodies(q).values()),
                   np.diag(self.rotors))

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
        """Return dV/dq, by complex step."""
        return gradient(self.potential, q)

    def christoffel(self, q):
        """Return c[i, j, k] = (dM_kj/dq_i + dM_ki/dq_j - dM_ij/dq_k) / 2."""
        d = gradient(self.mass_matrix, q)  # d[i, k, j] = dM_kj/dq_i
        return 0.5 * (d.transpose(0, 2, 1) + d.transpose(2, 0, 1) - d.transpose(1, 2, 0))

    def coriolis_matrix(self, q, qd):
        """Return C_kj = sum_i c_ijk qd_i (Spong, equation 6.67)."""
        return np.einsum('ijk,i->kj', self.christoffel(q), qd)

    def inverse_dynamics(self, q, qd, qdd, f_ext=None):
        """Return sum J^T (I A + V x* I V) + rotors qdd - J^T f: Newton and Euler, projected."""
        bodies = self.bodies(q)
        rates = along(lambda q: np.array([J for _, J in self.bodies(q).values()]), q, qd)
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
        return np.block([[R, p[:, None]], [np.zeros((1, 3)), np.ones((1, 1))]])

    def jacobian(self, q, frame):
        """Return the Jacobian of a link's frame, linear rows first, at its origin."""
        _, p, J = self.links(q)[frame]
        return np.concatenate((J[3:] - skew(p) @ J[:3], J[:3]))

    def velocity(self, q, qd, frame):
        """Return the derivative of the pose along qd: velocity of the origin, angular velocity."""
        R, rate = self.pose(q, frame)[:3, :3], along(lambda q: self.pose(q, frame), q, qd)
        spin = rate[:3, :3] @ R.T
        return np.array([*rate[:3, 3], spin[2, 1], spin[0, 2], spin[1, 0]])

    def jacobian_bias(self, q, qd, frame):
        """Return Jdot qd, with Jdot by complex step."""
        return along(lambda q: self.jacobian(q, frame), q, qd) @ qd

    def compliance(self, q, frame):
        """Return J M^-1 J^T, by a dense solve."""
        J = self.jacobian(q, frame)
        return J @ np.linalg.solve(self.mass_matrix(q), J.T)
