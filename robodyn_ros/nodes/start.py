# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What to do about a package that is not installed; imports nothing that could be missing."""

import importlib
import os
import sys
from collections.abc import Sequence

#: What mends it, by the first name of the module; all others are of ROS.
REMEDIES = {
    **dict.fromkeys(('llvmlite', 'numba', 'numpy'), "pip install 'numba>=0.59' 'numpy>=1.26'"),
    **dict.fromkeys(
        ('matplotlib', 'rich', 'rosbags', 'scipy', 'xacro', 'yaml', 'ruamel'),
        "pip install 'robodyn_ros[identification]' xacro",
    ),
    'robodyn_msgs': 'colcon build && source install/setup.bash',
}
ROS = 'source /opt/ros/{}/setup.bash'


def run_module(module: str, program: str, arguments: Sequence[str] | None = None) -> int:
    """Run `main` of a module; without a package that it needs, say which and return 1.

    Parameters
    ----------
    module : str
        Full name of the module.
    program : str
        What the sentence begins with.
    arguments : sequence of str, optional
        For `main`; those of the process by default.
    """
    try:
        found = importlib.import_module(module)
    except ModuleNotFoundError as error:
        name = (error.name or '').partition('.')[0]
        if name == 'robodyn_ros':
            raise
        remedy = REMEDIES.get(name, ROS.format(os.environ.get('ROS_DISTRO', 'jazzy')))
        print(
            f"{program}: '{name}' is not installed here; expected it, as by: {remedy}",
            file=sys.stderr,
        )
        return 1
    return found.main(arguments)


def controller() -> int:
    """Run the controller node."""
    return run_module('robodyn_ros.nodes.controller', 'controller')


def simulator() -> int:
    """Run the simulated hardware."""
    return run_module('robodyn_ros.nodes.simulator', 'simulator')
