# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The order of statements of a recording that keeps few values alive.

A value that is alive for long is spilled from registers. Recursions are recorded in a good order;
derivatives record many values long before their use.
"""

from robodyn_ros.codegen.tape import needed, operands


def ordered(tape, outputs):
    """Return the nodes that outputs need, so that operands come first.

    Parameters
    ----------
    tape : Tape
    outputs : sequence of int
        Node numbers.

    Returns
    -------
    list of int
        The order of the recording, or depth first if fewer values are alive on average.
    """
    recorded = needed(tape, outputs)
    return min((recorded, depth_first(tape, outputs, recorded)),
               key=lambda order: waiting(tape, order))  # fmt: skip


def depth_first(tape, outputs, recorded):
    """Return the depth-first order, one output after the other.

    Of two operands the one that needs more registers comes first (Sethi and Ullman 1970).
    """
    registers = {}
    for index in recorded:
        taken = sorted((registers[i] for i in operands(tape.nodes[index])), reverse=True)
        registers[index] = max((need + k for k, need in enumerate(taken)), default=1)
    order, done = [], set()
    for output in outputs:
        stack = [output]
        while stack:
            index = stack[-1]
            open_ones = [i for i in operands(tape.nodes[index]) if i not in done]
            if index not in done and open_ones:
                stack += sorted(open_ones, key=registers.get)
                continue
            stack.pop()
            if index not in done:
                done.add(index)
                order.append(index)
    return order


def waiting(tape, order):
    """Return the number of live values, averaged over the statements."""
    last = {i: k for k, index in enumerate(order) for i in operands(tape.nodes[index])}
    position = {index: k for k, index in enumerate(order) if tape.nodes[index][0] != 'input'}
    return sum(last[i] - position[i] for i in last if i in position) / max(1, len(order))
