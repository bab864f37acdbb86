# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Derivatives of the dynamics by complex steps through the texts of other kernels."""

import numpy as np

from robodyn_ros.algorithms.core.manifold import position_rates
from robodyn_ros.compile import generic

from ..calls import run
from .dense import along, gradient


def by_velocity(function, x):
    """Return the derivatives of `function` by every entry of x, on a new last axis."""
    return np.moveaxis(gradient(function, x), 0, -1)


def by_position(robot, function, q):
    """Return the derivatives of `function` along the unit velocities at q, on a new last axis."""
    slopes = []
    for unit in np.eye(robot.nv):
        rates = np.empty(robot.nq)
        position_rates(robot.model.topology, q, unit, rates)
        slopes.append(along(function, q, rates))
    return np.stack(slopes, axis=-1)


def of_inverse_dynamics(robot, q, qd, qdd, f_ext=None):
    """Return dtau by q, qd and qdd; f_ext : (nb, 6) wrenches, fixed to their bodies."""
    given = {} if f_ext is None else {'f_ext': f_ext}

    def tau(q, qd, qdd):
        return run(robot, generic.inverse_dynamics, q=q, qd=qd, qdd=qdd, **given)

    return (
        by_position(robot, lambda x: tau(x, qd, qdd), q),
        by_velocity(lambda x: tau(q, x, qdd), qd),
        by_velocity(lambda x: tau(q, qd, x), qdd),
    )


def of_forward_dynamics(robot, q, qd, tau, f_ext=None):
    """Return dqdd by q, qd and tau; not by articulated bodies, whose pivots are compared, which
    complex numbers refuse.
    """
    given = {} if f_ext is None else {'f_ext': f_ext}

    def qdd(q, qd, tau):
        rest = run(robot, generic.inverse_dynamics, q=q, qd=qd, qdd=np.zeros(robot.nv), **given)
        return np.linalg.solve(run(robot, generic.mass_matrix, q=q), tau - rest)

    return (
        by_position(robot, lambda x: qdd(x, qd, tau), q),
        by_velocity(lambda x: qdd(q, x, tau), qd),
        by_velocity(lambda x: qdd(q, qd, x), tau),
    )


def of_mass_matrix(robot, q):
    """Return dM_ij / dq_k."""
    return by_position(robot, lambda x: run(robot, generic.mass_matrix, q=x), q)
