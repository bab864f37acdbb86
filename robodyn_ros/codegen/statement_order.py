# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The order of statements of a recording that keeps few values alive.

A value that is alive for long is spilled from registers. Recursions are recorded in a good order.
Derivatives record many values long before their use. So results are stored as early as possible.

A processor looks some hundred statements ahead. So chains of statements that do not depend on each
other take turns. Statements with more time to the last result come first.
"""

from robodyn_ros.codegen.tape import Recorded, needed, operands

PRODUCTS, SUMS = ('multiply', 'scale'), ('add', 'subtract', 'shift', 'from')
#: Time from operands to result [cycles] on a processor of today. A division takes 14, but code is
#: fastest if the order waits for less.
LATENCY = {
    'add': 3,
    'subtract': 3,
    'shift': 3,
    'from': 3,
    'multiply': 4,
    'scale': 4,
    'invert': 11,
    'cos': 60,
    'sin': 60,
}
#: Time [cycles] within which statements keep their order.
STAGE = 15
#: Statements for each cycle of the longest chain, beyond which no statement waits for another one.
BUSY = 20


def ordered(tape, outputs):
    """Return the nodes that outputs need, so that operands come first.

    Returns the order of the recording, or depth first if fewer values are alive on average. Stages
      with more time to the last result come first, unless the processor is busy in any order.
    """
    recorded = needed(tape, outputs)
    order = min((recorded, depth_first(tape, outputs, recorded)),
                key=lambda order: live_values(tape, order))  # fmt: skip
    left = time_left(tape, recorded, outputs)
    if len(recorded) > BUSY * max(left.values(), default=0):
        return order
    return sorted(order, key=lambda index: -(left[index] // STAGE))


def time_left(tape, nodes, outputs):
    """Return the time from the operands of each node to the last result.

    `nodes` (sequence of int): node numbers in the order of the recording.
    `outputs` (sequence of int): numbers of the nodes of results and checks.
    """
    fused = fused_products(tape, nodes, outputs)
    left = dict.fromkeys(nodes, 0)
    for index in reversed(nodes):
        node = tape.nodes[index]
        if index not in fused:  # else the sum has its time
            is_fused = node[0] in SUMS and not fused.isdisjoint(operands(node))
            left[index] += LATENCY['multiply'] if is_fused else LATENCY.get(node[0], 0)
        for operand in operands(node):
            left[operand] = max(left[operand], left[index])
    return left


def fused_products(tape, nodes, outputs):
    """Return the products that a processor computes in one operation with each of their sums.

    `nodes` (sequence of int): node numbers.
    `outputs` (sequence of int): numbers of the nodes of results and checks.
    """
    found = {index for index in nodes if tape.nodes[index][0] in PRODUCTS} - set(outputs)
    for index in nodes:
        if tape.nodes[index][0] not in SUMS:
            found.difference_update(operands(tape.nodes[index]))
    return found


def products_of_pairs(tape, nodes, outputs):
    """Return the products p with two uses, in x + p and x - p, or in two sums with constants.

    One product and two sums take less time than two fused operations. Processors of today have a
    further unit for sums, and a fused operation overwrites x, which needs a copy.

    `nodes` (sequence of int): node numbers.
    `outputs` (sequence of int): numbers of the nodes of results and checks.
    """
    fused, others = fused_products(tape, nodes, outputs), {}
    for index in nodes:
        given = operands(tape.nodes[index])
        for product in fused.intersection(given):
            others.setdefault(product, []).append([i for i in given if i != product])
    return {
        product for product, terms in others.items() if len(terms) == 2 and terms[0] == terms[1]
    }


def steps(recording, order):
    """Yield what the code of a recording does, in turn.

    Pivots are checked as soon as all of them are known. No result is stored before, so that a
    refused state leaves all results as they were.

    `order` (list of int): the needed nodes, so that operands come first.
    Yields `step` (str): 'compute', 'check' or 'store'.
    Yields `what` (int, None or (str, Recorded or float)): the node to compute, or the entry of a
      result and its value.
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

    `recorded` (list of int): the needed nodes in the order of the recording.
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

    `order` (list of int): node numbers.
    """
    last = {i: k for k, index in enumerate(order) for i in operands(tape.nodes[index])}
    position = {index: k for k, index in enumerate(order) if tape.nodes[index][0] != 'input'}
    return sum(last[i] - position[i] for i in last if i in position) / max(1, len(order))
