# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What is imported is declared, and what is declared is imported: setup.py and package.xml."""

import ast
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from support.processes import run_script

ROOT = Path(__file__).resolve().parents[1]
#: Names of distributions by what they are imported as, where these differ.
DISTRIBUTIONS = {'collada': 'pycollada', 'ruamel': 'rosbags', 'yaml': 'PyYAML'}
#: Keys of package.xml by import; ROS packages have their own names.
KEYS = {
    name: f'python3-{name}'
    for name in ('hypothesis', 'matplotlib', 'numba', 'numpy', 'psutil', 'pytest',
                 'rich', 'scipy', 'yaml')
}  # fmt: skip
ROS = {'rclpy', 'launch', 'launch_ros', 'ament_index_python', 'std_srvs', 'rosbag2_py'}
#: Not packaged for ROS, where rosbag2_py reads bags; llvmlite is what python3-numba stands on.
WITHOUT_KEY = {'collada', 'llvmlite', 'mujoco', 'rosbags', 'ruamel', 'trimesh', 'viser'}
#: Imported by a name that a parameter chooses.
LOADED = {'nav_msgs'}
#: Started by launch files or needed by what is declared, not imported.
STARTED = {'robot_state_publisher', 'rviz2'}
#: In a folder of this package, which builds it: `setup.py`.
INNER = {'robodyn_msgs'}
#: Loads our fixtures, and so is there when they are imported.
LOADER = {'pytest'}
#: Reached through a name in a string.
BY_NAME = {'launch_testing', 'xacro'}


def imported(folder):
    """The first names of all modules that the files of a folder import."""
    found = set()
    for path in (ROOT / folder).rglob('*.py'):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition('.')[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                found.add(node.module.partition('.')[0])
    return found - set(sys.stdlib_module_names) - {'robodyn_ros', 'support', 'benchmark', 'tools'}


def is_ros(name):
    return (ROOT / '..').exists() and (
        name.endswith(('_msgs', '_interfaces'))
        or name
        in {'rclpy', 'launch', 'launch_ros', 'ament_index_python', 'std_srvs', 'rosbag2_py'}
    )


@pytest.fixture(scope='module')
def requirements():
    """The names of distributions in setup.py: {'run': ..., 'extras': ...}."""
    tree = ast.parse((ROOT / 'setup.py').read_text())
    constants = {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, (ast.Constant, ast.List))
    }
    (call,) = (
        node.value for node in tree.body
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    )  # fmt: skip
    values = {
        keyword.arg: eval(ast.unparse(keyword.value), constants)
        for keyword in call.keywords
        if keyword.arg in ('install_requires', 'extras_require')
    }
    return {
        'run': {name_of(text) for text in values['install_requires']},
        **{key: set(map(name_of, texts)) for key, texts in values['extras_require'].items()},
    }


def name_of(requirement):
    return re.match(r'[\w-]+', requirement)[0]


@pytest.fixture(scope='module')
def package():
    """{kind of dependency: names} of package.xml."""
    found = {}
    for element in ElementTree.parse(ROOT / 'package.xml').getroot():
        if element.tag.endswith('depend'):
            found.setdefault(element.tag, []).append(element.text)
    assert all(len(set(names)) == len(names) for names in found.values())
    return {kind: set(names) for kind, names in found.items()}


def test_setup_declares_what_the_package_imports(requirements):
    """At run time numpy, numba and llvmlite, each other thing in an extra of a user's."""
    foreign = {name for name in imported('robodyn_ros') - LOADER if not is_ros(name)}
    core = {'llvmlite', 'numba', 'numpy'}
    assert requirements['run'] == core
    offered = requirements['demo'] | requirements['identification'] | requirements['view']
    offered |= requirements['mjcf'] | requirements['xacro'] | requirements['yaml']
    assert {DISTRIBUTIONS.get(name, name) for name in foreign - core} == offered
    assert {name_of(line) for line in listed('core.txt')} == core
    assert {name_of(line) for line in listed('run.txt')} == offered


def listed(name):
    """Return the requirements of a file."""
    lines = (ROOT / 'requirements' / name).read_text().splitlines()
    return [line for line in lines if line[:1].isalpha()]


def test_requirements_for_the_tools_are_those_of_setup():
    """With the same bounds, so that deptry and the bill of materials judge what is installed."""
    text = (ROOT / 'setup.py').read_text()
    assert all(f"'{line}'" in text for line in [*listed('core.txt'), *listed('run.txt')])


def test_package_xml_declares_what_is_imported(package):
    """Each import has its key, and each key an import or a launch file that starts it."""
    used = imported('robodyn_ros') - LOADER | imported('launch')
    keys = {KEYS.get(name, name) for name in used - WITHOUT_KEY} | LOADED
    inner = dependencies_of(*INNER)
    assert package['exec_depend'] - STARTED - inner == keys - INNER - inner
    assert keys - INNER <= package['exec_depend']
    launched = ''.join(path.read_text() for path in (ROOT / 'launch').glob('*.py'))
    assert all(f"package='{name}'" in launched for name in STARTED)


def dependencies_of(*names):
    """All dependencies in the package.xml of these folders."""
    elements = (e for name in names for e in ElementTree.parse(ROOT / name / 'package.xml').iter())
    return {element.text for element in elements if element.tag.endswith('depend')}


def test_package_xml_declares_what_an_inner_package_needs(package):
    """`rosdep` and `colcon` look at ours alone."""
    assert dependencies_of(*INNER) <= set().union(*package.values())


INNER_BUILDS = """
import json, os, runpy, subprocess, sys
from types import SimpleNamespace
import setuptools

setuptools.setup = lambda **_: None
tmp, root = sys.argv[1:]
options = SimpleNamespace(install_data=f'{tmp}/mine', build_base=f'{tmp}/build')
command, found = SimpleNamespace(get_finalized_command=lambda _: options), []
os.chdir(root)
for known in ([], ['empty', 'other'], ['empty'], ['mine', 'empty']):
    calls = []
    subprocess.run = lambda command, check: calls.append([str(word) for word in command])
    os.environ['AMENT_PREFIX_PATH'] = os.pathsep.join(f'{tmp}/{name}' for name in known)
    runpy.run_path('setup.py')['install_inner_packages'](command)
    found.append(calls)
print(json.dumps(found))
"""


def test_messages_are_built_with_the_package_if_not_installed(tmp_path):
    """As by colcon at the root of a workspace, which does not look into a package."""
    place = 'share/ament_index/resource_index/packages'
    for name in ('mine', 'other', 'empty'):
        (tmp_path / name / place).mkdir(parents=True)
    for name in ('mine', 'other'):
        for package in ('robodyn_msgs', 'robodyn_control'):
            (tmp_path / name / place / package).touch()
    # setuptools replaces distutils where it is imported, so a process of its own
    (nothing, elsewhere, *needed), _ = run_script(
        INNER_BUILDS, tmp_path, [str(tmp_path), str(ROOT)]
    )
    assert nothing == [] and elsewhere == []
    # what stands in the place that is written to is of an earlier build
    for calls in needed:
        made = [call for call in calls if 'robodyn_msgs' in ' '.join(call)]
        assert [call[1] for call in made] == ['-S', '--build', '--install']
        assert f'-DCMAKE_INSTALL_PREFIX={tmp_path / "mine"}' in made[0]


KERNEL_BUILDS = """
import json, os, runpy, subprocess, sys
from pathlib import Path
from types import SimpleNamespace
import setuptools
from setuptools.command.develop import develop
from setuptools.command.install_lib import install_lib

setuptools.setup = lambda **_: None
place, root = sys.argv[1:]
os.chdir(root)
os.environ['AMENT_PREFIX_PATH'] = ''
calls = []
develop.run = install_lib.run = lambda self: calls.append('installed')

def run(command, cwd, env, check):
    place = env['PYTHONPATH'].split(os.pathsep)[0]
    calls.append([*command[1:], str(cwd), place])
    return SimpleNamespace(returncode=0)

found, names = [], runpy.run_path('setup.py')
names['shutil'].copytree = lambda *_, **__: None
subprocess.run = run
options = SimpleNamespace(install_data=place, build_base=place)
for name, wheel in (
    ('InstallWithKernels', None), ('InstallWithKernels', 'a wheel'), ('DevelopWithKernels', None)
):
    command = object.__new__(names[name])
    command.install_dir, command.uninstall = place, False
    command.get_finalized_command = lambda _: options
    command.distribution = SimpleNamespace(get_command_obj=lambda *_, **__: wheel)
    calls.clear()
    command.run()
    found.append([*calls])
print(json.dumps(found))
"""


def test_both_ways_of_a_build_compile_the_kernels_after_the_installation(tmp_path):
    """Beside the installed package, or beside the sources that are linked; not for a wheel."""
    (install, wheel, develop), _ = run_script(KERNEL_BUILDS, tmp_path, [str(tmp_path), str(ROOT)])
    compiler = ['-m', 'robodyn_ros', 'warmup', '--build']
    assert install == ['installed', [*compiler, *2 * [str(tmp_path)]]]
    assert wheel == ['installed']
    assert develop == ['installed', [*compiler, *2 * [str(ROOT)]]]


def test_package_xml_declares_what_the_tests_import(package):
    """As far as ROS has packages of it: the rest is in the extra `test`."""
    used = {KEYS.get(name, name) for name in imported('test') if name in KEYS or is_ros(name)}
    missing = used - INNER - package['exec_depend'] - package['test_depend']
    assert missing <= {'python3-pytest'}, missing
    assert package['test_depend'] - used <= BY_NAME


def test_both_name_the_same_licence():
    text = (ROOT / 'setup.py').read_text()
    licence = ElementTree.parse(ROOT / 'package.xml').getroot().findtext('license')
    assert f"license='{licence}'" in text and licence == 'Apache-2.0'
