# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Recordings whose sums take products one by one, as processors multiply and add in one operation.

The sum x + (a b + c d) takes three operations: a product, a product that is added to it, and the
sum with x. The sum (x + a b) + c d takes two. It is chosen unless x is known much later.

Terms are added in the order in which they become known. So a sum waits for its last term only.
"""

import math
from dataclasses import replace
from typing import Any, NamedTuple

from robodyn_ros.codegen.loops.equal_values import operations_on
from robodyn_ros.codegen.statement_order import LATENCY, SUMS, fused_products, time_left
from robodyn_ros.codegen.tape import Recorded, Tape, operands

#: Time [cycles] after the products from which a sum begins with a product, and not with a number.
MUCH_LATER = 8


def with_fused_sums(recording):
    """Return a recording with the same products, and sums in an order that fuses more of them.

    Parameters
    ----------
    recording : Recording
        The recording.

    Returns
    -------
    Recording
        The new recording, whose results differ by rounding. The same one if that saves neither an
        operation nor time.
    """
    return min(recording, _Rewriting(recording).recording(), key=_work)


def _work(recording):
    """Return the number of operations, and the time of the longest chain [cycles]."""
    left = time_left(recording.tape, recording.computed, recording.needed())
    return separate_operations(recording), max(left.values(), default=0)


def separate_operations(recording):
    """Return the number of operations if each sum takes one product.

    Parameters
    ----------
    recording : Recording
        The recording.

    Returns
    -------
    int
        Multiplications and additions.
    """
    tape, nodes = recording.tape, recording.computed
    fused = fused_products(tape, nodes, recording.needed())
    sums = [operands(tape.nodes[i]) for i in nodes if tape.nodes[i][0] in SUMS]
    kinds = recording.counts()
    return (
        kinds['multiplications']
        + kinds['additions']
        - sum(not fused.isdisjoint(given) for given in sums)
    )


class _Term(NamedTuple):
    """A term of a sum."""

    known_at: float
    place: int
    value: Any
    sign: int


class _Rewriting:
    """A recording that is written again."""

    def __init__(self, recording):
        self._recording, self._nodes = recording, recording.tape.nodes
        self._uses = dict.fromkeys(recording.computed, 0)
        for index in recording.computed:
            for operand in operands(self._nodes[index]):
                self._uses[operand] += 1
        self._fused = fused_products(recording.tape, recording.computed, recording.needed())
        self._outputs = set(recording.needed())
        self._tape, self._found, self._known_at, self._timed = Tape(), {}, {}, 0

    def recording(self):
        """Return the new recording."""
        old, tape, found = self._recording.tape, self._tape, self._found
        operations = operations_on(tape)
        inner = {
            operand
            for index in self._recording.computed
            for operand in operands(self._nodes[index])
            if self._is_inside(operand, index)
        }
        for index, (operation, *rest) in enumerate(self._nodes):
            if operation == 'input':  # also one that no result needs
                found[index] = tape.input(rest[0])
        for index in self._recording.computed:
            operation, *rest = self._nodes[index]
            if operation == 'input' or index in inner:
                continue
            if operation in SUMS:
                value = self._sum(index)
            else:
                given = [found[i] for i in operands(self._nodes[index])]
                value = operations[operation](*rest[: len(rest) - len(given)], *given)
            found[index] = value
            if index in old.names and isinstance(value, Recorded) and value.positive is None:
                tape.names.setdefault(value.index, old.names[index])
        tape.checks = [(found[index].index, floor) for index, floor in old.checks]
        results = {
            entry: found[value.index] if isinstance(value, Recorded) else value
            for entry, value in self._recording.results.items()
        }
        return replace(self._recording, tape=tape, results=results)

    def _is_inside(self, index, outer):
        """Return whether a sum has one use, in another sum of as many lanes."""
        return (
            self._nodes[index][0] in SUMS
            and self._nodes[outer][0] in SUMS
            and self._uses[index] == 1
            and index not in self._outputs
            and self._recording.tape.is_pack(index) == self._recording.tape.is_pack(outer)
        )

    def _sum(self, index):
        """Return a sum, written anew."""
        constant, terms = self._terms(index, 1)
        products, numbers = [], [_Term(0.0, -1, constant, 1)] if constant else []
        for place, (i, sign) in enumerate(terms):
            if i in self._fused:
                factors = operands(self._nodes[i])
                known_at = max(self._time(self._found[each]) for each in factors)
                products.append(_Term(known_at, place, self._found[i], sign))
            else:
                numbers.append(_Term(self._time(self._found[i]), place, self._found[i], sign))
        products.sort(key=_when)
        if products and min((each.known_at for each in numbers), default=math.inf) > (
            products[-1].known_at + MUCH_LATER
        ):
            first = products.pop(0)
            numbers.append(first._replace(known_at=first.known_at + LATENCY['multiply']))
        return self._chain(products, numbers)

    def _chain(self, products, numbers):
        """Return the sum of products, in the order of their times, and of other numbers."""
        while True:
            one, *numbers = sorted(numbers, key=_when)
            if not products and not numbers:
                return one.value if one.sign > 0 else -one.value
            fused_at, sum_at = (
                max(one.known_at, others[0].known_at) + took if others else math.inf
                for others, took in ((products, LATENCY['multiply']), (numbers, LATENCY['add']))
            )
            other = (products if fused_at <= sum_at else numbers).pop(0)
            total, sign = _signed_sum(one, other)
            known_at = min(fused_at, sum_at)
            if isinstance(total, Recorded):
                self._known_at.setdefault(total.index, known_at)
            numbers.append(_Term(known_at, one.place, total, sign))

    def _terms(self, index, sign):
        """Return the constant and the other terms of a sum, [(term, sign)]."""
        operation, *rest = self._nodes[index]
        constant = sign * rest[0] if operation in ('shift', 'from') else 0.0
        signs = (sign, -sign) if operation == 'subtract' else (sign, sign)
        if operation == 'from':
            signs = (-sign,)
        found = []
        for i, own in zip(operands(self._nodes[index]), signs):
            if self._is_inside(i, index):
                added, terms = self._terms(i, own)
                constant, found = constant + added, found + terms
            else:
                found.append((i, own))
        return constant, found

    def _time(self, value):
        """Return when a value is known [cycles]."""
        if not isinstance(value, Recorded):
            return 0.0
        for index in range(self._timed, len(self._tape.nodes)):
            operation, *_ = node = self._tape.nodes[index]
            given = max((self._known_at[i] for i in operands(node)), default=0.0)
            self._known_at.setdefault(index, given + LATENCY.get(operation, 0))
        self._timed = len(self._tape.nodes)
        return self._known_at[value.index]


def _when(term):
    """Return when a term is known, and its place among those of the same time."""
    return term.known_at, term.place


def _signed_sum(one, other):
    """Return the sum of two terms but for its sign, and this sign."""
    if one.sign == other.sign:
        return one.value + other.value, one.sign
    first, second = (one, other) if one.sign > 0 else (other, one)
    return first.value - second.value, 1
