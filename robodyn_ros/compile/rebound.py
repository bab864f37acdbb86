# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Copies of functions in which some called functions are replaced.

They are for plain Python, which does not use the tables of robodyn_ros.compile.robot_code_table.
"""

import functools
import inspect
from types import FunctionType, ModuleType, SimpleNamespace

from robodyn_ros.spatial.primitive import primitive


def rebound(function, replaced):
    """Return a copy of a function in which called functions are replaced, however deeply.

    `function` (callable): a plain function.
    `replaced` (dict): {function: replacement}. Replacements are not searched themselves.
    """
    return _Copies(replaced).copy(inspect.unwrap(function))


class _Copies:
    """Copies by function. A function that calls nothing replaced is its own copy."""

    def __init__(self, replaced):
        self._copies = dict(replaced)

    def copy(self, function):
        """Return the copy of a plain function."""
        names = function.__code__.co_names
        known = function.__globals__
        meant = {name: self._other(known[name], names) for name in names if name in known}
        changed = {name: value for name, value in meant.items() if value is not known[name]}
        if not changed:
            return function
        copy = FunctionType(
            function.__code__,
            known | changed,
            function.__name__,
            function.__defaults__,
            function.__closure__,
        )
        functools.update_wrapper(copy, function)
        del copy.__wrapped__  # a copy of the copy is not one of the function
        return primitive(copy)

    def _other(self, value, names):
        """Return the value that a name has in a copy."""
        if isinstance(value, ModuleType):
            inside = {name: vars(value)[name] for name in names if name in vars(value)}
            others = {name: self._other(each, ()) for name, each in inside.items()}
            changed = any(others[name] is not each for name, each in inside.items())
            return SimpleNamespace(**vars(value) | others) if changed else value
        if not isinstance(value, FunctionType):
            return value
        if value not in self._copies:
            self._copies[value] = value  # a function may call itself
            plain = inspect.unwrap(value)
            copy = self.copy(plain)
            self._copies[value] = value if copy is plain else copy
        return self._copies[value]
