# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pinocchio as a referee: joints in its own order, states in its own form, mapped to ours.

Either built joint by joint from a description, or read by Pinocchio's own URDF parser.
"""

import numpy as np
import pinocchio as pin

from .dense import frame_about, joints_of

ALIGNED = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED


def slide(axis):
    """Return a prismatic joint."""
    return pin.JointModelPrismaticUnaligned(axis)


def turn(axis):
    """Return a revolute joint."""
    return pin.JointModelRevoluteUnaligned(axis)


def planar(joint, axis):
    """Return slides along the axes of the plane, and a turn about its normal."""
    x, y, z = frame_about(axis).T
    return slide(x), slide(y), turn(z)


#: A joint of several degrees of freedom becomes several joints. The velocities of Pinocchio's
#: free flyer are in body axes. The Coriolis matrix of its composite joints (4.1) does not give
#: their Coriolis torque.
TYPES = {
    'revolute': lambda joint, axis: (turn(axis),),
    'prismatic': lambda joint, axis: (slide(axis),),
    'helical': lambda joint, axis: (pin.JointModelHelicalUnaligned(axis, joint.pitch),),
    'cylindrical': lambda joint, axis: (slide(axis), turn(axis)),
    'universal': lambda joint, axis: (
        turn(axis),
        turn(joint.second_axis / np.linalg.norm(joint.second_axis)),
    ),
    'spherical': lambda joint, axis: (pin.JointModelSpherical(),),
    'planar': planar,
    'floating': lambda joint, axis: (pin.JointModelTranslation(), pin.JointModelSpherical()),
}


class Pinocchio:
    """A Pinocchio model, seen through the joint names and the base of a robot of ours."""

    def __init__(self, case, joint_names, base):
        read, chosen = case.path and not case.free_base, joints_of(joint_names, case.whole)
        self.model = model = _read(case, chosen) if read else _build(case, chosen)
        self.data = model.createData()
        chains = [
            [joint]
            if model.existJointName(joint)
            else [name for name in model.names if name.rsplit('.', 1)[0] == joint]
            for joint in chosen
        ]
        self.joints = [model.joints[model.getJointId(name)] for chain in chains for name in chain]
        self.order = np.concatenate([joint.idx_v + np.arange(joint.nv) for joint in self.joints])
        self.nv = len(joint_names)
        # what is given in axes of our base, Pinocchio wants in those of its root link
        pin.framesForwardKinematics(model, self.data, pin.neutral(model))
        self.base = self.data.oMf[self._frame(base)].copy()
        self.turn = np.kron(np.eye(2), self.base.rotation)
        model.gravity.linear = self.base.rotation @ np.array(case.gravity)

    def q(self, q):
        """Return Pinocchio's configuration: a continuous joint takes its cosine and sine."""
        result, k = pin.neutral(self.model), 0
        for joint in self.joints:
            circle = (joint.nq, joint.nv) == (2, 1)
            x = q[k : k + (1 if circle else joint.nq)]
            result[joint.idx_q : joint.idx_q + joint.nq] = (
                (np.cos(x[0]), np.sin(x[0])) if circle else x
            )
            k += len(x)
        return result

    def v(self, v):
        """Return a velocity, acceleration or torque in Pinocchio's order."""
        result = np.zeros(self.model.nv)
        result[self.order] = v
        return result

    def inverse_dynamics(self, q, qd, qdd, f_ext=None):
        """Return rnea."""
        return pin.rnea(
            self.model, self.data, self.q(q), self.v(qd), self.v(qdd), self._forces(q, f_ext)
        )[self.order]

    def forward_dynamics(self, q, qd, tau, f_ext=None):
        """Return aba."""
        return pin.aba(
            self.model, self.data, self.q(q), self.v(qd), self.v(tau), self._forces(q, f_ext)
        )[self.order]

    def bias_torque(self, q, qd):
        """Return nonLinearEffects."""
        return pin.nonLinearEffects(self.model, self.data, self.q(q), self.v(qd))[self.order]

    def gravity_torque(self, q):
        """Return computeGeneralizedGravity."""
        return pin.computeGeneralizedGravity(self.model, self.data, self.q(q))[self.order]

    def mass_matrix(self, q):
        """Return crba."""
        M = pin.crba(self.model, self.data, self.q(q))
        M = np.triu(M) + np.triu(M, 1).T
        return M[np.ix_(self.order, self.order)]

    def mass_matrix_inverse(self, q):
        """Return computeMinverse."""
        inverse = pin.computeMinverse(self.model, self.data, self.q(q))
        inverse = np.triu(inverse) + np.triu(inverse, 1).T
        return inverse[np.ix_(self.order, self.order)]

    def coriolis_matrix(self, q, qd):
        """Return computeCoriolisMatrix."""
        C = pin.computeCoriolisMatrix(self.model, self.data, self.q(q), self.v(qd))
        return C[np.ix_(self.order, self.order)]

    def energy(self, q, qd):
        """Return (kinetic, potential): with the rotors, and zero with every mass at our base."""
        q, qd = self.q(q), self.v(qd)
        pin.forwardKinematics(self.model, self.data, q, qd)
        # its computeKineticEnergy counts only part of the rotors' energy (4.1)
        kinetic = 0.5 * self.model.armature @ (qd * qd) + 0.5 * sum(
            inertia.vtiv(V) for inertia, V in zip(self.model.inertias[1:], self.data.v[1:])
        )
        mass = sum(inertia.mass for inertia in self.model.inertias[1:])
        lift = mass * self.model.gravity.linear @ self.base.translation
        return kinetic, pin.computePotentialEnergy(self.model, self.data, q) + lift

    def pose(self, q, frame):
        """Return the homogeneous transform of a link's frame in our base."""
        pin.framesForwardKinematics(self.model, self.data, self.q(q))
        return self.base.actInv(self.data.oMf[self._frame(frame)]).homogeneous

    def jacobian(self, q, frame):
        """Return the Jacobian at a link's frame, in axes of our base."""
        J = pin.computeFrameJacobian(self.model, self.data, self.q(q), self._frame(frame), ALIGNED)
        return self.turn.T @ J.reshape(6, self.nv)[:, self.order]

    def compliance(self, q, frame):
        """Return J M^-1 J^T, from its Jacobian and its inverse."""
        J = self.jacobian(q, frame)
        return J @ self.mass_matrix_inverse(q) @ J.T

    def velocity(self, q, qd, frame):
        """Return the velocity of a link's frame, in axes of our base."""
        pin.forwardKinematics(self.model, self.data, self.q(q), self.v(qd))
        return (
            self.turn.T
            @ pin.getFrameVelocity(self.model, self.data, self._frame(frame), ALIGNED).vector
        )

    def jacobian_bias(self, q, qd, frame):
        """Return the classical acceleration of a link's frame at qdd = 0, in axes of our base."""
        pin.forwardKinematics(
            self.model, self.data, self.q(q), self.v(qd), np.zeros(self.model.nv)
        )
        return (
            self.turn.T
            @ pin.getFrameClassicalAcceleration(
                self.model, self.data, self._frame(frame), ALIGNED
            ).vector
        )

    def _frame(self, name):
        return self.model.getFrameId(name, pin.FrameType.BODY)

    def _forces(self, q, f_ext):
        """Return the forces on the joints, in their frames."""
        forces = [pin.Force.Zero() for _ in range(self.model.njoints)]
        pin.framesForwardKinematics(self.model, self.data, self.q(q))
        for name, wrench in (f_ext or {}).items():
            frame = self._frame(name)
            joint = self.model.frames[frame].parentJoint
            here = pin.SE3(np.eye(3), self.data.oMf[frame].translation)
            forces[joint] += self.data.oMi[joint].actInv(
                here.act(pin.Force(self.turn @ np.asarray(wrench)))
            )
        return forces


def _build(case, joint_names):
    """Build the model of a description, its joints depth first, as Pinocchio wants them."""
    model = pin.Model()
    children = {joint.child for joint in case.whole.joints}
    inertials = {link.name: link.inertial for link in case.whole.links}

    def add(link, carrier, place):
        body = inertials[link]
        if body is not None and carrier > 0:
            model.appendBodyToJoint(carrier, pin.Inertia(body.mass, body.com, body.inertia), place)
        model.addFrame(pin.Frame(link, carrier, 0, place, pin.FrameType.BODY), False)
        for joint in case.whole.joints:
            if joint.parent == link:
                here = place * pin.SE3(joint.placement.rotation, joint.placement.translation)
                if joint.name in joint_names:
                    add(joint.child, *_add_joint(model, joint, carrier, here))
                else:
                    add(joint.child, carrier, here * _hold(joint, case.locked))

    add(next(link for link in inertials if link not in children), 0, pin.SE3.Identity())
    return model


def _read(case, joint_names):
    """Read a URDF with Pinocchio's parser, and hold every joint but `joint_names`."""
    full = pin.buildModelFromUrdf(str(case.path))
    q = pin.neutral(full)
    for name, value in case.locked.items():
        joint = full.joints[full.getJointId(name)]
        if joint.nv == 1:
            q[joint.idx_q : joint.idx_q + joint.nq] = (
                value if joint.nq == 1 else (np.cos(value), np.sin(value))
            )
    held = [full.getJointId(name) for name in full.names[1:] if name not in joint_names]
    return pin.buildReducedModel(full, held, q) if held else full


def _add_joint(model, joint, carrier, place):
    """Add a moving joint; return the number of its last part and where its child sits on it."""
    axis, aligned = joint.axis / np.linalg.norm(joint.axis), pin.SE3.Identity()
    if joint.type == 'continuous':
        aligned.rotation = pin.Quaternion.FromTwoVectors(np.array([0.0, 0.0, 1.0]), axis).matrix()
        parts = (pin.JointModelRUBZ(),)
    else:
        parts = TYPES[joint.type](joint, axis)
    place = place * aligned
    for k, part in enumerate(parts):
        name = f'{joint.name}.{k}' if len(parts) > 1 else joint.name
        carrier = model.addJoint(carrier, part, place, name)
        first, place = model.joints[carrier].idx_v, pin.SE3.Identity()
        model.armature[first : first + model.joints[carrier].nv] = joint.rotor_inertia
    return carrier, aligned.inverse()


def _hold(joint, locked):
    """Return the displacement of a joint that is held still."""
    if joint.type == 'fixed':
        return pin.SE3.Identity()
    axis, x = joint.axis / np.linalg.norm(joint.axis), locked.get(joint.name, 0.0)
    if joint.type == 'prismatic':
        return pin.SE3(np.eye(3), x * axis)
    return pin.SE3(pin.exp3(x * axis), np.zeros(3))
