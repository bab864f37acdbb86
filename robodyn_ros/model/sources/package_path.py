# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Paths of files in ROS packages, `package://<name>/<path>`, without ROS."""

import os
from pathlib import Path

from robodyn_ros.errors import ModelError, shorten

SCHEME = 'package://'


def resolved(source: str | os.PathLike) -> str | os.PathLike:
    """Return the path of a `package://` file; return anything else unchanged.

    Packages are searched in the share folders of AMENT_PREFIX_PATH, then in the folders of
    ROS_PACKAGE_PATH.

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
        If no package of that name has the file.
    """
    if not isinstance(source, str) or not source.startswith(SCHEME):
        return source
    package, _, rest = source.removeprefix(SCHEME).partition('/')
    if not package or not rest:
        raise ModelError(f'got {shorten(source)}; expected {SCHEME}<name>/<path>')
    folders = [
        *(Path(prefix, 'share', package) for prefix in _entries('AMENT_PREFIX_PATH')),
        *(Path(folder, package) for folder in _entries('ROS_PACKAGE_PATH')),
    ]
    for folder in folders:
        if (folder / rest).is_file():
            return folder / rest
    holders = [str(folder) for folder in folders if folder.is_dir()]
    raise ModelError(
        f'there is no file {shorten(source)}; '
        + (
            f'{package!r} lies in {", ".join(holders)}'
            if holders
            else f'expected a package {package!r} on AMENT_PREFIX_PATH, as after sourcing the '
            'setup file of its workspace'
        )
    )


def _entries(variable):
    """Return the folders in an environment variable."""
    return [entry for entry in os.environ.get(variable, '').split(os.pathsep) if entry]
