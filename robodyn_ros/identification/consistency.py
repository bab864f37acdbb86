# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The physically consistent parameters nearest to an estimate.

minimise |R (K theta - beta)|^2 / 2 + trust * sum_i (tr X_i - log det X_i - 4)
with X_i = L_i^-1 P_i L_i^-T, L_i L_i^T = P_i of the nominal model, P = [[S, h], [h^T, m]] the
pseudo-inertia (S = tr(I)/2 1 - I, the second moments of mass). The method is that of Lee, Wensing
and Park 2020, "Geometric robot dynamic identification". A body is possible if and only if P is
positive definite (Wensing, Kim and Slotine 2018). The second term is the entropic divergence of
its mass distribution from the nominal one. It is independent of frames and units, and unbounded at
the boundary of the consistent set. Joint constants have the same term with a scalar X, in units of
their own estimate. Coulomb friction f that varies by a cos + b sin has it with P = [[f + a, b],
[b, f - a]]. So a^2 + b^2 stays below f^2, and friction never drives.
"""

from dataclasses import dataclass

import numpy as np

from robodyn_ros.errors import SingularityError, short_repr
from robodyn_ros.identification.inertial_parameters import OF_BODY

NEWTON_STEPS = 100
SETTLED = 1e-8  # share of trust; a Newton step with a smaller predicted gain is the last
ROUNDING = 1e-12  # of the objective
SLENDER = 1e-6  # share of the largest nominal eigenvalue; smaller ones are raised to it


@dataclass(frozen=True, eq=False)
class Consistent:
    """Parameters of physically possible bodies.

    Parameters
    ----------
    theta : (p,) ndarray
        The parameters.
    values : (b,) ndarray
        Their base parameters K theta.
    shift : (b,) ndarray
        Distance of the base parameters from the estimate, in its standard deviations.
    data_share : (b,) ndarray
        How much of each base parameter comes from the recording, 0 to 1. The rest comes from the
        description: it is the variance with the recording over that without it.
    steps : int
        Steps of Newton's method.
    """

    theta: np.ndarray
    values: np.ndarray
    shift: np.ndarray
    data_share: np.ndarray
    steps: int

    __repr__ = short_repr


def pseudo_inertia(theta):
    """Return the pseudo-inertia P = [[S, h], [h^T, m]] of a body.

    `theta` ((10,) array_like): parameters of the body.
    """
    m, hx, hy, hz, xx, xy, xz, yy, yz, zz = theta
    half = 0.5 * (xx + yy + zz)
    return np.array(
        (
            (half - xx, -xy, -xz, hx),
            (-xy, half - yy, -yz, hy),
            (-xz, -yz, half - zz, hz),
            (hx, hy, hz, m),
        )
    )


def ten_parameters(P):
    """Return the ten parameters of a pseudo-inertia, the inverse of `pseudo_inertia`.

    `P` (4, 4): pseudo-inertia.
    """
    xx, yy, zz = P[0, 0], P[1, 1], P[2, 2]
    return np.array(
        (
            P[3, 3],
            P[0, 3],
            P[1, 3],
            P[2, 3],
            yy + zz,
            -P[0, 1],
            -P[0, 2],
            xx + zz,
            -P[1, 2],
            xx + yy,
        )
    )


_BASIS = np.array([pseudo_inertia(unit) for unit in np.eye(len(OF_BODY))])


WAVE = ('friction', 'cosine', 'sine')
_WAVES = np.array((np.eye(2), ((1.0, 0.0), (0.0, -1.0)), ((0.0, 1.0), (1.0, 0.0))))


def is_possible(theta):
    """Return whether ten parameters are physically consistent: P is positive definite.

    The mass is then positive, and so are the principal moments about the centre of mass. Each is
    less than the sum of the other two.

    Parameters
    ----------
    theta : (10,) array_like
        Parameters of a body.
    """
    spectrum = np.linalg.eigvalsh(pseudo_inertia(theta))
    return bool(spectrum[0] > 4.0 * np.finfo(float).eps * max(spectrum[-1], 0.0))


def consistent(parameters, base, estimate, trust=1.0):
    """Return the consistent parameters nearest to an estimate of base parameters.

    Every body is consistent, every joint constant positive, and the minimum is unique. A
    consistent estimate moves in proportion to `trust`. An inconsistent one moves to the nearest
    consistent one, weighted by its covariance.

    Parameters
    ----------
    parameters : Parameters
        Parameters of the robot.
    base : BaseParameters
        Its base parameters.
    estimate : Estimate
        Least-squares estimate of them.
    trust : float
        Weight of the nominal model, above zero. 1 is a standard deviation of about 100 %.

    Returns
    -------
    Consistent
    """
    blocks, nominal = _blocks(parameters, base, estimate)
    K, target = estimate.root @ base.combination, estimate.root @ estimate.values
    miss = K @ nominal - target
    # each weight starts from the last minimum; far from it Newton's method converges slowly
    above = max(0, int(np.ceil(np.log2(max(miss @ miss, trust) / trust))))
    theta, steps = nominal, 0
    for weight in trust * 2.0 ** np.arange(above, -1, -1):
        theta, taken = _minimise(blocks, K, target, weight, theta)
        steps += taken
        if taken == NEWTON_STEPS:
            raise SingularityError(
                f'the projection onto possible bodies of robot {parameters.robot.name!r} did not '
                f'settle; expected an estimate from a better excited motion, or a trust above '
                f'{trust:g}'
            )
    stays = np.setdiff1d(np.arange(len(theta)), np.concatenate([where for where, _ in blocks]))
    theta[stays] = nominal[stays]  # without the rounding of the steps
    values = base.combination @ theta
    return Consistent(
        theta,
        values,
        (values - estimate.values) / estimate.deviations,
        _data_share(parameters, blocks, K, base, theta, trust),
        steps,
    )


def _data_share(parameters, blocks, K, base, theta, trust):
    """Return (b,) how far the estimate reduces the variances that the description leaves."""
    root = _barrier(blocks, theta, trust)[2]
    before, after = (_variances(rows, base.combination) for rows in (root, np.vstack((K, root))))
    return np.where(_by_themselves(parameters, base), 1.0, np.maximum(1.0 - after / before, 0.0))


def _variances(rows, combination):
    """Return the variances of combinations of parameters with the information rows^T rows."""
    sizes = np.linalg.norm(rows, axis=0)
    R = np.linalg.qr(rows / sizes, mode='r')
    return (np.linalg.solve(R.T, (combination / sizes).T) ** 2).sum(axis=0)


def _by_themselves(parameters, base):
    """Return (b,) whether a base parameter is one constant of a joint, and nothing else."""
    single = np.count_nonzero(base.combination, axis=1) == 1
    return single & (base.kept >= 10 * parameters.bodies)


def _minimise(blocks, K, target, trust, theta):
    """Return (minimum, steps taken) by Newton's method, from a consistent theta."""
    for step in range(NEWTON_STEPS):
        value, gradient, root = _barrier(blocks, theta, trust)
        miss = K @ theta - target
        value += 0.5 * miss @ miss
        # a least-squares problem has the square root of the Hessian's condition number
        A = np.vstack((K, root))
        size = np.linalg.norm(A, axis=0)
        right = -np.concatenate((miss, np.linalg.solve(root.T, gradient)))
        direction = np.linalg.lstsq(A / size, right, rcond=None)[0] / size
        gain = np.sum((A @ direction) ** 2)
        if gain < max(SETTLED * trust, ROUNDING * value):
            return theta, step
        theta = _line_search(blocks, K, target, trust, theta, direction, value, gain)
    return theta, NEWTON_STEPS


def _blocks(parameters, base, estimate):
    """Return ([(places, basis (size, d, d) in reference units)], reference theta), consistent.

    The reference of a body is the description. A joint constant that is estimated by itself needs
    none but itself: it only has to be positive. One that no equation has keeps its value.
    """
    nominal, blocks = parameters.nominal.copy(), []
    bodies = nominal[: 10 * parameters.bodies].reshape(-1, 10)
    typical = bodies[:, 0].mean() * np.diag((1e-3, 1e-3, 1e-3, 1.0))
    for i, row in enumerate(bodies):
        P = pseudo_inertia(row)
        P = P if P[3, 3] > 0.0 else 1e-3 * typical
        unit = 1.0 / np.sqrt(np.diag(P) if (np.diag(P) > 0.0).all() else np.diag(typical))
        spectrum, axes = np.linalg.eigh(unit[:, None] * P * unit)
        spectrum = np.maximum(spectrum, SLENDER * spectrum[-1])
        L = (axes * np.sqrt(spectrum)) / unit[:, None]
        row[:] = ten_parameters(L @ L.T)
        inverse = np.linalg.inv(L)
        blocks.append((list(range(10 * i, 10 * i + 10)), inverse @ _BASIS @ inverse.T))
    seen = base.combination.any(axis=0)
    alone = _by_themselves(parameters, base)
    itself = dict(zip(base.kept[alone], np.maximum(estimate.values, estimate.deviations)[alone]))
    waves = [parameters.joint_places(name) for name in WAVE]
    for name in parameters.of_joint:
        places = parameters.joint_places(name)
        values = nominal[[*places.values()]]
        usual = values[values > 0.0].mean() if (values > 0.0).any() else 0.1
        for joint, k in places.items():
            if seen[k] and not (name in WAVE and joint in waves[1]):
                nominal[k] = itself.get(k, nominal[k] if nominal[k] > 0.0 else usual)
                blocks.append(([k], np.array([[[1.0 / nominal[k]]]])))
    for joint in waves[1]:
        where = [places[joint] for places in waves]
        if seen[where].any():
            blocks.append(_wave_block(nominal, where))
    return blocks, nominal


def _wave_block(nominal, where):
    """Return the block of f, a and b of a joint, after bringing the nominal ones within it."""
    f, a, b = nominal[where]
    nominal[where[0]] = max(f if f > 0.0 else 0.1, np.hypot(a, b) / (1.0 - SLENDER))
    inverse = np.linalg.inv(np.linalg.cholesky(np.tensordot(nominal[where], _WAVES, axes=1)))
    return where, inverse @ _WAVES @ inverse.T


def _barrier(blocks, theta, trust):
    """Return trust * sum (tr X - log det X - d), its gradient, and C with C^T C its Hessian.

    Infinite for inconsistent parameters.
    """
    # what has no block stays
    value, gradient, root = 0.0, np.zeros(len(theta)), np.eye(len(theta))
    for where, basis in blocks:
        X = np.tensordot(theta[where], basis, axes=1)
        spectrum, axes = np.linalg.eigh(X)
        if not spectrum[0] > 0.0:
            return np.inf, gradient, root
        value += trust * (spectrum - np.log(spectrum) - 1.0).sum()
        half = axes / np.sqrt(spectrum)
        turned = half.T @ basis @ half  # X^-1/2 (each basis matrix) X^-1/2, up to a rotation
        gradient[where] = trust * (
            np.trace(basis, axis1=1, axis2=2) - np.trace(turned, axis1=1, axis2=2)
        )
        flat = turned.reshape(len(turned), -1)
        root[np.ix_(where, where)] = np.linalg.qr(np.sqrt(trust) * flat.T, mode='r')
    return value, gradient, root


def _line_search(blocks, K, target, trust, theta, direction, value, gain):
    """Return a step of sufficient decrease, at most nine tenths of the distance to the boundary.

    It is halved until the gain is a quarter of the linear prediction. From near the boundary
    Newton's method converges slowly.
    """
    steepest = min(
        np.linalg.eigvals(
            np.linalg.solve(
                np.tensordot(theta[where], basis, axes=1),
                np.tensordot(direction[where], basis, axes=1),
            )
        ).real.min()
        for where, basis in blocks
    )
    length = min(1.0, 0.9 / max(-steepest, np.finfo(float).tiny))
    while length > 1e-14:
        trial = theta + length * direction
        miss = K @ trial - target
        found = _barrier(blocks, trial, trust)[0] + 0.5 * miss @ miss
        if found <= value - 0.25 * length * gain:
            return trial
        length *= 0.5
    return theta
