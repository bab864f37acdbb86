"""The decorator of everything that runs inside a kernel."""
from numba.extending import register_jitable

#: Leaves the function plain Python where Python calls it, and compiles it into the caller where a
#: kernel calls it.
primitive = register_jitable
