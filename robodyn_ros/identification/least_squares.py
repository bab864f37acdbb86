"""Ordinary and weighted least squares with what can be said about the errors.

minimise |S^-1 (W beta - tau)|^2, S = diag(standard deviation of the noise of each joint); Gautier
and Khalil 1990; Khalil and Dombre 2002, section 12.2.5. Cov(beta) = (W^T S^-2 W)^-1, which holds
for an exact W and noise that is independent from sample to sample.
"""
from dataclasses import dataclass

import numpy as np

from robodyn_ros.errors import ShapeError, SingularityError

WORST = 1e10   # condition number from which on the motion says nothing about some parameter
ROUNDS = 4     # of estimating noise and parameters in turn; the second changes little already


@dataclass(frozen=True, eq=False)
class Estimate:
    """What least squares found.

    values, deviations : (b,) and their standard deviations. relative : (b,) deviations over
    |values|. condition : of the weighted W. noise : (nv,) [N m or N] standard deviation of the
    residual of each joint. root : (b, b) upper triangular R with R^T R the inverse covariance.
    """

    values: np.ndarray
    deviations: np.ndarray
    condition: float
    noise: np.ndarray
    root: np.ndarray

    @property
    def relative(self):
        """(b,) standard deviation over size; infinite for a value of zero."""
        with np.errstate(divide='ignore', invalid='ignore'):
            return self.deviations / np.abs(self.values)


def fit(W, tau, names, weighted=True):
    """Estimate of beta in W beta = tau; W (k, nv, b), tau (k, nv), names (b,) for messages.

    weighted : each joint has its own noise, estimated in turn with beta; otherwise one for all.
    Raises ShapeError for too few samples, SingularityError for parameters that nothing excites.
    """
    k, nv, b = W.shape
    if k * nv <= b:
        raise ShapeError(f'got {k} samples of {nv} joints for {b} parameters; expected more '
                         'equations than parameters: record longer, or filter less')
    # the least noise that counts: a perfect fit must not weigh infinitely
    floor = 1e-12 * max(np.sqrt(np.mean(tau**2)), np.finfo(float).tiny)
    noise = np.ones(nv)
    for _ in range(ROUNDS if weighted else 1):
        values, root, condition = _solve(W, tau, noise, names)
        squares = ((W @ values - tau)**2).sum(axis=0)
        found = np.sqrt(squares / (k - b / nv))
        noise = np.maximum(found if weighted else np.full(nv, np.sqrt(np.mean(found**2))), floor)
    values, root, condition = _solve(W, tau, noise, names)
    inverse = np.linalg.inv(root)
    return Estimate(values, np.linalg.norm(inverse, axis=1), condition, noise, root)


def _solve(W, tau, noise, names):
    """(beta, R, condition number) of the equations over their noise, the columns scaled alike."""
    rows = (W / noise[:, None]).reshape(-1, W.shape[2])
    sizes = np.linalg.norm(rows, axis=0)
    still = [names[j] for j in np.flatnonzero(sizes == 0.0)]
    if still:
        raise SingularityError(f'the recorded motion does not excite {", ".join(still)} at all; '
                               'expected a motion of every joint')
    Q, R = np.linalg.qr(rows / sizes)
    _, spectrum, directions = np.linalg.svd(R)
    condition = spectrum[0] / spectrum[-1] if spectrum[-1] > 0.0 else np.inf
    if not condition < WORST:
        lost = np.argsort(-np.abs(directions[-1]))[:3]
        raise SingularityError(
            f'the recorded motion does not tell apart {"; ".join(names[j] for j in lost)} '
            f'(condition number {condition:.2g}, expected below {WORST:.0g}); excite every joint, '
            'at several speeds')
    values = np.linalg.solve(R, Q.T @ (tau / noise).ravel()) / sizes
    return values, R * sizes, condition
