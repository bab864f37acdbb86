# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Syntax trees of texts, for several threads at once."""

import ast
import threading

_ONE = threading.Lock()
ATTEMPTS = 20  # threads of other packages parse too, without the lock; seldom twice in a row


def parsed(text):
    """Return the syntax tree of a text.

    Python 3.11 and 3.12 count the depth of the tree they build in one place for all threads. They
    give up with a SystemError when another thread has counted meanwhile
    (github.com/python/cpython/issues/106905).
    """
    with _ONE:
        for _ in range(ATTEMPTS - 1):
            try:
                return ast.parse(text)
            except SystemError:
                pass
        return ast.parse(text)
