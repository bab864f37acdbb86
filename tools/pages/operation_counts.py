# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Write doc/code/operation_counts.md: python -m tools.pages.operation_counts."""

from pathlib import Path

from robodyn_ros.cli.demo import URDF
from robodyn_ros.cli.info import STEPS, operations_text
from robodyn_ros.codegen.derivative_registry import DERIVATIVES
from robodyn_ros.codegen.registry import FRAME_RECIPES, FURTHER_RECIPES, JOINT_RECIPES, RECIPES
from robodyn_ros.codegen.specialise import counts
from robodyn_ros.model import build, urdf
from robodyn_ros.model.sources.examples import package_file
from tools.pages import jain_orders, published_counts
from tools.pages.reference_arms import general_arm, puma_arm, stanford_arm

PAGE = Path(__file__).resolve().parents[2] / 'doc' / 'code' / 'operation_counts.md'


def document():
    """Return the text of doc/code/operation_counts.md."""
    arms = (
        general_arm(6),
        stanford_arm(),
        puma_arm(),
        build.build(urdf.parse(package_file(URDF))),
    )
    parts = [
        """# Operation counts

Code for one robot alone is recorded from the recursions, so its operations can be counted exactly.
`python -m tools.pages.operation_counts` writes this page. `robodyn_ros info <urdf> --counts`
prints the same for any robot.

Counted are multiplications and additions (a subtraction is an addition), and divisions in
brackets. A change of sign is free. Neither this page nor the literature counts the cosine and sine
of each joint. Before anything is recorded the model is brought into a normal form:

- *cleaned*: direction cosines within 1e-12 of 0 or 1 are exactly that;
- *aligned*: frames lie along common normals, so that placements need the fewest numbers;
- *regrouped*: inertias are the base parameters of Gautier and Khalil 1990.

None changes a torque. *Compiled* is the shortest of the ways. They are articulated bodies or the
factored mass matrix, and for a frame its links aligned or as described. Counted is before sums
take products one by one (`codegen/fused_sums.py`), which may save a few additions more.
"""
    ]
    parts += published(arms[0], arms[1])
    parts += jain_orders.section()
    for model in arms:
        frame = tuple(model.frames)[-1]
        parts.append(
            f'## {model.name}, {model.nv} joints\n\n'
            f'| quantity | {" | ".join(STEPS)} |\n|---{"|---:" * len(STEPS)}|'
        )
        for name in (*RECIPES, *FURTHER_RECIPES, *FRAME_RECIPES):
            table = counts(model, name, frame if name in FRAME_RECIPES else None)
            parts.append(f'| {name} | ' + ' | '.join(map(operations_text, table.values())) + ' |')
        parts += prescribed(model)
        for name, recipe in DERIVATIVES.items():
            final = recipe.recorder(name, recipe, model).counts()
            parts.append(f'| {name} | | | | | {operations_text(final)} |')
        parts.append('')
    return '\n'.join(parts).rstrip('\n')


def prescribed(model):
    """Yield rows of the quantities of robots with joints of prescribed motion."""
    for name in JOINT_RECIPES:
        for passive, joints in (
            ('first joint', model.joint_names[1:]),
            ('every other joint', model.joint_names[::2]),
        ):
            numbers = ' | '.join(map(operations_text, counts(model, name, joints).values()))
            yield f'| {name}, {passive} passive | {numbers} |'


def published(general, stanford):
    """Yield tables of published counts beside the counts for the same robots."""
    title = '## {} of the general arm with six revolute joints\n'
    head = '| method | multiplications | additions |\n|---|---:|---:|'
    for what, name, rows in (
        ('Inverse dynamics', 'inverse_dynamics', published_counts.INVERSE),
        ('Forward dynamics', 'forward_dynamics', published_counts.FORWARD),
    ):
        ours = counts(general, name)
        yield f'{title.format(what)}\n{head}'
        yield from _rows(
            (
                *rows,
                *(
                    (f'**this package**, {step}', *_pair(ours[step]))
                    for step in STEPS
                    if step != 'compiled'
                ),
            )
        )
        yield ''
    ((source, *theirs),) = published_counts.STANFORD
    ours = _pair(counts(stanford, 'inverse_dynamics')['compiled'])
    yield (
        f'The Stanford arm by hand: {source}: {theirs[0]} and {theirs[1]}; this package '
        f'{ours[0]} and {ours[1]}.\n'
    )
    yield f'{title.format("Parts of the dynamics")}\n{head}'
    for name, rows in published_counts.PARTS.items():
        ours = counts(general, name)['compiled']
        yield from _rows((*rows, (f'**this package**, {name}', *_pair(ours))))
    yield (
        '\n## Stages of published inverse dynamics\n\nFor the same arm. Recorded code has no '
        'stages: what several of them need is computed once. The last\nrow counts steps one '
        f'after the other, of as many processors as joints.\n\n{head}'
    )
    yield from _rows((*published_counts.STAGES, *published_counts.CONCURRENT))
    yield ''


def _rows(rows):
    return (f'| {source} | {m} | {a} |' for source, m, a in rows)


def _pair(numbers):
    return numbers['multiplications'], numbers['additions']


if __name__ == '__main__':
    PAGE.write_text(document() + '\n')
