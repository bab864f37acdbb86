"""A trajectory ready to be sampled in the loop: one polynomial a segment."""
import numpy as np

from robodyn_ros.control.polynomial import hermite, polyline
from robodyn_ros.kernels import kernel
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.types import Matrix, Scalar, Vector

ORDER = 6                 # coefficients of a segment's polynomial
CHECKED_INSTANTS = 16     # of every segment, at which limits are checked
SPEED_TOLERANCE = 1.001   # a plan that uses all of a velocity limit is not refused for rounding


class Path:
    """What the reference does from its reception on.

    knots : (s + 1,) [s] from 0; coefficients : (6 s, nv) ascending powers of the time since a
    segment
    began; end : (3, nv) what holds from the last knot on. Without segments it is a target.
    """

    def __init__(self, knots, coefficients, end):
        self.knots, self.coefficients, self.end = knots, coefficients, end
        self.duration = knots[-1]
        self._sample = sample.compiled

    @classmethod
    def through(cls, trajectory, start):
        """Return the path from a start through the points of a trajectory that lie ahead.

        start : (3, nv) reference at reception. Position and velocity continue from it, and the
        acceleration too where the path is quintic. At the end it rests.
        """
        passed = trajectory.passed
        knots = np.concatenate([[0.0], trajectory.times[passed:] + trajectory.delay])
        points = [np.vstack([start[row], values[passed:]])
                  for row, values in enumerate(trajectory.fields.values())]
        with np.errstate(over='ignore', invalid='ignore'):  # what overflows, the limits refuse
            if len(points) == 1:
                knots, coefficients = polyline(knots, points[0], start[1])
            else:
                coefficients = hermite(knots, *points)
        end = np.zeros_like(start)
        end[0] = points[0][-1]
        return cls(knots, coefficients, end)

    @classmethod
    def target(cls, trajectory):
        """Return the path that is at the one point of a trajectory at once, moving as it says."""
        end = np.zeros((3, trajectory.positions.shape[1]))
        for row, values in enumerate(trajectory.fields.values()):
            end[row] = values[-1]
        return cls(np.zeros(1), np.zeros((0, end.shape[1])), end)

    def sample(self, t, reference):
        """Write position, velocity and acceleration at t [s] into reference, (3, nv)."""
        self._sample(self.knots, self.coefficients, self.end, t, reference)

    def refusal(self, start, lower, upper, velocity, joint_names):
        """Return '' if the path keeps to the limits, or a sentence naming the joint that does not.

        Checked at CHECKED_INSTANTS of every segment. A start beyond a limit may come back from
        there.
        """
        instants = np.arange(CHECKED_INSTANTS) / CHECKED_INSTANTS
        times = self.knots[:-1, None] + np.diff(self.knots)[:, None] * instants
        times = np.append(times.ravel(), self.duration)
        samples = np.empty((len(times), 3, len(lower)))
        sample_all(self.knots, self.coefficients, self.end, times, samples.reshape(-1, len(lower)))
        speed = np.maximum(velocity, np.abs(start[1])) * SPEED_TOLERANCE
        return (_refuse('position', samples[:, 0], np.minimum(lower, start[0]),
                        np.maximum(upper, start[0]), times, joint_names)
                or _refuse('velocity', samples[:, 1], -speed, speed, times, joint_names))


def _refuse(name, values, low, high, times, joint_names):
    wrong = np.argwhere(~((low <= values) & (values <= high) & np.isfinite(values)))
    if not len(wrong):
        return ''
    k, i = wrong[0]
    return (f'{name}: joint {joint_names[i]} would be at {values[k, i]:.6g} after '
            f'{times[k]:.6g} s; expected {low[i]:.6g} to {high[i]:.6g}')


@primitive
def sample_path(knots, coefficients, end, t, out, row):
    """Position, velocity and acceleration at t, three rows of out; by bisection, O(log s + nv)."""
    last = knots.shape[0] - 1
    if not (t < knots[last]):
        for i in range(end.shape[1]):
            out[row, i], out[row + 1, i], out[row + 2, i] = end[0, i], end[1, i], end[2, i]
        return
    low, high = 0, last
    while high - low > 1:
        middle = (low + high) // 2
        if knots[middle] <= t:
            low = middle
        else:
            high = middle
    u = max(t - knots[low], 0.0)
    for i in range(end.shape[1]):
        q, qd, half_qdd = 0.0, 0.0, 0.0  # Horner, of a polynomial and its derivatives at once
        for k in range(ORDER * low + ORDER - 1, ORDER * low - 1, -1):
            half_qdd = half_qdd * u + qd
            qd = qd * u + q
            q = q * u + coefficients[k, i]
        out[row, i], out[row + 1, i], out[row + 2, i] = q, qd, 2.0 * half_qdd


@kernel
def sample(knots: Vector, coefficients: Matrix, end: Matrix, t: Scalar, reference: Matrix):
    """One sample, (3, nv): position, velocity, acceleration."""
    sample_path(knots, coefficients, end, t, reference, 0)


@kernel
def sample_all(knots: Vector, coefficients: Matrix, end: Matrix, times: Vector, samples: Matrix):
    """Samples at many times, (3 k, nv)."""
    for k in range(times.shape[0]):
        sample_path(knots, coefficients, end, times[k], samples, 3 * k)


KERNELS = (sample, sample_all)
