# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Adaptive steps: as many substeps as a tolerance needs.

A step is taken with k and with 2 k substeps from the same state. If the results differ by more
than the tolerance, k is doubled. The finer result is kept. Angeles, section 7.6.3, compares two
schemes and halves the step in the same way. The next step begins with k / 2 substeps. The number
depends only on the states, so runs repeat bit for bit.
"""

import numpy as np

from robodyn_ros.simulation.integrators.names import TOO_LONG

#: Largest number of substeps.
MOST = 1024


def advance(run, arrays, q, qd, dt, tolerance, substeps):
    """Take one step with as many substeps as a tolerance needs.

    At MOST substeps the result is kept, whatever its error. A step whose energy needs shorter
    pieces is divided, too.

    `run` (callable): called with the number of substeps; returns a status, 0 without a fault.
    `arrays` (sequence of ndarray): all arrays that `run` changes, with q and qd among them.
    `q`, `qd` ((nq,) and (nv,) ndarray): state [rad or m, rad/s or m/s], updated.
    `dt`: length of the step [s].
    `tolerance`: largest difference of positions [rad or m], and of dt times velocities.
    `substeps`: number of substeps to begin with.
    Returns `status` (int): status of `run`.
    Returns `substeps` (int): number of substeps to begin the next step with.
    """
    before = [array.copy() for array in arrays]
    status = run(substeps)
    while status in (0, TOO_LONG) and substeps < MOST:
        coarse, has_coarse = (q.copy(), qd.copy()), status == 0
        _restore(arrays, before)
        status = run(2 * substeps)
        if status == 0 and has_coarse and _distance(q, qd, *coarse, dt) <= tolerance:
            break
        substeps *= 2
    return status, max(1, substeps // 2)


def _restore(arrays, values):
    for array, value in zip(arrays, values):
        array[...] = value


def _distance(q, qd, coarse_q, coarse_qd, dt):
    """Return the largest difference of positions, and of velocities times dt."""
    return max(np.abs(q - coarse_q).max(initial=0.0), dt * np.abs(qd - coarse_qd).max(initial=0.0))
