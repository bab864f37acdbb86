# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Kernels that call recursions, linked to the straight-line code of one robot.

A control law or a step of the plant branches on its data (limits, stops, friction). So it cannot
be recorded as a recursion can. But all its dynamics are calls of recursions. Its own text is kept,
function by function, in a module in which those calls mean the recorded code.
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
from robodyn_ros.codegen.registry import LAW_RECURSIONS, RECIPES
from robodyn_ros.codegen.specialise import origin, specialise
from robodyn_ros.compile import embedded, generic
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

#: What is put in the place of a recursion; the plant's friction acts on the diagonal. The inverse
#: that it needs at a stop, and there only, is by another recursion, and not worth its long code.
LINKS = {recipe.recursion: (name, recipe) for name, recipe in (RECIPES | LAW_RECURSIONS).items()}
_name, _recipe = LINKS[aba.forward_dynamics]
LINKS[aba.forward_dynamics] = (
    _name,
    replace(_recipe, inputs=_recipe.inputs | {'diagonal': _recipe.inputs['tau']}),
)

#: Names of the kernels for any robot, by what they compile.
GENERAL = {item.python: name for name, item in vars(generic).items() if isinstance(item, Kernel)}

#: Arguments of recursions that are zero in what was recorded, unless they are among its inputs.
ZEROS = ('f_ext', 'diagonal')
RECURSIONS = 'robodyn_ros.algorithms.'


@primitive
def nothing(array):
    """Whether all entries are zero."""
    for entry in array.flat:
        if not entry == 0.0:
            return False
    return True


def linked(kernel, model):
    """Return the twin of a Kernel for one robot. It has the same text, arguments and results, with
    the straight-line code of `specialise` wherever it calls a recursion of LINKS by its name. The
    kernel itself where there is nothing to gain.

    Its results are those of the kernel to rounding. Not yet compiled.
    """
    if model.is_embedded and kernel.python in embedded.HAVE_COUNTERPARTS:
        return embedded.kernel_of(kernel)
    return _linked(kernel, _Text(model), model.name)


@functools.cache
def over_independent(kernel, has_loops):
    """Return the twin of a Kernel for all robots some of whose joints depend on others: the same
    text with the recursions of robodyn_ros.compile.embedded. has_loops : the same for robots with
    closed loops. Not yet compiled.
    """
    if kernel.python in embedded.HAVE_COUNTERPARTS:
        return embedded.kernel_of(kernel, has_loops)
    robot = 'with closed loops' if has_loops else 'with dependent joints'
    return _linked(kernel, _Text(None, has_loops), robot)


def _linked(kernel, text, robot):
    if not text.add(kernel.python):
        return kernel
    what = f'{kernel.python.__name__} of robot {robot}'
    sources = fingerprint(kernel.python)  # the text has their names only
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
        kinds=embedded.KINDS if text.has_loops else None,
        **kernel.options | {'fastmath': False},
    )


def twins(kernels, model):
    """Return {kernel: its linked twin} of those kernels that have one."""
    found = {kernel: linked(kernel, model) for kernel in dict.fromkeys(kernels)}
    return {kernel: twin for kernel, twin in found.items() if twin is not kernel}


class _Text:
    """The functions and imports of a module, as they are collected."""

    def __init__(self, model, has_loops=False):
        """model : RobotModel, or None to record nothing, for all robots with dependent joints, or
        for all with closed loops.
        """
        self.has_loops = has_loops
        self.functions = []
        self._is_embedded = model is None or model.is_embedded
        self._model, self._meaning, self._imports, self._linked = model, {}, {}, {}

    def add(self, function, decorator=''):
        """Add a function and what it needs, if it calls a recursion of LINKS; whether it does."""
        here = {
            name: function.__globals__[name]
            for name in _names(function)
            if name in function.__globals__
        }
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
        """The lines that import what the functions use."""
        return '\n'.join(
            f'from {module} import (\n{_wrapped(", ".join(sorted(names)))})'
            for module, names in sorted(self._imports.items())
        )

    def _links(self, name, value):
        """Whether a name means something else for this robot, which is then among the text."""
        if not isinstance(value, types.FunctionType):
            return False
        if (name, value) not in self._linked:
            self._linked[name, value] = False  # a function may call itself
            if value in LINKS and self._model is not None:
                self._linked[name, value] = self._adapt(name, value)
            if self._linked[name, value]:
                pass
            elif self._is_embedded and value in embedded.HAVE_COUNTERPARTS:
                self._linked[name, value] = self._embed(name, value)
            elif not value.__module__.startswith(RECURSIONS) and value.__name__ == name:
                self._linked[name, value] = self.add(value, '@primitive\n')
        return self._linked[name, value]

    def _embed(self, name, recursion):
        """Import what stands for a recursion over independent coordinates."""
        found = embedded.counterpart(recursion, self.has_loops)
        self._bind(name, recursion)
        self._import(found.__module__, f'{found.__name__} as {name}')
        return True

    def _adapt(self, name, recursion):
        """Add the function that stands for a recursion."""
        quantity, recipe = LINKS[recursion]
        kernels = specialise(self._model, quantity, recipe)
        if kernels is None:
            return False
        self._bind(name, recursion)
        self._import(kernels.one.python.__module__, f'one as recorded_{name}')
        self._import('robodyn_ros.compile.generic', f'{GENERAL[recursion]} as any_{name}')
        fallback = f'any_{name}'
        if self._is_embedded:
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
        return f'robot {self._model.name!r}' if self._model else 'robots with dependent joints'

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
    """Names that the text of a function uses, annotations included, in order."""
    tree = _parsed(function)
    tree.decorator_list = []
    return dict.fromkeys(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))


def _source(function):
    """The text of a function without its decorators."""
    lines = textwrap.dedent(inspect.getsource(function)).splitlines()
    return '\n'.join(lines[_parsed(function).lineno - 1 :]) + '\n\n'
