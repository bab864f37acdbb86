"""Whether states are what the kernels expect: one look, in compiled code."""
from robodyn_ros.kernels.compile import kernel
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.types import Integer, Vector


@primitive
def fits(x, n):
    """Whether x has n entries, all of them finite: zero times each adds up to zero."""
    total = 0.0
    for k in range(x.shape[0]):
        total += 0.0 * x[k]
    return x.shape[0] == n and total == 0.0


@kernel
def one(n: Integer, x: Vector):
    """Whether x is a state of n joints."""
    return fits(x, n)


@kernel
def two(n: Integer, x: Vector, y: Vector):
    """The same of two."""
    return fits(x, n) and fits(y, n)


@kernel
def three(n: Integer, x: Vector, y: Vector, z: Vector):
    """The same of three."""
    return fits(x, n) and fits(y, n) and fits(z, n)


ALL = (one, two, three)
