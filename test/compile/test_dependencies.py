# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Machine code is never older than any source in it, also of other packages."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from robodyn_ros.compile import generic
from robodyn_ros.compile.dependencies import fingerprint
from robodyn_ros.control.laws.law_registry import BUILT_IN

pytestmark = pytest.mark.slow

PLUGIN = {
    'law.py': """
import helpers_elsewhere
import plugin.hub
from plugin.gains import scaled
from plugin.numbers import OFFSET
from robodyn_ros.algorithms.core.gravity import gravity_torque
from robodyn_ros.compile import kernel
from robodyn_ros.spatial.types import Constant, Matrix, Table, Topology, Vector, Work


@kernel
def law(tau: Vector):
    tau[0] = scaled(1.0) + OFFSET + helpers_elsewhere.more(1.0) + plugin.hub.inner.none(1.0)


@kernel
def law_of_a_robot(topology: Topology, constants: Table, gravity: Constant, work: Work,
                   q: Vector, tau: Vector):
    gravity_torque(topology, constants, gravity, work, q, tau)
    for i in range(q.shape[0]):
        tau[i] = scaled(1.0) + OFFSET + helpers_elsewhere.more(1.0)
        tau[i] += plugin.hub.inner.none(1.0)
""",
    'gains.py': """
from robodyn_ros.spatial.primitive import primitive
from plugin.deeper import FACTOR


@primitive
def scaled(x):
    return 2.0 * FACTOR * x
""",
    'deeper.py': 'FACTOR = 1.0\n',
    'numbers.py': 'OFFSET = 0.0\n',
    'hub.py': 'import far.away as inner\n',
    '__init__.py': '',
}
ELSEWHERE = """
from robodyn_ros.spatial.primitive import primitive


@primitive
def more(x):
    return 0.0 * x
"""
SCRIPT = """
import json
import sys
import numpy as np
from plugin.law import law, law_of_a_robot
found, tau = [], np.empty(1)
law(tau)
found.append(tau[0])
if sys.argv[1] == 'linked':
    from robodyn_ros.codegen.linker import linked
    from support.robots.textbook import Segment, serial
    robot = serial((Segment('revolute', (0, -1, 0), (0, 0, 0), 2.0, (0.5, 0, 0), 0.1),))
    kernel = linked(law_of_a_robot, robot.model)
    assert kernel is not law_of_a_robot
    kernel(*robot._weighted, np.zeros(1), tau)
    found.append(tau[0])
print(json.dumps(found))
"""
EDITS = {
    'a helper of the package': ('plugin/gains.py', '2.0 *', '-200.0 *', -200.0),
    'a constant of a helper': ('plugin/deeper.py', '1.0', '3.0', 6.0),
    'a constant': ('plugin/numbers.py', '0.0', '5.0', 7.0),
    'a helper from elsewhere': ('helpers_elsewhere.py', '0.0 *', '9.0 *', 11.0),
    'a helper through two modules': ('far/away.py', '0.0 *', '4.0 *', 6.0),
    'the law': ('plugin/law.py', 'scaled(1.0)', 'scaled(2.0)', 4.0),
}


@pytest.fixture(scope='module')
def seed(tmp_path_factory, warm_python):
    """Return a folder with the plug-in, and a cache that a process has filled for it."""
    folder = tmp_path_factory.mktemp('seed')
    (folder / 'plugin').mkdir()
    for name, text in PLUGIN.items():
        (folder / 'plugin' / name).write_text(text)
    (folder / 'helpers_elsewhere.py').write_text(ELSEWHERE)
    (folder / 'far').mkdir()
    (folder / 'far' / 'away.py').write_text(ELSEWHERE.replace('more', 'none'))
    assert torques(warm_python, folder, 'linked') == [2.0, 2.0]
    return folder


def torques(python, folder, what='plain'):
    """What another process computes with the plug-in in a folder, and the cache there."""
    found, _ = python.run_script(SCRIPT, folder, [what], ROBODYN_CACHE_DIR=folder / 'cache')
    return found


@pytest.mark.parametrize('edit', EDITS)
def test_an_edited_source_is_compiled_anew(seed, warm_python, tmp_path, edit):
    """In the next process, although the file of the kernel is as old as its code."""
    folder = shutil.copytree(seed, tmp_path / 'work')
    name, old, new, expected = EDITS[edit]
    file = folder / name
    file.write_text(file.read_text().replace(old, new))
    assert torques(warm_python, folder) == [expected]


@pytest.mark.parametrize('edit', ['a helper of the package', 'a helper from elsewhere'])
def test_an_edited_source_is_linked_anew(seed, warm_python, tmp_path, edit):
    """The text for one robot names the helpers, and has nothing else of them."""
    folder = shutil.copytree(seed, tmp_path / 'work')
    name, old, new, expected = EDITS[edit]
    file = folder / name
    file.write_text(file.read_text().replace(old, new))
    assert torques(warm_python, folder, 'linked') == [expected, expected]


def test_kernels_of_this_package_have_no_fingerprint():
    """Its sources are part of every key as a whole."""
    kernels = [generic.gravity_torque, *(k for law in BUILT_IN.values() for k in law.kernels)]
    assert [fingerprint(kernel.python) for kernel in kernels] == [''] * len(kernels)


def test_constants_of_any_kind_count():
    """Arrays, tuples and what is in a closure are copied into the code as numbers are."""
    values = [1, 1.0, True, 2, (1, 2), (1, 3), np.zeros(2), np.ones(2), np.zeros(2, int)]
    values += [np.float64(1), float('nan'), 'text']
    seen = {fingerprint(_closing_over(value)) for value in values}
    assert len(seen) == len(values) and '' not in seen


def test_a_function_that_calls_itself_is_followed_once():
    def one():
        return other()

    def other():
        return one()

    assert len(fingerprint(one)) == 64


def _closing_over(value):
    def inner():
        return value

    return inner


def test_the_file_itself_is_no_matter_of_its_place(tmp_path, warm_python):
    """The same package in another folder has the same code."""
    script = (
        'import json, plugin.law, sys\n'
        'from robodyn_ros.compile.dependencies import fingerprint\n'
        'print(json.dumps(fingerprint(plugin.law.law.python)))\n'
    )
    found = set()
    for name in 'ab':
        folder = Path(tmp_path, name)
        (folder / 'plugin').mkdir(parents=True)
        for file, text in PLUGIN.items():
            (folder / 'plugin' / file).write_text(text)
        (folder / 'helpers_elsewhere.py').write_text(ELSEWHERE)
        (folder / 'far').mkdir()
        (folder / 'far' / 'away.py').write_text(ELSEWHERE.replace('more', 'none'))
        found.add(warm_python.run_script(script, folder)[0])
    assert len(found) == 1
