# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A robot survives pickles, copies and other processes, and shares nothing that is written."""

import copy
import multiprocessing
import pickle
from operator import methodcaller

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.errors import ModelError
from support.patience import PATIENCE
from support.processes import ROOT

COPIES = {
    'pickle': lambda robot: pickle.loads(pickle.dumps(robot)),
    'copy': copy.copy,
    'deep copy': copy.deepcopy,
}


@pytest.fixture(scope='module', params=['generic', 'specialised'])
def robot(request):
    made = Robot.from_urdf(ROOT / 'config/urdf/two_link.urdf').with_payload(
        'tool0', 0.3, (0.0, 0.1, 0.0), 0.01 * np.eye(3)
    )
    return (
        made
        if request.param == 'generic'
        else made.specialised(['tool0'], also=['centre_of_mass'])
    )


def states(robot, *batch):
    return np.random.default_rng(3).uniform(-1.0, 1.0, (3, *batch, robot.nv))


def results(robot, *batch):
    """Bytes of what one state, or a batch, gives."""
    q, qd, qdd = states(robot, *batch)
    return b''.join(
        array.tobytes()
        for array in (
            robot.inverse_dynamics(q, qd, qdd),
            robot.forward_dynamics(q, qd, qdd),
            robot.jacobian(q, 'tool0'),
            robot.operational_space_inertia(q, 'tool0').singular_values,
        )
    )


@pytest.mark.parametrize('how', COPIES)
def test_a_copy_gives_the_same_bits(robot, how):
    other = COPIES[how](robot)
    assert type(other) is type(robot)
    assert results(other) == results(robot)
    assert results(other, 9) == results(robot, 9)
    assert other.report == robot.report
    if type(robot) is not Robot:
        assert other.kernels.keys() == robot.kernels.keys()


@pytest.mark.parametrize('how', COPIES)
def test_a_copy_has_working_memory_of_its_own(robot, how):
    """So that each of them serves a thread."""
    other = COPIES[how](robot)
    assert not np.shares_memory(other._work, robot._work)


@pytest.mark.parametrize('how', COPIES)
def test_the_model_of_a_copy_is_frozen(robot, how):
    other = COPIES[how](robot)
    frame = other.model.frames['tool0']
    for array in (
        other.model.constants,
        other.model.topology,
        other.model.gravity,
        other.limits.lower,
        other.limits.upper,
        other.limits.velocity,
        other.limits.effort,
        frame.rotation,
        frame.translation,
    ):
        assert not array.flags.writeable
    with pytest.raises(TypeError, match='item assignment'):
        other.model.frames['tool0'] = frame


@pytest.mark.parametrize('start', ['fork', 'spawn'])
def test_other_processes_compute_the_same(robot, start):
    """A robot is sent to them, and a batch before the fork has not taken the cores from them.

    To rounding: what was just compiled and what the cache gives may differ in the last bit.
    """
    calls = [methodcaller('inverse_dynamics', *states(robot, *batch)) for batch in ((), (5000,))]
    here = [call(robot) for call in calls]
    with multiprocessing.get_context(start).Pool(1) as pool:
        there = [pool.apply_async(call, (robot,)).get(timeout=PATIENCE) for call in calls]
    for given, expected in zip(there, here):
        np.testing.assert_allclose(given, expected, rtol=0.0, atol=1e-14 * abs(expected).max())


def test_a_robot_describes_itself(robot):
    assert repr(robot) == f"<{type(robot).__name__} 'two_link', nv = 2: joint1, joint2>"


def test_a_robot_of_many_joints_prints_some_and_its_quaternions():
    many = Robot.from_urdf(ROOT / 'config/urdf/franka_like.urdf', free_base=True)
    assert repr(many) == (
        "<Robot 'franka_like', nq = 14, nv = 13: free_base.x, free_base.y, "
        'free_base.z, free_base.wx, ..., joint7>'
    )


@pytest.mark.parametrize('wrong', ['arm.urdf', None, 3])
def test_a_robot_is_made_of_a_model(wrong):
    with pytest.raises(ModelError, match='Robot.from_urdf'):
        Robot(wrong)
