# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Find the files of a description in their packages, and expand xacro files.

Xacro evaluates expressions of the file as Python. So a file must be given by its path; text from a
topic is never expanded.
"""

import os
from pathlib import Path

from robodyn_ros.errors import ModelError
from robodyn_ros.model.sources import package_path


def expanded(source: str | bytes | os.PathLike) -> str | bytes | os.PathLike:
    """Return the URDF text of a file whose name ends with .xacro; any other source unchanged.

    Parameters
    ----------
    source : str or path
        Text, path of a file, or `package://<name>/<path>`.

    Returns
    -------
    str or path

    Raises
    ------
    ModelError
        If there is no such file in the package, or xacro is not installed, or refuses the file.
    """
    if not isinstance(source, bytes):
        source = package_path.resolved(source)
    if not isinstance(source, (str, os.PathLike)) or '<' in str(source):
        return source
    path = Path(source)
    if path.suffix != '.xacro':
        return source
    try:
        import xacro  # an optional package, needed here only
    except ModuleNotFoundError:
        raise ModelError(
            f'{str(path)!r} is a xacro file, and xacro is not installed; expected `pip install '
            f'xacro`, or the URDF that `xacro {path.name}` prints'
        ) from None
    try:
        return xacro.process_file(str(path)).toxml()
    except Exception as error:  # xacro raises any exception of its expressions
        raise ModelError(
            f'xacro refuses {str(path)!r}: {type(error).__name__}: {error}'
        ) from error
