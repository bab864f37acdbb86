# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Constants of a model come from functions with a written order of operations.

Those of BLAS and LAPACK, and NumPy's trigonometry, differ by processor in the last bit.
"""

import ast
from pathlib import Path

import pytest

import robodyn_ros.model

FOLDER = Path(robodyn_ros.model.__file__).parent
#: Files without constants of recorded code, and what they do.
OTHERS = {
    'lint.py': 'warns',
    'validate.py': 'refuses',
    'extended/beam_modes.py': 'modes, for which no code is recorded',
    'extended/flexible_model.py': 'modes',
    'extended/modal_link.py': 'modes',
    'extended/modal_sources.py': 'modes',
    'extended/joint_friction.py': 'friction at given states',
}
FILES = {
    str(path.relative_to(FOLDER)): path
    for path in sorted(FOLDER.rglob('*.py'))
    if '__kernels__' not in path.parts
}
#: Expressions with @ that are no products of BLAS: placements, and whole numbers.
HARMLESS = {
    'Placement(from_rpy(*rpy), xyz) @ turn',
    '_inverse(poses[child]) @ poses[base]',
    '_inverse(poses[child]) @ poses[base] @ frame',
    '_inverse(poses[parent]) @ poses[child]',
    '_inverse(poses[parent]) @ poses[child] @ frame',
    "frame @ _turned_to(_axis(element, 'axis', where))",
    "poses[child] @ _pose(element.find('pose'), poses, child, where)",
    'Placement(frame.rotation, frame.translation) @ place',
    'Placement(parent.rotation, parent.translation) @ joint.placement',
    'about_link @ about_joint',
    'joint.placement @ displacement(joint, (following.shift,))',
    'moved_by[1:].T.astype(float) @ moved_by[1:]',
    'place @ anchor',
    'place @ back',
    'placement @ Placement(about_axis(axes[:, 2], value), pitch * travel)',
    'placement @ Placement(axes)',
    'placement @ Placement(translation=travel)',
    'placement @ joint_types.displacement(joint, position)',
    'poses[joint.parent] @ joint.placement',
    "read_placement(side, f'{where} {tag}') @ turn",
}
PRODUCTS = {'dot', 'einsum', 'inner', 'linalg', 'matmul', 'matvec', 'tensordot', 'vdot', 'vecdot'}
WAVES = {'cos', 'sin', 'tan', 'arccos', 'arcsin', 'arctan', 'arctan2', 'hypot', 'exp', 'power'}


def without_order(tree):
    """Return the expressions of a module whose last bit depends on the processor."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.MatMult):
            found.append(ast.unparse(node))
        elif isinstance(node, ast.Attribute):
            of_numpy = isinstance(node.value, ast.Name) and node.value.id == 'np'
            if node.attr == 'dot' or (of_numpy and node.attr in PRODUCTS | WAVES):
                found.append(ast.unparse(node))
        elif isinstance(node, ast.ImportFrom) and (node.module or '').startswith('numpy'):
            found += [alias.name for alias in node.names if alias.name in PRODUCTS | WAVES]
    return set(found)


@pytest.mark.parametrize('name', sorted(FILES.keys() - OTHERS.keys()))
def test_no_constant_comes_from_blas_or_a_sine_of_numpy(name):
    """`robodyn_ros.model.arithmetic` has what takes their place."""
    assert without_order(ast.parse(FILES[name].read_text())) <= HARMLESS


def test_every_exception_is_one():
    """No file and no expression is excepted for longer than it needs to be."""
    found = {name: without_order(ast.parse(path.read_text())) for name, path in FILES.items()}
    assert all(found[name] for name in OTHERS)
    assert set.union(*(found[name] for name in FILES.keys() - OTHERS.keys())) == HARMLESS


@pytest.mark.parametrize(
    'line', ['R @ v', 'R @= B', 'np.dot(a, b)', 'a.dot(b)', 'np.linalg.norm(a)', 'np.cos(q)']
)
def test_a_sum_without_an_order_is_found(line):
    """Whichever way it is written."""
    assert without_order(ast.parse(line))
