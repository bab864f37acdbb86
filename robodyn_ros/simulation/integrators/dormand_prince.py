# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""DOP853, an explicit Runge-Kutta scheme of order 8 with an error estimate.

Twelve stages give the result of order 8, and two embedded results of orders 5 and 3. Their
differences e5 and e3 estimate the error: h e5^2 / sqrt(e5^2 + 0.01 e3^2), of order 8 in the step.
Source: Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, section II.10, and
its program DOP853.
"""

import numpy as np
from numpy import sqrt

from robodyn_ros.algorithms.core.manifold import make_unit, position_rates
from robodyn_ros.simulation.dry_friction import assume_friction, keeps_sliding
from robodyn_ros.simulation.integrators.names import COARSE, EVENT
from robodyn_ros.simulation.integrators.stage import accelerate_between_events
from robodyn_ros.simulation.joint_table import (
    BRAKED,
    ERROR,
    GAIN,
    OLD_Q,
    OLD_QD,
    QDD,
    SLOPE_OF_Q,
    SLOPE_OF_QD,
    STAGES,
)
from robodyn_ros.simulation.servo import write_drive_efforts
from robodyn_ros.spatial.primitive import separate, unfused
from robodyn_ros.spatial.types import (
    Constant,
    Integer,
    Matrix,
    Scalar,
    Table,
    Topology,
    Vector,
    Work,
)

#: Largest error of a position x over 1 + |x|, and of a velocity in the same way.
TOLERANCE = 1e-13
#: Factor by which the error grows when the step doubles.
GROWTH = 256.0

#: Weights of the slopes in the states of stages 1 to 11, one row after the other.
STAGE_WEIGHTS = np.array(
    (
        0.05260015195876773,
        0.0197250569845379,
        0.0591751709536137,
        0.02958758547680685,
        0.0,
        0.08876275643042054,
        0.2413651341592667,
        0.0,
        -0.8845494793282861,
        0.924834003261792,
        0.037037037037037035,
        0.0,
        0.0,
        0.17082860872947386,
        0.12546768756682242,
        0.037109375,
        0.0,
        0.0,
        0.17025221101954405,
        0.06021653898045596,
        -0.017578125,
        0.03709200011850479,
        0.0,
        0.0,
        0.17038392571223998,
        0.10726203044637328,
        -0.015319437748624402,
        0.008273789163814023,
        0.6241109587160757,
        0.0,
        0.0,
        -3.3608926294469414,
        -0.868219346841726,
        27.59209969944671,
        20.154067550477894,
        -43.48988418106996,
        0.47766253643826434,
        0.0,
        0.0,
        -2.4881146199716677,
        -0.590290826836843,
        21.230051448181193,
        15.279233632882423,
        -33.28821096898486,
        -0.020331201708508627,
        -0.9371424300859873,
        0.0,
        0.0,
        5.186372428844064,
        1.0914373489967295,
        -8.149787010746927,
        -18.52006565999696,
        22.739487099350505,
        2.4936055526796523,
        -3.0467644718982196,
        2.273310147516538,
        0.0,
        0.0,
        -10.53449546673725,
        -2.0008720582248625,
        -17.9589318631188,
        27.94888452941996,
        -2.8589982771350235,
        -8.87285693353063,
        12.360567175794303,
        0.6433927460157636,
    )
)
#: Weights of the slopes in the result.
WEIGHTS = np.array(
    (
        0.054293734116568765,
        0.0,
        0.0,
        0.0,
        0.0,
        4.450312892752409,
        1.8915178993145003,
        -5.801203960010585,
        0.3111643669578199,
        -0.1521609496625161,
        0.20136540080403034,
        0.04471061572777259,
    )
)
#: WEIGHTS less the weights of the result of order 3.
DIFFERENCE_3 = WEIGHTS.copy()
DIFFERENCE_3[0] -= 0.2440944881889764
DIFFERENCE_3[8] -= 0.7338466882816118
DIFFERENCE_3[11] -= 0.022058823529411766
#: WEIGHTS less the weights of the result of order 5.
DIFFERENCE_5 = np.array(
    (
        0.01312004499419488,
        0.0,
        0.0,
        0.0,
        0.0,
        -1.2251564463762044,
        -0.4957589496572502,
        1.6643771824549864,
        -0.35032884874997366,
        0.3341791187130175,
        0.08192320648511571,
        -0.022355307863886294,
    )
)


@unfused
def weighted(joint_work, slopes, weights, first, count, k):
    """Return a weighted sum of slopes of one entry of the state.

    `slopes`: first row of the slopes.
    `weights`: the weights.
    `first`: index of the first weight.
    `count`: number of slopes.
    `k`: index of the entry.
    """
    total = 0.0
    for stage in range(count):
        total = total + weights[first + stage] * joint_work[slopes + stage, k]
    return total


@unfused
def largest_error(joint_work, slopes, h, x):
    """Return the largest estimated error of an entry, relative to 1 plus its size.

    `slopes`: first row of the slopes.
    `x`: positions or velocities.
    """
    largest = 0.0
    for k in range(x.shape[0]):
        fifth = weighted(joint_work, slopes, DIFFERENCE_5, 0, STAGES, k)
        third = weighted(joint_work, slopes, DIFFERENCE_3, 0, STAGES, k)
        size = sqrt(fifth * fifth + 0.01 * third * third)
        if size > 0.0:
            largest = max(largest, h * fifth * fifth / (size * (1.0 + abs(x[k]))))
    return largest


@separate
def dormand_prince(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    joints: Matrix,
    work: Work,
    joint_work: Matrix,
    effort: Vector,
    f_ext: Matrix,
    h: Scalar,
    stribeck: Scalar,
    q: Vector,
    qd: Vector,
) -> Integer:
    """Advance the state by the scheme of order 8, without events of friction and stops.

    Quaternions are integrated as in `runge_kutta`. Writes the estimated error over TOLERANCE into
    joint_work[ERROR, 0].

    Returns 0, or the body whose pivot is singular. EVENT if a joint began to slide, stopped or
      reversed, COARSE if its error is too large.
    """
    assume_friction(joints, joint_work, qd)
    for k in range(q.shape[0]):
        joint_work[GAIN, k] = 0.0
    first = 0
    for stage in range(STAGES):
        for k in range(q.shape[0] if stage > 0 else 0):
            q[k] = joint_work[OLD_Q, k] + h * weighted(
                joint_work, SLOPE_OF_Q, STAGE_WEIGHTS, first, stage, k
            )
        for k in range(qd.shape[0] if stage > 0 else 0):
            rise = weighted(joint_work, SLOPE_OF_QD, STAGE_WEIGHTS, first, stage, k)
            qd[k] = joint_work[OLD_QD, k] + h * rise
        first = first + stage
        write_drive_efforts(joints, joint_work, q, qd, effort)
        status = accelerate_between_events(
            topology,
            constants,
            gravity,
            joints,
            work,
            joint_work,
            effort,
            f_ext,
            h,
            0.0,
            stribeck,
            q,
            qd,
        )
        if status != 0:
            return status
        position_rates(topology, q, qd, joint_work[SLOPE_OF_Q + stage])
        for k in range(qd.shape[0]):
            joint_work[SLOPE_OF_QD + stage, k] = joint_work[QDD, k]
    for k in range(q.shape[0]):
        q[k] = joint_work[OLD_Q, k] + h * weighted(joint_work, SLOPE_OF_Q, WEIGHTS, 0, STAGES, k)
    for k in range(qd.shape[0]):
        rise = weighted(joint_work, SLOPE_OF_QD, WEIGHTS, 0, STAGES, k)
        qd[k] = 0.0 if joints[k, BRAKED] > 0.0 else joint_work[OLD_QD, k] + h * rise
    make_unit(topology, q)
    if not keeps_sliding(joint_work, qd):
        return EVENT
    error = max(
        largest_error(joint_work, SLOPE_OF_Q, h, q), largest_error(joint_work, SLOPE_OF_QD, h, qd)
    )
    joint_work[ERROR, 0] = error / TOLERANCE
    return 0 if error <= TOLERANCE else COARSE
