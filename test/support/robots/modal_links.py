# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Random links that bend by modes, and the same robot as flexible bodies of Jain's chapter 13."""

import numpy as np

from robodyn_ros.formulations.jain import hinges
from robodyn_ros.formulations.jain.flexible.flexible_tree import FlexibleBody
from robodyn_ros.formulations.jain.flexible.modal_body import Interface, ModalBody, fixed, rigid
from robodyn_ros.model.extended.flexible_model import with_modal_links
from robodyn_ros.model.extended.modal_link import massless
from robodyn_ros.model.layout import (
    BALL_X,
    BALL_Y,
    BALL_Z,
    CONSTANT_COLUMNS,
    INERTIA,
    KIND,
    MASS,
    MOMENT,
    OFFSET,
    PARENT,
    PITCH,
    PRISMATIC,
    ROTATION,
    ROTOR,
    ZERO,
    Q,
    V,
)
from robodyn_ros.model.rigid_body import unpack

Z = np.array([0.0, 0.0, 1.0])


def skew(v):
    """[v]."""
    return np.cross(np.eye(3), v)


def spatial(mass, moment, inertia):
    """(6, 6) of a body about its origin."""
    S = skew(moment)
    return np.block([[inertia, S], [S.T, mass * np.eye(3)]])


def random_link(rng, n, nodes=5):
    """A ModalLink of random nodes with inertias; its points move by random smooth shapes."""
    A, B = rng.normal(size=(2, 6, n, 3))

    def points(place):
        return np.einsum('anp,p->an', A, place) + np.einsum('anp,p->an', B, place * place)

    K = np.diag(rng.uniform(200.0, 900.0, n))
    link = massless(K, 1e-3 * K, points, 'nodes')
    for place in rng.uniform(-0.6, 0.6, (nodes, 3)):
        half = rng.normal(size=(3, 3))
        link = link.with_rigid_body(
            place, points(place), rng.uniform(0.3, 1.0), 0.02 * (half @ half.T + np.eye(3))
        )
    return link


def flexible(model, rng, modes=3):
    """The FlexibleModel of a robot without rotors, with modes of every other link."""
    model = model.with_joint_values(ROTOR, np.zeros(model.nv))
    names = [name for row, name in enumerate(model.body_names) if row and name in model.frames]
    return with_modal_links(
        model, {name: random_link(rng, modes - k % 2) for k, name in enumerate(names[::-2])}
    )


def modal_body(link):
    """The ModalBody of a ModalLink."""
    n = link.n
    M_1, M_2 = np.zeros((n, n + 6, n + 6)), np.zeros((n, n, 6, 6))
    own = spatial(link.mass, link.moment, link.inertia)
    coupling = np.hstack((link.angular, link.linear))
    M_0 = np.block([[link.modal_mass, coupling], [coupling.T, own]])
    for s in range(n):
        M_1[s, :n, n : n + 3] = link.angular_slope[:, s]
        M_1[s, n : n + 3, :n] = link.angular_slope[:, s].T
        M_1[s, n:, n:] = spatial(0.0, link.linear[s], link.inertia_slope[s])
    M_2[:, :, :3, :3] = link.inertia_curve
    return ModalBody(M_0, M_1, M_2, link.stiffness, link.damping)


def as_flexible_bodies(model):
    """(bodies, at_q, zero, at_v): FlexibleBody list of a FlexibleModel, and its coordinates.

    Those of the bodies are q[at_q] + zero, their velocities qd[at_v].
    """
    table, constants = model.topology, model.constants[: len(model.topology), :CONSTANT_COLUMNS]
    bodies, at_q, zero, at_v, first = [], [], [], [], {}
    count = 0
    for row, link in model.links.items():
        first[row], count = count, count + link.n
    last = {0: None}
    for row in range(1, len(table)):
        kind = table[row, KIND]
        if kind in (BALL_X, BALL_Y):
            continue
        start = row - 2 if kind == BALL_Z else row
        parent = int(table[start, PARENT])
        link, carrier = model.links.get(row), model.links.get(parent)
        own = constants[row]
        place, R = constants[start, OFFSET : OFFSET + 3], constants[start, ROTATION : ROTATION + 9]
        R = R.reshape(3, 3)
        mount = fixed(place, R) if carrier is None else Interface(place, R, carrier.points(place))
        pitch = own[PITCH]
        hinge = (
            hinges.spherical()
            if kind == BALL_Z
            else hinges.prismatic(Z)
            if kind == PRISMATIC
            else hinges.helical(pitch, Z)
            if pitch
            else hinges.pin(Z)
        )
        inertia = spatial(own[MASS], own[MOMENT : MOMENT + 3], unpack(own[INERTIA : INERTIA + 6]))
        body = rigid(inertia) if link is None else modal_body(link)
        name = str(row)
        bodies.append(
            FlexibleBody(
                name, last[parent], mount, hinge, fixed(np.zeros(3), n_md=body.n_md), body
            )
        )
        last[row] = name
        at_q += [model.rigid.nq + first.get(row, 0) + k for k in range(body.n_md)]
        at_v += [model.rigid.nv + first.get(row, 0) + k for k in range(body.n_md)]
        zero += [0.0] * body.n_md + ([0.0] * 4 if kind == BALL_Z else [own[ZERO]])
        at_q += range(table[start, Q], table[start, Q] + hinge.nq)
        at_v += range(table[start, V], table[start, V] + hinge.nv)
    return bodies, np.array(at_q), np.array(zero), np.array(at_v)
