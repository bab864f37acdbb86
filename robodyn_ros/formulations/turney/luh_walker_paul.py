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

The report treats revolute joints. For a prismatic joint f_i gives the force, and r_i contains the
travel. It adds R (2 w_(i-1) x z bd_i + z bdd_i) to a_i.

Correction to the print: (3.16) needs w_(i-1), not w_i.
"""

import numpy as np

from robodyn_ros.errors import ModelError
from robodyn_ros.formulations.posture import cross, model_of, states
from robodyn_ros.formulations.serial_chain import Z, links_at
from robodyn_ros.formulations.task_graph import at_once


def next_angular_velocity(R, w, thd):
    """Return w_i = R (w_(i-1) + z thd_i) (3.15).

    `R` (3, 3): rotation from frame i-1 to frame i.
    `w` (3,): w_(i-1) [rad/s].
    `thd`: joint velocity [rad/s].
    """
    return R @ (w + Z * thd)


def next_angular_acceleration(R, w, al, thd, thdd):
    """Return al_i = R (al_(i-1) + w_(i-1) x z thd_i + z thdd_i) (3.16).

    `R` (3, 3): rotation from frame i-1 to frame i.
    `w`, `al` (3,): w_(i-1) [rad/s] and al_(i-1) [rad/s2].
    `thd`, `thdd`: joint velocity [rad/s] and acceleration [rad/s2].
    """
    return R @ (al + cross(w, Z * thd) + Z * thdd)


def turning(links, qd, qdd, step=at_once):
    """Return the angular motion of all links, and the vectors between their origins.

    `links` (Links): a serial chain at one posture.
    `qd` (n,): joint velocities from base to tip [rad/s, m/s].
    `qdd` (n,): joint accelerations from base to tip [rad/s2, m/s2].
    `step` (callable): computes each quantity; see `task_graph`.
    Returns `w` (n times (3,) ndarray): angular velocities, in frame i [rad/s].
    Returns `al` (n times (3,) ndarray): angular accelerations, in frame i [rad/s2].
    Returns `r` (n times (3,) ndarray): from O_(i-1) to O_i, in frame i [m].
    Returns `slide` (n times (3,) ndarray): acceleration that a prismatic joint adds to a_i, in
      frame i [m/s2].
    """
    w, al = np.zeros(3), np.zeros(3)
    rows = []
    for i in range(links.n):
        R = links.Q[i].T
        if links.revolute[i]:
            al = step('al', i + 1, next_angular_acceleration, R, w, al, qd[i], qdd[i])
            w = step('w', i + 1, next_angular_velocity, R, w, qd[i])
            rows.append((w, al, links.a[i], np.zeros(3)))
        else:
            slide = R @ (2.0 * cross(w, Z * qd[i]) + Z * qdd[i])
            w, al = R @ w, R @ al
            rows.append((w, al, links.a[i] + R @ Z * links.b[i], slide))
    return tuple(zip(*rows))


def acceleration(w, al, b, before):
    """Return w x (w x b) + al x b + before (3.17, 3.18).

    `w`, `al` (3,): angular velocity [rad/s] and acceleration [rad/s2].
    `b` (3,): between two points of the link [m].
    `before` (3,): acceleration of the first [m/s2].
    """
    return cross(w, cross(w, b)) + cross(al, b) + before


def gyroscopic_moment(I, w):  # noqa: E741  the letter of the book
    """Return w x I w.

    `I` (3, 3): inertia tensor about the centre of mass [kg m2].
    `w` (3,): angular velocity [rad/s].
    """
    return cross(w, I @ w)


def inertia_wrenches(links, w, al, r, slide, step=at_once):
    """Return m abar and I al + w x I w of every link, which move it and carry its weight.

    `links` (Links): a serial chain at one posture.
    `w` (n times (3,) ndarray): angular velocities, in frame i [rad/s].
    `al` (n times (3,) ndarray): angular accelerations, in frame i [rad/s2].
    `r` (n times (3,) ndarray): from O_(i-1) to O_i, in frame i [m].
    `slide` (n times (3,) ndarray): acceleration that a prismatic joint adds to a_i, in frame i
      [m/s2].
    `step` (callable): computes each quantity; see `task_graph`.
    Returns `forces` (n times (3,) ndarray): m abar, in frame i [N].
    Returns `moments` (n times (3,) ndarray): I al + w x I w, in frame i [N m].
    """
    a, forces, moments = -links.g, [], []
    for i, (Q, m, inertia) in enumerate(zip(links.Q, links.m, links.I)):
        before = step('R a', i + 1, carried, Q.T, a, slide[i])
        a = step('a', i + 1, acceleration, w[i], al[i], r[i], before)
        abar = step('abar', i + 1, acceleration, w[i], al[i], -links.delta[i], a)
        forces.append(step('m abar', i + 1, np.multiply, m, abar))
        inertial = step('I al', i + 1, np.matmul, inertia, al[i])
        gyroscopic = step('w x I w', i + 1, gyroscopic_moment, inertia, w[i])
        moments.append(step('moment', i + 1, _sum, inertial, gyroscopic))
    return forces, moments


def carried(R, a, slide):
    """Return R a_(i-1), and what a prismatic joint adds.

    `R` (3, 3): rotation from frame i-1 to frame i.
    `a` (3,): a_(i-1) [m/s2].
    `slide` (3,): acceleration that a prismatic joint adds, in frame i [m/s2].
    """
    return R @ a + slide


def torques(links, r, forces, moments, held, step=at_once):
    """Return the torques by (3.19) to (3.21).

    `links` (Links): a serial chain at one posture.
    `r` (n times (3,) ndarray): from O_(i-1) to O_i, in frame i [m].
    `forces` (n times (3,) ndarray): m abar, in frame i [N].
    `moments` (n times (3,) ndarray): I al + w x I w, in frame i [N m].
    `held` (pair of (3,) ndarray): f_(n+1) and n_(n+1) in frame n, at O_n [N, N m].
    `step` (callable): computes each quantity; see `task_graph`.
    """
    f, n = held
    tau = []
    for i in reversed(range(links.n)):
        Q, at = links.Q[i], i + 1
        lever = step('(r + rbar) x m abar', at, cross, r[i] - links.delta[i], forces[i])
        bend = step('r x R f', at, cross, r[i], f)
        own = step('n of its own', at, _sum, moments[i], lever, bend)
        n = step('n', at, _sum, own, n)
        f = step('f', at, _sum, forces[i], f)
        n = step('R n', at, np.matmul, Q, n)  # in frame i-1, whose z axis is that of joint i
        if i > 0 or not links.revolute[i]:
            f = step('R f', at, np.matmul, Q, f)
        tau.append((n if links.revolute[i] else f)[2])
    return np.array(tau[::-1])


def _sum(*terms):
    """Return the sum of vectors."""
    return sum(terms[1:], start=terms[0])


def held_load(robot, sensor):
    """Return f_(n+1) and n_(n+1) of a wrist sensor; zero without one.

    `sensor` (tuple): (frame name, reading) of a wrist sensor. The reading (6,) is force [N] and
      moment [N m] on the load, in its own axes at its own origin. The frame must be on the last
      link.
    Returns `force` (3,): force on the load [N].
    Returns `moment` (3,): moment on the load [N m].
    Raises ModelError: if the sensor is not on the last link.
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


def inverse_dynamics(robot, q, qd, qdd, sensor=None, step=at_once):
    """Return the torques of a serial robot, in O(n).

    The reading of a wrist sensor starts the inward recursion. This accounts for an unknown load at
    the end effector (end of section 3).

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    `qdd` ((nv,) array_like): joint accelerations [rad/s2, m/s2].
    `sensor` (tuple): (frame name, reading) of a wrist sensor. The reading (6,) is force [N] and
      moment [N m] on the load, in its own axes at its own origin. The frame must be on the last
      link.
    `step` (callable): computes each quantity; see `task_graph`.
    Raises ModelError: if the robot branches, or the sensor is not on the last link.
    Raises ShapeError: if a state has another shape.
    """
    return recursion(inertia_wrenches, robot, q, qd, qdd, sensor, step)


def recursion(inertia_wrenches, robot, q, qd, qdd, sensor, step):
    """Return the torques of a serial robot with given inertia wrenches.

    `inertia_wrenches` (callable): `inertia_wrenches` of this module or of modified_newton_euler.
    `q` ((nv,) array_like): joint coordinates [rad, m].
    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    `qdd` ((nv,) array_like): joint accelerations [rad/s2, m/s2].
    `sensor` (tuple): (frame name, reading) of a wrist sensor. The reading (6,) is force [N] and
      moment [N m] on the load, in its own axes at its own origin. The frame must be on the last
      link.
    `step` (callable): computes each quantity; see `task_graph`.
    """
    q, qd, qdd = states(robot, q, qd, qdd)
    links = links_at(robot, q)
    motion = turning(links, qd[links.order], qdd[links.order], step)
    forces, moments = inertia_wrenches(links, *motion, step)
    tau = torques(links, motion[2], forces, moments, held_load(robot, sensor), step)
    return links.joint_order(tau) + links.joint_order(links.rotor) * qdd
