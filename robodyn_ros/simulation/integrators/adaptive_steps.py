# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Steps of a plant with as many substeps as a tolerance needs.

A step is taken with k and with 2 k substeps from the same state. If the two results differ by more
than the tolerance, k is doubled. The finer result is kept. Angeles, section 7.6.3, halves the step
of a pair of schemes likewise. The next step begins with half as many. All of it depends on the
states alone, so runs repeat bit for bit.
"""

import numpy as np

#: Substeps beyond which a step is not divided further.
MOST = 1024


def advance(run, arrays, q, qd, dt, tolerance, substeps):
    """Take one step; return (status, substeps that the last comparison began with).

    run : called with the number of substeps, returns a status other than 0 at a fault. arrays :
    all that `run` changes, with q (nq,) and qd (nv,) among them. tolerance : of positions
    [rad or m], and of dt times velocities. substeps : to begin with. At MOST substeps the result
    is kept, whatever the difference.
    """
    before = [array.copy() for array in arrays]
    status = run(substeps)
    while not status and substeps < MOST:
        coarse = q.copy(), qd.copy()
        _restore(arrays, before)
        status = run(2 * substeps)
        if status or _distance(q, qd, *coarse, dt) <= tolerance:
            break
        substeps *= 2
    return status, max(1, substeps // 2)


def _restore(arrays, values):
    for array, value in zip(arrays, values):
        array[...] = value


def _distance(q, qd, coarse_q, coarse_qd, dt):
    """Return the largest difference of positions, and of velocities times dt."""
    return max(np.abs(q - coarse_q).max(initial=0.0), dt * np.abs(qd - coarse_qd).max(initial=0.0))
