# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Recordings whose sums take products one by one, as processors multiply and add in one operation.

The sum x + (a b + c d) takes three operations: a product, a product that is added to it, and the
sum with x. The sum (x + a b) + c d takes two. It is chosen unless x is known much later.
"""

import math
from dataclasses import replace

from robodyn_ros.codegen.loops.equal_values import operations_on
from robodyn_ros.codegen.statement_order import LATENCY, SUMS, fused_products
from robodyn_ros.codegen.tape import Recorded, Tape, operands

OF_TWO = ('add', 'subtract')


def with_fused_sums(recording):
    """Return a recording with the same products, and sums in an order that fuses more of them.

    Parameters
    ----------
    recording : Recording
        The recording.

    Returns
    -------
    Recording
        The new recording, whose results differ by rounding; the same one if that saves nothing.
    """
    found = _Rewriting(recording).recording()
    return min(recording, found, key=separate_operations)


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


class _Rewriting:
    """A recording that is written again."""

    def __init__(self, recording):
        self._recording, self._nodes = recording, recording.tape.nodes
        self._users = {index: [] for index in recording.computed}
        for index in recording.computed:
            for operand in operands(self._nodes[index]):
                self._users[operand].append(index)
        self._fused = fused_products(recording.tape, recording.computed, recording.needed())
        self._outputs = set(recording.needed())
        self._known_at = self._times()

    def recording(self):
        """Return the new recording."""
        old, tape, found = self._recording.tape, Tape(), {}
        operations = operations_on(tape)
        joined, inner = self._joined()
        for index, (operation, *rest) in enumerate(self._nodes):
            if operation == 'input':  # also one that no result needs
                found[index] = tape.input(rest[0])
        for index in self._recording.computed:
            operation, *rest = self._nodes[index]
            if index in inner:
                continue
            if index in joined:
                found[index] = _chain([(found[i], sign) for i, sign in joined[index]])
            elif operation != 'input':
                given = [found[i] for i in operands(self._nodes[index])]
                constants = rest[: len(rest) - len(given)]
                found[index] = operations[operation](*constants, *given)
            value = found[index]
            if index in old.names and isinstance(value, Recorded) and value.positive is None:
                tape.names.setdefault(value.index, old.names[index])
        tape.checks = [(found[index].index, floor) for index, floor in old.checks]
        results = {
            entry: found[value.index] if isinstance(value, Recorded) else value
            for entry, value in self._recording.results.items()
        }
        return replace(self._recording, tape=tape, results=results)

    def _times(self):
        """Return when each value is known [cycles]."""
        found = {}
        for index in self._recording.computed:
            node, given = self._nodes[index], operands(self._nodes[index])
            fused = [i for i in given if i in self._fused] if node[0] in SUMS else []
            if fused:
                last = max(fused, key=found.get)
                given = [*operands(self._nodes[last]), *(i for i in given if i != last)]
            took = LATENCY['multiply'] if fused else LATENCY.get(node[0], 0)
            found[index] = took + max((found[i] for i in given), default=0)
        return found

    def _joined(self):
        """Return {sum: [(term, sign)]} of the sums to write anew, and the sums inside them."""
        begins_with_product, joined, inner = set(), {}, set()
        for index in self._recording.computed:
            if self._nodes[index][0] in OF_TWO:
                given = operands(self._nodes[index])
                if all(i in self._fused for i in given) or any(
                    i in begins_with_product and self._is_inside(i) for i in given
                ):
                    begins_with_product.add(index)
        for index in reversed(self._recording.computed):
            operation, *given = self._nodes[index]
            if operation not in OF_TWO or index in inner or any(i in self._fused for i in given):
                continue
            signs = 1, 1 if operation == 'add' else -1
            ways = [
                (self._known_at[one] - self._known_at[other], (one, sign), (other, others_sign))
                for (one, sign), (other, others_sign) in (
                    tuple(zip(given, signs)), tuple(zip(given, signs))[::-1]
                )
                if other in begins_with_product and self._is_inside(other)
            ]  # fmt: skip
            wait, one, other = min(ways, default=(math.inf, None, None))
            if wait <= LATENCY['multiply']:
                terms = self._terms(*other, inner)
                joined[index] = [one, *sorted(terms, key=lambda term: self._known_at[term[0]])]
        return joined, inner

    def _terms(self, index, sign, inner):
        """Return the terms of a sum, [(term, sign)], and add all sums in it to a set."""
        inner.add(index)
        operation, *given = self._nodes[index]
        found = []
        for i, own in zip(given, (sign, sign if operation == 'add' else -sign)):
            is_sum = self._nodes[i][0] in OF_TWO and self._is_inside(i)
            found += self._terms(i, own, inner) if is_sum else [(i, own)]
        return found

    def _is_inside(self, index):
        """Return whether a value has one use, in another value."""
        return len(self._users[index]) == 1 and index not in self._outputs


def _chain(terms):
    """Return the sum of terms, [(value, sign)], one after the other; one has the sign +."""
    first = next(k for k, (_, sign) in enumerate(terms) if sign > 0)
    total, _ = terms.pop(first)
    for value, sign in terms:
        total = total + value if sign > 0 else total - value
    return total
