# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Referees of what the robot does as a whole: sums over its links, and Pinocchio."""

import numpy as np
import pinocchio as pin

from .dense import gradient, motion_cross, tangent


def links_of(robot):
    """Return the names of the bodies that carry a link: those within a joint carry none."""
    return [name for name in robot.model.body_names[1:] if name in robot.frames]


class DenseWholeBody:
    """Straight sums over the links that move, in base axes about the base origin."""

    def __init__(self, case):
        self.dense, self.names = case.dense, links_of(case.robot)

    def subtree(self, link):
        """Return the names of a link and of all it carries."""
        found = {link}
        for joint in self.dense.joints:  # parents come first
            if joint.parent in found:
                found.add(joint.child)
        return found

    def joint_wrenches(self, q, qd, qdd, f_ext=None):
        """Return Newton and Euler of everything beyond each joint, at the origin of its link."""
        dense, links = self.dense, self.dense.links(q)
        bodies = dense.bodies(q)
        rates = dense.along(lambda q: np.array([J for _, J in dense.bodies(q).values()]), q, qd)
        lift, forces = np.concatenate((np.zeros(3), -dense.gravity)), {}
        for (name, (inertia, J)), rate in zip(bodies.items(), rates):
            V = J @ qd
            forces[name] = inertia @ (J @ qdd + rate @ qd + lift) - motion_cross(V).T @ inertia @ V
        for frame, wrench in (f_ext or {}).items():
            force, moment = wrench[:3], wrench[3:]
            moved = np.concatenate((moment + np.cross(links[frame][1], force), force))
            forces[frame] = forces.get(frame, 0.0) - moved
        result = []
        for name in self.names:
            total = sum(forces[link] for link in self.subtree(name) if link in forces)
            total = np.zeros(6) + total
            result.append([*total[3:], *(total[:3] - np.cross(links[name][1], total[3:]))])
        return np.array(result)

    def mass(self):
        """Return the sum of the masses."""
        bodies = (self.dense.inertials[name] for name in self.dense.moving)
        return sum(body.mass for body in bodies if body is not None)

    def centre_of_mass(self, q):
        """Return the mean of the centres of mass."""
        total, links = 0.0, self.dense.links(q)
        for name in self.dense.moving:
            (R, p, _), body = links[name], self.dense.inertials[name]
            if body is not None:
                total = total + body.mass * (p + R @ body.com)
        return total / self.mass()

    def centre_of_mass_jacobian(self, q):
        """Return the rates of the centre of mass by every velocity, by complex step."""
        return gradient(self.centre_of_mass, q).T @ tangent(self.dense.types, q)

    def centroidal_momentum_matrix(self, q):
        """Return sum I J, moved to the centre of mass, linear rows first."""
        total = sum(inertia @ J for inertia, J in self.dense.bodies(q).values())
        return np.concatenate(
            (total[3:], total[:3] - np.cross(self.centre_of_mass(q), total[3:], axisb=0, axisc=0))
        )

    def momentum(self, q, qd):
        """Return the momentum about the centre of mass."""
        return self.centroidal_momentum_matrix(q) @ qd

    def momentum_bias(self, q, qd):
        """Return Adot qd, by complex step."""
        return self.dense.along(self.centroidal_momentum_matrix, q, qd) @ qd

    def composite_inertia(self, q):
        """Return (mass, centre, inertia about it): angular rows under a turn about the centre."""
        c = self.centre_of_mass(q)
        total = sum(inertia for inertia, _ in self.dense.bodies(q).values())
        turns = np.concatenate((np.eye(3), np.cross(c, np.eye(3), axisb=1, axisc=0)))
        return self.mass(), c, turns.T @ total @ turns


class PinocchioWholeBody:
    """The same of Pinocchio, turned into axes of our base."""

    def __init__(self, case):
        self.pinocchio, self.names = case.pinocchio, links_of(case.robot)
        self.model, self.data = self.pinocchio.model, self.pinocchio.data

    def joint_wrenches(self, q, qd, qdd, f_ext=None):
        """Return data.f of rnea, at the origins of the links."""
        own, model, data = self.pinocchio, self.model, self.data
        own.inverse_dynamics(q, qd, qdd, f_ext)
        pin.updateFramePlacements(model, data)
        result = []
        for name in self.names:
            frame = own._frame(name)
            joint = model.frames[frame].parentJoint
            here = pin.SE3(np.eye(3), data.oMf[frame].translation)
            result.append(own.turn.T @ here.actInv(data.oMi[joint].act(data.f[joint])).vector)
        return np.array(result)

    def mass(self):
        """Return the sum of the masses of its joints."""
        return sum(inertia.mass for inertia in self.model.inertias[1:])

    def centre_of_mass(self, q):
        """Return centerOfMass."""
        return self.pinocchio.base.actInv(
            pin.centerOfMass(self.model, self.data, self.pinocchio.q(q))
        )

    def centre_of_mass_jacobian(self, q):
        """Return jacobianCenterOfMass."""
        J = pin.jacobianCenterOfMass(self.model, self.data, self.pinocchio.q(q))
        return self.pinocchio.base.rotation.T @ J.reshape(3, -1)[:, self.pinocchio.order]

    def centroidal_momentum_matrix(self, q):
        """Return computeCentroidalMap."""
        A = pin.computeCentroidalMap(self.model, self.data, self.pinocchio.q(q))
        return self.pinocchio.turn.T @ A.reshape(6, -1)[:, self.pinocchio.order]

    def momentum(self, q, qd):
        """Return computeCentroidalMomentum."""
        own = self.pinocchio
        h = pin.computeCentroidalMomentum(self.model, self.data, own.q(q), own.v(qd))
        return own.turn.T @ h.vector

    def momentum_bias(self, q, qd):
        """Return computeCentroidalMomentumTimeVariation at qdd = 0."""
        own = self.pinocchio
        rate = pin.computeCentroidalMomentumTimeVariation(
            self.model, self.data, own.q(q), own.v(qd), np.zeros(self.model.nv)
        )
        return own.turn.T @ rate.vector

    def composite_inertia(self, q):
        """Return data.Ig of ccrba, and the centre."""
        own = self.pinocchio
        pin.ccrba(self.model, self.data, own.q(q), np.ones(self.model.nv))
        R = own.base.rotation
        return self.mass(), self.centre_of_mass(q), R.T @ self.data.Ig.inertia @ R


REFEREES = {'dense': DenseWholeBody, 'pinocchio': PinocchioWholeBody}
