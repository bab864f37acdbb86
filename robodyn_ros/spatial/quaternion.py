"""Rotations by quaternions (x, y, z, w): the scalar part last, as in ROS messages."""
from robodyn_ros.spatial.primitive import primitive

#: A quaternion whose squared length is below this has no direction left.
SMALLEST = 1e-12


@primitive
def axes_of_quaternion(x, y, z, w):
    """Columns of R, for a quaternion of any length but zero: it stands for that of length one.

    R = 1 + 2 (w [v] + [v]^2) / (v.v + w^2). Below SMALLEST it is the identity.
    """
    size = x * x + y * y + z * z + w * w
    s = 2.0 / size if size > SMALLEST else 0.0
    sx, sy, sz = s * x, s * y, s * z
    xx, yy, zz = sx * x, sy * y, sz * z
    xy, xz, yz = sx * y, sx * z, sy * z
    wx, wy, wz = sx * w, sy * w, sz * w
    return ((1.0 - (yy + zz), xy + wz, xz - wy),
            (xy - wz, 1.0 - (xx + zz), yz + wx),
            (xz + wy, yz - wx, 1.0 - (xx + yy)))
