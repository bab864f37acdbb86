# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Xacro files: expanded by the xacro package where it is installed.

Xacro evaluates expressions of the file as Python. So a file has to be named by its path; text that
comes over a topic is never expanded.
"""

import os
from pathlib import Path

from robodyn_ros.errors import ModelError


def expanded(source: str | os.PathLike) -> str | os.PathLike:
    """Return the URDF text of a file whose name ends with .xacro; anything else as it is.

    Parameters
    ----------
    source : str or path
        Text, or path of a file.

    Returns
    -------
    str or path

    Raises
    ------
    ModelError
        If xacro is not installed, or refuses the file.
    """
    if not isinstance(source, (str, os.PathLike)) or '<' in str(source):
        return source
    path = Path(source)
    if path.suffix != '.xacro':
        return source
    try:
        import xacro  # an extra, needed here only
    except ModuleNotFoundError:
        raise ModelError(
            f'{str(path)!r} is a xacro file, and xacro is not installed; expected `pip install '
            f'xacro`, or the URDF that `xacro {path.name}` prints'
        ) from None
    try:
        return xacro.process_file(str(path)).toxml()
    except Exception as error:  # xacro raises whatever its expressions do
        raise ModelError(
            f'xacro refuses {str(path)!r}: {type(error).__name__}: {error}'
        ) from error
