# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Cosine and sine of several angles at once, emitted as vector code.

Angles are reduced by multiples of pi/2 in three parts. The polynomials are those of
`compile.reproducible`, within one unit in the last place. Larger angles use the functions of the C
library.
"""

import functools

from llvmlite import ir

from robodyn_ros.compile.reproducible import COSINE, PARTS, QUARTERS, ROUND, SINE

FLAGS = ('contract',)
WIDTH = 4  # of vectors for scalars; with 8 the code that follows is slower
LARGEST = 1e5  # [rad]: up to 2^20 quarter turns the products of the reduction are exact
REAL, INDEX = ir.DoubleType(), ir.IntType(32)


def cosines_and_sines(builder, angles):
    """Emit cosines and sines; scalars are packed into vectors of WIDTH.

    `angles` (list of LLVM values): angles [rad], all scalars or all vectors.
    Returns (cosine, sine) of each angle.
    """
    if isinstance(angles[0].type, ir.VectorType):
        return _of_vectors(builder, angles)
    groups = [angles[k : k + WIDTH] for k in range(0, len(angles), WIDTH)]
    # unused lanes repeat an angle
    both = _of_vectors(
        builder, [packed(builder, [*some, *some[:1] * (WIDTH - len(some))]) for some in groups]
    )
    return [
        tuple(builder.extract_element(vector, INDEX(lane)) for vector in vectors)
        for vectors, some in zip(both, groups)
        for lane in range(len(some))
    ]


def packed(builder, numbers):
    """Return a vector of scalars.

    `numbers` (list of LLVM values): the scalars.
    """
    vector = ir.Constant(ir.VectorType(REAL, len(numbers)), ir.Undefined)
    for k, number in enumerate(numbers):
        vector = builder.insert_element(vector, number, INDEX(k))
    return vector


def _of_vectors(builder, vectors):
    """Return [(cos, sin)] of vectors: polynomials, or the C library if an angle is large."""
    small = functools.reduce(builder.and_, [_small(builder, x) for x in vectors])
    branches = []
    with builder.if_else(small, likely=True) as (then, otherwise):
        with then:
            branches.append(([_polynomials(builder, x) for x in vectors], builder.block))
        with otherwise:
            branches.append(
                (
                    [
                        [
                            builder.call(_function(builder, name, x.type), [x])
                            for name in ('llvm.cos', 'llvm.sin')
                        ]
                        for x in vectors
                    ],
                    builder.block,
                )
            )
    results = []
    for k, x in enumerate(vectors):
        both = builder.phi(x.type), builder.phi(x.type)
        for values, block in branches:
            for merged, value in zip(both, values[k]):
                merged.add_incoming(value, block)
        results.append(both)
    return results


def _small(builder, x):
    """Return whether every lane is within LARGEST."""
    size = builder.call(_function(builder, 'llvm.fabs', x.type), [x])
    bits = ir.IntType(x.type.count)
    small = builder.fcmp_ordered('<=', size, _all(x.type, LARGEST))
    return builder.icmp_unsigned('==', builder.bitcast(small, bits), bits(-1))


def _polynomials(builder, x):
    """Return (cos x, sin x) for |x| <= LARGEST."""
    integers = ir.VectorType(ir.IntType(64), x.type.count)

    def bits(number):
        return ir.Constant(integers, [number] * x.type.count)

    def times(a, b):
        return builder.fmul(a, b, flags=FLAGS)

    def plus(a, b):
        return builder.fadd(a, b, flags=FLAGS)

    shifted = builder.fadd(builder.fmul(x, _all(x.type, QUARTERS)), _all(x.type, ROUND))
    quarters = builder.fsub(shifted, _all(x.type, ROUND))
    quadrant = builder.bitcast(shifted, integers)
    for part in PARTS:
        x = builder.fsub(x, times(quarters, _all(x.type, part)), flags=FLAGS)
    xx = times(x, x)
    series = _horner(builder, xx, SINE)
    sine = plus(x, times(times(x, xx), series))
    half = times(_all(x.type, 0.5), xx)
    # 1 - half loses the bits of half below the last bit of 1; the series restores them
    head = builder.fsub(_all(x.type, 1.0), half, flags=FLAGS)
    lost = builder.fsub(builder.fsub(_all(x.type, 1.0), head), half)
    cosine = plus(head, plus(lost, times(times(xx, xx), _horner(builder, xx, COSINE))))
    odd = builder.icmp_unsigned('!=', builder.and_(quadrant, bits(1)), bits(0))
    values = (builder.select(odd, sine, cosine), builder.select(odd, cosine, sine))
    quadrants = (builder.add(quadrant, bits(1)), quadrant)  # cos is negative in quadrants 1 and 2
    return [
        _negated(builder, value, builder.shl(builder.and_(where, bits(2)), bits(62)))
        for value, where in zip(values, quadrants)
    ]


def _negated(builder, value, sign):
    """Return the value with its sign flipped where the bit of `sign` is set."""
    return builder.bitcast(builder.xor(builder.bitcast(value, sign.type), sign), value.type)


def _horner(builder, x, coefficients):
    """Return the value of a polynomial, with the highest coefficient first."""
    total = _all(x.type, coefficients[0])
    for coefficient in coefficients[1:]:
        total = builder.fadd(
            builder.fmul(total, x, flags=FLAGS), _all(x.type, coefficient), flags=FLAGS
        )
    return total


def _all(kind, number):
    """Return a constant vector of equal numbers."""
    return ir.Constant(kind, [number] * kind.count)


def _function(builder, name, kind):
    # llvmlite declares only intrinsics of scalars; the name of an intrinsic includes its type
    """Return the declaration of an intrinsic of LLVM for vectors."""
    full = f'{name}.v{kind.count}f64'
    module = builder.module
    if full in module.globals:
        return module.globals[full]
    return ir.Function(module, ir.FunctionType(kind, [kind]), full)
