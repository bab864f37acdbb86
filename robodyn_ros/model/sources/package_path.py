# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Folders of ROS packages and paths of their files, `package://<name>/<path>`, without ROS."""

import glob
import os
import re
from collections.abc import Iterator
from pathlib import Path

from robodyn_ros.errors import ModelError, shorten

SCHEME = 'package://'
MANIFEST = 'package.xml'
MOST_BYTES = 100_000  # of a manifest that is read
_NAME = re.compile(rb'<name>\s*([^<\s]+)\s*</name>')


def resolved(
    source: str | os.PathLike, beside: str | os.PathLike | None = None
) -> str | os.PathLike:
    """Return the path of a `package://` file; return anything else unchanged.

    Packages are searched as by `package_folders`.

    `source`: text, path of a file, or `package://<name>/<path>`.
    `beside`: folder of the description that names the file.
    Raises ModelError: if no package of that name has the file.
    """
    if not isinstance(source, str) or not source.startswith(SCHEME):
        return source
    package, _, rest = source.removeprefix(SCHEME).partition('/')
    if not package or not rest:
        raise ModelError(f'got {shorten(source)}; expected {SCHEME}<name>/<path>')
    folders = list(package_folders(package, beside))
    for folder in folders:
        if (folder / rest).is_file():
            return folder / rest
    raise ModelError(
        f'there is no file {shorten(source)}; '
        + (
            f'{package!r} lies in {", ".join(map(str, folders))}'
            if folders
            else places(package, beside)
        )
    )


def package_folders(package: str, beside: str | os.PathLike | None = None) -> Iterator[Path]:
    """Yield the folders that hold a package.

    They are in share of the prefixes of AMENT_PREFIX_PATH, then in the folders of
    ROS_PACKAGE_PATH. Last come the folders that contain `beside`, and the packages in them and in
    their subfolders. So cloned repositories need no build.

    `package`: name of the package.
    `beside`: folder of the description that names it.
    """
    folders = [
        *(Path(prefix, 'share', package) for prefix in _entries('AMENT_PREFIX_PATH')),
        *(Path(folder, package) for folder in _entries('ROS_PACKAGE_PATH')),
    ]
    yield from (folder for folder in folders if folder.is_dir())
    if beside is None:
        return
    here = Path(beside).resolve()
    for folder in (here, *here.parents):
        if package in (folder.name, _name_of(folder)):
            yield folder
        if (folder / package).is_dir():
            yield folder / package
        yield from (
            manifest.parent
            for manifest in sorted(folder.glob(f'*/{glob.escape(package)}/{MANIFEST}'))
        )
        for manifest in sorted(folder.glob(f'*/{MANIFEST}')):
            if manifest.parent.name != package and _name_of(manifest.parent) == package:
                yield manifest.parent


def places(package: str, beside: str | os.PathLike | None) -> str:
    """Return where a package is expected, for the message that it is missing.

    `package`: name of the package.
    `beside`: folder of the description that names it.
    """
    return (
        f'expected a package {package!r} on AMENT_PREFIX_PATH, as after sourcing the setup file '
        'of its workspace'
        + ('' if beside is None else ', or a folder of that name beside the description')
    )


def _name_of(folder):
    """Return the name in the manifest of a folder, or None."""
    try:
        with open(folder / MANIFEST, 'rb') as file:
            found = _NAME.search(file.read(MOST_BYTES))
    except OSError:
        return None
    return found and found[1].decode(errors='replace')


def _entries(variable):
    """Return the folders in an environment variable."""
    return [entry for entry in os.environ.get(variable, '').split(os.pathsep) if entry]
