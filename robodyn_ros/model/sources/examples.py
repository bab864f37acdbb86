# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Example robots: those of this package, and those of robot_descriptions."""

import difflib
import importlib
import pkgutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from robodyn_ros.errors import UnknownNameError

FOLDER = Path('config', 'urdf')


def package_file(path: str | Path) -> Path:
    """Return a file of the package, wherever the package is installed.

    It is beside the sources, or in share/robodyn_ros of a parent folder, where pip and colcon
    install it.

    `path`: path within the repository, such as 'config/urdf/franka_like.urdf'.
    Raises UnknownNameError: if there is no such file.
    """
    for folder in Path(__file__).resolve().parents:
        for found in (folder / path, folder / 'share' / 'robodyn_ros' / path):
            if found.exists():
                return found
    raise UnknownNameError(
        f'got {str(path)!r}; expected a file of robodyn_ros. It is not beside the package: '
        'install it again'
    )


def example(name: str) -> Path:
    """Return the URDF of an example robot, for `Robot.from_urdf`; of others the MJCF or the xacro.

    `Robot.from_description(name)` also gives a xacro file the arguments of its description.

    Parameters
    ----------
    name : str
        Name of a robot of this package, such as 'franka_like'. If robot_descriptions is installed,
        also one of its descriptions, such as 'panda_description'.

    Returns
    -------
    Path

    Raises
    ------
    UnknownNameError
        If there is no robot of that name; the message lists those of this package.
    """
    return example_source(name)[0]


def example_source(name: str) -> tuple[Path, Mapping[str, Any] | None]:
    """Return the file of an example robot, and the arguments of a xacro file.

    Raises UnknownNameError: as of `example`.
    """
    folder = package_file(FOLDER)
    ours = sorted(path.stem for path in folder.glob('*.urdf'))
    if name in ours:
        return folder / f'{name}.urdf', None
    hint = ''
    if str(name).isidentifier():
        try:
            found = importlib.import_module(f'robot_descriptions.{name}')
        except ModuleNotFoundError:
            hint = _further(name)
        else:
            for kind in ('URDF_PATH', 'MJCF_PATH', 'XACRO_PATH'):
                if hasattr(found, kind):
                    arguments = getattr(found, 'XACRO_ARGS', {}) if kind == 'XACRO_PATH' else None
                    return Path(getattr(found, kind)), arguments
            hint = '; robot_descriptions has no URDF, MJCF or xacro of it'
    raise UnknownNameError(f'example robot: got {name!r}; expected one of {", ".join(ours)}{hint}')


def _further(name):
    """Return what robot_descriptions has instead of a robot that it lacks."""
    try:
        package = importlib.import_module('robot_descriptions')
    except ModuleNotFoundError:
        return ', or one of robot_descriptions: pip install robot_descriptions'
    names = [each.name for each in pkgutil.iter_modules(package.__path__)]
    names = [each for each in names if each.endswith('_description')]
    near = difflib.get_close_matches(f'{name}_description', names, 3)
    return f', or one of robot_descriptions such as {", ".join(near or names[:3])}'
