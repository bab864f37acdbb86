# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Check the docstrings of all public classes and functions: python -m tools.docstrings.

numpydoc validates the form. Every module of the package is checked, so ROS must be installed. Of
public classes inherited methods count, too. Sections of parameters are demanded of the public face
alone; robodyn_ros/algorithms/__init__.py tells once what kernels take. Long sentences, which
`tools.sentences` finds, are printed as warnings.
"""

import enum
import importlib
import inspect
import pkgutil
import re
import sys
import typing
from pathlib import Path

from numpydoc.validate import validate

import robodyn_ros
from robodyn_ros import Robot
from tools import sentences

PUBLIC = (
    'robodyn_ros',
    'robodyn_ros.control',
    'robodyn_ros.formulations',
    'robodyn_ros.identification',
    'robodyn_ros.simulation',
)
#: GL: layout; SS: the first line; PR: parameters. The documentation of numpydoc lists all.
CHECKED = {
    'GL03',  # blank lines
    'GL05',  # tabs
    'GL06',  # unknown sections
    'GL07',  # order of sections
    'GL08',  # no docstring
    'PR01',  # parameters without an entry
    'PR02',  # parameters that do not exist
    'PR03',  # order of parameters
    'PR10',  # space before the colon
    'SS01',  # no summary
    'SS02',  # capital letter
    'SS04',  # leading spaces
    'SS05',  # infinitive instead of third person
    'YD01',  # yields
}
#: Codes of the first line. They do not count where it begins with a formula.
WORDING = {'SS02', 'SS05'}
FORMULA = re.compile(r"\S*[=/(_']|\S+ (?:[-+]?=|[-+]|becomes) |[A-Z]\w* \[")
#: Sections in the style of Google, which numpydoc takes for prose.
OTHER_DIALECT = re.compile(
    r'^\s*(?:Args|Arguments|Attributes|Parameters|Raises|Returns|Yields):$', re.M
)
#: A parameter in the prose, before the sections: "name : text".
IN_PROSE = re.compile(r'(?:^|[.;] )\w+(?:, \w+)*(?: \([^)]*\))? : ', re.M)
SECTION = re.compile(r'\n-{3,}\n')
PACKAGE = Path(robodyn_ros.__file__).parent


def modules():
    """Yield the names of all modules of the package.

    Yields
    ------
    str
        A dotted name.
    """
    yield robodyn_ros.__name__
    for found in pkgutil.walk_packages([str(PACKAGE)], f'{robodyn_ros.__name__}.'):
        if not found.name.endswith('__main__'):
            yield found.name


def public_face():
    """Yield what the API reference shows, with inherited methods.

    Yields
    ------
    name : str
        A dotted name.
    found : object
        What it names.
    """
    for name in PUBLIC:
        module = importlib.import_module(name)
        for member in module.__all__:
            found = getattr(module, member)
            if inspect.isfunction(found) or inspect.isclass(found):
                yield f'{found.__module__}.{found.__qualname__}', found
            if inspect.isclass(found):
                yield from public_methods(found)
    for view in typing.get_type_hints(Robot).values():
        yield from public_methods(view)


def public_methods(found):
    """Yield the public methods of a class, inherited ones too.

    Yields
    ------
    name : str
        A dotted name.
    value : object
        What it names.
    """
    for attribute, value in inspect.getmembers(found):
        value = getattr(value, 'fget', value)
        ours = (getattr(value, '__module__', None) or '').startswith('robodyn_ros')
        if ours and callable(value) and not attribute.startswith('_'):
            yield f'{found.__module__}.{found.__qualname__}.{attribute}', value


def defined_in(module):
    """Yield the public functions, classes and methods that a module defines.

    A method without a docstring of its own has that of the method which it overrides.

    Yields
    ------
    name : str
        A dotted name.
    found : object
        What it names.
    """
    for name, found in vars(module).items():
        if name.startswith('_') or getattr(found, '__module__', None) != module.__name__:
            continue
        if not (inspect.isfunction(found) or inspect.isclass(found)):
            continue
        yield f'{module.__name__}.{name}', found
        for attribute, value in vars(found).items() if inspect.isclass(found) else ():
            value = getattr(value, 'fget', getattr(value, '__func__', value))
            own = getattr(value, '__qualname__', '') == f'{found.__qualname__}.{attribute}'
            if attribute.startswith('_') or not own or not inspect.isfunction(value):
                continue
            if value.__doc__ or not inspect.getdoc(getattr(found, attribute)):
                yield f'{module.__name__}.{name}.{attribute}', value


def has_own_constructor(found):
    """Return whether a class defines its constructor, which enumerations have from `enum`."""
    own = {'__init__', '__new__'}.intersection(vars(found))
    return bool(own) and not issubclass(found, enum.Enum)


def counts(code, found, face):
    """Return whether a finding of numpydoc is one here."""
    if code == 'PR01':
        return face and (not inspect.isclass(found) or has_own_constructor(found))
    if code == 'YD01':  # a context manager yields nothing to its caller
        return face and inspect.isgeneratorfunction(found)
    if code in WORDING and not face:
        return not FORMULA.match((found.__doc__ or '').lstrip())
    return code in CHECKED


def in_prose(found):
    """Return the first parameter that stands in the prose of a docstring, '' without one."""
    prose = SECTION.split(inspect.getdoc(found) or '')[0]
    match = IN_PROSE.search(prose)
    return match[0].strip('.; :') if match else ''


def findings():
    """Yield a line for each finding, file and line first.

    Yields
    ------
    str
        The line.
    """
    face = dict(public_face())
    every = dict(face)
    for name in modules():
        every.update(defined_in(importlib.import_module(name)))
    for name, found in sorted(every.items()):
        result = validate(name)
        for code, text in result['errors']:
            if counts(code, found, name in face):
                yield f'{result["file"]}:{result["file_line"]}: {name}: {code} {text}'
        if parameter := in_prose(found):
            place = f'{result["file"]}:{result["file_line"]}'
            yield f'{place}: {name}: {parameter} in the prose; expected a section'


def other_dialects():
    """Yield a line for each docstring with sections of another dialect, private ones too.

    Yields
    ------
    str
        The line, file and line first.
    """
    for path in sorted(PACKAGE.rglob('*.py')):
        for line, text in sentences.docstrings(path.read_text()):
            for found in OTHER_DIALECT.finditer(text):
                yield f'{path}:{line}: section {found[0].strip()!r}; expected one of numpydoc'


if __name__ == '__main__':
    for line in sentences.findings():
        print(f'Warning: {line}')
    wrong = [*findings(), *other_dialects()]
    print('\n'.join(wrong) or 'Docstrings: no findings.')
    sys.exit(bool(wrong))
