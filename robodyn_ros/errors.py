# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""One family of errors: messages state the received, the expected and the valid values."""

MOST_NUMBERS = 8  # of an array that `short_repr` shows
LONGEST_FIELD, LONGEST_FIELDS = 60, 120  # characters of one, and of all after which it ends


class RobodynError(Exception):
    """Base of every error this package raises on purpose, without control characters."""

    def __str__(self):
        return printable(', '.join(map(str, self.args)))


class ModelError(RobodynError, ValueError):
    """A robot description is malformed or physically impossible; the sentence names the element"""


class RemedyError(ModelError):
    """An error whose sentence has a remedy in the syntax of an interface.

    Parameters
    ----------
    before : str
        The sentence before the remedy.
    names : sequence of str
        What the remedy names: joints or arguments.
    after : str
        The sentence after the remedy.
    """

    def __init__(self, before, names=(), after=''):
        super().__init__(before, names, after)

    def with_remedy(self, remedy):
        """Return the sentence with its remedy.

        Parameters
        ----------
        remedy : callable
            Returns the remedy as text, from the names.
        """
        before, names, after = self.args
        return printable(f'{before}{remedy(names)}{after}')


class UnlockedError(RemedyError):
    """Joints have to be locked."""

    def __str__(self):
        return self.with_remedy(lambda joints: f'locked={dict.fromkeys(joints, 0.0)}')


class UngivenError(RemedyError):
    """Arguments of a xacro file have to be given."""

    def __str__(self):
        return self.with_remedy(lambda names: f'xacro_arguments={dict.fromkeys(names, "VALUE")}')


class OpenError(RemedyError):
    """Loops are not closed; a posture near a closed one has to be given."""

    def __str__(self):
        return self.with_remedy(
            lambda joints: f'near={{{", ".join(f"{each!r}: POSITION" for each in joints)}}}'
        )


class ShapeError(RobodynError, ValueError):
    """An array has the wrong shape or type for this robot."""


class NotFiniteError(ShapeError):
    """A number is NaN or infinite; the sentence names the joint and the place."""


class UnknownNameError(RobodynError, KeyError):
    """A joint, frame or law of that name does not exist; the sentence lists the valid names."""


class ParameterError(RobodynError, ValueError):
    """A parameter value is refused; the sentence says what would be accepted."""


class SingularityError(RobodynError, ArithmeticError):
    """A mass matrix or a pivot is singular; the sentence names the body."""


class KernelError(RobodynError, RuntimeError):
    """Compiled code is missing, will not build, or fails its known-answer test."""


def require_names(owner, kind, names, valid, purpose=''):
    """Refuse the first name that does not exist.

    Parameters
    ----------
    owner : str
        Owner of the names in the message, such as "robot 'arm'".
    kind : str
        Kind of the named objects, such as 'joint' or 'closure'.
    names : iterable of str
        The names to look up.
    valid : collection of str
        The names that exist.
    purpose : str
        Use of the name with a leading blank, such as ' for friction'.

    Raises
    ------
    UnknownNameError
        For the first unknown name. The message lists the valid ones.
    """
    for name in names:
        if name not in valid:
            known = ', '.join(valid) or 'none'
            raise UnknownNameError(f'{owner} has no {kind} {name!r}{purpose}; valid: {known}')


def printable(text):
    """Return a text whose control characters are escaped, except ends of lines.

    Parameters
    ----------
    text : str
        Any text.
    """
    if text.isprintable():
        return text
    return ''.join(
        c if c.isprintable() or c == '\n' else c.encode('unicode_escape').decode() for c in text
    )


def shorten(value, length=80):
    """Return a value as text for a message: escaped, and cut if it is long.

    Parameters
    ----------
    value : object
        A value of unknown origin.
    length : int
        Longest text.
    """
    if isinstance(value, (str, bytes, list, tuple)):
        value = value[: length + 1]  # before repr, which would escape all of it
    text = repr(value)
    return text if len(text) <= length else text[:length] + '...'


def listed(names, most=8):
    """Return names for a message, only the first of many.

    Parameters
    ----------
    names : iterable of str
        The names.
    most : int
        Number of names that are shown.
    """
    names = list(names)
    shown = ', '.join(repr(name) for name in names[:most])
    return shown if len(names) <= most else f'{shown} and {len(names) - most} more'


def short_repr(self):
    """Return `Name(field=value, ...)` on one line of about 160 characters, with shapes of arrays.

    A dataclass or a NamedTuple assigns it to `__repr__`. Fields that do not fit are left out.
    """
    described = getattr(self, '__dataclass_fields__', None)
    names = (
        self._fields if described is None else [k for k, each in described.items() if each.repr]
    )
    inside = ''
    for name in names:
        if len(inside) > LONGEST_FIELDS:
            inside += ', ...'
            break
        inside += f'{", " if inside else ""}{name}={_value_text(getattr(self, name))}'
    return f'{type(self).__name__}({inside})'


def _value_text(value):
    """Return the text of one field."""
    shape = getattr(value, 'shape', None)
    if shape and value.size > MOST_NUMBERS:
        return f'<array {shape}>'
    text = ' '.join(repr(value.tolist() if shape else value).split())
    return text if len(text) <= LONGEST_FIELD else f'{text[:LONGEST_FIELD]}...'
