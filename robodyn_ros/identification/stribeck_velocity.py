# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Stribeck velocities of joints, estimated together with all linear parameters.

    tau = W beta + s c(v / vs) sgn v

is linear in the stiction s, and not in the Stribeck velocity. Of this velocity alone, the least
sum of squares over beta and s is a function (variable projection; Golub and Pereyra 1973). It is
computed on a grid of velocities, for all joints. The best nodes start the method of Gauss and
Newton. The column d tau / d log vs then is one more linear parameter. So the standard deviation of
the stiction includes that of the velocity.
"""

from dataclasses import dataclass

import numpy as np

from robodyn_ros.errors import short_repr
from robodyn_ros.identification.least_squares import (
    LEAST_NOISE,
    MAX_CONDITION,
    UnidentifiedParameter,
)
from robodyn_ros.model.layout import STRIBECK_VELOCITY

WIDEST = 10.0  # the largest factor between described and estimated velocity
NODES = 31  # of the grid, with equal ratios
SWEEPS = 4  # over the joints
STEPS = 5  # of Gauss and Newton
LONGEST = 0.5  # of a step of log vs
CLOSE = 1e-3  # relative step of the difference quotient
#: Standard deviation over value of a stiction, and of log vs, up to which they are determined.
SURE = 0.04
SHARP = 0.2
SLOW_RANGE = 3.0  # times the Stribeck velocity
CERTAIN = 4.0  # standard deviations of a stiction that is not zero
FEW = 20  # equations at low speed below which a recording has too little of them


@dataclass(frozen=True, eq=False)
class StribeckVelocities:
    """Stribeck velocities that a recording determines.

    `joints`: joints whose stiction and velocity are determined.
    `velocities`, `deviations`: velocities and their standard deviations [rad/s or m/s].
    `curves`, `slopes`: torque per unit of stiction, and torque per unit of log vs, zero for other
      joints.
    `left_out`: stictions that are not determined, estimated with the described Stribeck
      velocities.
    `few`: number of equations below twice the described velocity. Joints are those of `left_out`
      with less than FEW, or with a stiction that is not zero.
    """

    joints: np.ndarray
    velocities: np.ndarray
    deviations: np.ndarray
    curves: np.ndarray
    slopes: np.ndarray
    left_out: tuple[UnidentifiedParameter, ...]
    few: dict[str, int]

    __repr__ = short_repr


def stribeck_velocities(parameters, base, found):
    """Estimate the Stribeck velocities of a recording.

    A joint is determined if its stiction is, to SURE of its value, and its velocity to SHARP.

    `parameters` (Parameters): parameters of the robot.
    `base` (BaseParameters): its base parameters.
    `found` (Equations): equations of the recording.
    Returns StribeckVelocities
    """
    problem = _Problem(parameters, base, found)
    chosen = problem.best_nodes()
    while chosen:
        joints = [*chosen]
        velocity, stiction, of_velocity, of_stiction = problem.newton(chosen)
        doubt = np.maximum(of_stiction / (SURE * np.abs(stiction)), of_velocity / SHARP)
        far = np.abs(np.log(velocity / problem.described[joints])) > np.log(WIDEST)
        doubt[far | (stiction <= 0.0)] = np.inf
        if doubt.max() <= 1.0:
            break
        del chosen[joints[np.argmax(doubt)]]
    if not chosen:
        velocity = of_velocity = stiction = np.zeros(0)
    joints = [*chosen]
    return StribeckVelocities(
        np.array(joints, dtype=int),
        velocity,
        velocity * of_velocity,
        *problem.columns(joints, velocity, stiction),
        problem.left_out(joints),
        problem.few(joints),
    )


class _Problem:
    """The equations, weighted by the noise of each joint, and columns of Stribeck curves."""

    def __init__(self, parameters, base, found):
        self.model, self.found = parameters.robot.model, found
        self.described = self.model.joint_values(STRIBECK_VELOCITY)
        kept = base.kept.tolist()
        places = parameters.joint_places('stiction')
        self.joints = [joint for joint, k in places.items() if k in kept]
        places = [kept.index(places[joint]) for joint in self.joints]
        self.rest = np.delete(found.W, places, axis=2)
        self.nominal = np.zeros_like(self.described)
        self.nominal[self.joints] = (base.combination @ parameters.nominal)[places]
        self.names = [parameters.names[base.kept[k]] for k in places]
        self.speeds = np.abs(found.filtered(found.states[1]))
        self.noise = np.ones(len(self.described))
        self.values = self.deviations = np.zeros(0)
        for _ in range(2 if self.joints else 0):
            curves = found.stiction(self.model, self.described)
            rows, right, weight = self.weighted(self.joints, curves)
            self.values, self.deviations = _solved(rows, right)
            self.set_noise(rows @ self.values - right, weight, len(self.values))

    def weighted(self, joints, curves, slopes=None):
        """Return rows and right side for joints with estimated curves, and the weights (k, nv).

        Stiction of the other joints is that of the description.
        """
        others = np.setdiff1d(self.joints, joints)
        weight = (
            np.where(np.isin(np.arange(len(self.noise)), joints), self.found.slow, self.found.used)
            / self.noise
        )
        known = np.zeros_like(self.found.tau)
        known[:, others] = self.found.stiction(self.model, self.described)[:, others]
        spread = np.eye(len(self.noise))[:, joints]
        columns = [each[:, :, None] * spread for each in (slopes, curves) if each is not None]
        rows = np.concatenate((*columns, self.rest), axis=2) * weight[:, :, None]
        right = (self.found.tau - known * self.nominal) * weight
        return rows.reshape(right.size, -1), right.ravel(), weight

    def set_noise(self, misfit, weight, unknowns):
        """Set the noise of each joint from a weighted misfit."""
        used = weight > 0.0
        freedom = used.sum(axis=0) * max(1.0 - unknowns / used.sum(), 0.1)
        squares = (misfit.reshape(weight.shape) ** 2).sum(axis=0) / np.maximum(freedom, 1.0)
        least = LEAST_NOISE * np.sqrt(np.mean(self.found.tau**2)) + np.finfo(float).tiny
        self.noise = np.maximum(self.noise * np.sqrt(squares), least)

    def best_nodes(self):
        """Return {joint: velocity} of the nodes with the least sum of squares."""
        if not self.joints:
            return {}
        joints, factors = self.joints, WIDEST ** np.linspace(-1.0, 1.0, NODES)
        curves = [self.found.stiction(self.model, each * self.described) for each in factors]
        rows, right, weight = self.weighted(joints, curves[0])
        Q, _ = np.linalg.qr(rows[:, len(joints) :])
        # a column of a joint and a node has equations of this joint only
        columns = (np.array(curves) * weight)[:, :, joints].transpose(2, 0, 1)
        blocks = Q.reshape(*weight.shape, -1)[:, joints]
        shares = np.einsum('jgk,kjb->jgb', columns, blocks).reshape(len(joints) * NODES, -1)
        gram = -shares @ shares.T
        for j, of_joint in enumerate(columns):
            own = slice(j * NODES, (j + 1) * NODES)
            gram[own, own] += of_joint @ of_joint.T
        left = (right - Q @ (Q.T @ right)).reshape(weight.shape)
        moments = np.einsum('jgk,kj->jg', columns, left[:, joints]).ravel()
        nodes = _search(gram, moments, len(joints))
        return {joints[j]: factors[node] * self.described[joints[j]] for j, node in nodes.items()}

    def newton(self, chosen):
        """Return velocity, stiction, and deviations of log velocity and stiction, each (m,)."""
        joints, m = [*chosen], len(chosen)
        velocity, stiction = np.array([*chosen.values()]), np.ones(m)
        for step in range(STEPS):
            columns = self.columns(joints, velocity, stiction)
            rows, right, weight = self.weighted(joints, *columns)
            values, deviations = _solved(rows, right)
            self.set_noise(rows @ values - right, weight, len(values))
            stiction = values[m : 2 * m]
            if step:  # the first slopes are those of a stiction of 1
                velocity = velocity * np.exp(np.clip(values[:m], -LONGEST, LONGEST))
        growth = self.local_misfit(joints, velocity, rows @ values - right, weight)
        return velocity, stiction, growth * deviations[:m], growth * deviations[m : 2 * m]

    def local_misfit(self, joints, velocity, misfit, weight):
        """Return the misfit at low speed over the noise of all equations, at least 1: (m,).

        Sticking, which is no function of speed, is seen there first.
        """
        slow = self.speeds[:, joints] < SLOW_RANGE * velocity
        slow &= weight[:, joints] > 0.0
        squares = misfit.reshape(weight.shape)[:, joints] ** 2 * slow
        noise = (self.noise * weight.max(axis=0))[joints]  # of this step over the last one
        ratios = np.sqrt(squares.sum(axis=0) / np.maximum(slow.sum(axis=0), 1)) / noise
        return np.maximum(ratios, 1.0)

    def left_out(self, joints):
        """Return the UnidentifiedParameter of each joint but these."""
        return tuple(
            UnidentifiedParameter(name, float(value), float(deviation), float(self.nominal[joint]))
            for joint, name, value, deviation in zip(
                self.joints, self.names, self.values, self.deviations
            )
            if joint not in joints
        )

    def few(self, joints):
        """Return {name: number of slow equations} of each joint but these that needs more."""
        counts = (self.found.slow & (self.speeds < 2.0 * self.described)).sum(axis=0)
        return {
            self.model.joint_names[joint]: int(counts[joint])
            for joint, value, deviation in zip(self.joints, self.values, self.deviations)
            if joint not in joints and (counts[joint] < FEW or abs(value) > CERTAIN * deviation)
        }

    def columns(self, joints, velocity, stiction):
        """Return curves and slopes (k, nv) of joints with velocities and stictions, each (m,)."""
        velocities, only = self.described.copy(), np.zeros(len(self.noise))
        velocities[joints], only[joints] = velocity, 1.0
        ahead, here, behind = (
            self.found.stiction(self.model, velocities * factor) * only
            for factor in (1.0 + CLOSE, 1.0, 1.0 / (1.0 + CLOSE))
        )
        only[joints] = stiction
        return here, (ahead - behind) / (2.0 * np.log1p(CLOSE)) * only


def _search(gram, moments, count):
    """Return {joint: node}, chosen joint by joint, with the least sum of squares.

    A joint whose stiction would be negative or zero has none.
    """
    nodes = {}
    for _ in range(SWEEPS):
        for j in range(count):
            others = {k: node for k, node in nodes.items() if k != j}
            trials = [others, *({**others, j: node} for node in range(NODES))]
            nodes = max(trials, key=lambda trial: _gain(gram, moments, trial))
    return nodes


def _gain(gram, moments, nodes):
    """Return by how much the columns of nodes reduce the sum of squares; -1 if one drives."""
    own = [k * NODES + node for k, node in nodes.items()]
    values = np.linalg.lstsq(gram[np.ix_(own, own)], moments[own], rcond=None)[0]
    return moments[own] @ values if (values > 0.0).all() else -1.0


def _solved(rows, right):
    """Return least-squares values and their standard deviations, infinite if singular."""
    sizes = np.maximum(np.linalg.norm(rows, axis=0), np.finfo(float).tiny)
    Q, R = np.linalg.qr(rows / sizes)
    if not np.linalg.cond(R) < MAX_CONDITION:
        values = np.linalg.lstsq(rows / sizes, right, rcond=None)[0] / sizes
        return values, np.full(len(sizes), np.inf)
    return (
        np.linalg.solve(R, Q.T @ right) / sizes,
        np.linalg.norm(np.linalg.inv(R), axis=1) / sizes,
    )
