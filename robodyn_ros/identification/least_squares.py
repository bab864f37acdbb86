# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Ordinary and weighted least squares, with standard deviations and a condition number.

minimise |S^-1 (W beta - tau)|^2, S = diag(standard deviation of the noise of each joint); Gautier
and Khalil 1990; Khalil and Dombre 2002, section 12.2.5. Cov(beta) = (W^T S^-2 W)^-1, which holds
for an exact W and noise that is independent from sample to sample.
"""

from dataclasses import dataclass, replace

import numpy as np

from robodyn_ros.errors import ShapeError, SingularityError, short_repr

MAX_CONDITION = 1e10  # condition number beyond which some parameter is not excited
LEAST_NOISE = 1e-9  # of the torque
UNCERTAIN = 0.3  # standard deviation over physical size beyond which a parameter is left out
ROUNDS = 4  # iterations of noise and parameters; the second one already changes little


@dataclass(frozen=True)
class UnidentifiedParameter:
    """A parameter that the recording does not determine, and that is left out.

    `value`, `deviation`: its least-squares estimate, and the standard deviation.
    `nominal`: the value that it keeps.
    """

    name: str
    value: float
    deviation: float
    nominal: float

    __repr__ = short_repr


@dataclass(frozen=True, eq=False)
class Estimate:
    """Result of least squares.

    Parameters
    ----------
    values, deviations : (b,) ndarray
        Parameters and their standard deviations.
    condition, unscaled : float
        Condition number of the weighted W with columns of length 1, and of W in SI units.
    noise : (nv,) ndarray
        Standard deviation of the residual of each joint [N m or N].
    root : (b, b) ndarray
        Upper triangular R with R^T R the inverse covariance.
    """

    values: np.ndarray
    deviations: np.ndarray
    condition: float
    unscaled: float
    noise: np.ndarray
    root: np.ndarray

    __repr__ = short_repr

    def without(self, count):
        """Return the estimate of all parameters but the first ones, which stay unknown.

        Parameters
        ----------
        count : int
            Number of the first ones.
        """
        # the lower right block of the triangle is that of the marginal distribution
        return replace(
            self,
            values=self.values[count:],
            deviations=self.deviations[count:],
            root=self.root[count:, count:],
        )

    @property
    def relative(self):
        """Return (b,) deviations over values; infinite for a value of zero."""
        with np.errstate(divide='ignore', invalid='ignore'):
            return self.deviations / np.abs(self.values)


def fit(W, tau, names, used=None, weighted=True):
    """Estimate beta in W beta = tau.

    Parameters
    ----------
    W : (k, nv, b) ndarray
        Regressor of the base parameters.
    tau : (k, nv) ndarray
        Torques [N m or N].
    names : sequence of str
        Names of the b parameters, for messages.
    used : (k, nv) ndarray of bool, optional
        Equations in use; all by default.
    weighted : bool
        Whether each joint has a separate noise level, estimated alternately with beta.

    Returns
    -------
    Estimate

    Raises
    ------
    ShapeError
        For too few equations.
    SingularityError
        For parameters that are not excited.
    """
    counts = _counts(W, tau, used)
    return _fit(*_compressed(W, tau, used), counts, names, weighted)


def _counts(W, tau, used):
    """Return (nv,) numbers of equations of each joint; refuse too few."""
    counts = np.full(tau.shape[1], len(tau)) if used is None else used.sum(axis=0)
    if counts.sum() <= W.shape[2] or not counts.all():
        raise ShapeError(
            f'got {", ".join(map(str, counts))} samples of the joints for {W.shape[2]} '
            'parameters; expected some of each, and more than parameters in all: '
            'record longer, move faster, or filter less'
        )
    return counts


def _compressed(W, tau, used):
    """Return W, tau of at most b + 1 equations for each joint, with the same sums of squares.

    A joint has one noise level, so a factor R of its equations serves every weighting of joints:
    |W beta - tau| = |R (beta, -1)|.
    """
    equations = np.concatenate([W, tau[:, :, None]], axis=2)
    if used is not None:
        equations *= used[:, :, None]
    if len(tau) > equations.shape[2]:
        equations = np.linalg.qr(equations.swapaxes(0, 1), mode='r').swapaxes(0, 1)
    return equations[:, :, :-1], equations[:, :, -1]


def _fit(W, tau, counts, names, weighted):
    """Return the Estimate from equations of `_compressed`."""
    b = W.shape[2]
    # a lower bound of the noise, since a perfect fit must not have infinite weight
    least = LEAST_NOISE * np.sqrt((tau**2).sum() / counts.sum())
    floor = max(least, np.finfo(float).tiny)
    noise = np.ones(tau.shape[1])
    for _ in range(ROUNDS if weighted else 1):
        values, _, _ = _solve(W, tau, noise, names)
        squares = ((W @ values - tau) ** 2).sum(axis=0)
        # the degrees of freedom of the parameters are shared by the joints
        freedom = counts * (1.0 - b / counts.sum())
        if not weighted:
            squares, freedom = squares.sum(), freedom.sum()
        noise = np.maximum(np.sqrt(squares / freedom), floor) * np.ones(tau.shape[1])
    values, root, condition = _solve(W, tau, noise, names)
    deviations = np.linalg.norm(np.linalg.inv(root), axis=1)
    # columns of one length hide that some parameters hardly change a torque
    unscaled = np.linalg.cond(W.reshape(-1, b))
    return Estimate(values, deviations, condition, unscaled, noise, root)


def fit_identifiable(W, tau, names, sizes, nominal, used=None, weighted=True, further=None):
    """Estimate beta, without the parameters that the torques do not determine.

    A parameter is uncertain if its standard deviation exceeds UNCERTAIN times its size. The worst
    keeps its nominal value, and the others are estimated again, until none is uncertain. These are
    the essential parameters of Khalil and Dombre 2002, section 12.2.6, with physical sizes.

    `W`, `tau`, `names`: as in `fit`.
    `sizes`, `nominal` (b,): physical sizes and nominal values of the parameters.
    `used`, `weighted`: as in `fit`.
    `further` (k, nv, m): columns of further unknowns. They enlarge the standard
      deviations, and are not returned.
    Returns `estimate` (Estimate): of the parameters at `places`.
    Returns `places` ((c,) ndarray of int): which they are.
    Returns `left_out` (tuple of UnidentifiedParameter): the others, worst first.
    """
    m = 0 if further is None else further.shape[2]
    W = W if further is None else np.concatenate((further, W), axis=2)
    counts = _counts(W, tau, used)
    W, tau = _compressed(W, tau, used)
    further, W = W[:, :, :m], W[:, :, m:]
    places, left_out, known = np.arange(len(names)), [], np.zeros_like(tau)
    while True:
        named = ['a further unknown'] * m + [names[j] for j in places]
        columns = np.concatenate((further, W[:, :, places]), axis=2)
        estimate = _fit(columns, tau - known, counts, named, weighted).without(m)
        share = estimate.deviations / sizes[places]
        worst = np.argmax(share)
        if share[worst] <= UNCERTAIN or len(places) == 1:
            return estimate, places, tuple(left_out)
        j = places[worst]
        value, deviation = estimate.values[worst], estimate.deviations[worst]
        left_out.append(
            UnidentifiedParameter(names[j], float(value), float(deviation), float(nominal[j]))
        )
        known += W[:, :, j] * nominal[j]
        places = np.delete(places, worst)


def _solve(W, tau, noise, names):
    """Return (beta, R, condition number) of the weighted equations with normalised columns."""
    rows = (W / noise[:, None]).reshape(-1, W.shape[2])
    sizes = np.linalg.norm(rows, axis=0)
    still = [names[j] for j in np.flatnonzero(sizes == 0.0)]
    if still:
        raise SingularityError(
            f'the recorded motion does not excite {", ".join(still)} at all; '
            'expected a motion of every joint'
        )
    Q, R = np.linalg.qr(rows / sizes)
    _, spectrum, directions = np.linalg.svd(R)
    condition = spectrum[0] / spectrum[-1] if spectrum[-1] > 0.0 else np.inf
    if not condition < MAX_CONDITION:
        lost = np.argsort(-np.abs(directions[-1]))[:3]
        raise SingularityError(
            f'the recorded motion does not tell apart {"; ".join(names[j] for j in lost)} '
            f'(condition number {condition:.2g}, expected below {MAX_CONDITION:.0g}); '
            'excite every joint, at several speeds'
        )
    values = np.linalg.solve(R, Q.T @ (tau / noise).ravel()) / sizes
    return values, R * sizes, condition
