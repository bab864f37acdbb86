# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Check the docstrings of the public classes and functions: python -m tools.docstrings.

numpydoc validates the form. Checked are the names in the API reference. They are those in
`__all__` of PUBLIC, the views of a Robot, and the public methods of all these classes.
`tools.sentences` checks the lengths of the sentences, also of pages.
"""

import importlib
import inspect
import sys
import typing

from numpydoc.validate import validate

from robodyn_ros import Robot
from tools import sentences

PUBLIC = (
    'robodyn_ros',
    'robodyn_ros.control',
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
    'PR02',  # parameters that do not exist
    'PR03',  # order of parameters
    'PR10',  # space before the colon
    'SS01',  # no summary
    'SS02',  # capital letter
    'SS04',  # leading spaces
    'SS05',  # infinitive instead of third person
    'YD01',  # yields
}


#: Where every parameter is documented too (PR01).
WITH_PARAMETERS = (
    'robodyn_ros.control.reference',
    'robodyn_ros.identification',
    'robodyn_ros.realtime',
    'robodyn_ros.robot',
    'robodyn_ros.simulation',
)


def public_objects():
    """Yield the dotted names of all that is checked."""
    for name in PUBLIC:
        module = importlib.import_module(name)
        for member in module.__all__:
            found = getattr(module, member)
            if inspect.isfunction(found) or inspect.isclass(found):
                yield f'{found.__module__}.{found.__qualname__}'
            if inspect.isclass(found):
                yield from public_methods(found)
    for view in typing.get_type_hints(Robot).values():
        yield from public_methods(view)


def public_methods(found):
    """Yield the dotted names of the public methods of a class."""
    for attribute, value in inspect.getmembers(found):
        value = getattr(value, 'fget', value)
        ours = (getattr(value, '__module__', None) or '').startswith('robodyn_ros')
        if ours and callable(value) and not attribute.startswith('_'):
            yield f'{found.__module__}.{found.__qualname__}.{attribute}'


def findings():
    """Yield a line for each finding, file and line first."""
    for name in sorted(set(public_objects())):
        result = validate(name)
        for code, text in result['errors']:
            if code in CHECKED or (code == 'PR01' and name.startswith(WITH_PARAMETERS)):
                yield f'{result["file"]}:{result["file_line"]}: {name}: {code} {text}'


if __name__ == '__main__':
    wrong = [*findings(), *sentences.findings()]
    print('\n'.join(wrong) or 'Docstrings: no findings.')
    sys.exit(bool(wrong))
