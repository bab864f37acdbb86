# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Calls of machine code from kernels that do not contain it.

Numba copies functions into the kernels that call them, and compiles them again. For the code of
one robot this would dominate the compile time. Here only a symbol is compiled into the kernel. The
linker resolves its address, for new and for cached kernels.

The symbol of a separate function (robodyn_ros.spatial.primitive) is that of a cell of memory.
`provide` writes the address of its machine code there. So robots that never run the function never
compile it.
"""

import ctypes
import functools
import inspect
from types import FunctionType, ModuleType

import llvmlite.binding
from numba import types

from robodyn_ros.compile.machine_call import emit_call, machine_code, named_intrinsic
from robodyn_ros.compile.numba_private import MISSING, cgutils
from robodyn_ros.compile.own_code import ARGUMENTS, or_own_code
from robodyn_ros.spatial.primitive import RECURSIONS, SEPARATE, primitive, recursion, separate


def called(kernel):
    """Compile a `Kernel`, and return a function with which kernels call its machine code."""
    if MISSING or not hasattr(kernel.compiled, 'overloads'):  # Numba copies it, or is off
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
    """Compile or load the kernels of all recursions that a function calls, however deeply."""
    provide(map(generic_kernel_of, recursions_of(inspect.unwrap(function))))


@functools.cache
def recursions_of(function, enters=lambda value: not hasattr(value, '__wrapped__')):
    """Return the recursions that a function calls through others, however deeply.

    enters : whether to look for them in a function too. By default these are all but separate
    ones, which call recursions from their own kernels.
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
    """Return the values of the names in a function, also of those in modules that it names."""
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
    """Return the generic kernel of a recursion."""
    from robodyn_ros.compile import generic  # it imports this file

    return next(
        each for each in vars(generic).values() if getattr(each, 'python', None) is recursion
    )


@functools.cache
def _recursion_call(function):
    """Return a function that calls a robot's code for a recursion, or that of its kernel."""
    kernel = generic_kernel_of(function)
    provide([kernel])
    result, _ = machine_code(kernel)
    call = _separate_call(function, result.signature.return_type)
    return or_own_code(function, primitive(call)) if function in ARGUMENTS else call


def declare():
    """Declare the cells of all functions that kernels call; only then kernels are loaded."""
    for function in (*SEPARATE, *RECURSIONS):
        _cell(function)


def provide(kernels):
    """Compile the kernels of separate functions, or load them; now other kernels can call them."""
    for kernel in kernels:
        if not _cell(kernel.python) and hasattr(kernel.compiled, 'overloads'):
            _, _cell(kernel.python).value = machine_code(kernel)


@functools.cache
def _cell(function):
    """Return the memory for the address of a separate function."""
    cell = ctypes.c_void_p()
    llvmlite.binding.add_symbol(_symbol(function), ctypes.addressof(cell))
    return cell


def _symbol(function):
    return f'{function.__module__}.{function.__qualname__}.address'


def _separate_call(function, returns=None):
    """Return a function that calls the machine code of a separate one, for other kernels.

    returns : type of its result; by default that of its annotation.
    """
    signature = inspect.signature(function)
    kinds = tuple(each.annotation for each in signature.parameters.values())
    if returns is None:
        given = signature.return_annotation
        returns = types.none if given is signature.empty else given
    missing = f'{function.__qualname__} was not provided; see robodyn_ros.compile.call'

    def emit(context, builder, _, arguments):
        convention = context.call_conv
        code = convention.get_function_type(returns, kinds).as_pointer()
        address = builder.load(context.get_c_value(builder, code, _symbol(function)))
        with cgutils.if_unlikely(builder, cgutils.is_null(builder, address)):
            convention.return_user_exc(builder, RuntimeError, (missing,))
        value = emit_call(context, builder, address, returns, kinds, arguments)
        return context.get_dummy_value() if returns is types.none else value

    call = named_intrinsic(signature.parameters, lambda _context, *_: (returns(*kinds), emit))
    names = ', '.join(signature.parameters)
    space = {'call': call}
    exec(f'def separately({names}):\n    return call({names})\n', space)
    return space['separately']


if not MISSING:
    separate.call_of = functools.cache(_separate_call)
    recursion.call_of = _recursion_call
