# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Shared parts of the launch files: checks before the start, and the end after a failure."""

import os
import shlex
from pathlib import Path

from ament_index_python.packages import (
    PackageNotFoundError,
    get_package_prefix,
    get_package_share_directory,
)

from robodyn_ros.errors import RobodynError, UngivenError
from robodyn_ros.model.sources import package_path, xacro_file
from robodyn_ros.model.sources.description_source import MJCF, opened


def require_packages(names):
    """Check that ROS packages are installed.

    Call this before any node is started: a launch that fails half-way leaves its nodes running.

    `names` (mapping of str to str): feature that needs the package, by name of the package.
    Raises RuntimeError: if a package is missing; the sentence says how to install it.
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
    """Return the absolute path of a robot description.

    `package`: package whose share folder a relative path refers to.
    `file`: a relative or an absolute path, or `package://<name>/<path>`.
    Raises RuntimeError: if there is no such package or file.
    """
    try:
        found = package_path.resolved(file)
        path = Path(found if found != file else Path(get_package_share_directory(package), file))
    except (RobodynError, PackageNotFoundError) as error:
        raise RuntimeError(f'Nothing was started: {error}') from None
    if not path.is_file():
        raise RuntimeError(f'Nothing was started: description_file: there is no file {path}')
    return str(path)


def xacro_words(text):
    """Return the arguments of a xacro file as a list, from one launch argument.

    `text`: such as `ur_type:=ur5e name:=ur`, in the quotes of a shell where a value has blanks.
    Raises RuntimeError: if a word is not `name:=value`.
    """
    try:
        words = shlex.split(text)
        for word in words:
            xacro_file.argument(word)
    except (ValueError, RobodynError) as error:
        raise RuntimeError(f'Nothing was started: xacro_arguments: got {error}') from None
    return words


def description_text(path, words=()):
    """Return the text of a URDF, for nodes of other packages.

    `path`: path of the file. Its text is expanded by xacro if the name ends with .xacro.
    `words` (sequence of str): arguments of a xacro file, each as `name:=value`.
    Raises RuntimeError: if the file is no XML, or an MJCF, or xacro is not installed, or refuses
      the file.
    """
    try:
        source = opened(path, dict(map(xacro_file.argument, words)))
    except UngivenError as error:
        sentence = error.with_remedy(
            lambda names: f'xacro_arguments:="{" ".join(f"{name}:=VALUE" for name in names)}"'
        )
        raise RuntimeError(f'Nothing was started: {sentence}') from None
    except RobodynError as error:
        raise RuntimeError(f'Nothing was started: {error}') from None
    if source.root.tag == MJCF:
        raise RuntimeError(
            f'Nothing was started: {path} is an MJCF, which neither robot_state_publisher nor '
            'ros2_control reads; expected a URDF'
        )
    return source.text


def fail_with_node(event, context):
    """End the launch with exit code 1 if a node has failed.

    Pass it as `on_exit` to a Node.

    `event` (launch.events.process.ProcessExited): end of the process.
    `context` (launch.LaunchContext): context of the launch.
    Raises RuntimeError: if the process failed and the launch is not shutting down.
    """
    if event.returncode and not context.is_shutdown:
        raise RuntimeError(
            f'{event.process_name} has ended with code {event.returncode}: see its last log lines.'
        )
