# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Newton-Euler about the far origins of links: Luh-Walker-Paul; Turney, Mudge and Lee, section 3.

    outward  w_i = R (w_(i-1) + z thd_i)                                         (3.15)
             al_i = R (al_(i-1) + w_(i-1) x z thd_i + z thdd_i)                  (3.16)
             a_i = w_i x (w_i x r_i) + al_i x r_i + R a_(i-1)                    (3.17)
             abar_i = w_i x (w_i x rbar_i) + al_i x rbar_i + a_i                 (3.18)
    inward   f_i = m_i abar_i + R f_(i+1)                                        (3.19)
             n_i = I_i al_i + w_i x I_i w_i + (rbar_i + r_i) x m_i abar_i
                   + r_i x R f_(i+1) + R n_(i+1)                                 (3.20)
             tau_i = (R z) . n_i                                                 (3.21)

r_i = O_(i-1) -> O_i and rbar_i = O_i -> centre of mass, in frame i at the far end of link i.
a_0 = -g. Serial chains, O(n): 108 n - 12 multiplications and 100 n - 9 additions (Table 3).

The report treats turning joints. For a sliding one f_i gives the force and r_i contains the slide.
It adds R (2 w_(i-1) x z bd_i + z bdd_i) to a_i. Correction to the print: (3.16) needs w_(i-1), not
w_i.
"""

import numpy as np

from robodyn_ros.errors import ModelError
from robodyn_ros.formulations.arm import cross, model_of, states
from robodyn_ros.formulations.serial_chain import Z, links_at


def turning(links, qd, qdd):
    """(w, al, r, slide), (n, 3) each, in frame i; r = O_(i-1) -> O_i, slide is added to a_i."""
    w, al = np.zeros(3), np.zeros(3)
    rows = []
    for i in range(links.n):
        R = links.Q[i].T
        if links.revolute[i]:
            al = R @ (al + cross(w, Z * qd[i]) + Z * qdd[i])
            w = R @ (w + Z * qd[i])
            rows.append((w, al, links.a[i], np.zeros(3)))
        else:
            slide = R @ (2.0 * cross(w, Z * qd[i]) + Z * qdd[i])
            w, al = R @ w, R @ al
            rows.append((w, al, links.a[i] + R @ Z * links.b[i], slide))
    return tuple(np.array(column) for column in zip(*rows))


def inertia_wrenches(links, w, al, r, slide):
    """(m abar, I al + w x I w), (n, 3) each: the wrench that moves every link, weight included."""
    a, forces, moments = -links.g, [], []
    for i in range(links.n):
        rbar, I = -links.delta[i], links.I[i]  # noqa: E741
        a = cross(w[i], cross(w[i], r[i])) + cross(al[i], r[i]) + links.Q[i].T @ a + slide[i]
        abar = cross(w[i], cross(w[i], rbar)) + cross(al[i], rbar) + a
        forces.append(links.m[i] * abar)
        moments.append(I @ al[i] + cross(w[i], I @ w[i]))
    return np.array(forces), np.array(moments)


def torques(links, r, forces, moments, held):
    """(3.19) to (3.21): tau (n,) base to tip. held = (f_(n+1), n_(n+1)) in frame n, at O_n."""
    f, n = held
    tau = np.empty(links.n, forces.dtype)
    for i in reversed(range(links.n)):
        n = moments[i] + cross(r[i] - links.delta[i], forces[i]) + cross(r[i], f) + n
        f = forces[i] + f
        tau[i] = (links.Q[i].T @ Z) @ (n if links.revolute[i] else f)
        f, n = links.Q[i] @ f, links.Q[i] @ n
    return tau


def held_load(robot, sensor):
    """(f_(n+1), n_(n+1)) of a wrist sensor: (frame, (6,)) or None for a free end effector.

    The six numbers are the reading of the sensor in its own axes at its own origin. They are the
    force [N] and the moment [N m] by which the arm moves and carries the load. Its frame must be
    on the last link.
    """
    if sensor is None:
        return np.zeros(3), np.zeros(3)
    name, reading = sensor
    model = model_of(robot)
    frame = model.frame(name)
    if frame.body != len(model.body_names) - 1:
        raise ModelError(
            f'robot {model.name!r}: the sensor frame {name!r} is on link '
            f'{model.body_names[frame.body]!r}; expected {model.body_names[-1]!r}'
        )
    force = frame.rotation @ reading[:3]
    return force, frame.rotation @ reading[3:] + cross(frame.translation, force)


def inverse_dynamics(robot, q, qd, qdd, sensor=None):
    """tau (n,) [N m or N] of a serial robot, in O(n).

    q, qd, qdd (n,). sensor : (frame name, (6,) force and moment), see held_load. It seeds the
    inward recursion. An unknown load at the end effector is so accounted for (end of section 3).
    ModelError if the robot branches or the sensor is not on the last link; ShapeError.
    """
    return recursion(inertia_wrenches, robot, q, qd, qdd, sensor)


def recursion(inertia_wrenches, robot, q, qd, qdd, sensor):
    """tau (n,) by the outward and inward recursion, with either set of inertia wrenches."""
    q, qd, qdd = states(robot, q, qd, qdd)
    links = links_at(robot, q)
    motion = turning(links, qd[links.order], qdd[links.order])
    forces, moments = inertia_wrenches(links, *motion)
    tau = torques(links, motion[2], forces, moments, held_load(robot, sensor))
    return links.joint_order(tau) + links.joint_order(links.rotor) * qdd
