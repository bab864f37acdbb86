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

from robodyn_ros.codegen.loops.common_subexpressions import operations_on
from robodyn_ros.codegen.statement_order import LATENCY, SUMS, fused_products, time_left
from robodyn_ros.codegen.tape import Recorded, Tape, operands

#: Time [cycles] after the products from which a sum begins with a product, and not with a number.
MUCH_LATER = 8


def with_fused_sums(recording):
    """Return a recording with the same products, and sums in an order that fuses more of them.

    Returns the new recording, whose results differ by rounding. The same one if that saves neither
      an operation nor time.
    """
    return min(recording, _Rewriting(recording).recording(), key=_work)


def _work(recording):
    """Return the number of operations, and the time of the longest chain [cycles]."""
    left = time_left(recording.tape, recording.computed, recording.needed())
    return separate_operations(recording), max(left.values(), default=0)


def separate_operations(recording):
    """Return the number of operations if each sum takes one product."""
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
    """A term of a sum: its name, when it is known, and where in the recording."""

    name: Any
    sign: int
    known_at: float
    place: int


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
        self._known_at, self._place, self._steps = {}, {}, []

    def recording(self):
        """Return the new recording."""
        self._plan()
        old, tape = self._recording.tape, Tape()
        found = {
            index: tape.input(node[1])  # also one that no result needs
            for index, node in enumerate(self._nodes) if node[0] == 'input'
        }  # fmt: skip
        operations = operations_on(tape)
        for *_, name, one, other in sorted(self._steps, key=lambda step: step[:2]):
            if other is not None:
                value = _signed_sum(found, one, other)
            elif one is not None:
                value = found[one.name] if one.sign > 0 else -found[one.name]
            else:
                operation, *rest = self._nodes[name]
                given = [found[i] for i in operands(self._nodes[name])]
                value = operations[operation](*rest[: len(rest) - len(given)], *given)
            found[name] = value
            if name in old.names and isinstance(value, Recorded) and value.positive is None:
                tape.names.setdefault(value.index, old.names[name])
        tape.checks = [(found[index].index, floor) for index, floor in old.checks]
        results = {
            entry: found[value.index] if isinstance(value, Recorded) else value
            for entry, value in self._recording.results.items()
        }
        return replace(self._recording, tape=tape, results=results)

    def _plan(self):
        """List the steps of the new recording: (place, number, name, term, term).

        A step without terms is a node that is no sum. Sums are placed where their terms are
        known, so that these need not be kept.
        """
        inner = {
            operand
            for index in self._recording.computed
            for operand in operands(self._nodes[index])
            if self._is_inside(operand, index)
        }
        for index in self._recording.computed:
            operation, *_ = node = self._nodes[index]
            if index in inner:
                continue
            if operation in SUMS:
                self._plan_sum(index)
                continue
            given = max((self._known_at[i] for i in operands(node)), default=0.0)
            self._known_at[index] = given + LATENCY.get(operation, 0)
            self._place[index] = index
            if operation != 'input':
                self._add_step(index, index)

    def _add_step(self, place, name, one=None, other=None):
        """Append a step, numbered for an order among those of one place."""
        self._steps.append((place, len(self._steps), name, one, other))

    def _is_inside(self, index, outer):
        """Return whether a sum has one use, in another sum of as many lanes."""
        return (
            self._nodes[index][0] in SUMS
            and self._nodes[outer][0] in SUMS
            and self._uses[index] == 1
            and index not in self._outputs
            and self._recording.tape.is_pack(index) == self._recording.tape.is_pack(outer)
        )

    def _plan_sum(self, index):
        """Plan the steps of a sum."""
        constant, terms = self._terms(index, 1)
        products, numbers = [], [_Term(constant, 1, 0.0, -1)] if constant else []
        for i, sign in terms:
            if i in self._fused:
                known_at = max(self._known_at[each] for each in operands(self._nodes[i]))
                products.append(_Term(i, sign, known_at, self._place[i]))
            else:
                numbers.append(_Term(i, sign, self._known_at[i], self._place[i]))
        products.sort(key=_when)
        if products and min((each.known_at for each in numbers), default=math.inf) > (
            products[-1].known_at + MUCH_LATER
        ):
            first = products.pop(0)
            numbers.append(first._replace(known_at=first.known_at + LATENCY['multiply']))
        while products or len(numbers) > 1:
            one, *numbers = sorted(numbers, key=_when)
            fused_at, sum_at = (
                max(one.known_at, others[0].known_at) + took if others else math.inf
                for others, took in ((products, LATENCY['multiply']), (numbers, LATENCY['add']))
            )
            other = (products if fused_at <= sum_at else numbers).pop(0)
            place = max(one.place, other.place)
            name = (index, len(self._steps))
            self._add_step(place, name, one, other)
            numbers.append(_Term(name, 1, min(fused_at, sum_at), place))
        (last,) = numbers
        self._known_at[index], self._place[index] = last.known_at, last.place
        self._add_step(last.place, index, last)

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


def _when(term):
    """Return when a term is known, and its place among those of the same time."""
    return term.known_at, term.place


def _signed_sum(found, one, other):
    """Return the sum of two terms; a constant is its own name."""
    a, b = (
        each.name if isinstance(each.name, float) else found[each.name] for each in (one, other)
    )
    if one.sign == other.sign:
        return a + b if one.sign > 0 else -(a + b)
    return a - b if one.sign > 0 else b - a
