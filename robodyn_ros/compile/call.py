# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Calls of machine code from kernels that do not contain it.

Numba copies functions into the kernels that call them, and compiles them again. For the code of
one robot this would dominate the compile time. Here only a symbol is compiled into the kernel. The
linker resolves its address, for new and for cached kernels.

A separate function (robodyn_ros.spatial.primitive) is called through a small array of addresses,
and its symbol is that of the array. `provide` writes the address of the machine code there. So
robots that never run the function never compile it. A recursion has one address for each kind of
coordinates of a robot, see robodyn_ros.compile.robot_code_table.
"""

import ctypes
import functools
import inspect
from types import FunctionType, ModuleType

import llvmlite.binding
from numba import types

from robodyn_ros.compile.machine_call import emit_call, machine_code, named_intrinsic
from robodyn_ros.compile.numba_private import MISSING, cgutils
from robodyn_ros.compile.robot_code_table import JOINTS, MODES, of_robot, of_tree
from robodyn_ros.spatial.primitive import RECURSIONS, SEPARATE, primitive, recursion, separate


def called(kernel):
    """Compile a kernel, and return a function with which other kernels call its machine code.

    Returns a function for compiled code only, with the arguments of the kernel.
    """
    if MISSING or not hasattr(kernel.compiled, 'overloads'):  # Numba copies it or is disabled
        return kernel.compiled
    result, address = machine_code(kernel)
    function, kinds, returns = kernel.python, kernel.signature, result.signature.return_type
    symbol = f'{function.__module__}.{function.__qualname__}'  # the same in every process
    llvmlite.binding.add_symbol(symbol, address)

    def emit(context, builder, signature, arguments):
        code = cgutils.get_or_insert_function(
            builder.module, context.call_conv.get_function_type(returns, kinds), symbol
        )
        return emit_call(context, builder, code, returns, kinds, arguments)

    def typed(_context, *_):
        return returns(*kinds), emit

    typed.machine_code = result  # must live as long as its address is in use
    return named_intrinsic(inspect.signature(function).parameters, typed)


def provide_recursions(function):
    """Compile or load the kernels of all recursions that a function calls, however deeply.

    `function` (callable): a plain function.
    """
    provide(map(generic_kernel_of, recursions_of(inspect.unwrap(function))))


@functools.cache
def recursions_of(function, enters=lambda value: not hasattr(value, '__wrapped__')):
    """Return the recursions that a function calls, directly or through others.

    `function` (callable): a plain function.
    `enters` (callable): whether to search a called function, too. By default all but separate
      functions are searched. These call recursions from kernels of their own.
    """
    seen, waiting = {function: None}, [function]
    while waiting:
        for value in map(_python, _globals_of(inspect.unwrap(waiting.pop()))):
            if isinstance(value, FunctionType) and value not in seen:
                seen[value] = None
                if enters(value):
                    waiting.append(value)
    return tuple(each for each in seen if each in RECURSIONS and each is not function)


def _python(value):
    """Return the plain function of a dispatcher, or the value itself."""
    return getattr(value, 'py_func', value)


def _globals_of(function):
    """Return the values of the names in a function, including names of its modules."""
    names, seen = function.__code__.co_names, set()
    waiting = [*inspect.getclosurevars(function).nonlocals.values()]
    waiting += [function.__globals__[name] for name in names if name in function.__globals__]
    while waiting:
        value = waiting.pop()
        yield value
        if isinstance(value, ModuleType) and value not in seen:
            seen.add(value)
            waiting += [vars(value)[name] for name in names if name in vars(value)]


@functools.cache
def generic_kernel_of(recursion):
    """Return the generic kernel of a recursion.

    `recursion` (callable): a recursion of robodyn_ros.algorithms.
    """
    from robodyn_ros.compile import generic  # it imports this file

    return next(
        each for each in vars(generic).values() if getattr(each, 'python', None) is recursion
    )


@functools.cache
def _recursion_call(function):
    """Return a function that runs the robot's own code for a recursion, or its kernel."""
    kernel = generic_kernel_of(function)
    provide([kernel])
    result, _ = machine_code(kernel)
    returns = result.signature.return_type
    call = _separate_call(function, returns)
    if 'topology' not in inspect.signature(function).parameters:
        return call
    return of_robot(function, _call(function, returns), primitive(call))


def _copy(function):
    """Return a copy of a recursion for the kernels that cannot call it."""
    return of_tree(function) if 'topology' in inspect.signature(function).parameters else function


def declare():
    """Define the symbols of all functions that kernels call. Kernels load only afterwards."""
    for function in (*SEPARATE, *RECURSIONS):
        _addresses(function)


def provide(kernels):
    """Compile or load the kernels of separate functions, so that other kernels can call them.

    `kernels` (iterable of Kernel): kernels of separate functions.
    """
    provide_in_place({kernel.python: kernel for kernel in kernels}, JOINTS)


def provide_in_place(kernels, coordinates):
    """Provide kernels that run in place of recursions over the tree.

    `kernels` (dict): {recursion: Kernel with its arguments}.
    `coordinates`: kind of coordinates of the robots for which they run: a constant of
      robodyn_ros.compile.robot_code_table.
    """
    for function, kernel in kernels.items():
        addresses = _addresses(function)
        if not addresses[coordinates] and hasattr(kernel.compiled, 'overloads'):
            _, addresses[coordinates] = machine_code(kernel)


@functools.cache
def _addresses(function):
    """Return the addresses of the machine code of a function, one per kind of coordinates."""
    addresses = (ctypes.c_void_p * (MODES + 1))()
    llvmlite.binding.add_symbol(_symbol(function), ctypes.addressof(addresses))
    return addresses


def _symbol(function):
    """Return the symbol of the addresses of a function."""
    return f'{function.__module__}.{function.__qualname__}.addresses'


def _separate_call(function, returns=None):
    """Return a function that calls the machine code of a separate one, for other kernels.

    `function` (callable): the separate function.
    `returns` (numba type): type of its result; by default that of its annotation.
    """
    signature = inspect.signature(function)
    if returns is None:
        given = signature.return_annotation
        returns = types.none if given is signature.empty else given
    names = ', '.join(signature.parameters)
    space = {'call': _call(function, returns)}
    exec(f'def separately({names}):\n    return call({JOINTS}, 0, {names})\n', space)
    return space['separately']


@functools.cache
def _call(function, returns):
    """Return an intrinsic that calls a function at one of its addresses.

    It has two arguments before those of the function. The first is the kind of coordinates, which
    selects the address. The second is the address of another topology, or zero.
    """
    parameters = inspect.signature(function).parameters
    kinds = tuple(each.annotation for each in parameters.values())
    missing = f'{function.__qualname__} was not provided; see robodyn_ros.compile.call'

    def emit(context, builder, _, arguments):
        coordinates, address, *arguments = arguments
        if 'topology' in parameters:
            at = list(parameters).index('topology')
            arguments[at] = _with_data(context, builder, kinds[at], arguments[at], address)
        convention = context.call_conv
        kind = convention.get_function_type(returns, kinds).as_pointer()
        first = context.get_c_value(builder, kind, _symbol(function))
        code = builder.load(builder.gep(first, [coordinates]))
        with cgutils.if_unlikely(builder, cgutils.is_null(builder, code)):
            convention.return_user_exc(builder, RuntimeError, (missing,))
        value = emit_call(context, builder, code, returns, kinds, arguments)
        return context.get_dummy_value() if returns is types.none else value

    signature = returns(types.int64, types.int64, *kinds)
    return named_intrinsic(
        ('coordinates', 'address', *parameters), lambda _context, *_: (signature, emit)
    )


def _with_data(context, builder, kind, array, address):
    """Return an array with its data at another address; zero keeps its own."""
    changed = context.make_array(kind)(context, builder, value=array)
    other = builder.inttoptr(address, changed.data.type)
    changed.data = builder.select(cgutils.is_null(builder, other), changed.data, other)
    return changed._getvalue()


if not MISSING:
    separate.call_of = functools.cache(_separate_call)
    recursion.call_of = _recursion_call
    recursion.copy_of = functools.cache(_copy)
