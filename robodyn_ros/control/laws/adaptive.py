# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Adaptive control: the law estimates the errors of the model while the robot moves."""

import math

import numpy as np

from robodyn_ros.algorithms.derivatives.regressor import PARAMETERS, regressor
from robodyn_ros.compile import kernel
from robodyn_ros.control.laws.law import OTHER, ControlLaw, LawParameter, model_arrays
from robodyn_ros.control.laws.passivity import passive_terms
from robodyn_ros.model.layout import MASS
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.types import Constant, Matrix, Scalar, Table, Topology, Vector, Work

RATE, LEAKAGE, LOAD, REACH = range(4)  # entries of `values`
MOMENTS, INERTIAS = 1, 4  # first columns of a body's first moments and inertias


@primitive
def adapt_parameters(constants, Y, v, qd, values, period, learnt):
    """Integrate d(learnt)/dt = -Gamma Y^T r - leakage learnt by one Euler step, within bounds.

    Gamma = rate diag(1, reach^2, reach^4) for mass, first moments and inertias. Their bounds are
    +-load, +-load reach and +-load reach^2, and no mass becomes negative.

    `constants`: constants of the model.
    `Y` (nv, 10 (nb - 1)): regressor.
    `v`, `qd` (nv,): modified reference velocity and measured velocity, r = qd - v.
    `learnt` (nb - 1, 10): estimates, updated.
    """
    reach = values[REACH]
    for i in range(learnt.shape[0]):
        for k in range(PARAMETERS):
            slope = 0.0
            for j in range(qd.shape[0]):
                slope += Y[j, PARAMETERS * i + k] * (qd[j] - v[j])
            size = 1.0
            if k >= INERTIAS:
                size = reach * reach
            elif k >= MOMENTS:
                size = reach
            lowest, highest = -values[LOAD] * size, values[LOAD] * size
            if k < MOMENTS:
                lowest = max(lowest, -constants[i + 1, MASS])
            x = learnt[i, k]
            if period > 0.0:
                x -= period * (values[RATE] * size * size * slope + values[LEAKAGE] * x)
            if not math.isfinite(x):
                x = 0.0
            learnt[i, k] = min(max(x, lowest), highest)


@kernel
def adaptive(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    work: Work,
    matrix: Matrix,
    v: Vector,
    a: Vector,
    Y: Matrix,
    learnt: Matrix,
    values: Vector,
    period: Scalar,
    q: Vector,
    qd: Vector,
    reference: Matrix,
    gains: Matrix,
    terms: Matrix,
):
    """Compute all terms, then the estimates one period later.

    `matrix`, `v`, `a`, `Y`: memory, overwritten.
    `learnt`: estimates of the inertial parameters of the bodies, updated.
    `period`: time since the last call [s].
    """
    passive_terms(topology, constants, gravity, work, matrix, v, a, q, qd, reference, gains, terms)
    regressor(topology, constants, gravity, work, q, qd, v, a, Y)
    for j in range(qd.shape[0]):
        terms[OTHER, j] = 0.0
        for i in range(learnt.shape[0]):
            for k in range(PARAMETERS):
                terms[OTHER, j] += Y[j, PARAMETERS * i + k] * learnt[i, k]
    adapt_parameters(constants, Y, v, qd, values, period, learnt)


class AdaptiveComputedTorque(ControlLaw):
    """tau = Y(q, qd, v, a) (theta + learnt) - Kd r, plus friction at the reference velocity.

    This is the law of passivity.py with adaptation of ten parameters of each body (Slotine and Li
    1987, eq. 10 to 13): d(learnt)/dt = -Gamma Y^T r - leakage learnt. With the error e of
    `learnt`, the sum r.M r/2 + e.Gamma^-1 e/2 never grows. So r vanishes for any load, though
    `learnt` need not converge to the true difference. For each body `learnt` is bounded by a load
    of `load` [kg], at most `reach` [m] from its joint.

    Its torque is the term 'other'. So a robot that compensates its own gravity still gets the
    torque of its load. Friction that the model lacks appears as mass: add it to the model, or use
    leakage. Adaptation stops while a limit changes the torque, because the error then does not
    show the effect of the estimate.

    `robot` (Robot): the robot under control.
    `learnt` (nb - 1, 10): differences from the model [kg, kg m, kg m^2], in the frame of
      each moving body. Columns: mass, first moment, inertia (xx xy xz yy yz zz).
    """

    name = 'adaptive_computed_torque'
    equation = (
        'tau = Y(q, qd, qd_r + L e, qdd_r + L ed) (theta + learnt) + Kp e + Kd ed'
        ' + friction(qd_r), L = Kp/Kd, e = q_r - q, ed = qd_r - qd'
    )
    gain_unit = ('N m/rad', 'N m s/rad')
    parameters = (
        LawParameter('rate', 2.0, 'kg s^2/m^2', 'Adaptation rate.', upper=1000.0),
        LawParameter(
            'leakage', 0.0, '1/s', 'Rate at which estimates decay towards the model.', upper=100.0
        ),
        LawParameter(
            'load', 5.0, 'kg', 'Largest change of the estimated mass of a body.', upper=1e4
        ),
        LawParameter(
            'reach',
            0.3,
            'm',
            'Largest distance of this mass from the joint of the body.',
            lower=1e-3,
            upper=100.0,
        ),
    )
    kernels = (adaptive,)

    def __init__(self, robot):
        super().__init__(robot)
        n, bodies = robot.nv, len(robot.model.body_names) - 1
        self.learnt = np.zeros((bodies, PARAMETERS))
        self._arrays = (
            *model_arrays(robot),
            np.zeros((n, n)),
            np.zeros(n),
            np.zeros(n),
            np.zeros((n, PARAMETERS * bodies)),
        )

    def forget(self):
        """Reset the estimates to the model."""
        self.learnt.fill(0.0)

    def torques(self, q, qd, reference, gains, terms):
        """Write every term, and adapt for one period unless saturated, in O(n depth)."""
        period = 0.0 if self.saturated else self.period
        self._torques(
            *self._arrays, self.learnt, self.values, period, q, qd, reference, gains, terms
        )
