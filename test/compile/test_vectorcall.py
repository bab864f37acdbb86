# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The fast call of a kernel: the dispatcher's answers, errors included, and nothing else."""

import subprocess
import sys

import numpy as np
import pytest
from llvmlite import ir

from robodyn_ros.compile import kernel
from robodyn_ros.compile.vectorcall import kernel_call
from robodyn_ros.compile.vectorcall.entry import INTEGER, api
from robodyn_ros.compile.vectorcall.kernel_call import vectorcall
from robodyn_ros.control.supervisor import guards
from robodyn_ros.errors import KernelError
from robodyn_ros.spatial.types import (
    Boolean,
    Flags,
    Indices,
    Integer,
    Matrix,
    Octets,
    Scalar,
    Table,
    Vector,
)

N = 5


@kernel
def mixed(
    table: Table, places: Indices, octets: Octets, wanted: Flags, scale: Scalar, out: Matrix
):
    """Sum up by every type of argument; whether anything was wanted."""
    found = False
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = scale * table[i, places[j]] + octets[j]
            if wanted[i]:
                out[i, j] += 1.0
                found = True
    return found


@kernel
def silent(x: Vector):
    """Return nothing."""
    x[0] += 1.0


@kernel
def other(x: Vector, count: Integer, up: Boolean):
    """Take arguments that the fast call does not know."""
    return count if up else -count


def mixed_arguments():
    """Return arguments of every type."""
    rng = np.random.default_rng(2)
    return [
        rng.normal(size=(2, N)),
        rng.permutation(N)[:3],
        rng.integers(0, 255, N, np.uint8),
        np.array([True, False]),
        0.7,
        np.zeros((2, 3)),
    ]


def test_every_type_of_argument_arrives():
    """The same bits as from the dispatcher, and the same truth."""
    assert vectorcall(mixed) is not mixed.compiled
    expected, got = mixed_arguments(), mixed_arguments()
    assert mixed.compiled(*expected) is mixed.vectorcall(*got) is True
    assert (got[-1] == expected[-1]).all() and got[-1].any()
    got[3][:] = False
    assert mixed.vectorcall(*got) is False


def test_guards_give_the_same():
    """Every guard of a control cycle, at random states."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        state, wanted = rng.normal(size=(2, N)), 9.0 * rng.normal(size=N)
        limits = np.sort(rng.normal(size=(5, N)), axis=0)
        torques, flags = np.zeros((2, N)), np.zeros((2, 3, N), bool)
        hits = [
            call(wanted, state, limits, 0.01, torques[k], *flags[k])
            for k, call in enumerate(
                (guards.limit_torque.compiled, guards.limit_torque.vectorcall)
            )
        ]
        assert hits[0] == hits[1] and (torques[0] == torques[1]).all()
        assert (flags[0] == flags[1]).all()
        bad = np.where(rng.random(N) < 0.1, np.nan, wanted)
        rows = np.array([bad, wanted, wanted]), wanted, np.full(N, 0.1)
        assert guards.first_behind.vectorcall(*rows) == guards.first_behind.compiled(*rows)
        assert guards.judge.vectorcall(
            state, -state, limits, 0.1, 0.5, 2.0
        ) == guards.judge.compiled(state, -state, limits, 0.1, 0.5, 2.0)


def marked(array):
    """Return an array of a subclass."""
    return array.view(type('Marked', (np.ndarray,), {}))


CHANGES = {
    'float32': (0, lambda a: a.astype(np.float32)),
    'strided': (0, lambda a: a.repeat(2, 1)[:, ::2]),
    'one axis': (0, lambda a: a[0].copy()),
    'list': (0, lambda a: a.tolist()),
    'subclass': (0, marked),
    'other endian': (0, lambda a: a.astype('>f8')),
    'int32': (1, lambda a: a.astype(np.int32)),
    'bytes': (2, bytes),
    'octets as flags': (3, lambda a: a.view(np.uint8)),
    'text': (4, str),
    'None': (4, lambda _: None),
    'whole number': (4, lambda _: 2),
    'numpy number': (4, np.float64),
    'flag': (4, bool),
    'array as number': (4, np.array),
    'read-only result': (5, lambda a: np.frombuffer(a.tobytes()).reshape(a.shape)),
    'unaligned result': (
        5,
        lambda a: np.zeros(a.nbytes + 1, np.uint8)[1:].view(float).reshape(a.shape),
    ),
}


@pytest.mark.parametrize('change', CHANGES)
def test_what_is_not_of_the_signature_is_the_dispatchers_business(change):
    """It converts a number, takes a subclass or raises a TypeError; so does the fast call."""
    place, make = CHANGES[change]
    outcomes = []
    for call in (mixed.compiled, mixed.vectorcall):
        given = mixed_arguments()
        given[place] = make(given[place])
        try:
            outcomes.append((call(*given), np.array(given[-1]).tobytes()))
        except Exception as error:
            outcomes.append((type(error), str(error)))
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize('count', [0, 5, 7])
def test_a_wrong_number_of_arguments_is_a_type_error(count):
    """As for any function."""
    with pytest.raises(TypeError):
        mixed.vectorcall(*[*mixed_arguments(), None][:count])


def test_read_only_inputs_are_taken_directly():
    """A frozen model goes into the machine code without a detour, as what may be written does."""
    given = mixed_arguments()
    given[0].flags.writeable = False
    expected = mixed_arguments()
    assert mixed.vectorcall(*given) is mixed.compiled(*expected) is True
    assert (given[-1] == expected[-1]).all()


def test_no_reference_is_lost_or_kept():
    """Of what is given, and of what is returned: None, True, a number; nor by a refused call."""
    given, x, number = mixed_arguments(), np.zeros(N), [1.0] * N
    watched = [*given, x, number, None, True, mixed.vectorcall, silent.vectorcall]
    for call, arguments in (
        (mixed.vectorcall, given),
        (silent.vectorcall, [x]),
        (guards.first_behind.vectorcall, [np.zeros((3, N)), x, np.ones(N)]),
    ):
        call(*arguments)
        before = [sys.getrefcount(item) for item in watched]
        for _ in range(1000):
            call(*arguments)
        after = [sys.getrefcount(item) for item in watched]
        assert max(abs(a - b) for a, b in zip(after, before)) < 100, (before, after)
    assert x[0] == 1001.0


#: The function refers to itself through two lists. The collector clears `first`, then what the
#: function owns, then `last`, whose array makes new objects where memory was freed. Only then the
#: function ends: CPython reads its record once more. Bytes of ones before it make a wrong record
#: sure to be noticed.
CYCLE = """
import ctypes, gc
import numpy as np
from robodyn_ros.compile.vectorcall.entry import callable_at

Words = ctypes.c_uint64 * 4
kept = [None] * 100

class Filler:
    def __del__(self):
        for k in range(len(kept)):
            kept[k] = Words(*[(1 << 64) - 1] * 4)

def make_garbage():
    pollution = [b'A' * 46 + str(k % 10).encode() for k in range(3000)]
    del pollution
    first = []
    function = callable_at(1, first)
    last = [function, np.array([Filler()], object)]
    last.append(last)
    first.append(last)

gc.collect()
gc.disable()
for _ in range(20):
    make_garbage()
    gc.collect()
assert kept[-1] is not None
"""


def test_a_function_in_a_cycle_of_garbage_ends_with_its_record_intact():
    ended = subprocess.run([sys.executable, '-c', CYCLE], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr


def test_other_signatures_and_other_interpreters_keep_the_dispatcher(monkeypatch):
    """Whole numbers as arguments; objects laid out otherwise."""
    assert vectorcall(other) is other.compiled and other.vectorcall(np.zeros(1), 3, False) == -3
    monkeypatch.setattr(kernel_call, 'layout_is_known', lambda: False)
    assert vectorcall(mixed) is mixed.compiled


def test_a_function_that_an_interpreter_lacks_is_refused_before_it_is_called():
    """An address of 0 would be called: Python 3.10 exports no PyObject_Vectorcall, for one."""
    module = ir.Module()
    with pytest.raises(KernelError, match='exports no PyObject_OfAnotherPython'):
        api(module, 'PyObject_OfAnotherPython', INTEGER)
    assert not list(module.functions)
    api(module, 'PyObject_VectorcallDict', *[INTEGER] * 4)
    assert [each.name for each in module.functions] == ['PyObject_VectorcallDict']
