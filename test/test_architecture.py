# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The house as it was drawn: who may import whom, and how every file looks."""

import ast
import functools
import importlib
import inspect
import itertools
import sys
from pathlib import Path

import pytest

from robodyn_ros.__main__ import COMMANDS, NODES
from support.processes import run_script
from tools.pages import architecture
from tools.pages.architecture import FLOOR_PLAN

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / 'robodyn_ros'
FILES = {
    str(path.relative_to(ROOT)): path
    for path in sorted(PACKAGE.rglob('*.py'))
    if '__kernels__' not in path.parts
}
REST = {
    str(path.relative_to(ROOT)): path
    for folder in ('test', 'benchmark', 'launch')
    for path in sorted((ROOT / folder).rglob('*.py'))
}

LEVEL = {unit: level for level, row in enumerate(FLOOR_PLAN) for unit in row}
#: All that lies loose at the root of the package.
LOOSE = {'__init__', '__main__', 'errors'}
LARGEST_FOLDER = 22

ROS = {
    'rclpy',
    'launch',
    'launch_ros',
    'launch_testing',
    'ament_index_python',
    'lifecycle_msgs',
    'builtin_interfaces',
    'rcl_interfaces',
    'std_srvs',
    'rosidl_runtime_py',
    'tf2_ros',
}
#: What is not of the standard library, and where it may be imported.
WHERE = {
    'numpy': {*LEVEL},
    'numba': {'compile', 'codegen', 'spatial'},
    'llvmlite': {'compile', 'codegen'},
    'scipy': {'formulations', 'identification'},
    'rich': {'cli', 'demonstration'},
    'rosbags': {'demonstration', 'identification'},
    'ruamel': {'identification'},
    'yaml': {'control', 'identification', 'middleware', 'model'},
    'rosbag2_py': {'ros'},
    'matplotlib': {'cli', 'demonstration', 'formulations'},
    'psutil': {'demonstration'},
    'xacro': {'model'},
    'mujoco': {'model'},
    'collada': {'view'},
    'trimesh': {'view'},
    'viser': {'view'},
    'pytest': {'testing'},
    'simulation_interfaces': {'ros'},
}
ROS_UNITS = {'ros', 'nodes', 'demonstration', 'cli', 'testing'}
#: Parts of the standard library that only one unit may use.
RESERVED = {'xml': {'model'}}
#: Extras, which the core must run without: never imported when a module is read, but when needed.
EXTRAS = {
    'scipy',
    'rich',
    'rosbags',
    'rosbag2_py',
    'ruamel',
    'yaml',
    'matplotlib',
    'psutil',
    'xacro',
    'mujoco',
    'collada',
    'trimesh',
    'viser',
    'simulation_interfaces',
}
LONGEST_LINE = 99
LONGEST_FILE = 430  # lines, docstrings left out


def unit_of(name):
    """Return the unit of a file or of a dotted module name, '' for the package itself."""
    parts = Path(name).with_suffix('').parts if name.endswith('.py') else name.split('.')
    inner = parts[1] if len(parts) > 1 and parts[1] != '__init__' else ''
    return 'cli' if inner == '__main__' else inner


@functools.cache
def imports(path):
    """Return [(line, module, whether reading the file needs it)] of every import in a file."""
    tree, found = ast.parse(path.read_text(), str(path)), []
    later = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Try))
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        needed = id(node) not in later
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name, needed) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f'{path}:{node.lineno} imports relatively'
            names = (
                ['']
                if node.module != 'robodyn_ros'
                else [f'.{alias.name}' for alias in node.names]
            )
            found += [(node.lineno, f'{node.module}{name}', needed) for name in names]
    return found


def root_of(module):
    """Return the first part of a dotted name."""
    return module.split('.')[0]


def is_ros(module):
    """Return whether the first name of a module is one that comes with ROS."""
    return module in ROS or module.endswith('_msgs')


def test_every_unit_has_its_place():
    """A new folder or file at the top of the package is placed on the floor plan first."""
    found = {unit_of(name) for name in FILES} - {''}
    assert found <= set(LEVEL), f'not on the floor plan: {found - set(LEVEL)}'


def test_the_picture_is_of_these_rules():
    # If not: python -m tools.pages.architecture
    """The page shows what the tests keep."""
    assert architecture.PICTURE.read_text() == architecture.picture()


def test_rooms_are_small():
    """Nothing lies loose at the root of the package, and no folder is a heap."""
    assert {path.stem for path in PACKAGE.glob('*.py')} == LOOSE
    crowded = {
        str(folder.relative_to(ROOT)): len(list(folder.glob('*.py')))
        for folder in PACKAGE.rglob('*')
        if folder.is_dir() and '__kernels__' not in folder.parts
    }
    assert not {name: count for name, count in crowded.items() if count > LARGEST_FOLDER}


def test_imports_point_up_the_page():
    """A unit imports itself and what stands above it."""
    wrong = []
    for name, path in FILES.items():
        here = unit_of(name)
        for line, module, _ in imports(path):
            if root_of(module) == 'robodyn_ros' and here in LEVEL:
                there = unit_of(module)
                if there in LEVEL and there != here and LEVEL[there] >= LEVEL[here]:
                    wrong.append(f'{name}:{line} {here} imports {module}')
    assert not wrong, '\n'.join(wrong)


def test_no_module_imports_the_package_from_within():
    """`from robodyn_ros import Robot` is for others: inside it would close a circle of imports."""
    wrong = [
        f'{name}:{line} imports {module}'
        for name, path in FILES.items()
        for line, module, _ in imports(path)
        if module.startswith('robodyn_ros')
        and unit_of(module) not in LEVEL
        and unit_of(name) not in ROS_UNITS
    ]
    assert not wrong, '\n'.join(wrong)


def test_foreign_modules_stay_where_they_belong():
    """ROS in ros/, nodes/ and the demonstration; numba in three folders; xml in model/."""
    wrong = []
    for name, path in FILES.items():
        here = unit_of(name)
        for line, module, _ in imports(path):
            first = root_of(module)
            if first == 'robodyn_ros':
                continue
            if is_ros(first):
                allowed = here in ROS_UNITS
            elif first in RESERVED:
                allowed = here in RESERVED[first]
            else:
                allowed = first in sys.stdlib_module_names or here in WHERE.get(first, ())
            if not allowed:
                wrong.append(f'{name}:{line} imports {module}')
    assert not wrong, '\n'.join(wrong)


def test_files_of_ros_import_ros():
    """A file in ros/ imports ROS, or another file of ros/ that does: all else has its own room."""
    inner = {
        '.'.join(Path(name).with_suffix('').parts): {module for _, module, _ in imports(path)}
        for name, path in FILES.items()
        if unit_of(name) == 'ros' and path.stem != '__init__'
    }
    brought_by_ros = {module for module, units in WHERE.items() if units == {'ros'}}
    found, grown = set(), True
    while grown:
        known = {
            name
            for name, modules in inner.items()
            if modules & found
            or any(is_ros(first) or first in brought_by_ros for first in map(root_of, modules))
        }
        found, grown = known, known != found
    assert inner and set(inner) == found, f'no ROS in {sorted(set(inner) - found)}'


def test_files_of_cli_are_commands():
    """A file in cli/ is a command: `robodyn_ros` lists it, and it has a `main`."""
    files = {path.stem: path for name, path in FILES.items() if unit_of(name) == 'cli'}
    files = {stem: path for stem, path in files.items() if not stem.startswith('__')}
    assert set(files) == set(COMMANDS) - set(NODES)
    for stem, path in files.items():
        tree = ast.parse(path.read_text())
        assert 'main' in {each.name for each in tree.body if isinstance(each, ast.FunctionDef)}, (
            stem
        )


def test_extras_are_not_needed_to_import_the_core():
    """scipy and the like are imported where they are used, or with something to fall back on."""
    wrong = [
        f'{name}:{line} imports {module}'
        for name, path in FILES.items()
        for line, module, top in imports(path)
        if root_of(module) in EXTRAS and top and unit_of(name) not in ('cli', 'demonstration')
    ]
    assert not wrong, '\n'.join(wrong)


def test_core_works_without_ros(tmp_path):
    """With rclpy and all messages blocked, all outside ros/, nodes/ and cli/ can be imported.

    And the first example of the README computes a torque.
    """
    names = [
        '.'.join(Path(name).with_suffix('').parts).removesuffix('.__init__')
        for name in FILES
        if unit_of(name) not in ROS_UNITS and '__main__' not in name
    ]
    found, _ = run_script(
        f"""
import importlib
import json
import sys

class NoRos:
    def find_spec(self, name, path=None, target=None):
        first = name.split('.')[0]
        if first in {sorted(ROS)!r} or first.endswith('_msgs'):
            raise ModuleNotFoundError(f'no ROS here: {{name}}')

sys.meta_path.insert(0, NoRos())
for name in {names!r}:
    importlib.import_module(name)
from robodyn_ros import Robot
robot = Robot.from_urdf({str(ROOT / 'config' / 'urdf' / 'two_link.urdf')!r})
torque = robot.inverse_dynamics((0.3, 0.7), (0.4, -0.6), (1.0, -0.5)).tolist()
ros = [name for name in sys.modules if name.split('.')[0] == 'rclpy' or '_msgs' in name]
print(json.dumps([torque, ros]))
""",
        tmp_path,
    )
    torque, ros = found
    assert torque == pytest.approx([20.6107131866, 2.57231305512], rel=1e-10)
    assert ros == []


def test_import_needs_numpy_and_numba_only(tmp_path):
    """`import robodyn_ros` loads nothing but the standard library, numpy, numba and llvmlite.

    numba looks for scipy by itself.
    """
    (loaded,), _ = run_script(
        """
import json
import sys
before = set(sys.modules)
import numba
own = {name.split('.')[0] for name in sys.modules}
import robodyn_ros
after = {name.split('.')[0] for name in sys.modules}
print(json.dumps([sorted(after - own)]))
""",
        tmp_path,
    )
    foreign = {name for name in loaded if name not in sys.stdlib_module_names}
    assert foreign <= {'robodyn_ros'}


def test_all_names_exist():
    """Whatever a module lists in __all__ it defines or imports."""
    wrong = []
    for name, path in FILES.items():
        tree = ast.parse(path.read_text())
        bound, listed = set(), []
        top = (node.body if isinstance(node, ast.If) else [node] for node in tree.body)
        for node in itertools.chain.from_iterable(top):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                bound.add(node.name)
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                bound |= {alias.asname or alias.name for alias in node.names}
            elif isinstance(node, ast.Assign):
                targets = {target.id for target in node.targets if isinstance(target, ast.Name)}
                bound |= targets
                if '__all__' in targets:
                    listed = ast.literal_eval(node.value)
        wrong += [f'{name}: {item}' for item in listed if item not in bound]
        assert len(listed) == len(set(listed)), f'{name}: __all__ lists a name twice'
    assert not wrong, '\n'.join(wrong)


def names_of(path):
    """Return the names that a module binds anywhere, and what lies in it if it is a folder."""
    tree, found = ast.parse(path.read_text() if path.exists() else ''), set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
    if path.name == '__init__.py':
        found |= {each.stem for each in path.parent.iterdir()}
    return found


def test_all_imported_names_exist():
    """What anything here imports from here is there, also where only a rare call imports it."""
    places = ('robodyn_ros', 'tools', 'benchmark', 'examples', 'launch', 'doc', 'test')
    names, wrong = {}, []
    for path in itertools.chain.from_iterable((ROOT / each).rglob('*.py') for each in places):
        if '__kernels__' in path.parts:  # which is written from what is read here
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            module = node.module or '' if isinstance(node, ast.ImportFrom) else ''
            if root_of(module) not in ('robodyn_ros', 'tools', 'benchmark', 'support'):
                continue
            base = ROOT.joinpath('test' if module.startswith('support') else '')
            base = base.joinpath(*module.split('.'))
            source = base / '__init__.py' if base.is_dir() else base.with_suffix('.py')
            where = f'{path.relative_to(ROOT)}:{node.lineno}'
            if not base.is_dir() and not source.exists():
                wrong.append(f'{where} {module} is no module')
                continue
            if source not in names:
                names[source] = names_of(source)
            wrong += [
                f'{where} {module} has no {alias.name}'
                for alias in node.names
                if alias.name not in names[source] and '__getattr__' not in names[source]
            ]
    assert not wrong, '\n'.join(wrong)


def undocumented(body, owner=None):
    """Return (owner, name, line) of public functions, classes and methods without a docstring."""
    found = []
    for node in body:
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        setter = any(
            isinstance(mark, ast.Attribute) and mark.attr == 'setter'
            for mark in node.decorator_list
        )
        if node.name.startswith('_') or setter:
            continue
        if not ast.get_docstring(node):
            found.append((owner, node.name, node.lineno))
        if isinstance(node, ast.ClassDef):
            found += undocumented(node.body, node.name)
    return found


def inherits_its_sentence(file, owner, name):
    """Return whether a method without a docstring overrides one that has it."""
    if owner is None or unit_of(file) in ROS_UNITS:
        return False
    module = importlib.import_module('.'.join(Path(file).with_suffix('').parts))
    return bool(inspect.getdoc(getattr(getattr(module, owner), name)))


def test_everything_public_has_a_docstring():
    """Every module, public class, function and method of the package opens with a sentence."""
    wrong = []
    for file, path in FILES.items():
        tree = ast.parse(path.read_text())
        if tree.body and not ast.get_docstring(tree):
            wrong.append(f'{file}: the module')
        wrong += [
            f'{file}:{line} {name}'
            for owner, name, line in undocumented(tree.body)
            if not inherits_its_sentence(file, owner, name)
        ]
    assert not wrong, '\n'.join(wrong)


def test_lines_are_short():
    """At most 99 columns, in the package and in its tests."""
    wrong = [
        f'{name}:{number} has {len(line)} columns'
        for name, path in {**FILES, **REST}.items()
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if len(line) > LONGEST_LINE
    ]
    assert not wrong, '\n'.join(wrong)


def lines_of_code(path):
    """Return the number of lines of a file, its docstrings left out."""
    text = path.read_text()
    documented = [
        node.body[0]
        for node in ast.walk(ast.parse(text))
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
        and ast.get_docstring(node)
    ]
    return len(text.splitlines()) - sum(
        docstring.end_lineno - docstring.lineno + 1 for docstring in documented
    )


def test_files_are_short():
    """One algorithm, one file: its tables of parameters do not count."""
    wrong = [
        f'{name} has {lines_of_code(path)} lines of code'
        for name, path in FILES.items()
        if lines_of_code(path) > LONGEST_FILE
    ]
    assert not wrong, '\n'.join(wrong)


#: Folders with sources of our own, and the loose sources at the root of the repository.
OWN_FOLDERS = (
    'benchmark',
    'config',
    'doc',
    'examples',
    'launch',
    'robodyn_control',
    'robodyn_msgs',
    'robodyn_ros',
    'test',
    'tools',
)
OWN_FILES = (
    '.ci/run',
    '.pre-commit-config.yaml',
    'Makefile',
    'colcon_defaults.yaml',
    'package.xml',
    'pyproject.toml',
    'setup.cfg',
    'setup.py',
)
LICENSED = {
    '.py', '.cpp', '.hpp', '.c', '.h', '.cmake', '.msg', '.srv', '.action', '.yaml', '.yml', '.sh',
    '.xacro', '.js', '.css', '.urdf', '.xml', '.toml', '.cfg', '.rviz',
}  # fmt: skip


def licensed_files():
    """Return the files that carry the two lines; cut-down interfaces of others do not."""
    found = [
        path
        for folder in OWN_FOLDERS
        for path in (ROOT / folder).rglob('*')
        if path.suffix in LICENSED or path.name in ('CMakeLists.txt', 'Makefile')
    ]
    built = {'__kernels__', '_build', 'build', 'results'}
    return [ROOT / name for name in OWN_FILES] + [
        path
        for path in sorted(found)
        if not built.intersection(path.relative_to(ROOT).parts)
        and ('interfaces' not in path.parts or path.suffix not in ('.msg', '.srv', '.action'))
    ]


def test_every_source_has_its_licence_line():
    """Two lines on top: copyright, and the licence by its SPDX name."""
    wrong = [
        str(path.relative_to(ROOT))
        for path in licensed_files()
        if 'Copyright' not in (text := path.read_text()[:400])
        or 'SPDX-License-Identifier: Apache-2.0' not in text
    ]
    assert not wrong, wrong


def test_no_name_of_the_standard_library_is_hidden():
    """No module of the package is named like one of the standard library's at the top level."""
    top = {path.stem for path in PACKAGE.glob('*.py')} | {
        path.name for path in PACKAGE.iterdir() if (path / '__init__.py').is_file()
    }
    assert not top & set(sys.stdlib_module_names)
