# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The self-test of an emitted package, the program that runs it, and a timing program."""

import math
import textwrap
from dataclasses import replace

import numpy as np

from robodyn_ros.codegen.emission.c_answers import postures

COLUMNS = 92

SELF_TEST = """\
/* Known answers, computed by the recursions in Python. */
#include "{header}"

#include <{math}>
{opened}
/* Return how many results differ from the expected ones by more than allowed; NaN differs. */
static int differs(const {real} *result, const {real} *expected, int size, {real} allowed)
{{
    int wrong = 0;
    for (int k = 0; k < size; ++k) {{
        wrong += !({fabs}(result[k] - expected[k]) <= allowed);
    }}
    return wrong;
}}

{checks}
int {name}({void})
{{
    int wrong = 0;
{calls}
    return wrong;
}}
{closed}"""

CHECK = """\
/* Run the self-test of the package: exit status 0 if every number is right. */
#include <stdio.h>

#include "{header}"

int main(void)
{{
    const int wrong = {name}();
    printf("%d functions: %d numbers wrong\\n", {count}, wrong);
    return wrong != 0;
}}
"""

TIMING = """\
/* Time each function at random states: median, 99.99 % and maximum [us].
 *
 * The first argument is the number of calls, by default 10 million. The time of the clock itself
 * is subtracted. The last column counts calls that refused their state.
 */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "{header}"

enum {{ BANK = 1024, BINS = 100000, LONGEST = {longest} }};

{tables}static {real} given[BANK][LONGEST];
static {real} possible[LONGEST];
static uint32_t bins[BINS + 1];

/* Write bodies of unit mass and inertia, since random payloads make the mass matrix singular. */
static void write_possible(int lanes)
{{
    for (int i = 0; i < LONGEST; ++i) {{
        const int place = i / lanes % 10;
        possible[i] = place == 0 || place == 4 || place == 7 || place == 9;
    }}
}}

{writer}static int64_t now(void)
{{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}}

static void report(const char *name, long calls, long refused, int64_t largest, int64_t clock)
{{
    long seen = 0;
    int64_t median = -1, tail = -1;
    for (int64_t k = 0; k <= BINS; ++k) {{
        seen += (long)bins[k];
        if (median < 0 && seen >= calls / 2) {{
            median = k;
        }}
        if (tail < 0 && seen >= calls - calls / 10000) {{
            tail = k;
        }}
    }}
    printf("%-40s %9.3f %9.3f %9.3f %9ld\\n", name, 1e-3 * (double)(median - clock),
           1e-3 * (double)(tail - clock), 1e-3 * (double)(largest - clock), refused);
}}

int main(int count, char **arguments)
{{
    const long calls = count > 1 ? atol(arguments[1]) : 10000000L;
    uint64_t seed = 1;
    int64_t clock = INT64_MAX;
    double total = 0.0;
    for (int k = 0; k < BANK; ++k) {{
        for (int i = 0; i < LONGEST; ++i) {{
            seed = seed * 6364136223846793005U + 1442695040888963407U;
            given[k][i] = ({real})((double)(seed >> 11) * 0x1p-52 - 1.0);
        }}
    }}
    for (int k = 0; k < 1000; ++k) {{
        const int64_t begin = now();
        const int64_t took = now() - begin;
        clock = took < clock ? took : clock;
    }}
    printf("%-40s %9s %9s %9s %9s\\n", "[us]", "median", "99.99 %", "maximum", "refused");
{blocks}
    return total == 1.0;
}}
"""

_TIMED = """\
    {{
        int64_t largest = 0;
        long refused = 0;
        memset(bins, 0, sizeof bins);
        write_possible({lanes});
{closed}        for (long k = 0; k < calls; ++k) {{
            const {real} *x = given[k % BANK];
{results}
            const int64_t begin = now();
            const int status = {call};
            const int64_t took = now() - begin;
            largest = took > largest ? took : largest;
            bins[took < BINS ? took : (int64_t)BINS] += 1;
            refused += status != 0;
            total += {first}[0] * 0.0;
        }}
        report("{name}", calls, refused, largest, clock);
    }}"""


_POSTURES = """\
/* Write closed postures to the first argument, q, of all states. */
static void write_postures(int lanes, int size, const {real} *postures)
{{
    for (int k = 0; k < BANK; ++k) {{
        for (int i = 0; i < lanes * size; ++i) {{
            given[k][i] = postures[(lanes * k + i % lanes) % POSTURES * size + i / lanes];
        }}
    }}
}}

"""
#: Postures of the timing program for robots with closed loops.
POSTURES = 64

#: Arguments for which random numbers make most mass matrices singular.
_POSSIBLE = ('payload', 'diagonal')


def self_test(emitted, known_answers, style, header):
    """Return the source file of the self-test.

    `known_answers` (list): results of `c_answers.answers` for each function.
    `style` (Style): with more than one lane, functions of several states are checked, too.
    """
    style, *several = styles(style)
    checks = [_check(one, answers, style) for one, answers in zip(emitted, known_answers)]
    for each in several:
        checks += [
            _check(one, [_by_lanes(answers, each.lanes)], each)
            for one, answers in zip(emitted, known_answers)
        ]
    checks = '\n'.join(checks)
    calls = '\n'.join(
        f'    wrong += check_{one.name}{each.suffix}();'
        for each in (style, *several)
        for one in emitted
    )
    opened, closed = (
        ('', '')
        if style.is_c
        else (
            f'\nnamespace {style.prefix} {{\n\nnamespace {{\n',
            f'\n}}  // namespace {style.prefix}\n',
        )
    )
    return SELF_TEST.format(
        header=header,
        math='math.h' if style.is_c else 'cmath',
        opened=opened,
        real=style.real,
        fabs='std::fabs' if not style.is_c else 'fabs' + 'f' * (style.real == 'float'),
        checks=checks if style.is_c else checks + '\n}  // namespace\n',
        name=style.function('self_test'),
        void='void' if style.is_c else '',
        calls=calls,
        closed=closed,
    )


def check(emitted, style, header):
    """Return the program that runs the self-test."""
    style, *several = styles(style)
    count = len(emitted) * (1 + len(several))
    return CHECK.format(header=header, name=_public(style, 'self_test'), count=count)


def styles(style):
    """Return the style of one state, and that of several states if there is one."""
    return [replace(style, lanes=1), *[style] * (style.lanes > 1)]


def _by_lanes(answers, lanes):
    """Return known answers of several states at once, entry k of state i at [lanes k + i].

    One singular state makes a function refuse all lanes. So if there is one, every lane has it.
    """
    singular = [answer for answer in answers if answer[1] is None]
    chosen = [(singular[:1] or answers)[i % len(singular[:1] or answers)] for i in range(lanes)]
    given = [np.stack(arrays, axis=-1) for arrays in zip(*(answer[0] for answer in chosen))]
    if singular:
        return given, None, ()
    results = [np.stack(arrays, axis=-1) for arrays in zip(*(answer[1] for answer in chosen))]
    return given, results, np.max([answer[2] for answer in chosen], axis=0)


def timing(emitted, model, style, header):
    """Return the timing program."""
    lengths = {one.recording.inputs['q'][0] for one in emitted if _is_of_loops(one, model)}
    tables = [
        line
        for length in sorted(lengths)
        for line in _table(_table_name(length), postures(model, length, POSTURES).flat, style, 0)
    ]
    blocks = [_timed(one, model, each) for each in styles(style) for one in emitted]
    longest = max(sum(map(math.prod, one.recording.inputs.values())) for one in emitted)
    longest *= style.lanes
    return TIMING.format(
        header=header,
        longest=longest,
        real=style.real,
        tables='\n'.join((f'enum {{ POSTURES = {POSTURES} }};', *tables, '\n')) if tables else '',
        writer=_POSTURES.format(real=style.real) if tables else '',
        blocks='\n'.join(blocks),
    )


def _is_of_loops(one, model):
    """Return whether a function has positions as its first argument, which must close loops."""
    return model.has_loops and next(iter(one.recording.inputs)) == 'q'


def _table_name(length):
    """Return the name of the table of postures with so many positions."""
    return f'postures_{length}'


def _timed(one, model, style):
    """Return the block of the timing program for one function."""
    inputs, outputs = one.recording.inputs, one.recording.outputs
    places = zip(inputs, _pointers(inputs, 'x', style.lanes).split(', '))
    pointers = ', '.join('possible' if name in _POSSIBLE else at for name, at in places)
    size = math.prod(next(iter(inputs.values())))
    return _TIMED.format(
        lanes=style.lanes,
        real=style.real,
        results='\n'.join(
            f'            {style.real} {name}[{math.prod(shape) * style.lanes}] = {{0}};'
            for name, shape in outputs.items()
        ),
        call=f'{_public(style, one.name)}({pointers}, {", ".join(outputs)})',
        name=one.name + style.suffix,
        first=next(iter(outputs)),
        closed=f'        write_postures({style.lanes}, {size}, {_table_name(size)});\n'
        if _is_of_loops(one, model)
        else '',
    )


def _public(style, name):
    """Return the qualified name of a function."""
    return style.function(name) if style.is_c else f'{style.prefix}::{name}'


def _pointers(shapes, start, lanes):
    """Return the arguments of a call, as pointers into one array."""
    places, at = [], 0
    for shape in shapes.values():
        places.append(f'{start} + {at}')
        at += math.prod(shape) * lanes
    return ', '.join(places)


def _check(one, answers, style):
    """Return the part of the self-test for one function."""
    outputs, name = one.recording.outputs, f'check_{one.name}{style.suffix}'
    lines = [
        f'static int {name}(void)' if style.is_c else f'int {name}()',
        '{',
        '    int wrong = 0;',
    ]
    for name, shape in outputs.items():
        lines.append(f'    {style.real} {name}[{math.prod(shape) * style.lanes}] = {{0}};')
    for given, expected, errors in answers:
        flat = [value for array in given for value in array.flat]
        pointers = _pointers(one.recording.inputs, 'given', style.lanes)
        call = f'{style.function(one.name)}({pointers}, {", ".join(outputs)})'
        status = 'OK' if expected is not None else 'SINGULAR'
        lines += [
            '    {',
            *_table('given', flat, style, 8),
            f'        if ({call} != {style.constant(status)}) {{',
            '            ++wrong;',
            '        }',
        ]
        for name, values, error in zip(outputs, expected or (), errors):
            allowed = style.number(float(f'{error:.3g}'))
            lines += [
                *_table(f'expected_{name}', values.flat, style, 8),
                f'        wrong += differs({name}, expected_{name}, {values.size}, {allowed});',
            ]
        lines.append('    }')
    return '\n'.join((*lines, '    return wrong;', '}', ''))


def _table(name, values, style, indent):
    """Return the lines of a table of constants."""
    pad = ' ' * indent
    text = textwrap.fill(
        ', '.join(style.number(value) for value in values),
        COLUMNS,
        initial_indent=pad + '    ',
        subsequent_indent=pad + '    ',
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [f'{pad}static const {style.real} {name}[] = {{', *text.splitlines(), f'{pad}}};']
