# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Names in a picture: as they are, whatever matplotlib takes them for."""


def plain(text):
    """Return a text in which `$` begins no formula."""
    return text.replace('$', r'\$')
