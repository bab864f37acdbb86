# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Prune the kernel cache: delete files that were not used for long, then the oldest."""

import contextlib
import os
import re
import shutil
import time

from robodyn_ros.compile.trusted_folder import PART

HOUR = 3600.0
DAY = 24.0 * HOUR
OLD_VERSION = 30.0 * DAY  # [s] unused, after which the folder of another version is removed
OLD_FILE = 90.0 * DAY
LIMIT = 1024  # [MB], unless ROBODYN_CACHE_MB says otherwise
STAMP = '.pruned'

#: Names of folders of any version. Entries of other names are left alone.
OURS = re.compile(r'[0-9a-f]{16}-numba[^/]+-py[^/]+')


def prune(folder):
    """Prune the kernel cache, at most once a day.

    `folder` (TrustedFolder): the folder of the current version. The folders beside it are pruned,
      too.
    """
    with contextlib.suppress(OSError):
        if _is_due(folder):
            folder.write_bytes(STAMP, b'')
            _remove_old_versions(folder.path)
            _remove_files(folder.path.parent)


def remove_others(current):
    """Remove unused folders of other versions.

    `current` (pathlib.Path): the folder of the current version.
    """
    for path in _folders(current.parent):
        if path != current:
            shutil.rmtree(path, ignore_errors=True)


def limit():
    """Return the largest size of the cache [bytes]."""
    chosen = os.environ.get('ROBODYN_CACHE_MB', '')
    return (int(chosen) if chosen.isdigit() else LIMIT) * 2**20


def _is_due(folder):
    """Return whether the last pruning was more than a day ago."""
    try:
        return time.time() - folder.status(STAMP).st_mtime > DAY
    except FileNotFoundError:
        return True


def _folders(base):
    """Return the folders of this user, of all versions."""
    return [
        path
        for path in base.iterdir()
        if OURS.fullmatch(path.name)
        and path.is_dir()
        and not path.is_symlink()
        and path.stat().st_uid == os.getuid()
    ]


def _files(folder):
    """Return (time of the last use, bytes, path) of every file."""
    listed = []
    for path in folder.rglob('*'):
        with contextlib.suppress(OSError):  # another process removed it
            found = path.lstat()
            if not path.is_dir():
                listed.append((found.st_mtime, found.st_size, path))
    return listed


def _remove_old_versions(current):
    """Remove the folders of other versions that were not used for long."""
    for path in _folders(current.parent):
        used = max((used for used, _, _ in _files(path)), default=path.stat().st_mtime)
        if path != current and time.time() - used > OLD_VERSION:
            shutil.rmtree(path, ignore_errors=True)


def _remove_files(base):
    """Remove unfinished and old files; then the least recently used, down to the limit."""
    files = sorted(entry for path in _folders(base) for entry in _files(path))
    rest, now = sum(size for _, size, _ in files), time.time()
    for used, size, path in files:
        age = now - used
        left_over = path.suffix == PART and age > HOUR
        if path.name != STAMP and (left_over or age > OLD_FILE or rest > limit()):
            path.unlink(missing_ok=True)
            rest -= size
