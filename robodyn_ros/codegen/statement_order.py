# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The order of statements of a recording that keeps few values alive.

A value that is alive for long is spilled from registers. Recursions are recorded in a good order.
Derivatives record many values long before their use. So results are stored as early as possible.
"""

from robodyn_ros.codegen.tape import Recorded, needed, operands


def ordered(tape, outputs):
    """Return the nodes that outputs need, so that operands come first.

    Parameters
    ----------
    tape : Tape
        The recording.
    outputs : sequence of int
        Node numbers.

    Returns
    -------
    list of int
        The order of the recording, or depth first if fewer values are alive on average.
    """
    recorded = needed(tape, outputs)
    return min((recorded, depth_first(tape, outputs, recorded)),
               key=lambda order: live_values(tape, order))  # fmt: skip


def steps(recording, order):
    """Yield what the code of a recording does, in turn.

    Pivots are checked as soon as all of them are known. No result is stored before, so that a
    refused state leaves all results as they were.

    Parameters
    ----------
    recording : Recording
        The recording.
    order : list of int
        The needed nodes, so that operands come first.

    Yields
    ------
    step : str
        'compute', 'check' or 'store'.
    what : int, None or (str, Recorded or float)
        The node to compute, or the entry of a result and its value.
    """
    results, pivots, held = {}, {index for index, _ in recording.tape.checks}, []
    for entry, value in recording.results.items():
        index = value.index if isinstance(value, Recorded) else None
        results.setdefault(index, []).append((entry, value))
    for index in order:
        yield 'compute', index
        held += results.pop(index, ())
        if index in pivots:
            pivots.remove(index)
            if not pivots:
                yield 'check', None
        if not pivots:
            yield from (('store', result) for result in held)
            held = []
    yield from (('store', result) for result in results.pop(None, ()))


def depth_first(tape, outputs, recorded):
    """Return the depth-first order, one output after the other.

    Of two operands the one that needs more registers comes first (Sethi and Ullman 1970).

    Parameters
    ----------
    tape : Tape
        The recording.
    outputs : sequence of int
        Node numbers.
    recorded : list of int
        The needed nodes in the order of the recording.

    Returns
    -------
    list of int
        The order.
    """
    registers = {}
    for index in recorded:
        needs = sorted((registers[i] for i in operands(tape.nodes[index])), reverse=True)
        registers[index] = max((need + k for k, need in enumerate(needs)), default=1)
    order, done = [], set()
    for output in outputs:
        stack = [output]
        while stack:
            index = stack[-1]
            missing = [i for i in operands(tape.nodes[index]) if i not in done]
            if index not in done and missing:
                stack += sorted(missing, key=registers.get)
                continue
            stack.pop()
            if index not in done:
                done.add(index)
                order.append(index)
    return order


def live_values(tape, order):
    """Return the number of live values, averaged over the statements.

    Parameters
    ----------
    tape : Tape
        The recording.
    order : list of int
        Node numbers.

    Returns
    -------
    float
        The average.
    """
    last = {i: k for k, index in enumerate(order) for i in operands(tape.nodes[index])}
    position = {index: k for k, index in enumerate(order) if tape.nodes[index][0] != 'input'}
    return sum(last[i] - position[i] for i in last if i in position) / max(1, len(order))
