# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Files of results: whole or not there, and nothing of the user's in their place."""

import contextlib
import os
import tempfile
from pathlib import Path

from robodyn_ros.errors import ParameterError

#: In a folder that a demonstration has made.
MARK = '.made_by_robodyn_ros'


class ResultFolder:
    """A folder for the results of a command, which is known to have room for them.

    Parameters
    ----------
    options : argparse.Namespace
        With the folder `output`, and `force` if files may be replaced.
    names : sequence of str
        Of the files to come.
    own : path
        The folder of a demonstration. If a demonstration has made it, its files are replaced.

    Raises
    ------
    ParameterError
        If a file is there already that may not be replaced.
    """

    def __init__(self, options, names, own=None):
        self.path = options.output
        self._replace = options.force or (self.path == own and _is_ours(self.path))
        for name in () if self._replace else names:
            require_free(self.path / name)

    def whole(self, name):
        """Return the context of a file of that name, see `whole_file`."""
        return whole_file(self.path / name, self._replace)

    def write(self, name, text):
        """Write a text."""
        with self.whole(name) as part:
            part.write_text(text)


def _is_ours(folder):
    """Return whether a demonstration made this folder; a missing folder is created and marked."""
    with contextlib.suppress(FileExistsError):
        folder.mkdir(parents=True)
        (folder / MARK).touch()
    return (folder / MARK).is_file()


def add_force(parser):
    """Add the option that lets a command replace files."""
    parser.add_argument(
        '--force', action='store_true', help='replace files that are there already'
    )


def require_free(path):
    """Refuse to replace a file.

    Raises
    ------
    ParameterError
        With its name, if it is there already.
    """
    if os.path.lexists(path):
        raise ParameterError(
            f'{path} is there already; expected --force to replace it, or --output with another '
            'folder'
        )


@contextlib.contextmanager
def whole_file(path, replace=False):
    """Write a file beside its place, and put it there in one step once it is complete.

    An exception, a full disk or a kill leaves what was there before.

    Parameters
    ----------
    path : path
        Where the file is to be; folders are made.
    replace : bool
        Whether it may take the place of another file.

    Yields
    ------
    Path
        Of a file with the same ending, to be written.

    Raises
    ------
    ParameterError
        If a file is there already, were it since the last look.
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
    """Move a file to a place that is free; a link fails where something is, a rename does not."""
    try:
        os.link(name, path)
    except FileExistsError:
        require_free(path)
    except OSError:  # a file system without links
        require_free(path)
        os.rename(name, path)


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask
