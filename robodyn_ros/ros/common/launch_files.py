# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the launch files share: checks before the start, and a node that fails ends the launch."""

import os

from ament_index_python.packages import PackageNotFoundError, get_package_prefix


def require_packages(names):
    """Raise RuntimeError if one of these ROS packages is not installed.

    Call it before anything is started: a launch that fails half-way leaves its nodes behind.

    Parameters
    ----------
    names : {str: str}
        What needs the package, by its name.
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


def fail_with_node(event, context):
    """End the launch with exit code 1 if a node has ended by a failure; an `on_exit` of a Node."""
    if event.returncode and not context.is_shutdown:
        raise RuntimeError(
            f'{event.process_name} has ended with code {event.returncode}: its last lines say why.'
        )
