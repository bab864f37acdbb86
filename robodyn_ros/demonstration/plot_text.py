# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Text in pictures without matplotlib's markup."""


def plain(text):
    """Return a text in which `$` does not begin a formula.

    `text`: any text.
    """
    return text.replace('$', r'\$')
