# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The same text without the compiler, where every index is checked: same numbers."""

import numpy as np
import pytest

from robodyn_ros.compile import generic
from support.calls import arguments
from support.robots.families import FAMILIES

SCRIPT = """
import json
import sys
import numpy as np
from support.robots.families import FAMILIES, states
from support.robots.real_robots import robot as real
from robodyn_ros.compile import generic, known_answers

known_answers()
found = {}
for name in sys.argv[1:]:
    case = FAMILIES.get(name) or real(name)
    robot, numbers = case.robot, []
    for q, qd, third in states(robot, 2):
        tau = robot.inverse_dynamics(q, qd, third, {case.tip: np.arange(1.0, 7.0)})
        task = robot.operational_space_inertia(q, case.tip, damping=0.1)
        C, M = robot.coriolis_matrix(q, qd), robot.mass_matrix(q)
        for quantity in (tau, robot.forward_dynamics(q, qd, tau), M, C, task.inertia,
                         robot.gravity_torque(q.tolist()), robot.bias_torque(q, qd),
                         task.singular_values, robot.mass_matrix_inverse(q),
                         robot.mass_operator.solve(q, qd), task.jacobian,
                         robot.energy(q, qd), robot.pose(q, case.tip), task.consistent_inverse,
                         robot.velocity(q, qd, case.tip), robot.jacobian_bias(q, qd, case.tip),
                         robot.links.regressor(q, qd, third)):
            numbers.append(np.ravel(quantity).tolist())
    found[name] = numbers
kind = type(generic.pose.compiled).__name__
print(json.dumps([kind, found]))
"""
ROBOTS = ('permuted', 'massless_links', 'two_link', 'franka_like')


def compare(got, expected):
    """Assert equal numbers but for the order of roundings, quantity by quantity."""
    assert got.keys() == expected.keys()
    for name in got:
        assert len(got[name]) == len(expected[name]) == 34
        for a, b in zip(got[name], expected[name]):
            scale = max(map(abs, b))
            # relative to the largest entry: the conditions of these mass matrices are below 1e3
            assert a == pytest.approx(b, rel=0.0, abs=1e-12 * max(scale, 1.0))


@pytest.fixture
def compiled(python):
    """Return the numbers of the compiled kernels."""
    (kind, found), _ = python(SCRIPT, arguments=ROBOTS)
    assert kind == 'CPUDispatcher'
    return found


def test_without_the_compiler_numbers_are_the_same_and_no_index_leaves_its_array(python, compiled):
    """NUMBA_DISABLE_JIT=1: plain Python passes the known answers and gives the same numbers.

    NumPy checks every index there, as NUMBA_BOUNDSCHECK=1 does in machine code.
    """
    (kind, found), _ = python(SCRIPT, arguments=ROBOTS, NUMBA_DISABLE_JIT='1')
    assert kind == 'function'
    compare(found, compiled)


def test_an_index_beyond_its_array_raises_without_the_compiler():
    """A state that is too short is an IndexError; so the test above can fail."""
    called = arguments(FAMILIES['skew_chain'].robot, generic.gravity_torque, q=np.ones(3))
    with pytest.raises(IndexError, match='out of bounds'):
        generic.gravity_torque.python(*called.values())


def test_wrong_shapes_are_refused_without_the_compiler(python):
    """Numbers in one column, or in a table of one row too many axes, are no state. The sentence is
    that of compiled code, and so is a batch of states.
    """
    script = """
import json
import numpy as np
from support.robots.families import FAMILIES
from robodyn_ros.errors import ShapeError
robot = FAMILIES['skew_chain'].robot
q, said = np.linspace(0.1, 0.7, robot.nv), []
for wrong in (q.reshape(-1, 1), q.reshape(1, 1, -1), np.array(0.3), q[:-1]):
    for call in (robot.gravity_torque, lambda x: robot.bias_torque(q, x),
                 lambda x: robot.inverse_dynamics(x, x, x)):
        try:
            said.append(call(wrong).tolist())
        except ShapeError as error:
            said.append(str(error))
print(json.dumps([said, robot.gravity_torque(q.reshape(1, -1)).tolist(),
                  robot.gravity_torque(q).tolist()]))
"""
    (said, together, alone), _ = python(script, NUMBA_DISABLE_JIT='1')
    (told, _, _), _ = python(script)
    assert said == told and all('expected (7,) or (k, 7)' in sentence for sentence in said)
    assert together == [alone]
