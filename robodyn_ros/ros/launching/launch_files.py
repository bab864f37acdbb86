# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Shared parts of the launch files: checks before the start, and the end after a failure."""

import os
from pathlib import Path

from ament_index_python.packages import (
    PackageNotFoundError,
    get_package_prefix,
    get_package_share_directory,
)

from robodyn_ros.errors import RobodynError
from robodyn_ros.model.sources import package_path, xacro_file


def require_packages(names):
    """Raise RuntimeError if one of these ROS packages is not installed.

    Call this before any node is started: a launch that fails half-way leaves its nodes running.

    Parameters
    ----------
    names : {str: str}
        Feature that needs the package, by the package's name.
    """
    missing = {}
    for name, purpose in names.items():
        try:
            get_package_prefix(name)
        except PackageNotFoundError:
            missing[name] = purpose
    if missing:
        distribution = os.environ.get('ROS_DISTRO', '<distribution>')
        install = ' '.join(
            f'ros-{distribution}-{name.replace("_", "-")}' for name in sorted(missing)
        )
        needs = ', '.join(f'{purpose} needs {name}' for name, purpose in missing.items())
        raise RuntimeError(
            f'Nothing was started: {needs}, which is not installed (sudo apt install {install}).'
        )


def description_path(package, file):
    """Return the path of a robot's description.

    Parameters
    ----------
    package : str
        Package whose share folder a relative path refers to.
    file : str
        A relative or an absolute path, or `package://<name>/<path>`.

    Raises
    ------
    RuntimeError
        If there is no such package or file; nothing has been started then.
    """
    try:
        found = package_path.resolved(file)
        path = Path(found if found != file else Path(get_package_share_directory(package), file))
    except (RobodynError, PackageNotFoundError) as error:
        raise RuntimeError(f'Nothing was started: {error}') from None
    if not path.is_file():
        raise RuntimeError(f'Nothing was started: description_file: there is no file {path}')
    return str(path)


def description_text(path):
    """Return the URDF text of a file, expanded by xacro where its name ends with .xacro.

    Raises
    ------
    RuntimeError
        If xacro is not installed, or refuses the file; nothing has been started then.
    """
    try:
        text = xacro_file.expanded(path)
    except RobodynError as error:
        raise RuntimeError(f'Nothing was started: {error}') from None
    return Path(path).read_text() if text == path else text


def fail_with_node(event, context):
    """End the launch with exit code 1 if a node has failed; an `on_exit` of a Node."""
    if event.returncode and not context.is_shutdown:
        raise RuntimeError(
            f'{event.process_name} has ended with code {event.returncode}: its last lines say why.'
        )
