# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""One entry of /diagnostics."""

from typing import Any, Mapping

from diagnostic_msgs.msg import DiagnosticStatus, KeyValue

OK, WARN, ERROR = DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.ERROR


def diagnostic_status(
    name: str, level: bytes, text: str, values: Mapping[str, Any]
) -> DiagnosticStatus:
    """Return one entry with its values as text; floats have six significant digits.

    `name`: name of the entry.
    `level`: OK, WARN or ERROR.
    `text`: summary.
    `values`: values by key.
    """

    def show(value):
        return f'{value:.6g}' if isinstance(value, float) else str(value)

    return DiagnosticStatus(
        name=name,
        level=level,
        message=text,
        hardware_id='robodyn_ros',
        values=[KeyValue(key=key, value=show(value)) for key, value in values.items()],
    )
