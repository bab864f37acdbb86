# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Report a package that is not installed; imports only modules that are always present."""

import importlib
import os
import sys
from collections.abc import Sequence

#: Command that installs a package, by top-level module; modules not listed belong to ROS.
REMEDIES = {
    **dict.fromkeys(('llvmlite', 'numba', 'numpy'), "pip install 'numba>=0.59' 'numpy>=1.26'"),
    **dict.fromkeys(
        ('matplotlib', 'rich', 'rosbags', 'scipy', 'xacro', 'yaml', 'ruamel'),
        "pip install 'robodyn_ros[identification]' xacro",
    ),
    **dict.fromkeys(
        ('collada', 'trimesh', 'viser'), "pip install 'viser>=1.1.1' trimesh pycollada"
    ),
    'robodyn_msgs': 'colcon build && source install/setup.bash',
}
ROS = 'source /opt/ros/{}/setup.bash'


def run_module(module: str, program: str, arguments: Sequence[str] | None = None) -> int:
    """Run `main` of a module; if a package is missing, name it and return 1.

    Parameters
    ----------
    module : str
        Full name of the module.
    program : str
        Program name that begins the error message.
    arguments : sequence of str, optional
        Arguments for `main`; by default those of the process.

    Returns
    -------
    int
        Exit code.
    """
    try:
        found = importlib.import_module(module)
    except ModuleNotFoundError as error:
        name = (error.name or '').partition('.')[0]
        if name == 'robodyn_ros':
            raise
        return say_missing(name, program)
    return found.main(arguments)


def say_missing(name: str, program: str) -> int:
    """Print to stderr that a package is not installed, and how to install it.

    Parameters
    ----------
    name : str
        Name of the top-level package.
    program : str
        Program name that begins the message.

    Returns
    -------
    int
        Exit code 1.
    """
    remedy = REMEDIES.get(name, ROS.format(os.environ.get('ROS_DISTRO', 'jazzy')))
    print(
        f"{program}: '{name}' is not installed here; expected it, as by: {remedy}", file=sys.stderr
    )
    return 1


def controller() -> int:
    """Run the controller node and return its exit code."""
    return run_module('robodyn_ros.nodes.controller', 'controller')


def simulator() -> int:
    """Run the simulator node and return its exit code."""
    return run_module('robodyn_ros.nodes.simulator', 'simulator')
