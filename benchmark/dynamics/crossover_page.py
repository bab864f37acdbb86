# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Write doc/code/crossover.md and its picture from the results of benchmark.dynamics.crossover."""

from benchmark.dynamics.crossover import FAST, ROUTES, slope, titles

COUNTED = (3, 6, 7, 12, 24, 60)
SHOWN = (1, 2, 4, 6, 7, 8, 10, 12, 16, 20, 32, 48, 60)
COLOURS = {'articulated': 'C0', 'factored': 'C2', 'branches': 'C1', 'dense': 'C3'}
INTRODUCTION = """\
# O(n) or O(n^3): where articulated bodies win

Forward dynamics takes O(n) by articulated bodies. Factoring the mass matrix takes O(n^3), with
smaller constants (Jain 2011, section 7.2; Featherstone 1983; Walker and Orin 1982). So the mass
matrix is faster for short chains. This page measures how short, on serial chains of revolute
joints with full inertias (`benchmark/chains.py`).

    python -m benchmark crossover              # measures, about a minute when compiled
    python -m benchmark.dynamics.crossover --document   # writes this page and its picture

![Time and operations of forward dynamics over the number of joints](crossover.png)

- **Articulated bodies**, O(n): `Robot.forward_dynamics`, `algorithms/core/aba.py`.
- **Innovations factor**, O(n^2): articulated inertias give the factor L of M = L D L^T; then two
  triangular solves. `robot.variants.forward_dynamics_factored`.
- **Composite bodies, L^T D L**, O(n^3): the mass matrix, and its factor along the branches, from
  the tip: `algorithms/core/composite.py`. `Robot.specialised()` takes it where it needs fewer
  operations. It walks columns, which costs more than operations beyond some thirty joints.
- **Composite bodies, dense L D L^T**, O(n^3): the mass matrix as a dense one. It is factored by
  rows, which are contiguous in memory. `robot.variants.forward_dynamics_dense`.

None of them allocates. *Generic* is the kernel for any robot, *specialised* the straight-line code
for one robot. Times are minima of 25 interleaved rounds, in microseconds for one state, in a
compiled loop on one core. All routes agree to 1e-8 before anything is timed.
"""
GROWTH = """
Numbers of joints at the last crossing, interpolated between two sizes. "All" means from the first
size on. The other route is then nowhere faster by more than 2 %, which may be noise. "None" means
that it does not happen up to the last size.

## Operations, and how they grow

Multiplications + additions of the specialised code. The slope is d log(cost) / d log(n) over the
last doubling, where terms of lower order still count. The order itself shows in the differences
from one joint to the next; `test/codegen/test_orders.py` checks them for all recursions.
"""


def write(result, folder):
    """Write both; return the exit code."""
    draw(result, folder / 'crossover.png')
    (folder / 'crossover.md').write_text('\n'.join(lines(result)) + '\n')
    return 0


def lines(result):
    """Yield the lines of the page."""
    yield from INTRODUCTION.splitlines()
    yield from (
        '',
        '## Where the curves cross',
        '',
        '| Articulated bodies are faster than | generic, from | specialised, from | fewer '
        'operations, from |',
        '| --- | ---: | ---: | ---: |',
    )
    for name, route in ROUTES.items():
        if name != FAST:
            cells = [
                _crossed(result, kind, name) for kind in ('generic', 'specialised', 'operations')
            ]
            yield f'| {route.title} | {" | ".join(cells)} |'
    yield from (*GROWTH.splitlines(), '')
    yield from (
        f'| Route | {" | ".join(f"n = {n}" for n in COUNTED)} | operations, '
        'slope | generic time, slope |',
        '| --- |' + ' ---: |' * 8,
    )
    for name, title in zip(ROUTES, titles(ROUTES)):
        found = result['counts'][name]
        cells = [f'{found[n][0]} + {found[n][1]}' for n in COUNTED]
        total = {n: sum(kinds) for n, kinds in found.items()}
        yield (
            f'| {title} | {" | ".join(cells)} | {slope(total):.2f} | '
            f'{slope(result["generic"][name]):.2f} |'
        )
    yield from _times(result)
    machine = result['machine']
    yield from (
        '',
        f'Measured on {machine["processor"]}, Python {machine["python"]}, numba '
        f'{machine["numba"]}. Other machines have other',
        'times, and crossings not far from these.',
    )


def _times(result):
    for kind in ('generic', 'specialised'):
        names = list(result[kind])
        yield from (
            '',
            f'## Times, {kind} [us]',
            '',
            f'| joints | {" | ".join(titles(names))} |',
            '| ---: |' + ' ---: |' * len(names),
        )
        for n in SHOWN:
            if n in result[kind][FAST]:
                cells = [
                    f'{result[kind][name][n]:.3g}' if n in result[kind][name] else '-'
                    for name in names
                ]
                yield f'| {n} | {" | ".join(cells)} |'


def _crossed(result, kind, name):
    crossings = result['crossings'][kind]
    if crossings[name] is not None:
        return f'{crossings[name]:.1f}'
    return 'all' if _gains(result, kind, name)[-1] > 0.0 else 'none'


def _gains(result, kind, name):
    costs = (
        result[kind]
        if kind != 'operations'
        else {
            route: {n: sum(kinds) for n, kinds in found.items()}
            for route, found in result['counts'].items()
        }
    )
    return [costs[name][n] - cost for n, cost in costs[FAST].items() if n in costs[name]]


def draw(result, path):
    """Draw times, the same relative to articulated bodies, and operations."""
    import matplotlib

    matplotlib.use('Agg')
    from matplotlib import pyplot as plt

    figure, (times, ratios, operations) = plt.subplots(
        1, 3, figsize=(14, 4.6), layout='constrained'
    )
    for kind, style in (('generic', '-'), ('specialised', '--')):
        for name, of_route in result[kind].items():
            sizes = [n for n in of_route if of_route[n] > 0.01]  # of measurable times
            times.plot(
                sizes,
                [of_route[n] for n in sizes],
                style,
                color=COLOURS[name],
                label=f'{ROUTES[name].title}, {kind}',
            )
            if name != FAST:
                ratios.plot(
                    sizes,
                    [
                        of_route[n] / result[kind][FAST][n]
                        for n in sizes
                        if n in result[kind][FAST]
                    ],
                    style,
                    color=COLOURS[name],
                )
    for name, of_route in result['counts'].items():
        total = {n: sum(kinds) for n, kinds in of_route.items()}
        operations.plot(
            total.keys(),
            total.values(),
            color=COLOURS[name],
            label=f'{ROUTES[name].title}, slope {slope(total):.2f}',
        )
    ratios.axhline(1.0, color='k', lw=0.8)
    for kind, style in (('generic', '-'), ('specialised', '--')):
        n = result['crossings'][kind]['branches']
        if n is not None:
            ratios.axvline(n, ls=style, color='0.6', lw=0.8)
            ratios.annotate(f'{n:.1f}', (n, 0.42 if kind == 'generic' else 0.5), color='0.3')
    times.set(title='time of one state [us]', xscale='log', yscale='log')
    ratios.set(title='time / articulated bodies', xscale='log', ylim=(0.4, 3.0))
    operations.set(title='multiplications and additions', xscale='log', yscale='log')
    for axes in (times, ratios, operations):
        axes.set_xlabel('joints')
        axes.set_xticks([1, 2, 4, 7, 10, 20, 40, 60], [1, 2, 4, 7, 10, 20, 40, 60])
        axes.minorticks_off()
        axes.grid(alpha=0.3)
    times.legend(fontsize=8)
    operations.legend(fontsize=8)
    figure.savefig(path, dpi=100)
    plt.close(figure)
