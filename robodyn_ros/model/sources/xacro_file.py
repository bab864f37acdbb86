# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Expand xacro files with arguments.

Xacro evaluates expressions of the file as Python. So a file must be given by its path; text from a
topic is never expanded.
"""

import contextlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from robodyn_ros.errors import ModelError, ParameterError, UngivenError, shorten
from robodyn_ros.model.model_report import WARNING, Finding
from robodyn_ros.model.sources import package_path

SUFFIX = '.xacro'
SIGN = ':='
_DECLARED = re.compile(r'<xacro:arg\s([^>]*?)/?>')
_ATTRIBUTE = re.compile(r'(\w+)\s*=\s*(?:"([^"]*)"|\'([^\']*)\')')
_COMMENT = re.compile(r'<!--.*?-->', re.DOTALL)
_USED = re.compile(r'\$\(arg\s+([^\s)]+)\s*\)')


def expanded(
    path: Path, arguments: Mapping[str, Any] | None = None
) -> tuple[str, tuple[Finding, ...]]:
    """Return the XML of a xacro file, and a warning of each argument that it does not read.

    Packages that the file finds are searched as by `package_path.package_folders`, beside the
    file too.

    `path`: the file.
    `arguments`: values of the arguments of the file by name; true and false for a bool.
    Raises UngivenError: if an argument without a default is missing; the message lists those of
      the file.
    Raises ModelError: if there is no such file, or xacro is not installed, or refuses it.
    """
    try:
        import xacro  # an optional package, needed here only
    except ModuleNotFoundError:
        raise ModelError(
            f'{str(path)!r} is a xacro file, and xacro is not installed; expected `pip install '
            f'xacro`, or the URDF that `xacro {path.name}` prints'
        ) from None
    if not path.is_file():
        raise ModelError(f'there is no file {shorten(str(path), 300)}')
    values = {name: _written(value) for name, value in (arguments or {}).items()}
    given = _Arguments(values, _declared(path)[0])
    names = sorted(given)
    xacro.all_includes.clear()  # xacro only adds to it
    try:
        with _packages_beside(path.parent):
            text = xacro.process_file(str(path), mappings=given).toxml()
    except Exception as error:  # xacro raises any exception of its expressions
        needed, listed = _wanted(given, (path, *map(Path, xacro.all_includes)))
        if given.missing:
            several = len(needed) > 1
            raise UngivenError(
                f'the xacro file {shorten(str(path), 300)} needs '
                f'{"arguments that are" if several else "an argument that is"} not given; '
                'expected ',
                needed,
                listed,
            ) from None
        missing = getattr(error, 'exc', None)
        if isinstance(missing, ModelError):  # of a package
            raise ModelError(f'xacro refuses {str(path)!r}: {missing}') from None
        said = ' '.join(str(error).split())
        within = (xacro.filestack or [None])[-1]
        where = f' in {within!r}' if within and within != str(path) else ''
        raise ModelError(
            f'xacro refuses {str(path)!r}{where}: {type(error).__name__}: {said}{listed}'
        ) from error
    return text, tuple(
        Finding(
            WARNING,
            f'xacro argument {name!r}',
            f'is not read by {path.name!r}, which reads {", ".join(sorted(given.read)) or "none"}',
        )
        for name in names
        if name not in given.read
    )


def argument(text: str) -> tuple[str, str]:
    """Return name and value of a xacro argument as xacro takes it on the command line.

    `text`: such as `link_mass:=2.0`; the value may be empty.
    Raises ParameterError: for anything else.
    """
    name, sign, value = text.partition(SIGN)
    if not sign or not name.strip():
        raise ParameterError(f"{text!r}; expected 'name:=value'")
    return name.strip(), value


class _Arguments(dict):
    """Values of arguments by name, with a record of the names that a file asks for.

    A file may ask for an argument before it declares its default, as in the name of the robot.
    Xacro refuses that; here the default is taken.

    `values` (dict of str to str): the given values.
    `defaults` (dict of str to str): defaults that the file declares.
    `read` (set of str): names that were asked for.
    `missing` (dict of str to None): names that were asked for and had no value, in order.
    """

    def __init__(self, values, defaults):
        super().__init__(values)
        self._defaults = {name: text for name, text in defaults.items() if '$' not in text}
        self.read, self.missing = set(), {}

    def __contains__(self, name):
        self.read.add(name)
        return super().__contains__(name)

    def __getitem__(self, name):
        self.read.add(name)
        if not super().__contains__(name):
            if name in self._defaults:
                return self._defaults[name]
            self.missing[name] = None
        return super().__getitem__(name)


def _written(value):
    """Return a value as xacro writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _declared(file):
    """Return {argument: its default} of a file, and the arguments that it uses, in order."""
    try:
        text = _COMMENT.sub('', file.read_text(errors='replace'))
    except OSError:
        return {}, []
    found = [
        {key: one or other for key, one, other in _ATTRIBUTE.findall(match[1])}
        for match in _DECLARED.finditer(text)
    ]
    defaults = {each['name']: each.get('default', '') for each in found if 'name' in each}
    return defaults, _USED.findall(text)


def _wanted(given, files):
    """Return the names of missing arguments, and a sentence with all arguments of the files."""
    declared, used = {}, dict.fromkeys(given.missing)
    for file in dict.fromkeys(files):
        defaults, uses = _declared(file)
        declared = defaults | declared
        used.update(dict.fromkeys(uses))
    required = [name for name in used if name not in declared]
    each = [
        *(f'{name} (required)' for name in required),
        *(f'{name} (default {shorten(default)})' for name, default in declared.items()),
    ]
    sentence = f'. Its arguments: {", ".join(each)}' if each else ''
    return [name for name in required if name not in given], sentence


@contextlib.contextmanager
def _packages_beside(folder):
    """Let $(find <package>) of xacro search beside a folder too."""
    from xacro import substitution_args

    def find(package):
        for found in package_path.package_folders(package, folder):
            return str(found)
        places = package_path.places(package, folder)
        raise ModelError(f'there is no package {package!r}; {places}')

    usual = substitution_args._eval_find
    substitution_args._eval_find = substitution_args._eval_dict['find'] = find
    try:
        yield
    finally:
        substitution_args._eval_find = substitution_args._eval_dict['find'] = usual
