"""One family of errors: every message says what was got, what was expected, of which robot, and
what would be valid.
"""


class RobodynError(Exception):
    """Base of every error this package raises on purpose."""


class ModelError(RobodynError, ValueError):
    """A robot description is malformed or physically impossible; the sentence names the element"""


class ShapeError(RobodynError, ValueError):
    """An array has the wrong shape, type or non-finite entries for this robot."""


class UnknownNameError(RobodynError, KeyError):
    """A joint, frame or law of that name does not exist; the sentence lists the valid names."""

    def __str__(self):
        return str(self.args[0]) if self.args else ''


class ParameterError(RobodynError, ValueError):
    """A parameter value is refused; the sentence says what would be accepted."""


class SingularityError(RobodynError, ArithmeticError):
    """A mass matrix or a pivot is singular; the sentence names the body."""


class KernelError(RobodynError, RuntimeError):
    """Compiled code is missing, will not build, or fails its known-answer test."""
