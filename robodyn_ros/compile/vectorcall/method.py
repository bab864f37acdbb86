# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Methods of a robot in machine code: check states, allocate results, call, return.

The same steps in Python take longer than the dynamics of an arm. One function serves all robots
and quantities. The tuple that owns it has all that differs between them.
"""

import contextlib
import ctypes
import functools
import inspect
import textwrap
from types import BuiltinFunctionType

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from robodyn_ros.compile.kernel import kernel
from robodyn_ros.compile.numba_private import cgutils
from robodyn_ros.compile.vectorcall.entry import (
    ADDRESS,
    CALL,
    DATA,
    FIRST_ITEM,
    FLAGS,
    INTEGER,
    LIST_ITEMS,
    METH_FASTCALL,
    OWN,
    OWNER,
    READABLE,
    RECORD,
    REFERENCES,
    TYPE,
    WEAK_REFERENCES,
    WRITEABLE,
    ArgumentReader,
    api,
    callable_at,
    layout_is_known,
)

#: Items of the tuple that owns the function. CASES is [case] or {frame: case}, and empty until a
#: kernel is compiled.
NDARRAY, DTYPE, ZERO, OUT, NONE, OTHERWISE, CASES, PLAN, FUNCTION, KEPT = range(10)
#: A case has the code, and its arguments before and after the states. Code with arguments before
#: the states is generic, and does not check states. So the states are checked here.
ONE, BEFORE, AFTER = range(3)
#: Places in the plan, an array of integers. It has the numbers of states and of results, and
#: the address of PyArray_NewFromDescr. KEPT has KEEPS earlier arrays of each result; NEXT tells
#: which of them is replaced next. Then come the length of each state, and for each result the
#: number of its axes and their lengths.
STATES, RESULTS, MAKE, KEEPS, NEXT, LENGTHS, AXES = 0, 1, 2, 3, 4, 5, 9
MOST, MOST_AXES = AXES - LENGTHS, 3
TUPLE_SIZE = 16  # offset of the number of items
KEPT_EACH = 4  # a caller seldom holds more results of one method at a time
NEW_ARRAY = 94  # index of PyArray_NewFromDescr in numpy's table of functions
NOT_FINITE = 0x7FF << 52  # the exponent of NaN and infinity

METHOD = """def {name}({inputs}{option}):
    {results}{separation}
    return otherwise({inputs}{passed}) if {test}one({inputs}, {names}) else ({names})
"""


def python_method(name, text, one, otherwise, inputs, shapes, wrenches=False):
    """Return a Python function of arrays that calls an entry with newly allocated results.

    A single result may be given as `out`. Names of arguments and all calls are generated, because
    look-ups would take as long as the work.

    `name`, `text`: its name and docstring.
    `one` (callable): the entry.
    `otherwise` (callable): called with arguments that the entry refuses.
    `inputs` (sequence of str): names of the arguments.
    `shapes` (sequence of tuple): shapes of the results.
    `wrenches`: whether there is an argument f_ext, which only `otherwise` handles.
    """
    names = [f'result{k}' for k in range(len(shapes))]
    made = [f'{result} = empty({shape!r})' for result, shape in zip(names, shapes)]
    given = (['f_ext'] if wrenches else []) + (['out'] if len(shapes) == 1 else [])
    separation = ''
    if 'out' in given:
        made = [f'{made[0]} if out is None else out']
        states = ', '.join(inputs)
        separation = f'\n    if out is not None: {states}, = apart(out, ({states},))'
    written = METHOD.format(
        name=name,
        inputs=', '.join(inputs),
        results='; '.join(made),
        names=', '.join(names),
        option=''.join(f', {key}=None' for key in given),
        passed=''.join(f', {key}={key}' for key in given),
        test='f_ext is not None or ' if wrenches else '',
        separation=separation,
    )
    space = {'apart': apart}
    exec(
        f'def make(one, otherwise, empty):\n{textwrap.indent(written, "    ")}    return {name}\n',
        space,
    )
    function = space['make'](one, otherwise, np.empty)
    function.__doc__ = text
    return function


def apart(out, arrays):
    """Return arrays, of which copies replace those that may share memory with `out`.

    Kernels may write results before they have read all arguments.

    `out` (ndarray or None): array that receives results.
    `arrays` (sequence): arguments of a method.
    """
    if not isinstance(out, np.ndarray):
        return arrays
    return tuple(
        each.copy() if isinstance(each, np.ndarray) and np.may_share_memory(each, out) else each
        for each in arrays
    )


def machine_method(otherwise, cases, lengths, shapes, of_frame=False, keeps=KEPT_EACH):
    """Return a callable of states and a frame that returns the results of a case as arrays.

    Each array is new, or an earlier result to which nobody has a reference any more. A single
    result may be given as `out`. All other arguments go to `otherwise`.

    `otherwise` (callable): a function or method with the same arguments, whose name, signature and
      docstring are copied. It is returned itself if the layout of the interpreter is unknown.
    `cases` (list or dict): see CASES.
    `lengths` (sequence of int): length of each state.
    `shapes` (sequence of tuple): shapes of the results.
    `of_frame`: whether the last argument is the name of a frame.
    `keeps`: number of arrays of each result that are kept to be used again.
    """
    if not layout_is_known() or max(len(lengths), len(shapes)) > MOST:
        return otherwise
    plan = np.zeros(AXES + (MOST_AXES + 1) * len(shapes), np.int64)
    plan[STATES], plan[RESULTS], plan[MAKE] = len(lengths), len(shapes), _make_array()
    plan[KEEPS] = keeps
    plan[LENGTHS : LENGTHS + len(lengths)] = lengths
    for place, shape in zip(plan[AXES:].reshape(-1, MOST_AXES + 1), shapes):
        place[: len(shape) + 1] = len(shape), *shape
    address = (of_frames if of_frame else of_states)()
    return callable_at(
        address,
        np.ndarray,
        np.dtype(np.float64),
        0,
        'out',
        None,
        otherwise,
        cases,
        plan,
        BuiltinFunctionType,
        [None] * (keeps * len(shapes)),
        name=otherwise.__name__,
        keywords=True,
        text=f'{otherwise.__name__}{_without_types(otherwise)}\n--\n\n{otherwise.__doc__}',
    )


def _without_types(function):
    """Return the signature of a function without annotations, as for C functions."""
    method = inspect.unwrap(function)
    if inspect.ismethod(method):
        return _signature(method.__func__, 1)
    return _signature(method, 0)


@functools.lru_cache(maxsize=256)  # all robots have the same methods
def _signature(function, left_out):
    """Return a signature without annotations and without its first parameters."""
    signature = inspect.signature(function)
    parameters = list(signature.parameters.values())[left_out:]
    return signature.replace(
        parameters=[parameter.replace(annotation=parameter.empty) for parameter in parameters],
        return_annotation=signature.empty,
    )


@functools.cache
def _make_array():
    """Return the address of PyArray_NewFromDescr."""
    core = getattr(np, '_core', None) or np.core  # before numpy 2
    table = ctypes.pythonapi.PyCapsule_GetPointer
    table.restype, table.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    address = table(core._multiarray_umath._ARRAY_API, None)
    return ctypes.cast(address, ctypes.POINTER(ctypes.c_void_p))[NEW_ARRAY]


def _address_of(emit):
    """Return an intrinsic that emits a function and returns its address."""

    def typed(_context):
        return types.int64(), lambda _context, builder, *_: builder.ptrtoint(
            emit(builder.module), INTEGER
        )

    return intrinsic(typed)


def _emit(of_frame, module):
    """Emit the method: a function of owner, arguments, number of positional ones, and names."""
    function = ir.Function(
        module,
        ir.FunctionType(INTEGER, [INTEGER] * 4),
        f'robodyn_ros.method.of_{"frames" if of_frame else "states"}',
    )
    function.linkage = 'internal'
    owner, arguments, count, names = function.args
    start, refuse = (function.append_basic_block(part) for part in ('start', 'refuse'))
    code = _Code(ir.IRBuilder(start), owner, arguments, count, refuse)
    builder, plan = code.builder, code.load(code.item(PLAN), DATA)
    states, results = (code.load(plan, 8 * number) for number in (STATES, RESULTS))
    code.expect(count, builder.add(states, INTEGER(int(of_frame))))
    if of_frame:
        frame = code.entry(arguments, states)
        case = code.call('PyDict_GetItemWithError', code.item(CASES), frame)
    else:
        case = code.call('PyList_GetItem', code.item(CASES), INTEGER(0))
    code.expect(case, INTEGER(0), '!=')
    one, before, after = (code.load(case, FIRST_ITEM + 8 * k) for k in (ONE, BEFORE, AFTER))
    more, rest = (code.load(items, TUPLE_SIZE) for items in (before, after))
    with code.if_('!=', more, 0):
        code.expect_states(plan, states)
    out = code.out(names, states, results, plan)
    first = builder.add(builder.add(more, states), rest)
    total = builder.add(first, results)
    frame = builder.ptrtoint(builder.alloca(INTEGER, total), INTEGER)
    code.copy(code.items(before), more, frame)
    code.copy_states(arguments, states, code.place(frame, more))
    code.copy(code.items(after), rest, code.place(frame, builder.add(more, states)))
    made = code.place(frame, first)
    # Other Python code may run meanwhile, where an earlier result has a weak reference with a
    # callback. It may replace the case.
    code.add_reference(case)
    status = code.variable(code.make(plan, results, out, made))
    with code.if_('!=', code.value(status), 0):
        builder.store(code.run(one, frame, total), status)
    status = code.value(status)
    code.drop_reference(case)
    code.drop_reference(status)
    done = builder.or_(
        *(builder.icmp_signed('==', status, code.item(item)) for item in (ZERO, NONE))
    )
    with builder.if_then(builder.not_(done)):
        with code.loop(results) as k:
            code.drop_reference(code.entry(made, k))
        builder.branch(refuse)
    with code.if_('==', results, 1):
        builder.ret(code.load(made, 0))
    several = code.call('PyTuple_New', results)
    with code.if_('!=', several, 0):
        code.copy(made, results, code.items(several))
    builder.ret(several)
    builder.position_at_end(refuse)
    code.call('PyErr_Clear', returns=ir.VoidType())
    named = code.by_name(arguments, count, names)
    found = code.call('PyObject_VectorcallDict', code.item(OTHERWISE), arguments, count, named)
    code.drop_reference(named)
    builder.ret(found)
    return function


class _Code(ArgumentReader):
    """Emits the steps of a method; `k` is the index of an entry."""

    def call(self, name, *values, returns=INTEGER):
        """Call a function of CPython's API; return its result."""
        function = api(self.builder.module, name, *[INTEGER] * len(values), returns=returns)
        return self.builder.call(function, values)

    def add_reference(self, something):
        """Increase the reference count of an object."""
        self.call('Py_IncRef', something, returns=ir.VoidType())

    def drop_reference(self, something):
        """Decrease the reference count of an object, if any."""
        self.call('Py_DecRef', something, returns=ir.VoidType())

    def by_name(self, arguments, count, names):
        """Return a dict of the arguments after the first `count`, or 0 if there are none."""
        made = self.variable(INTEGER(0))
        with self.if_('!=', names, 0):
            self.builder.store(self.call('PyDict_New'), made)
            with self.if_('==', self.value(made), 0):
                self.builder.ret(INTEGER(0))
            with self.loop(self.load(names, TUPLE_SIZE)) as k:
                name = self.entry(self.items(names), k)
                given = self.entry(arguments, self.builder.add(count, k))
                fault = self.call('PyDict_SetItem', self.value(made), name, given, returns=FLAGS)
                with self.builder.if_then(self.builder.icmp_signed('!=', fault, FLAGS(0))):
                    self.drop_reference(self.value(made))
                    self.builder.ret(INTEGER(0))
        return self.value(made)

    def place(self, address, k):
        """Return the address of entry k."""
        return self.builder.add(address, self.builder.mul(k, INTEGER(8)))

    def entry(self, address, k):
        """Return entry k."""
        return self.load(self.place(address, k), 0)

    def items(self, items):
        """Return the address of the items of a tuple."""
        return self.builder.add(items, INTEGER(FIRST_ITEM))

    def variable(self, value):
        """Allocate a variable with a first value; return its address."""
        place = cgutils.alloca_once(self.builder, INTEGER)
        self.builder.store(value, place)
        return place

    def value(self, variable):
        """Return the current value of a variable."""
        return self.builder.load(variable)

    def if_(self, comparison, value, other):
        """Return the context of a block that runs if a comparison is true."""
        other = INTEGER(other) if isinstance(other, int) else other
        return self.builder.if_then(self.builder.icmp_signed(comparison, value, other))

    @contextlib.contextmanager
    def loop(self, count):
        """Yield the index of a loop, whose body is emitted in the context."""
        with cgutils.for_range(self.builder, count) as loop:
            yield loop.index

    def copy(self, source, count, target):
        """Copy entries from one address to another."""
        with self.loop(count) as k:
            self.store(self.entry(source, k), self.place(target, k))

    def copy_states(self, source, states, target):
        """Copy entries one by one, which costs less than a call that copies memory."""
        for k in range(MOST):
            with self.if_('>', states, k):
                self.store(self.load(source, 8 * k), self.builder.add(target, INTEGER(8 * k)))

    def run(self, one, arguments, count):
        """Call the code of a case, and return its result.

        A C function is called directly: the checks of its callers take as long as its own.
        """
        builder, address = self.builder, self.variable(INTEGER(0))
        with self.if_('==', self.load(one, TYPE), self.item(FUNCTION)):
            record = self.load(one, RECORD)
            kind = self.load(record, CALL, FLAGS)
            with builder.if_then(builder.icmp_signed('==', kind, FLAGS(METH_FASTCALL))):
                builder.store(self.load(record, ADDRESS), address)
        result = self.variable(INTEGER(0))
        is_known = builder.icmp_signed('!=', self.value(address), INTEGER(0))
        with builder.if_else(is_known) as (direct, indirect):
            with direct:
                kind = ir.FunctionType(INTEGER, [INTEGER] * 3).as_pointer()
                code = builder.inttoptr(self.value(address), kind)
                found = builder.call(code, [self.load(one, OWNER), arguments, count])
                builder.store(found, result)
            with indirect:
                found = self.call('PyObject_VectorcallDict', one, arguments, count, INTEGER(0))
                builder.store(found, result)
        return self.value(result)

    def store(self, value, address):
        """Store at an address."""
        self.builder.store(value, self.builder.inttoptr(address, INTEGER.as_pointer()))

    def expect_states(self, plan, states):
        """Branch to refusal unless each state is an array of its length with finite numbers."""
        for k in range(MOST):
            with self.if_('>', states, k):
                data, (length,) = self.array(k, 1, DTYPE, WRITEABLE)
                self.expect(length, self.load(plan, 8 * (LENGTHS + k)))
                bad = self.variable(INTEGER(0))
                with self.loop(length) as i:
                    bits = self.builder.and_(self.entry(data, i), INTEGER(NOT_FINITE))
                    flag = self.builder.icmp_signed('==', bits, INTEGER(NOT_FINITE))
                    flag = self.builder.zext(flag, INTEGER)
                    self.builder.store(self.builder.or_(self.value(bad), flag), bad)
                self.expect(self.value(bad), INTEGER(0))

    def out(self, names, states, results, plan):
        """Return the array given as `out`, or 0. Refuse one in the memory of a state."""
        given = self.variable(INTEGER(0))
        with self.if_('!=', names, 0):
            self.expect(results, INTEGER(1))
            self.expect(self.load(names, TUPLE_SIZE), INTEGER(1))
            self.expect(self.load(names, FIRST_ITEM), self.item(OUT))
            found = self.entry(self.arguments, self.count)
            with self.if_('!=', found, self.item(NONE)):
                axes = self.load(plan, 8 * AXES)
                data, lengths = self.data_and_lengths(found, axes, DTYPE, WRITEABLE)
                size = self.variable(INTEGER(1))
                with self.loop(axes) as axis:
                    length = self.entry(lengths, axis)
                    self.expect(length, self.entry(self.place(plan, INTEGER(AXES + 1)), axis))
                    self.builder.store(self.builder.mul(self.value(size), length), size)
                self.expect_apart(states, data, self.place(data, self.value(size)))
                self.builder.store(found, given)
        return self.value(given)

    def expect_apart(self, states, first, last):
        """Branch to refusal unless each state is an array outside of a range of addresses."""
        for k in range(MOST):
            with self.if_('>', states, k):
                data, (length,) = self.array(k, 1, DTYPE, READABLE)
                before = self.builder.icmp_signed('<=', self.place(data, length), first)
                after = self.builder.icmp_signed('>=', data, last)
                outside = self.builder.or_(before, after)
                self.expect(self.builder.zext(outside, INTEGER), INTEGER(1))

    def make(self, plan, results, out, made):
        """Allocate an array for each result. Return 0 if memory is exhausted, else 1."""
        given = [INTEGER, INTEGER, FLAGS, INTEGER, INTEGER, INTEGER, FLAGS, INTEGER]
        kind, zero = ir.FunctionType(INTEGER, given), INTEGER(0)
        function = self.builder.inttoptr(self.load(plan, 8 * MAKE), kind.as_pointer())
        fine = self.variable(INTEGER(1))
        with self.loop(results) as k:
            shape = self.builder.add(INTEGER(AXES), self.builder.mul(k, INTEGER(MOST_AXES + 1)))
            shape, array = self.place(plan, shape), self.variable(out)
            kept = self.builder.mul(k, self.load(plan, 8 * KEEPS))
            kept = self.place(self.load(self.item(KEPT), LIST_ITEMS), kept)
            with self.if_('==', out, 0):
                self.builder.store(self.unused(plan, shape, kept), array)
            with self.if_('==', self.value(array), 0):
                self.add_reference(self.item(DTYPE))  # PyArray_NewFromDescr takes a reference over
                axes = self.builder.trunc(self.load(shape, 0), FLAGS)
                sizes = self.builder.add(shape, INTEGER(8))
                given = axes, sizes, zero, zero, FLAGS(0), zero
                found = self.builder.call(function, [self.item(NDARRAY), self.item(DTYPE), *given])
                self.builder.store(found, array)
                with self.if_('!=', found, 0):
                    self.keep(plan, found, kept)
            with self.if_('!=', out, 0):
                self.add_reference(out)
            self.store(self.value(array), self.place(made, k))
            with self.if_('==', self.value(array), 0):
                self.builder.store(INTEGER(0), fine)
        following = self.builder.add(self.load(plan, 8 * NEXT), INTEGER(1))
        self.store(following, self.builder.add(plan, INTEGER(8 * NEXT)))
        return self.value(fine)

    def unused(self, plan, shape, kept):
        """Return a kept array of a result to which nobody has a reference, or 0.

        Its last owner may have changed its shape, dtype or flags, and by an older NumPy also its
        memory. Such an array is left.
        """
        builder, found, axes = self.builder, self.variable(INTEGER(0)), self.load(shape, 0)
        with cgutils.for_range(builder, self.load(plan, 8 * KEEPS)) as loop:
            array, unfit = self.entry(kept, loop.index), builder.append_basic_block('unfit')
            code = _Code(builder, self._owner, self.arguments, self.count, unfit)
            _, lengths = code.data_and_lengths(array, axes, DTYPE, OWN)
            code.expect(code.load(array, REFERENCES, FLAGS), FLAGS(1))
            code.expect(code.load(array, WEAK_REFERENCES), INTEGER(0))
            with code.loop(axes) as axis:
                length = code.entry(code.place(shape, INTEGER(1)), axis)
                code.expect(code.entry(lengths, axis), length)
            self.add_reference(array)
            builder.store(array, found)
            loop.do_break()
            builder.position_at_end(unfit)
        return self.value(found)

    def keep(self, plan, array, kept):
        """Keep a new array in place of another."""
        following, keeps = (self.load(plan, 8 * number) for number in (NEXT, KEEPS))
        with self.if_('!=', keeps, 0):
            place = self.place(kept, self.builder.urem(following, keeps))
            earlier = self.load(place, 0)
            self.add_reference(array)
            self.store(array, place)
            self.drop_reference(earlier)


_address_of_states = _address_of(functools.partial(_emit, False))
_address_of_frames = _address_of(functools.partial(_emit, True))


@kernel
def of_states():
    """Return the address of the method of states."""
    return _address_of_states()


@kernel
def of_frames():
    """Return the address of the method of states and a frame."""
    return _address_of_frames()


ALL = (of_states, of_frames)
