# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rigid-body dynamics for robots: fast recursions under a friendly face, and the ROS 2 nodes that
use them.

    spatial -> model -> algorithms -> compile -> codegen -> robot
    robot -> formulations, identification, control, simulation -> ros -> nodes

Everything but `ros` and `nodes` works without ROS.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # for editors; at run time a name is imported when it is used
    from robodyn_ros.errors import RobodynError
    from robodyn_ros.model.sources.examples import example
    from robodyn_ros.robot.capsules import Capsule
    from robodyn_ros.robot.inverse_kinematics import InverseKinematics
    from robodyn_ros.robot.operational_space_dynamics import OperationalSpaceInertia
    from robodyn_ros.robot.robot import Robot
    from robodyn_ros.spatial import se3

__all__ = [
    'Capsule',
    'InverseKinematics',
    'OperationalSpaceInertia',
    'RobodynError',
    'Robot',
    '__version__',
    'example',
    'se3',
]
__version__ = '0.2.0'

#: Whether a first call that compiles says so on stderr: True at once, False never,
#: None after a second.
verbose: bool | None = None

_PLACES = {
    'Capsule': 'robot.capsules',
    'InverseKinematics': 'robot.inverse_kinematics',
    'OperationalSpaceInertia': 'robot.operational_space_dynamics',
    'RobodynError': 'errors',
    'Robot': 'robot.robot',
    'example': 'model.sources.examples',
}


def __dir__() -> list[str]:
    """List the public names before their import too, and the parts that are loaded."""
    public = {name for name in globals() if not name.startswith('_')}
    return sorted({*__all__, *public} - {'importlib', 'TYPE_CHECKING'})


def __getattr__(name: str) -> Any:
    """Import a public name; a command can so name missing packages before importing Numba."""
    if name == 'se3':
        return importlib.import_module('robodyn_ros.spatial.se3')
    if name not in _PLACES:
        from robodyn_ros.errors import answer_to_foreign_name

        hint = answer_to_foreign_name(name)
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}{hint and "; "}{hint}')
    value = getattr(importlib.import_module(f'{__name__}.{_PLACES[name]}'), name)
    globals()[name] = value
    return value
