# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Machine code stays in its arrays: memory around them, or freed, ends a process of its own."""

import copy
import signal
import subprocess
import sys

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.algorithms.core import rnea
from robodyn_ros.codegen.linker import LINKS
from robodyn_ros.codegen.specialise import specialise
from robodyn_ros.compile.robot_code_table import INDEPENDENT, RobotCodeTable
from robodyn_ros.model.layout import CODE
from support.c_libraries import compiler
from support.patience import PATIENCE
from support.processes import ROOT, environment_of_script
from support.robots.fingers import GRIPPER

#: A rollout calls the law's kernel with a topology whose address leads to the table of the robot.
ROLLOUT = """
import numpy as np
from robodyn_ros import Robot
from robodyn_ros.control import law_class
from robodyn_ros.simulation import Plant
from support.fence import Fence
from support.robots.fingers import GRIPPER

robot = Robot.from_urdf(GRIPPER)
plant, law = Plant(robot), law_class('computed_torque')(robot)
Fence().install()
zero = np.zeros(1)
found = plant.rollout(
    zero, zero, np.zeros((3, 1)), 1e-3, np.ones((2, 1)), np.ones((3, 3, 1)), law)
print(found.faults)
"""
#: A callback of a weak reference runs when a call replaces an earlier result that it kept.
CALLBACK = """
import weakref
import numpy as np
from robodyn_ros import Robot
from support.fence import Fence
from support.processes import ROOT

robot = Robot.from_urdf(ROOT / 'config/urdf/two_link.urdf')
Fence().install()
method, q = robot.derivatives.forward_dynamics, np.ones(2)
method(q, q, q)
cases, calls = robot._cases['forward_dynamics_derivatives'], []
first, *_ = method(q, q, q)
expected = first.copy()
reference = weakref.ref(first, lambda _: calls.append(cases.clear()))
del first, _
found = [method(q, q, q) for _ in range(8)]
print(len(calls), all((by_q == expected).all() for by_q, *_ in found))
"""

#: The kernels for any robot, which run over the independent joint alone.
RESTORED = """
import numpy as np
from robodyn_ros import Robot
from robodyn_ros.control import law_class
from robodyn_ros.simulation import Plant
from support.fence import Fence
from support.robots.fingers import GRIPPER

robot = Robot.from_urdf(GRIPPER)
plant, law, one = Plant(robot), law_class('computed_torque')(robot), np.ones(1)
Fence().install()
found = []
for _ in range(2):
    terms = np.zeros((6, 1))
    law.torques(one, one, np.ones((3, 1)), np.ones((2, 1)), terms)
    plant.reset()
    plant.step(one)
    found.append((terms.tolist(), plant.qd.tolist()))
    law.replace_kernels({})
    plant.replace_kernel(plant.kernel)
print(found[0] == found[1] != ([[0.0]] * 6, [0.0]))
"""


def run(*arguments):
    """Run a process of this Python with these arguments, or skip if nothing compiles the fence."""
    compiler('cc')
    return subprocess.run(
        [sys.executable, '-X', 'faulthandler', *arguments],
        timeout=PATIENCE,
        capture_output=True,
        text=True,
        env=environment_of_script(),
        check=False,
        cwd=ROOT,
    )


@pytest.mark.parametrize('where', ['end', 'begin'])
def test_a_step_over_the_fence_is_seen(where):
    """The next entry ends the process, the last one does not."""
    done = run('-m', 'support.fenced_calls', where, 'beyond')
    assert done.stdout.split() == ['within', 'beyond']
    assert done.returncode == -signal.SIGSEGV


@pytest.mark.slow
@pytest.mark.parametrize(
    'where, names', [('end', ('permuted', 'specialised', 'fingers')), ('begin', ('mixed_tree',))]
)
def test_machine_code_stays_in_its_arrays(where, names):
    """All generic kernels; methods of any and of one robot, also in batches; plants; rollouts."""
    done = run('-m', 'support.fenced_calls', where, *names)
    last = done.stdout.splitlines()[-1]
    assert done.returncode == 0, f'{last!r} leaves its arrays, or uses freed ones:\n{done.stderr}'
    assert last.endswith('rollouts of 17') and 'mass_matrix rows 9' in done.stdout


def test_a_rollout_keeps_the_tables_of_its_law():
    """A law of joints that follow others runs by a table that nothing else keeps."""
    done = run('-c', ROLLOUT)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["('',)"]


def test_the_kernels_for_any_robot_may_be_restored():
    """They run over the independent joints of this robot, as at first, in plant and law."""
    done = run('-c', RESTORED)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ['True']


def test_a_callback_may_replace_the_case_of_a_call():
    """The call ends with the arrays of its case, which no robot has any more."""
    done = run('-c', CALLBACK)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ['1', 'True']


def test_the_copy_of_a_table_leads_to_its_own_memory():
    """And so outlives the original; what it leads to is the same."""
    model = Robot.from_urdf(GRIPPER).model
    code = specialise(model, *LINKS[rnea.inverse_dynamics])
    one = RobotCodeTable(model.topology, {rnea.inverse_dynamics: code.one}, INDEPENDENT)
    other = copy.deepcopy(one)
    assert one.topology[0, CODE] != other.topology[0, CODE]
    for table in (one, other):
        memory = table.topology.base
        first = memory.ctypes.data
        assert first <= table.topology[0, CODE] < first + memory.nbytes
        without, coordinates, own = memory[2 * model.topology.size :][:3]
        assert (without, coordinates) == (first, INDEPENDENT)
        assert own == one.topology.base[2 * model.topology.size :][2] != 0
    assert np.array_equal(other.topology[1:], model.topology[1:])
