# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Report a package that is not installed; imports only modules that are always present."""

import importlib.util
import os
import sys
from collections.abc import Sequence

#: Command that installs a package, by top-level module; modules not listed belong to ROS.
REMEDIES = {
    **dict.fromkeys(('llvmlite', 'numba', 'numpy'), "pip install 'numba>=0.59' 'numpy>=1.26'"),
    **{
        name: f'pip install {name}' for name in ('matplotlib', 'rich', 'rosbags', 'scipy', 'xacro')
    },
    'yaml': 'pip install PyYAML',
    **dict.fromkeys(
        ('collada', 'trimesh', 'viser'), "pip install 'viser>=1.1.1' trimesh pycollada"
    ),
    'robodyn_msgs': 'colcon build && source install/setup.bash',
}
ROS = 'source /opt/ros/{}/setup.bash'


def run_module(module: str, program: str, arguments: Sequence[str] | None = None) -> int:
    """Run `main` of a module; if a package is missing, name it and return 1.

    `module`: full name of the module.
    `program`: program name that begins the error message.
    `arguments`: arguments for `main`; by default those of the process.
    Returns exit code.
    """
    try:
        return importlib.import_module(module).main(arguments)
    except ModuleNotFoundError as error:
        name = (error.name or '').partition('.')[0]
        if name == 'robodyn_ros':
            raise
    remedy = REMEDIES.get(name, ROS.format(os.environ.get('ROS_DISTRO', 'jazzy')))
    print(
        f"{program}: '{name}' is not installed here; expected it, as by: {remedy}", file=sys.stderr
    )
    return 1


def require(*names: str) -> None:
    """Refuse to begin work whose end needs a package that is not installed.

    `*names`: top-level modules.
    Raises ModuleNotFoundError: with the name of the first that is not found; `run_module` prints
      the remedy.
    """
    for name in names:
        if importlib.util.find_spec(name) is None:
            raise ModuleNotFoundError(f'No module named {name!r}', name=name)
