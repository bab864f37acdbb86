"""What the recursions of one robot cost: operations of each quantity, before and after each step
of the normal form.

    ros2 run robodyn_ros info arm.urdf --counts        or        python -m robodyn_ros.cli.info ...
    python -m robodyn_ros.cli.info --document > doc/operation_counts.md
"""
import argparse
import sys

import numpy as np

from robodyn_ros import RobodynError
from robodyn_ros.cli import published_counts
from robodyn_ros.cli.demo import URDF, find
from robodyn_ros.kernels.derivatives import DERIVATIVES
from robodyn_ros.kernels.normalise import EXACT, cleaned
from robodyn_ros.kernels.recipes import FRAME_RECIPES, FURTHER_RECIPES, RECIPES
from robodyn_ros.kernels.specialise import counts
from robodyn_ros.model import build, dh, urdf

STEPS = ('as described', 'cleaned', 'aligned', 'regrouped', 'compiled')
KINDS = ('multiplications', 'additions', 'divisions', 'trigonometric')


def main(args=None):
    """Print the table; exit code 1 if the description is refused."""
    parser = argparse.ArgumentParser(prog='info', description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('urdf', nargs='?', help='URDF file')
    parser.add_argument('--counts', action='store_true', help='operations of every quantity')
    parser.add_argument('--frame', help='frame of pose, velocity, Jacobian, ...; the last if none')
    parser.add_argument('--document', action='store_true', help='print doc/operation_counts.md')
    options = parser.parse_args(args)
    if options.document:
        print(document())
        return 0
    if not options.urdf:
        parser.error('got no URDF; expected a file, or --document')
    try:
        model = build.build(urdf.parse(options.urdf))
        frame = options.frame or tuple(model.frames)[-1]
        model.frame(frame)
    except RobodynError as error:
        print(f'Refused: {error}', file=sys.stderr)
        return 1
    print(f'{model.name}: {model.nv} joints, {len(model.frames)} frames')
    if options.counts:
        print('\n'.join(cleaning(model)))
        print('\n'.join(lines(model, frame)))
    return 0


def cleaning(model):
    """Lines that say what is taken to be exact: by the reader of the description, and after it."""
    yield from (note for note in model.report.notes if 'direction cosine' in note)
    changes = cleaned(model)
    yield f'{len(changes)} more direction cosines within {EXACT:g} of 0 or +-1 are made exact'
    for name, row, column, value in changes:
        yield f'  {name!r}, entry ({row}, {column}): {value!r} becomes {round(value)}'


def lines(model, frame):
    """Lines of the table of all quantities of a robot, and what each step of the normal form
    saves.
    """
    yield 'multiplications + additions (divisions) of code for this robot alone, after each step'
    yield f'{"":32}' + ''.join(f'{step:>18}' for step in STEPS)
    for name in (*RECIPES, *FURTHER_RECIPES, *FRAME_RECIPES):
        table = counts(model, name, frame if name in FRAME_RECIPES else None)
        yield f'{name:32}' + ''.join(f'{short(table[step]):>18}' for step in STEPS)
        yield f'{"  saved by the step":32}' + ''.join(
            f'{number:>18}' for number in ('', *saved(table)))
    for name, recipe in DERIVATIVES.items():
        final = recipe.recorder(name, recipe, model).counts()
        yield f'{name:32}{"":72}{short(final):>18}'


def saved(table):
    """Multiplications and additions that each step saves, in per cent of those before it."""
    totals = [table[step]['multiplications'] + table[step]['additions'] for step in STEPS]
    return [f'{100.0 * (before - after) / max(before, 1):.0f} %'
            for before, after in zip(totals, totals[1:])]


def short(numbers):
    """'304 + 293', and divisions where there are any."""
    divisions = f' ({numbers["divisions"]})' if numbers['divisions'] else ''
    return f'{numbers["multiplications"]} + {numbers["additions"]}{divisions}'


def general_arm(n, seed=0):
    """A revolute arm in which no constant vanishes: skew axes, offsets, full inertias,
    gravity along no axis.
    """
    rng = np.random.default_rng(seed)
    rows = [dh.DHRow(a=rng.uniform(0.1, 0.4), alpha=rng.uniform(0.4, 1.2),
                     d=rng.uniform(0.1, 0.4), **_full_inertia(rng)) for _ in range(n)]
    return build.build(dh.describe(rows, convention='modified', name=f'general_{n}R'),
                       gravity=(1.3, -2.1, -9.2))


def stanford_arm():
    """The Stanford arm with full inertias: five revolute joints, the third one slides."""
    right, rng = np.pi / 2, np.random.default_rng(1)
    table = ((0.0, -right, 0.4, 'revolute'), (0.0, right, 0.15, 'revolute'),
             (0.0, 0.0, 0.5, 'prismatic'), (0.0, -right, 0.0, 'revolute'),
             (0.0, right, 0.0, 'revolute'), (0.0, 0.0, 0.26, 'revolute'))
    rows = [dh.DHRow(a=a, alpha=alpha, d=d, joint=joint, **_full_inertia(rng))
            for a, alpha, d, joint in table]
    return build.build(dh.describe(rows, convention='standard', name='Stanford-like'))


def puma_arm():
    """The Puma 560 with full inertias."""
    right, rng = np.pi / 2, np.random.default_rng(2)
    table = ((0.0, right, 0.67), (0.4318, 0.0, 0.0), (0.0203, -right, 0.15), (0.0, right, 0.4318),
             (0.0, -right, 0.0), (0.0, 0.0, 0.0))
    rows = [dh.DHRow(a=a, alpha=alpha, d=d, **_full_inertia(rng)) for a, alpha, d in table]
    return build.build(dh.describe(rows, convention='standard', name='Puma-like'))


def _full_inertia(rng):
    """Mass, centre and inertia of a random cloud of points."""
    points, masses = rng.uniform(-0.2, 0.2, (6, 3)), rng.uniform(0.2, 1.0, 6)
    com = masses @ points / masses.sum()
    arms = points - com
    squares = np.einsum('i,ij,ij', masses, arms, arms)
    return {'mass': masses.sum(), 'com': com,
            'inertia': squares * np.eye(3) - arms.T @ (masses[:, None] * arms)}


def document():
    """The text of doc/operation_counts.md."""
    arms = (general_arm(6), stanford_arm(), puma_arm(), build.build(urdf.parse(find(URDF))))
    parts = ["""# Operation counts

Code for one robot alone is recorded from the recursions, so its operations can be counted exactly.
This page is printed by `python -m robodyn_ros.cli.info --document`; `info <urdf> --counts` prints
the same for any robot.

Counted are multiplications and additions (a subtraction is an addition), and divisions in
brackets; the cosine and sine of each joint are not counted, neither here nor in the
literature, and a change of sign is free. Before anything is recorded the model is brought into
a normal form: *cleaned* direction cosines within 1e-12 of 0 or 1 are exactly that; *aligned*
frames lie along common normals, so that placements need the fewest numbers; *regrouped* inertias
are the base parameters of Gautier and Khalil 1990. None changes a torque. What is *compiled* is
the shortest of the ways there are: articulated bodies or the factored mass matrix, and for a frame
its links aligned or as described.
"""]
    parts += published(arms[0], arms[1])
    for model in arms:
        frame = tuple(model.frames)[-1]
        parts.append(f'## {model.name}, {model.nv} joints\n\n'
                     f'| quantity | {" | ".join(STEPS)} |\n|---{"|---:" * len(STEPS)}|')
        for name in (*RECIPES, *FURTHER_RECIPES, *FRAME_RECIPES):
            table = counts(model, name, frame if name in FRAME_RECIPES else None)
            parts.append(f'| {name} | ' + ' | '.join(map(short, table.values())) + ' |')
        for name, recipe in DERIVATIVES.items():
            final = recipe.recorder(name, recipe, model).counts()
            parts.append(f'| {name} | | | | | {short(final)} |')
        parts.append('')
    return '\n'.join(parts).rstrip('\n')


def published(general, stanford):
    """Tables of what others have published beside the counts for the same robots."""
    title = '## {} of the general arm with six revolute joints\n'
    head = '| method | multiplications | additions |\n|---|---:|---:|'
    for what, name, rows in (
            ('Inverse dynamics', 'inverse_dynamics', published_counts.INVERSE),
            ('Forward dynamics', 'forward_dynamics', published_counts.FORWARD)):
        ours = counts(general, name)
        yield f'{title.format(what)}\n{head}'
        yield from _rows((*rows, *((f'**this package**, {step}', *_pair(ours[step]))
                                   for step in STEPS if step != 'compiled')))
        yield ''
    (source, *theirs), = published_counts.STANFORD
    ours = _pair(counts(stanford, 'inverse_dynamics')['compiled'])
    yield (f'The Stanford arm by hand: {source}: {theirs[0]} and {theirs[1]}; this package '
           f'{ours[0]} and {ours[1]}.\n')
    yield f'{title.format("Parts of the dynamics")}\n{head}'
    for name, rows in published_counts.PARTS.items():
        ours = counts(general, name)['compiled']
        yield from _rows((*rows, (f'**this package**, {name}', *_pair(ours))))
    yield ('\n## Stages of published inverse dynamics\n\nFor the same arm. Recorded code has no '
           'stages: what several of them need is computed once. The last\nrow counts steps one '
           f'after the other, of as many processors as joints.\n\n{head}')
    yield from _rows((*published_counts.STAGES, *published_counts.CONCURRENT))
    yield ''


def _rows(rows):
    return (f'| {source} | {m} | {a} |' for source, m, a in rows)


def _pair(numbers):
    return numbers['multiplications'], numbers['additions']


if __name__ == '__main__':
    sys.exit(main())
