# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Long straight-line functions in blocks, so that compiling them takes about as long as they are.

The time to compile straight-line statements grows faster than their number. For every store the
compiler looks at hundreds of others, and it weighs every live value. Statements come in the order
of a recursion, body after body, so a cut after every LONGEST of them leaves blocks of bodies. Each
is a function of its own. What a block leaves to later ones is in a frame of memory, where a place
is used again once nobody needs its value. Within a block fences, which are no instructions, bound
how far stores are compared.
"""

import ast
from dataclasses import dataclass

#: Statements of a block: more keep more values in registers, and take longer to compile.
LONGEST = 16_000
#: Statements between fences, in functions of more than SHORT statements.
FENCED, SHORT = 60, 4_000


@dataclass(frozen=True)
class Plan:
    """How a function is cut: `parts` are lists of statements, of assignments alone or of one
    that is none. places : of values in the frame, by name. size : of the frame.
    """

    parts: list[list[ast.stmt]]
    places: dict[str, int]
    size: int


def plan(statements):
    """Return the Plan of a function; of one that is not long, one part and no frame.

    Cosines and sines are no part's: they are there before the first one.
    """
    if sum(isinstance(statement, ast.Assign) for statement in statements) <= LONGEST:
        return Plan(_parts(statements, len(statements)), {}, 0)
    parts = _parts(statements, LONGEST)
    made, last = {}, {}  # name: the part that makes it, the last part that wants it
    for k, part in enumerate(parts):
        for statement in part:
            for name in names(getattr(statement, 'test', None) or statement.value):
                if made.get(name, k) != k:
                    last[name] = k
            if defines(statement):
                made[statement.targets[0].id] = -1 if trigonometric(statement.value) else k
    return Plan(parts, *_places(made, last, len(parts)))


def defines(statement):
    """Return whether a statement gives a name to a value."""
    return isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)


def names(node):
    """Names in an expression, those of functions and arrays left out."""
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


def trigonometric(node):
    """Return whether an expression is a cosine or a sine."""
    return isinstance(node, ast.Call)


def _parts(statements, longest):
    """Assignments in runs of at most so many, and everything else on its own."""
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


def _places(made, last, count):
    """Places in the frame of what a later part wants, and how many there are."""
    places, free, size = {}, [], 0
    begins, ends = ([[] for _ in range(count + 1)] for _ in range(2))
    for name, end in last.items():
        begins[made[name] + 1].append(name)
        ends[end + 1].append(name)
    for k in range(count):
        for name in begins[k]:
            if not free:
                free.append(size)
                size += 1
            places[name] = free.pop()
        free += [places[name] for name in ends[k]]
    return places, size
