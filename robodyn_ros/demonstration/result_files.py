# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Result files: each is complete or absent, and replaces no file of the user."""

import contextlib
import os
import tempfile
from pathlib import Path

from robodyn_ros.errors import ParameterError

#: Marks a folder that a demonstration has made.
MARK = '.made_by_robodyn_ros'


class ResultFolder:
    """A folder for the results of a command, after a check that their names are free.

    `options` (argparse.Namespace): has the folder `output`, and `force` if files may be replaced.
    `names` (sequence of str): names of the files to be written.
    `own` (path): the folder of a demonstration. If a demonstration has made it, its files are
      replaced.
    Raises ParameterError: if a file exists that may not be replaced.
    """

    def __init__(self, options, names, own=None):
        self.path = options.output
        self._replace = options.force or (self.path == own and _is_ours(self.path))
        for name in () if self._replace else names:
            require_free(self.path / name)

    def whole(self, name):
        """Return the context in which a file is written, see `whole_file`."""
        return whole_file(self.path / name, self._replace)

    def write(self, name, text):
        """Write a text file.

        `text`: its contents.
        """
        with self.whole(name) as part:
            part.write_text(text)


def _is_ours(folder):
    """Return whether a demonstration made this folder; a missing folder is created and marked."""
    with contextlib.suppress(FileExistsError):
        folder.mkdir(parents=True)
        (folder / MARK).touch()
    return (folder / MARK).is_file()


def add_force(parser):
    """Add the option that lets a command replace files.

    `parser` (argparse.ArgumentParser): parser of the command.
    """
    parser.add_argument(
        '--force', action='store_true', help='replace files that are there already'
    )


def require_free(path):
    """Refuse to replace a file.

    `path` (path): the file.
    Raises ParameterError: if the file exists; the message names it.
    """
    if os.path.lexists(path):
        raise ParameterError(
            f'{path} is there already; expected --force to replace it, or --output with another '
            'folder'
        )


@contextlib.contextmanager
def whole_file(path, replace=False):
    """Write a temporary file, and rename it in one step when it is complete.

    An exception, a full disk or a kill leaves the old file.

    `path` (path): path of the file; missing folders are created.
    `replace`: whether it may replace another file.
    Yields the temporary file, with the same ending.
    Raises ParameterError: if the file exists, even if it was created in the meantime.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(path.suffix, f'.{path.stem}-', path.parent)
    try:
        os.fchmod(handle, 0o666 & ~_umask())
        yield Path(name)
        os.fsync(handle)
        if replace:
            os.replace(name, path)
        else:
            _put(name, path)
    finally:
        os.close(handle)
        with contextlib.suppress(OSError):
            os.unlink(name)


def _put(name, path):
    """Move a file to a free name; unlike a rename, a link fails if the name exists."""
    try:
        os.link(name, path)
    except FileExistsError:
        require_free(path)
    except OSError:  # a file system without links
        require_free(path)
        os.rename(name, path)


def _umask():
    """Return the umask, which can be read only by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
