# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A private folder, held open, whose files may be executed.

A check of a path is not enough: the owner of a parent folder can replace the folder afterwards. So
every parent folder is checked, and every file is opened relative to the checked folder.
"""

import contextlib
import grp
import os
import pathlib
import pwd
import secrets
import stat

PART = '.part'  # ending of a file that is being written
OTHERS = stat.S_IWGRP | stat.S_IWOTH
_ANCESTOR = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC | getattr(os, 'O_PATH', os.O_RDONLY)
_LEAF = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_RDONLY


class UntrustedError(Exception):
    """A folder or file that other users may write to; the message says which and why."""


class TrustedFolder:
    """A checked folder with its open handle, which is closed with the object.

    `path` (pathlib.Path): the folder, not a symbolic link; the folders above it may be links.
    `owners` (tuple of int): user IDs, besides root, that may own the folder and those above it.
    `create`: whether to create missing folders, private to this user.
    `shared`: whether other users may read its files.
    Raises UntrustedError: if another user can write to the folder or replace it.
    Raises OSError: if it cannot be opened.
    """

    def __init__(self, path, owners, create=False, shared=False):
        self.path = pathlib.Path(os.path.realpath(path.parent)) / path.name
        self._owners = {0, *owners}
        self._mode = 0o755 if shared else 0o700
        self._handle = None
        self._handle = self._opened(create)

    def __del__(self):
        if self._handle is not None:
            os.close(self._handle)

    @property
    def writable(self):
        """Whether this process can write files here."""
        return os.access('.', os.W_OK | os.X_OK, dir_fd=self._handle)

    def names(self):
        """Return the names of all entries."""
        return os.listdir(self._handle)

    def status(self, name):
        """Return the state of an entry.

        `name`: name of the entry.
        """
        return os.stat(name, dir_fd=self._handle, follow_symlinks=False)

    def read_bytes(self, name):
        """Return the contents of a file.

        Raises UntrustedError: if other users can write to it, or if it is not a regular file.
        """
        handle = os.open(
            name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, dir_fd=self._handle
        )
        with open(handle, 'rb') as file:
            found = os.fstat(handle)
            if not stat.S_ISREG(found.st_mode):
                raise UntrustedError(f'{self.path / name} is not a file')
            _expect_private(found, self._owners, self.path / name)
            return file.read()

    def write_bytes(self, name, data):
        """Write a file atomically: it is on the disk before it gets its name.

        `data` (bytes): its contents.
        """
        part = f'{name[:100]}.{secrets.token_hex(8)}{PART}'
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        handle = os.open(part, flags, 0o600, dir_fd=self._handle)
        try:
            with open(handle, 'wb') as file:
                os.fchmod(handle, self._mode & 0o644)
                file.write(data)
                file.flush()
                os.fsync(handle)
            os.replace(part, name, src_dir_fd=self._handle, dst_dir_fd=self._handle)
        except OSError:
            self.remove(part)
            raise

    def touch(self, name):
        """Record that a file is used now."""
        with contextlib.suppress(OSError):
            os.utime(name, dir_fd=self._handle, follow_symlinks=False)

    def remove(self, name):
        """Remove a file if possible."""
        with contextlib.suppress(OSError):
            os.unlink(name, dir_fd=self._handle)

    def _opened(self, create):
        """Return a handle of the folder. Every folder on the way from the root is checked."""
        *ancestors, leaf = self.path.parts[1:]
        place, handle = pathlib.Path('/'), os.open('/', _ANCESTOR)
        try:
            for name in (*ancestors, leaf):
                _expect_safe_ancestor(os.fstat(handle), self._owners, place)
                if create:
                    self._make(name, handle)
                flags = _LEAF if name is leaf else _ANCESTOR
                inner = os.open(name, flags, dir_fd=handle)
                os.close(handle)
                place, handle = place / name, inner
            _expect_private(os.fstat(handle), self._owners, place)
        except BaseException:
            os.close(handle)
            raise
        return handle

    def _make(self, name, parent):
        """Create a folder in an open one, unless it exists."""
        try:
            os.stat(name, dir_fd=parent, follow_symlinks=False)
        except FileNotFoundError:
            with contextlib.suppress(FileExistsError):  # another process was first
                os.mkdir(name, self._mode, dir_fd=parent)
                os.chmod(name, self._mode, dir_fd=parent)  # regardless of the umask


def _expect_safe_ancestor(found, owners, path):
    """Check that only the owners can replace the entries of a folder."""
    _expect_owner(found, owners, path)
    free = found.st_mode & OTHERS and not found.st_mode & stat.S_ISVTX
    if free and not (found.st_mode & OTHERS == stat.S_IWGRP and _is_own_group(found)):
        raise UntrustedError(f'others can write to {path}, mode {found.st_mode & 0o7777:o}')


def _expect_private(found, owners, path):
    """Check that only the owners can change a folder or file."""
    _expect_owner(found, owners, path)
    if found.st_mode & OTHERS:
        raise UntrustedError(f'others can write to {path}, mode {found.st_mode & 0o7777:o}')


def _expect_owner(found, owners, path):
    if found.st_uid not in owners:
        raise UntrustedError(
            f'{path} belongs to user {found.st_uid}; expected root or user {os.getuid()}'
        )


def _is_own_group(found):
    """Return whether the group of a folder is its owner's private group, as on Debian."""
    try:
        owner, group = pwd.getpwuid(found.st_uid), grp.getgrgid(found.st_gid)
    except KeyError:
        return False
    return (owner.pw_gid, owner.pw_name) == (group.gr_gid, group.gr_name) and set(
        group.gr_mem
    ) <= {owner.pw_name}
