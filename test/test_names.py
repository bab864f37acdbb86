# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Names of files and functions: one name has one meaning, and says which."""

import ast
import collections
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / 'robodyn_ros'
SOURCES = sorted(path for path in PACKAGE.rglob('*.py') if '__kernels__' not in path.parts)

BY_ANOTHER_ROUTE = 'the same quantity of rigid, flexible or dependent joints, or by a book'
ROOM_AND_FACE = 'the algorithms, and the methods of a Robot that call them'
NODE_AND_ROOM = 'a node, and its interface to ROS'
ROOM_AND_MAIN_CLASS = 'a folder, and the file of the class that it is there for'
#: Names that stand in several folders because they mean the same there.
SHARED = {
    'centroidal': ROOM_AND_FACE,
    'constraints': BY_ANOTHER_ROUTE,
    'contact': 'the algorithms, and the step of a plant that calls them',
    'controller': NODE_AND_ROOM,
    'damping_torques': BY_ANOTHER_ROUTE,
    'derivatives': ROOM_AND_FACE,
    'embedding': 'constraint embedding: the tables of a model, and the chapters of Jain',
    'energy': BY_ANOTHER_ROUTE,
    'extended': 'more than a description has: arrays of a robot, and methods that make it',
    'flexible': 'links that bend by modes: algorithms, plants, and the chapter of Jain',
    'forward_dynamics': BY_ANOTHER_ROUTE,
    'hybrid_dynamics': BY_ANOTHER_ROUTE,
    'identification': ROOM_AND_MAIN_CLASS,
    'inverse_dynamics': BY_ANOTHER_ROUTE,
    'inverse_kinematics': ROOM_AND_FACE,
    'kinematics': BY_ANOTHER_ROUTE,
    'loops': ROOM_AND_FACE,
    'manifold': BY_ANOTHER_ROUTE,
    'mass_matrix': BY_ANOTHER_ROUTE,
    'mixed_dynamics': BY_ANOTHER_ROUTE,
    'reference': ROOM_AND_MAIN_CLASS,
    'robot': ROOM_AND_MAIN_CLASS,
    'simulator': NODE_AND_ROOM,
    'supervisor': ROOM_AND_MAIN_CLASS,
    'task_space': ROOM_AND_FACE,
    'variants': ROOM_AND_FACE,
    'view': 'the command, and the page that it shows',
}


def test_a_file_name_has_one_meaning():
    """No two files or folders share a name, but where they mean the same."""
    folders = {path.parent for path in SOURCES if path.name == '__init__.py'}
    files = [path for path in SOURCES if path.name != '__init__.py']
    places = collections.defaultdict(list)
    for path in (*folders, *files):
        places[path.stem].append(str(path.relative_to(ROOT)))
    shared = {name: found for name, found in places.items() if len(found) > 1}
    assert {name: shared[name] for name in shared.keys() - SHARED} == {}
    assert SHARED.keys() - shared == set(), 'shared no more'


#: Verbs that say of nothing what it is done to.
VERBS = {
    'ask',
    'bring',
    'call',
    'carry',
    'choose',
    'do',
    'find',
    'get',
    'give',
    'go',
    'handle',
    'hear',
    'keep',
    'learn',
    'let',
    'look',
    'make',
    'move',
    'place',
    'process',
    'push',
    'put',
    'read',
    'run',
    'say',
    'set',
    'take',
    'tell',
    'turn',
    'use',
    'watch',
    'work',
}
#: Names out of VERBS that are the field's, and where they come from.
OF_THE_FIELD = {
    'Experiment.push': 'a person pushes the arm',
    'LockStepExperiment.push': 'a person pushes the arm',
    'Participant.call': 'a ROS service is called',
    'PeriodicLoop.run': 'as of threading.Thread',
    'SimulatedRobot.push': 'a person pushes the arm',
}


def public_functions(body, owner=''):
    """Yield the names of public functions of a body, and of public methods with their class."""
    for node in body:
        if not getattr(node, 'name', '_').startswith('_'):
            if isinstance(node, ast.ClassDef):
                yield from public_functions(node.body, f'{node.name}.')
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield owner + node.name


def test_no_public_function_is_named_by_a_generic_verb():
    """Of ten functions called `take`, a search shows nine others first."""
    found = {
        name: str(path.relative_to(ROOT))
        for path in SOURCES
        for name in public_functions(ast.parse(path.read_text()).body)
        if name.split('.')[-1] in VERBS
    }
    assert {name: found[name] for name in found.keys() - OF_THE_FIELD} == {}
    assert OF_THE_FIELD.keys() - found == set(), 'used no more'
