"""Turns as unit quaternions (x, y, z, w) and as rotation vectors, axis times angle."""
from numpy import arctan2, cos, sin, sqrt

from robodyn_ros.spatial.primitive import primitive

#: Half an angle [rad] below which its sine is itself: the next term is below rounding.
SMALL = 1e-8


@primitive
def product(p, q):
    """p q: first the turn q, then the turn p."""
    return (p[3] * q[0] + p[0] * q[3] + p[1] * q[2] - p[2] * q[1],
            p[3] * q[1] + p[1] * q[3] + p[2] * q[0] - p[0] * q[2],
            p[3] * q[2] + p[2] * q[3] + p[0] * q[1] - p[1] * q[0],
            p[3] * q[3] - p[0] * q[0] - p[1] * q[1] - p[2] * q[2])


@primitive
def turn_by(v, q):
    """exp(v) q, of length one: the turn q, then a turn by the rotation vector v [rad]."""
    half = 0.5 * sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    share = 0.5 if half < SMALL else 0.5 * sin(half) / half
    x, y, z, w = product((share * v[0], share * v[1], share * v[2], cos(half)), q)
    size = 1.0 / sqrt(x * x + y * y + z * z + w * w)
    return size * x, size * y, size * z, size * w


@primitive
def turn_between(p, q):
    """Return the shortest v with p = exp(v) q, a rotation vector [rad] of at most half a turn."""
    x, y, z, w = product(p, (-q[0], -q[1], -q[2], q[3]))
    if w < 0.0:
        x, y, z, w = -x, -y, -z, -w
    s = sqrt(x * x + y * y + z * z)
    share = 2.0 / w if s < SMALL else 2.0 * arctan2(s, w) / s
    return share * x, share * y, share * z


@primitive
def quaternion_of(x, y, z):
    """Return the unit quaternion of the rotation whose columns are x, y and z (Shepperd 1978)."""
    trace = x[0] + y[1] + z[2]
    if trace >= x[0] and trace >= y[1] and trace >= z[2]:
        a, b, c, d = y[2] - z[1], z[0] - x[2], x[1] - y[0], 1.0 + trace
    elif x[0] >= y[1] and x[0] >= z[2]:
        a, b, c, d = 1.0 + x[0] - y[1] - z[2], x[1] + y[0], z[0] + x[2], y[2] - z[1]
    elif y[1] >= z[2]:
        a, b, c, d = x[1] + y[0], 1.0 + y[1] - x[0] - z[2], y[2] + z[1], z[0] - x[2]
    else:
        a, b, c, d = z[0] + x[2], y[2] + z[1], 1.0 + z[2] - x[0] - y[1], x[1] - y[0]
    size = 1.0 / sqrt(a * a + b * b + c * c + d * d)
    return size * a, size * b, size * c, size * d
