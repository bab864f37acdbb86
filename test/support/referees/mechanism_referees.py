# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Mechanisms with closed loops in other libraries: accelerations of all joints by their names.

Each reads the URDF text of the mechanism with its own parser, and closes the loops with its own
constraints. A hinge is two points of its axis that stay together. Pinocchio's constraintDynamics
takes no mimic joints: they are free in its model, and a multiplier of ours leads each.
"""

import numpy as np

from robodyn_ros.model.dependent.mimic import leaders_of
from support.robots.closed_loops import GRAVITY

APART = 0.2  # [m] of the two points of a hinge
PROXIMAL = (1e-14, 1e-8, 20)  # accuracy, and damping, which its iterations take back; their number
COMPLIANT = (0.9999, 0.9998, 0.9997, 0.9996)  # impedances of MuJoCo, 0.9999 at most


def points(closure):
    """Return the places on both links, (3,) each, that a closure keeps together."""
    heights = {'ball': (0.0,), 'weld': (0.0,), 'hinge': (0.0, APART)}[closure.type]
    return [
        [place.translation + height * place.rotation[:, 2] for place in places]
        for height in heights
        for places in ((closure.place_a, closure.place_b),)
    ]


def of_pinocchio(mechanism, positions, rates, torques):
    """Return accelerations by constraintDynamics; positions, rates, torques : {joint: value}.

    They are linear in the torques of mimic joints, which follow from the accelerations.
    """
    names, run, state = _pinocchio(mechanism)
    q, qd, tau = state(positions, rates, torques)
    found, rows = run(q, qd, tau).copy(), _mimic_rows(mechanism, names)
    answers = [run(q, qd, tau + row) - found for row in rows]
    if answers:
        multipliers = np.linalg.solve(rows @ np.transpose(answers), -rows @ found)
        found += multipliers @ answers
    return dict(zip(names, found.tolist()))


def _mimic_rows(mechanism, names):
    """Return (m, n) rows that hold mimic and coupled joints to the joints that they follow."""
    rows = np.zeros((len(mechanism.followers), len(names)))
    for row, joint in zip(rows, mechanism.followers):
        row[names.index(joint.name)] = 1.0
        for leader, ratio in leaders_of(joint).items():
            row[names.index(leader)] = -ratio
    return rows


def prepared_pinocchio(mechanism, states):
    """Return a function that computes all states, [(positions, rates, torques)], for timing."""
    _, run, state = _pinocchio(mechanism)
    rows = [state(*each) for each in states]

    def all_of_them():
        for row in rows:
            run(*row)

    return all_of_them


def _pinocchio(mechanism):
    """Return the joints, constraintDynamics of (q, qd, tau), and what makes those of names."""
    import pinocchio as pin

    model = pin.buildModelFromXML(mechanism.text)
    model.gravity.linear = np.array(GRAVITY)
    constraints = pin.StdVec_RigidConstraintModel()
    for closure in mechanism.closures:
        welded = closure.type == 'weld'
        kind = pin.ContactType.CONTACT_6D if welded else pin.ContactType.CONTACT_3D
        for pair in points(closure):
            ends = []
            for name, place, point in zip(
                (closure.a, closure.b), (closure.place_a, closure.place_b), pair
            ):
                frame = model.frames[model.getFrameId(name, pin.FrameType.BODY)]
                ends += [frame.parentJoint, frame.placement * pin.SE3(place.rotation, point)]
            constraints.append(
                pin.RigidConstraintModel(kind, model, *ends, pin.ReferenceFrame.LOCAL)
            )
    data, known = model.createData(), pin.StdVec_RigidConstraintData()
    for constraint in constraints:
        known.append(constraint.createData())
    pin.initConstraintDynamics(model, data, constraints, known)
    names, settings = list(model.names)[1:], pin.ProximalSettings(*PROXIMAL)

    def state(positions, rates, torques):
        q = pin.neutral(model)
        for name in names:
            joint = model.joints[model.getJointId(name)]
            x = positions[name]  # a continuous joint takes its cosine and sine
            at = slice(joint.idx_q, joint.idx_q + joint.nq)
            q[at] = x if joint.nq == 1 else (np.cos(x), np.sin(x))
        return q, *(np.array([each.get(name, 0.0) for name in names]) for each in (rates, torques))

    def run(q, qd, tau):
        return pin.constraintDynamics(model, data, q, qd, tau, constraints, known, settings)

    return names, run, state


def of_mujoco(mechanism, positions, rates, torques):
    """Return accelerations by equalities `connect` and `weld`, extrapolated to rigid ones."""
    return _extrapolated(mechanism, _accelerations, positions, rates, torques)


def wrenches_of_mujoco(mechanism, positions, rates, torques):
    """Return the wrench of its parent on each body, (6,) by its name, extrapolated likewise.

    It is force and moment in world axes about the origin of the body, with those of equalities.
    """
    return _extrapolated(mechanism, _wrenches, positions, rates, torques)


def _extrapolated(mechanism, measure, positions, rates, torques):
    """Return what `measure` finds of rigid constraints, by name.

    MuJoCo's constraints give way by R = (1 - d) / d of an inverse inertia, of an impedance d. The
    cubic in (1 - d) / d through four of them has the value at R = 0 to the fourth order.
    """
    x = np.array([(1.0 - d) / d for d in COMPLIANT])
    weights = np.linalg.solve(np.vander(x, increasing=True).T, np.eye(4)[0])
    model = _mujoco_model(mechanism)
    found = [measure(model, _of_compliant(model, d, positions, rates, torques)) for d in COMPLIANT]
    return {name: sum(w * each[name] for w, each in zip(weights, found)) for name in found[0]}


def _accelerations(model, data):
    """Return the accelerations of all joints by name."""
    joints = [model.joint(k) for k in range(model.njnt)]
    return {joint.name: float(data.qacc[joint.dofadr][0]) for joint in joints}


def _wrenches(model, data):
    """Return the wrenches of the parents on all bodies by name."""
    import mujoco

    mujoco.mj_rnePostConstraint(model, data)
    found = {}
    for k in range(1, model.nbody):
        moment, force = np.split(data.cfrc_int[k], 2)  # about the centre of mass of the tree
        lever = data.subtree_com[model.body_rootid[k]] - data.xpos[k]
        found[model.body(k).name] = np.concatenate((force, moment + np.cross(lever, force)))
    return found


def prepared_mujoco(mechanism, states):
    """Return a function that computes all states, [(positions, rates, torques)], for timing."""
    import mujoco

    model = _mujoco_model(mechanism)
    model.eq_solimp[:, :2] = COMPLIANT[0]
    data, joints = mujoco.MjData(model), [model.joint(k) for k in range(model.njnt)]
    names = [joint.name for joint in joints]
    rows = [[np.array([each.get(n, 0.0) for n in names]) for each in state] for state in states]

    def all_of_them():
        for data.qpos, data.qvel, data.qfrc_applied in rows:
            mujoco.mj_forward(model, data)

    return all_of_them


def _mujoco_model(mechanism):
    """Return the tree of the URDF with an equality constraint for each closure."""
    import mujoco

    spec, data = mujoco.MjSpec.from_string(mechanism.text), []
    spec.compiler.fusestatic = spec.compiler.balanceinertia = False
    spec.option.gravity, spec.option.tolerance = GRAVITY, 0.0
    spec.option.disableflags = mujoco.mjtDisableBit.mjDSBL_CONTACT
    for closure in mechanism.closures:
        welded = closure.type == 'weld'
        for a, b in points(closure):
            each = spec.add_equality(objtype=mujoco.mjtObj.mjOBJ_BODY)
            each.name1, each.name2 = closure.a, closure.b
            each.type = mujoco.mjtEq.mjEQ_WELD if welded else mujoco.mjtEq.mjEQ_CONNECT
            turn = np.empty(4)  # of B on A
            R = closure.place_a.rotation @ closure.place_b.rotation.T
            mujoco.mju_mat2Quat(turn, R.ravel())
            data.append((*b, *a, *turn, 1.0) if welded else (*a, *b, *np.zeros(5)))
    model = spec.compile()
    # the compiler would put B where the posture at zero has it; mimic joints are equalities too
    ours = np.isin(model.eq_type, (mujoco.mjtEq.mjEQ_CONNECT, mujoco.mjtEq.mjEQ_WELD))
    model.eq_data[ours, : len(data[0])] = data
    return model


def _of_compliant(model, impedance, positions, rates, torques):
    """Return the data after forward dynamics with constraints of one impedance."""
    import mujoco

    model.eq_solimp[:, :2] = impedance
    data, joints = mujoco.MjData(model), [model.joint(k) for k in range(model.njnt)]
    for joint in joints:
        data.qpos[joint.qposadr] = positions[joint.name]
        data.qvel[joint.dofadr] = rates[joint.name]
        data.qfrc_applied[joint.dofadr] = torques.get(joint.name, 0.0)
    mujoco.mj_forward(model, data)
    assert np.abs(data.efc_pos).max() < 1e-12  # the loops are closed there too
    return data
