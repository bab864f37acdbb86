# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Kernels that call recursions, linked to the straight-line code of one robot.

A control law or a step of the plant branches on its data: limits, stops, friction. So it cannot be
recorded. But its dynamics are calls of recursions. Its source is copied, function by function, to
a module in which those calls refer to the recorded code.
"""

import ast
import functools
import hashlib
import inspect
import re
import textwrap
import types
from dataclasses import replace

from robodyn_ros.algorithms.core import aba
from robodyn_ros.codegen.registry import FURTHER_RECIPES, LAW_RECURSIONS, RECIPES
from robodyn_ros.codegen.specialise import origin, specialise
from robodyn_ros.compile import embedded, flexible, generic
from robodyn_ros.compile.dependencies import fingerprint
from robodyn_ros.compile.kernel import Kernel
from robodyn_ros.compile.source_cache import imported
from robodyn_ros.compile.syntax_tree import parsed
from robodyn_ros.errors import KernelError
from robodyn_ros.spatial.primitive import primitive

MODULE = '''"""{title}

The text of {origin}, in which its recursions are straight-line code of this robot.
Linked by robodyn_ros; not meant to be edited.{sources}
"""
from robodyn_ros.compile.call import called
from robodyn_ros.compile.kernel import Kernel
from robodyn_ros.codegen.linker import nothing
from robodyn_ros.spatial.primitive import primitive
{imports}


{functions}
'''

ADAPTER = '''@primitive
def {name}({parameters}):
    """The straight-line code; what it refuses is left to the recursion for any robot."""
    if {condition}:
        return{success}
    {otherwise}any_{name}({parameters})

'''

# A law calls `damping_torques`, which a robot specialises only on request.
_LINKED = RECIPES | LAW_RECURSIONS | {'damping_torques': FURTHER_RECIPES['damping_torques']}
#: Replacements of recursions; the plant's friction acts on the diagonal. The inverse that it needs
#: only at stops is by another recursion, and not worth long code.
LINKS = {recipe.recursion: (name, recipe) for name, recipe in _LINKED.items()}
_name, _recipe = LINKS[aba.forward_dynamics]
LINKS[aba.forward_dynamics] = (
    _name,
    replace(_recipe, inputs=_recipe.inputs | {'diagonal': _recipe.inputs['tau']}),
)

#: Names of the generic kernels, by the function that they compile.
GENERAL = {item.python: name for name, item in vars(generic).items() if isinstance(item, Kernel)}

#: Arguments that are zero in recordings, unless they are inputs.
ZEROS = ('f_ext', 'diagonal')
RECURSIONS = 'robodyn_ros.algorithms.'


@primitive
def nothing(array):
    """Return whether all entries are zero."""
    for entry in array.flat:
        if not entry == 0.0:
            return False
    return True


def linked(kernel, model):
    """Return the twin of a Kernel for one robot, not yet compiled.

    It has the same source, arguments and results, with the straight-line code of `specialise` for
    calls of recursions of LINKS. Results agree to rounding. A kernel without such calls is
    returned itself.
    """
    if model.is_embedded and kernel.python in embedded.HAVE_COUNTERPARTS:
        return embedded.kernel_of(kernel)
    return _linked(kernel, _Text(model), model.name)


@functools.cache
def over_independent(kernel):
    """Return the twin of a Kernel for robots with dependent joints, not yet compiled.

    It has the same source with the recursions of robodyn_ros.compile.embedded.
    """
    if kernel.python in embedded.HAVE_COUNTERPARTS:
        return embedded.kernel_of(kernel)
    return _linked(kernel, _Text(None), 'with dependent joints')


@functools.cache
def over_modes(kernel):
    """Return the twin of a Kernel for robots with flexible links, not yet compiled.

    It has the same source with the recursions of robodyn_ros.algorithms.flexible.
    """
    text = _Text(None, flexible.COUNTERPARTS, flexible.COUNTERPARTS.get)
    return _linked(kernel, text, 'with flexible links')


def _linked(kernel, text, robot):
    if not text.add(kernel.python):
        return kernel
    what = f'{kernel.python.__name__} of robot {robot}'
    sources = fingerprint(kernel.python)  # the source has only their names
    written = MODULE.format(
        title=re.sub(r'[^\w .,()/-]', '_', what),
        imports=text.imports(),
        origin=origin(kernel.python),
        sources=sources and f'\nSources of other packages in it: {sources}.',
        functions='\n'.join(text.functions),
    )
    stem = (
        f'{re.sub(r"[^a-zA-Z0-9]", "_", f"{robot} {kernel.python.__name__}")[:100]}_'
        f'{hashlib.sha256(written.encode()).hexdigest()[:16]}'
    )
    module = imported(stem, lambda: written)
    return Kernel(
        getattr(module, kernel.python.__name__),
        f'{kernel.name} of {robot}',
        **kernel.options | {'fastmath': False},
    )


def twins(kernels, model):
    """Return {kernel: linked twin} of the kernels that have one."""
    found = {kernel: linked(kernel, model) for kernel in dict.fromkeys(kernels)}
    return {kernel: twin for kernel, twin in found.items() if twin is not kernel}


class _Text:
    """The collected functions and imports of a module."""

    def __init__(self, model, replaced=embedded.HAVE_COUNTERPARTS, by=embedded.counterpart):
        """model : RobotModel, or None for code for all robots with dependent joints or modes.

        replaced : recursions that are replaced there. by : returns the one in place of another.
        """
        self.functions = []
        self._replaced = replaced if model is None or model.is_embedded else ()
        self._by = by
        self._model, self._meaning, self._imports, self._linked = model, {}, {}, {}

    def add(self, function, decorator=''):
        """Add a function and its dependencies if it calls a recursion of LINKS; return whether."""
        known = inspect.unwrap(function).__globals__
        here = {name: known[name] for name in _names(function) if name in known}
        linked_names = [name for name, value in here.items() if self._links(name, value)]
        if not linked_names:
            return False
        for name, value in here.items():
            self._bind(name, value)
            if name not in linked_names:
                self._import(function.__module__, name)
        self._bind(function.__name__, function)
        self.functions.append(decorator + _source(function))
        return True

    def imports(self):
        """Return the import lines of the functions."""
        return '\n'.join(
            f'from {module} import (\n{_wrapped(", ".join(sorted(names)))})'
            for module, names in sorted(self._imports.items())
        )

    def _links(self, name, value):
        """Return whether a name is redefined for this robot.

        Its definition is then in the text.
        """
        if not isinstance(value, types.FunctionType):
            return False
        if (name, value) not in self._linked:
            self._linked[name, value] = False  # a function may call itself
            if value in LINKS and self._model is not None:
                self._linked[name, value] = self._adapt(name, value)
            if self._linked[name, value]:
                pass
            elif value in self._replaced:
                self._linked[name, value] = self._embed(name, value)
            elif not value.__module__.startswith(RECURSIONS) and value.__name__ == name:
                self._linked[name, value] = self.add(value, '@primitive\n')
        return self._linked[name, value]

    def _embed(self, name, recursion):
        """Import the counterpart of a recursion."""
        found = self._by(recursion)
        self._bind(name, recursion)
        self._import(found.__module__, f'{found.__name__} as {name}')
        return True

    def _adapt(self, name, recursion):
        """Add the replacement of a recursion."""
        quantity, recipe = LINKS[recursion]
        kernels = specialise(self._model, quantity, recipe)
        if kernels is None:
            return False
        self._bind(name, recursion)
        self._import(kernels.one.python.__module__, f'one as recorded_{name}')
        self._import('robodyn_ros.compile.generic', f'{GENERAL[recursion]} as any_{name}')
        fallback = f'any_{name}'
        if self._replaced:
            self._import('robodyn_ros.compile.embedded', 'kernel_of')
            fallback = f'kernel_of({fallback})'
        parameters = tuple(inspect.signature(recursion).parameters)
        zeros = [
            f'nothing({zero})'
            for zero in parameters
            if zero in ZEROS and zero not in recipe.inputs
        ]
        call = f'own_{name}({", ".join((*recipe.inputs, *recipe.outputs))}) == 0'
        tells = any(
            isinstance(node, ast.Return) and node.value is not None
            for node in ast.walk(_parsed(recursion))
        )
        self.functions.append(
            f'own_{name} = called(Kernel(recorded_{name}, fastmath=False))\n'
            f'any_{name} = called({fallback})\n\n'
        )
        self.functions.append(
            ADAPTER.format(
                name=name,
                parameters=', '.join(parameters),
                condition=' and '.join((*zeros, call)),
                success=' 0' if tells else '',
                otherwise='return ' if tells else '',
            )
        )
        return True

    def _whose(self):
        return f'robot {self._model.name!r}' if self._model else 'robots of one kind'

    def _import(self, module, name):
        self._imports.setdefault(module, set()).add(name)

    def _bind(self, name, value):
        if self._meaning.setdefault(name, value) is not value:
            raise KernelError(
                f'linking kernels of {self._whose()}: the name {name!r} '
                'means two things in the files of one kernel; expected one'
            )


def _wrapped(text):
    return textwrap.fill(text, 99, initial_indent='    ', subsequent_indent='    ')


def _parsed(function):
    return parsed(textwrap.dedent(inspect.getsource(function))).body[0]


def _names(function):
    """Return the names in the source of a function, including annotations, in order."""
    tree = _parsed(function)
    tree.decorator_list = []
    return dict.fromkeys(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))


def _source(function):
    """Return the source of a function without decorators."""
    lines = textwrap.dedent(inspect.getsource(function)).splitlines()
    return '\n'.join(lines[_parsed(function).lineno - 1 :]) + '\n\n'
