# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The equations of closed loops, and postures that satisfy them."""

import numpy as np

from robodyn_ros.algorithms.core import working_memory
from robodyn_ros.compile import embedded
from robodyn_ros.model.layout import COORDINATE, RATIO, SHIFT, STOPPED_ROWS, UNKNOWNS, Q

MOST_STEPS = 200
LONGEST_STEP = 0.3  # of one joint [rad or m]
CLOSED = 1e-11  # [m or rad]
SMALLEST = 1e-6  # singular value of a rank, as a share of the largest
NEARBY = 0.05  # [rad or m] of joint motion to a neighbouring posture, to detect singular ones


class LoopEquations:
    """The loop equations of a robot in all of its joints.

    `model` (RobotModel): the robot with its closures.
    """

    def __init__(self, model):
        self.model, self._work = model, working_memory.allocate(model.topology)
        self.unknowns = model.topology[0, UNKNOWNS]
        self._columns = self.unknowns + model.nv + 1
        self._unknown = model.topology[1:, COORDINATE] - model.nv
        self._at = model.topology[1:, Q]

    def equations(self, posture):
        """Return the rows of all closures: coefficients of the joints, and the gap.

        `posture` (ndarray): positions of all joints [rad or m].
        """
        L = np.zeros((self.model.topology[0, STOPPED_ROWS], self._columns))
        embedded.loop_equations(
            self.model.topology,
            self.model.constants,
            self._work,
            posture,
            np.zeros(len(self._at)),
            False,
            True,
            L,
        )
        return L

    def velocities(self, tree):
        """Return the velocity of the tree that each unknown is.

        `tree` (RobotModel): the robot without closures.
        """
        names = self.model.all_joint_names
        place = {
            int(k): tree.joint_names.index(name)
            for k, name in zip(self._unknown, names)
            if k >= 0 and name in tree.joint_names
        }
        return [place[k] for k in range(self.unknowns)]

    def start(self, tree, near):
        """Return positions of all joints, each as near to the given one as its limits allow.

        `tree` (RobotModel): the robot without closures.
        `near` (mapping of str to float): initial guess [rad or m] by joint; zero where missing.
        """
        q = np.zeros(tree.nq)
        q[tree.quaternions + 3] = 1.0
        at = tree.coordinates
        wanted = np.array([near.get(name, 0.0) for name in tree.joint_names])
        q[at[at >= 0]] = np.clip(wanted, tree.limits.lower, tree.limits.upper)[at >= 0]
        place = dict(zip(tree.position_names, q))
        posture = np.array([place.get(name, 0.0) for name in self.model.all_position_names])
        for row, leader in tree.followed.items():
            ratio = tree.constants[row, RATIO]
            posture[self._at[row - 1]] = (
                tree.constants[row, SHIFT] + ratio * (posture[self._at[leader - 1]])
            )
        return posture

    def moved(self, posture, step):
        """Return the posture with the unknown joints and their dependants moved.

        `posture` (ndarray): positions of all joints [rad or m].
        `step` (ndarray): motion of each unknown [rad or m].
        """
        posture, ratios = posture.copy(), self.model.constants[1:, RATIO]
        for row in np.flatnonzero(self._unknown >= 0):
            posture[self._at[row]] += ratios[row] * step[self._unknown[row]]
        return posture

    def assembled(self, posture):
        """Return the posture with closed loops that Newton's method of least motion finds.

        `posture` (ndarray): positions of all joints from which it starts [rad or m].
        """
        d = self.unknowns
        for _ in range(MOST_STEPS):
            L = self.equations(posture)
            step = -np.linalg.lstsq(L[:, :d], L[:, -1], rcond=SMALLEST)[0]
            step *= min(1.0, LONGEST_STEP / max(LONGEST_STEP, np.abs(step).max()))
            posture = self.moved(posture, step)
            if np.abs(step).max() < CLOSED:
                break
        return posture if np.abs(self.equations(posture)[:, -1]).max() < CLOSED else None

    def nearby_equations(self, posture):
        """Return the rows of the joints in another closed posture nearby.

        `posture` (ndarray): positions of all joints in which the loops are closed [rad or m].
        """
        d = self.unknowns
        free = np.linalg.svd(self.equations(posture)[:, :d])[2][::-1]
        aside = NEARBY * np.sin(1.0 + np.arange(d)) @ free  # a generic direction
        found = self.assembled(self.moved(posture, aside))
        return self.equations(posture if found is None else found)[:, :d]

    def gap(self, posture):
        """Return the largest gap of the loops as text.

        `posture` (ndarray): positions of all joints [rad or m].
        """
        return f'the largest gap is {np.abs(self.equations(posture)[:, -1]).max():.3g} [m or rad]'
