# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Thread-safe syntax trees of sources."""

import ast
import inspect
import textwrap
import threading

_LOCK = threading.Lock()
ATTEMPTS = 20  # other packages parse without this lock, rarely twice in a row


def parsed(text):
    """Return the syntax tree of a source.

    Python 3.11 and 3.12 count the depth of the tree in a variable that all threads share. They
    raise a SystemError if another thread has changed it (github.com/python/cpython/issues/106905).

    `text`: Python source.
    """
    with _LOCK:
        for _ in range(ATTEMPTS - 1):
            try:
                return ast.parse(text)
            except SystemError:
                pass
        return ast.parse(text)


def parsed_function(function):
    """Return the definition of a function in the syntax tree of its source.

    `function` (callable): a Python function.
    """
    return parsed(textwrap.dedent(inspect.getsource(function))).body[0]


def returns_a_value(function):
    """Return whether the source of a function returns a value, such as a status.

    `function` (callable): a Python function.
    """
    nodes = ast.walk(parsed_function(function))
    return any(isinstance(node, ast.Return) and node.value is not None for node in nodes)
