# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Split long straight-line functions into blocks, so that compile time grows only linearly.

The compile time of straight-line code grows faster than its length. The compiler compares each
store with many others and tracks every live value. Statements come in the order of a recursion,
body after body. So a cut after every LONGEST of them gives blocks of bodies. Each block is a
separate function. Values for later blocks are in a frame of memory, whose places are reused.
Within a block fences, which emit no instructions, limit the comparison of stores.
"""

import ast
from dataclasses import dataclass

#: Statements of a block. Longer blocks keep more values in registers, but compile more slowly.
LONGEST = 16_000
#: Statements between fences, in functions of more than SHORT statements.
FENCED, SHORT = 60, 4_000


@dataclass(frozen=True)
class Plan:
    """The partition of a function.

    `parts`: runs of assignments; other statements stand alone.
    `places`: {name: index in the frame} of each shared value.
    `size`: number of values in the frame.
    """

    parts: list[list[ast.stmt]]
    places: dict[str, int]
    size: int


def plan(statements):
    """Return the partition of a function.

    Cosines and sines are computed before the first part.

    `statements` (list of ast.stmt): the body of the function.
    """
    if sum(isinstance(statement, ast.Assign) for statement in statements) <= LONGEST:
        return Plan(_parts(statements, len(statements)), {}, 0)
    parts = _parts(statements, LONGEST)
    producer, last = {}, {}  # by name: the part that computes it, the last part that uses it
    for k, part in enumerate(parts):
        for statement in part:
            for name in names(getattr(statement, 'test', None) or statement.value):
                if producer.get(name, k) != k:
                    last[name] = k
            if defines(statement):
                producer[statement.targets[0].id] = -1 if trigonometric(statement.value) else k
    return Plan(parts, *_places(producer, last, len(parts)))


def defines(statement):
    """Return whether a statement assigns a value to a name."""
    return isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)


def names(node):
    """Yield the names in an expression, without functions and arrays, and without angles.

    `node` (ast.expr): the expression.
    """
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.BinOp):
        yield from names(node.left)
        yield from names(node.right)
    elif isinstance(node, ast.UnaryOp):
        yield from names(node.operand)
    elif isinstance(node, (ast.BoolOp, ast.Compare)):
        for operand in getattr(node, 'values', None) or (node.left, *node.comparators):
            yield from names(operand)
    elif isinstance(node, ast.Call) and not trigonometric(node):  # `pack` or `lane`
        for operand in node.args:
            yield from names(operand)


def trigonometric(node):
    """Return whether an expression is a cosine or a sine.

    `node` (ast.expr): the expression.
    """
    return isinstance(node, ast.Call) and node.func.id in ('cos', 'sin')


def stages(definitions):
    """Return the stages in which angles are computed, each from results of earlier ones alone.

    `definitions` (dict): {name: expression} in order.
    Returns (names, functions) of each stage. Its angles need the values of these names. The
      functions are {name: cosine or sine}.
    """
    depth, wanted, found = {}, {}, []
    for name, value in definitions.items():
        inner = value.args[0] if trigonometric(value) else value
        depth[name] = max((depth[each] for each in names(inner) if each in depth), default=0)
        if trigonometric(value):
            depth[name] += 1
            wanted.setdefault(depth[name], {})[name] = value
    for _, stage in sorted(wanted.items()):
        needed = {each for value in stage.values() for each in names(value.args[0])}
        for name, value in reversed(definitions.items()):
            if name in needed and not trigonometric(value):
                needed.update(names(value))
        before = [
            name
            for name, value in definitions.items()
            if name in needed and not trigonometric(value)
        ]
        found.append((before, stage))
    return found


def _parts(statements, longest):
    """Return runs of assignments up to a length, and all other statements singly."""
    parts = []
    for statement in statements:
        run = (
            parts
            and isinstance(statement, ast.Assign)
            and len(parts[-1]) < longest
            and isinstance(parts[-1][-1], ast.Assign)
        )
        if run:
            parts[-1].append(statement)
        else:
            parts.append([statement])
    return parts


def _places(producer, last, count):
    """Return places in the frame for values of later parts, and their number."""
    places, free, size = {}, [], 0
    begins, ends = ([[] for _ in range(count + 1)] for _ in range(2))
    for name, end in last.items():
        begins[producer[name] + 1].append(name)
        ends[end + 1].append(name)
    for k in range(count):
        for name in begins[k]:
            if not free:
                free.append(size)
                size += 1
            places[name] = free.pop()
        free += [places[name] for name in ends[k]]
    return places, size
