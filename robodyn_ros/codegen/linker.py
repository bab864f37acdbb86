# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Kernels that call recursions, linked to the code of one robot.

A control law or a step of the plant branches on its data: limits, stops, friction. So it cannot be
recorded. But its dynamics are calls of recursions. They run the robot's recorded code if its
topology has the address of that code. So nothing but the recordings is compiled for a robot.

Kernels for robots with dependent joints or flexible links call other recursions. Their source is
copied, function by function, to a module. There those names refer to recursions of
robodyn_ros.compile.embedded or robodyn_ros.compile.flexible.
"""

import ast
import functools
import hashlib
import inspect
import textwrap
import types
from dataclasses import replace

from robodyn_ros.algorithms.core import aba
from robodyn_ros.codegen.registry import FURTHER_RECIPES, LAW_RECURSIONS, RECIPES
from robodyn_ros.codegen.specialise import origin, specialise
from robodyn_ros.compile import embedded, flexible
from robodyn_ros.compile.call import called, generic_kernel_of, recursions_of
from robodyn_ros.compile.dependencies import fingerprint
from robodyn_ros.compile.kernel import Kernel
from robodyn_ros.compile.own_code import ARGUMENTS, OwnCode, or_own_code
from robodyn_ros.compile.source_cache import imported
from robodyn_ros.compile.syntax_tree import parsed_function
from robodyn_ros.errors import KernelError
from robodyn_ros.spatial.primitive import called_instead

MODULE = '''"""{title}

The text of {origin}, with other recursions.
Linked by robodyn_ros; not meant to be edited.{sources}
"""
from robodyn_ros.codegen.linker import own_or_counterpart
from robodyn_ros.spatial.primitive import primitive
{imports}


{functions}
'''

# A law calls `damping_torques`, which a robot specialises only on request.
_LINKED = RECIPES | LAW_RECURSIONS | {'damping_torques': FURTHER_RECIPES['damping_torques']}
#: Recipes of recursions; the plant's friction acts on the diagonal. The inverse that it needs
#: only at stops is by another recursion, and not worth long code.
LINKS = {recipe.recursion: (name, recipe) for name, recipe in _LINKED.items()}
_name, _recipe = LINKS[aba.forward_dynamics]
LINKS[aba.forward_dynamics] = (
    _name,
    replace(_recipe, inputs=_recipe.inputs | {'diagonal': _recipe.inputs['tau']}),
)

ALGORITHMS = 'robodyn_ros.algorithms.'


class LinkedKernel:
    """A Kernel whose recursions run the code of one robot; called like the Kernel.

    kernel : the Kernel, which has the machine code. model : RobotModel. recursions : those of
    LINKS that the kernel calls.
    """

    def __init__(self, kernel, model, recursions):
        functools.update_wrapper(self, kernel.python)
        self.kernel, self.python = kernel, kernel.python
        self.name = f'{kernel.name} of {model.name}'
        self._model, self._recursions = model, recursions

    def __call__(self, *arguments):
        return self.compiled(*arguments)

    @functools.cached_property
    def compiled(self):
        """The compiled Kernel, called with the topology that has the address of the code."""
        return self._bound(self.kernel.compiled)

    @functools.cached_property
    def vectorcall(self):
        """The same for hot loops."""
        return self._bound(self.kernel.vectorcall)

    @functools.cached_property
    def _code(self):
        found = {each: specialise(self._model, *LINKS[each]) for each in self._recursions}
        return OwnCode(
            self._model.topology, {each: kernels.one for each, kernels in found.items() if kernels}
        )

    def _bound(self, compiled):
        return (
            self._code.bound(compiled) if hasattr(self.kernel.compiled, 'overloads') else compiled
        )


def linked(kernel, model):
    """Return the twin of a Kernel for one robot, not yet compiled.

    It has the same arguments and results, with the straight-line code of `specialise` for calls of
    recursions of LINKS. Results agree to rounding. A kernel without such calls is returned itself.
    """
    general = over_independent(kernel) if model.is_embedded else kernel
    found = [each for each in recursions_of(kernel.python, _is_no_algorithm) if each in LINKS]
    if kernel.python in embedded.HAVE_COUNTERPARTS or not found:
        return general
    return LinkedKernel(general, model, found)


def _is_no_algorithm(function):
    return not function.__module__.startswith(ALGORITHMS)


@functools.cache
def over_independent(kernel):
    """Return the twin of a Kernel for robots with dependent joints, not yet compiled.

    It has the same source with the recursions of robodyn_ros.compile.embedded. A kernel without
    such recursions is returned itself.
    """
    if kernel.python in embedded.HAVE_COUNTERPARTS:
        return embedded.kernel_of(kernel)
    text = _Text(embedded.HAVE_COUNTERPARTS, embedded.counterpart, have_own_code=ARGUMENTS)
    return _rewritten(kernel, text, 'independent coordinates')


@functools.cache
def over_modes(kernel):
    """Return the twin of a Kernel for robots with flexible links, not yet compiled.

    It has the same source with the recursions of robodyn_ros.algorithms.flexible.
    """
    text = _Text(flexible.COUNTERPARTS, flexible.COUNTERPARTS.get)
    return _rewritten(kernel, text, 'joints and modes')


def _rewritten(kernel, text, coordinates):
    """Return a Kernel of the source of another with other recursions, or itself without any."""
    if not text.add(kernel.python):
        return kernel
    name = kernel.python.__name__
    sources = fingerprint(kernel.python)  # the source has only their names
    written = MODULE.format(
        title=f'{name} over {coordinates}',
        imports=text.imports(),
        origin=origin(kernel.python),
        sources=sources and f'\nSources of other packages in it: {sources}.',
        functions='\n'.join(text.functions),
    )
    digest = hashlib.sha256(written.encode()).hexdigest()[:16]
    stem = f'{name}_over_{coordinates.replace(" ", "_")}_{digest}'
    module = imported(stem, lambda: written)
    return Kernel(
        getattr(module, name),
        f'{kernel.name} over {coordinates}',
        **kernel.options | {'fastmath': False},
    )


def twins(kernels, model):
    """Return {kernel: linked twin} of the kernels that have one."""
    found = {kernel: linked(kernel, model) for kernel in dict.fromkeys(kernels)}
    return {kernel: twin for kernel, twin in found.items() if twin is not kernel}


@functools.cache
def own_or_counterpart(recursion):
    """Return a function for kernels: a robot's code for a recursion, or else the counterpart.

    For Python it is the counterpart.
    """
    # now, since its symbol must be known before cached code that calls it is loaded
    otherwise = called(embedded.kernel_of(generic_kernel_of(recursion)))
    return called_instead(
        embedded.counterpart(recursion), lambda: or_own_code(recursion, otherwise)
    )


class _Text:
    """The collected functions and imports of a module with other recursions."""

    def __init__(self, replaced, by, have_own_code=()):
        """replaced : recursions. by : returns the one in place of another.

        have_own_code : those of them that look for a robot's own code first.
        """
        self.functions = []
        self._replaced, self._by, self._have_own_code = replaced, by, have_own_code
        self._meaning, self._imports, self._linked = {}, {}, {}

    def add(self, function, decorator=''):
        """Add a function and its dependencies if it calls a recursion that has a counterpart.

        Return whether it does.
        """
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
        """Return whether a name has another meaning in the module."""
        if not isinstance(value, types.FunctionType):
            return False
        if (name, value) not in self._linked:
            self._linked[name, value] = False  # a function may call itself
            if value in self._replaced:
                self._linked[name, value] = self._embed(name, value)
            elif _is_no_algorithm(value) and value.__name__ == name:
                self._linked[name, value] = self.add(value, '@primitive\n')
        return self._linked[name, value]

    def _embed(self, name, recursion):
        """Import the counterpart of a recursion, or add its choice."""
        self._bind(name, recursion)
        if recursion not in self._have_own_code:
            found = self._by(recursion)
            self._import(found.__module__, f'{found.__name__} as {name}')
            return True
        self._import(recursion.__module__, f'{recursion.__name__} as of_tree_{name}')
        self.functions.append(f'{name} = own_or_counterpart(of_tree_{name})\n\n')
        return True

    def _import(self, module, name):
        self._imports.setdefault(module, set()).add(name)

    def _bind(self, name, value):
        if self._meaning.setdefault(name, value) is not value:
            raise KernelError(
                f'linking kernels of robots of one kind: the name {name!r} '
                'means two things in the files of one kernel; expected one'
            )


def _wrapped(text):
    return textwrap.fill(text, 99, initial_indent='    ', subsequent_indent='    ')


def _names(function):
    """Return the names in the source of a function, including annotations, in order."""
    tree = parsed_function(function)
    tree.decorator_list = []
    return dict.fromkeys(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))


def _source(function):
    """Return the source of a function without decorators."""
    lines = textwrap.dedent(inspect.getsource(function)).splitlines()
    return '\n'.join(lines[parsed_function(function).lineno - 1 :]) + '\n\n'
