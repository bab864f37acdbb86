# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Chapters 11 and 15 of Jain against Pinocchio and MuJoCo, on the same bodies."""

import numpy as np
import pytest

from robodyn_ros.formulations.jain import composite_bodies
from robodyn_ros.formulations.jain.constraints import loop_dynamics
from robodyn_ros.formulations.jain.embedding.constraint_embedding import embed
from robodyn_ros.formulations.jain.single_body import components
from robodyn_ros.formulations.jain.sko import dynamics
from support.compare import agree
from support.robots.jain_loops import at_state
from support.robots.jain_trees import GRAVITY

pin = pytest.importorskip('pinocchio')


def joints_of(hinge, H):
    """Pinocchio's joints for a hinge of Jain, outermost last."""
    if hinge.name == 'pin':
        return [pin.JointModelRevoluteUnaligned(H[0, :3])]
    if hinge.name == 'prismatic':
        return [pin.JointModelPrismaticUnaligned(H[0, 3:])]
    assert hinge.name == 'universal'
    return [pin.JointModelRX(), pin.JointModelRY()]


def built(system, tree):
    """(model, joint of every body by name, our row of each of its velocities).

    Pinocchio wants the bodies of a branch one after the other.
    """
    model, joint, rows = pin.Model(), {None: 0}, []
    model.gravity.linear = np.array(GRAVITY)
    waiting = [body for body in system.bodies if body.parent is None]
    while waiting:
        body = waiting.pop()
        waiting += [each for each in system.bodies if each.parent == body.name]
        rows += body.dofs
        here, placement = joint[body.parent], pin.SE3(body.R, body.p)
        H = tree.H[tree.names.index(body.name)]
        for i, kind in enumerate(joints_of(body.hinge, H)):
            here = model.addJoint(here, kind, placement, f'{body.name}.{i}')
            placement = pin.SE3.Identity()
        mass, com, about_origin = components(body.M)
        own = about_origin - mass * (com @ com * np.eye(3) - np.outer(com, com))
        model.appendBodyToJoint(here, pin.Inertia(mass, com, own), pin.SE3.Identity())
        joint[body.name] = here
    return model, joint, np.array(rows)


def contact(model, joint, tree, loop):
    """A loop as Pinocchio's RigidConstraintModel: welds and balls."""
    kind = pin.ContactType.CONTACT_6D if len(loop.Q) == 6 else pin.ContactType.CONTACT_3D
    (one, place_one), (other, place_other) = (
        (joint[tree.names[node.body]], pin.SE3(node.R, node.p)) for node in (loop.x, loop.y)
    )
    return pin.RigidConstraintModel(
        kind, model, one, place_one, other, place_other, pin.ReferenceFrame.LOCAL
    )


@pytest.mark.parametrize('name', ['two arms with a bar', 'loops that share a body'])
def test_closed_chains_agree_with_constraint_dynamics_of_pinocchio(name):
    system, tree, thd, T = at_state(name)
    model, joint, rows = built(system, tree)
    data = model.createData()
    q, v, tau = (x[rows] for x in (system.q, tree.to_ours(thd), tree.to_ours(T)))
    M = tree.to_ours(composite_bodies.mass_matrix(tree))
    agree(M[np.ix_(rows, rows)], pin.crba(model, data, q))
    contacts, contact_data = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    for loop in system.loops:
        contacts.append(contact(model, joint, tree, loop))
        contact_data.append(contacts[-1].createData())
    pin.initConstraintDynamics(model, data, contacts, contact_data)
    settings = pin.ProximalSettings(1e-15, 0.0, 10)
    expected = pin.constraintDynamics(model, data, q, v, tau, contacts, contact_data, settings)
    found = loop_dynamics.forward_dynamics(tree, thd, T, system.loops).thdd
    agree(tree.to_ours(found)[rows], expected, tolerance=1e-9)
    chain = embed(tree, thd, system.loops)
    thdd_R, _ = dynamics.forward_dynamics(chain.model, chain.X.T @ T)
    agree(tree.to_ours(chain.expand(thdd_R))[rows], expected, tolerance=1e-9)


def mjcf(system, tree):
    """The system as MJCF: pins and slides alone, loops as `connect` of two sites."""

    def numbers(x):
        return ' '.join(map(repr, map(float, np.ravel(x))))

    def quaternion(R):
        x, y, z, w = pin.Quaternion(R).coeffs()
        return numbers((w, x, y, z))

    def element(body):
        k = tree.names.index(body.name)
        mass, com, about_origin = components(body.M)
        own = about_origin - mass * (com @ com * np.eye(3) - np.outer(com, com))
        full = numbers(own[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]])
        turns = body.hinge.name == 'pin'
        assert turns or body.hinge.name == 'prismatic'
        axis, kind = (tree.H[k][0, :3], 'hinge') if turns else (tree.H[k][0, 3:], 'slide')
        sites = [
            f'<site name="{i}{end}" pos="{numbers(node.p)}" quat="{quaternion(node.R)}"/>'
            for i, loop in enumerate(system.loops)
            for end, node in (('x', loop.x), ('y', loop.y))
            if node.body == k
        ]
        children = [element(other) for other in system.bodies if other.parent == body.name]
        return (
            f'<body name="{body.name}" pos="{numbers(body.p)}" quat="{quaternion(body.R)}">'
            f'<inertial pos="{numbers(com)}" mass="{float(mass)!r}" fullinertia="{full}"/>'
            f'<joint name="{body.name}" type="{kind}" axis="{numbers(axis)}" '
            f'armature="{float(body.rotor[0])!r}"/>' + ''.join(sites + children) + '</body>'
        )

    rigid = 'solref="-1 0" solimp="0.9999 0.9999 0.001"'
    loops = [f'<connect site1="{i}x" site2="{i}y" {rigid}/>' for i, _ in enumerate(system.loops)]
    return (
        f'<mujoco><compiler angle="radian" balanceinertia="false"/>'
        f'<option gravity="{numbers(GRAVITY)}" tolerance="0" iterations="200" solver="Newton"/>'
        '<worldbody>'
        + ''.join(element(body) for body in system.bodies if body.parent is None)
        + f'</worldbody><equality>{"".join(loops)}</equality></mujoco>'
    )


def test_closed_chains_agree_with_equality_constraints_of_mujoco():
    """At rest, where MuJoCo leaves nothing out: it has no Jdot thd.

    Its constraints are soft: an impedance of 0.9999, the hardest, gives way by some 1e-4.
    """
    mujoco = pytest.importorskip('mujoco')
    system, tree, _, T = at_state('five-bar')
    model = mujoco.MjModel.from_xml_string(mjcf(system, tree))
    data = mujoco.MjData(model)
    rows = [int(model.joint(name).dofadr[0]) for name in tree.names]
    data.qpos[rows] = tree.to_jain(system.q)
    data.qfrc_applied[rows] = T
    mujoco.mj_forward(model, data)
    still = np.zeros(tree.N)
    expected = loop_dynamics.forward_dynamics(tree, still, T, system.loops)
    agree(data.qacc_smooth[rows], expected.free, tolerance=1e-9)
    agree(data.qacc[rows], expected.thdd, tolerance=1e-4)
    chain = embed(tree, still, system.loops)
    thdd_R, _ = dynamics.forward_dynamics(chain.model, chain.X.T @ T)
    agree(data.qacc[rows], chain.expand(thdd_R), tolerance=1e-4)
