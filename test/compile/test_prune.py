# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The kernel cache stays small, and files of others are not removed."""

import os
import time

import pytest

from robodyn_ros.compile.prune import DAY, prune
from robodyn_ros.compile.trusted_folder import TrustedFolder

CURRENT, OTHER = '0123456789abcdef-numba1-py3-x-uid0', 'fedcba9876543210-numba1-py3-x'


@pytest.fixture
def folder(tmp_path):
    """Return the folder of this version, which is there."""
    return TrustedFolder(tmp_path / CURRENT, (os.getuid(),), create=True)


def put(folder, name, days, size=1):
    """Write a file that was used so many days ago."""
    folder.mkdir(exist_ok=True, mode=0o700)
    (folder / name).write_bytes(bytes(size))
    os.utime(folder / name, (time.time() - days * DAY,) * 2)


def names(path):
    """Return the names of the files below a folder, without the stamp."""
    return sorted(file.name for file in path.rglob('*') if file.is_file() and file.suffix)


def test_old_versions_files_and_left_over_parts_are_removed(folder, tmp_path):
    put(tmp_path / OTHER, 'other.nbc', 31)
    put(folder.path, 'old.nbc', 91)
    put(folder.path, 'used.nbc', 89)
    put(folder.path, 'interrupted.part', 0.1)
    put(folder.path, 'under_way.part', 0.0)
    prune(folder)
    assert names(tmp_path) == ['under_way.part', 'used.nbc']
    assert not (tmp_path / OTHER).exists()


def test_another_version_that_is_in_use_stays(folder, tmp_path):
    put(tmp_path / OTHER, 'other.nbc', 29)
    prune(folder)
    assert names(tmp_path) == ['other.nbc']


def test_beyond_its_size_the_oldest_go_first(folder, tmp_path, monkeypatch):
    monkeypatch.setenv('ROBODYN_CACHE_MB', '3')
    for days in (4, 1, 3, 2):
        put(folder.path, f'{days}.nbc', days, 2**20)
    put(tmp_path / OTHER, '5.nbc', 5, 2**20)
    prune(folder)
    assert names(tmp_path) == ['1.nbc', '2.nbc', '3.nbc']


def test_what_is_not_a_cache_is_left_alone(folder, tmp_path):
    """ROBODYN_CACHE_DIR may be any folder."""
    put(tmp_path / 'documents', 'thesis.nbc', 1000)
    put(tmp_path / 'target', 'linked.nbc', 1000)
    (tmp_path / OTHER).symlink_to(tmp_path / 'target')
    prune(folder)
    assert names(tmp_path / 'documents') == ['thesis.nbc']
    assert names(tmp_path / 'target') == ['linked.nbc']


def test_it_is_done_once_a_day(folder):
    prune(folder)
    put(folder.path, 'old.nbc', 91)
    prune(folder)
    assert names(folder.path) == ['old.nbc']
    os.utime(folder.path / '.pruned', (time.time() - 1.1 * DAY,) * 2)
    prune(folder)
    assert names(folder.path) == []
