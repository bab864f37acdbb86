# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Long straight-line code is compiled in the order of its statements, all other code is not."""

import numpy as np
import pytest

from robodyn_ros import Robot, example
from robodyn_ros.codegen import machine_scheduler
from robodyn_ros.codegen.derivative_registry import DERIVATIVES
from robodyn_ros.codegen.machine_scheduler import LONG, statements_in_order
from robodyn_ros.codegen.specialise import specialise

NAME = 'inverse_dynamics_derivatives'


@pytest.fixture
def switched(monkeypatch):
    """The states to which LLVM's scheduler was switched."""
    states, switch = [], machine_scheduler._switch

    def record(state):
        states.append(state)
        switch(state)

    monkeypatch.setattr(machine_scheduler, '_switch', record)
    return states


@pytest.mark.skipif(
    machine_scheduler.llvmlite.binding.llvm_version_info[0] not in machine_scheduler.KNOWN,
    reason='this LLVM sets the option of its scheduler only once',
)
def test_the_scheduler_is_off_for_long_code_alone_and_on_afterwards(switched):
    with statements_in_order(LONG):
        assert switched == []
    with statements_in_order(LONG + 1):
        assert switched == ['off']
    assert switched == ['off', 'on']
    with pytest.raises(ValueError, match='it does not compile'), statements_in_order(LONG + 1):
        raise ValueError('it does not compile')
    assert switched == 2 * ['off', 'on']


def test_other_versions_of_llvm_keep_their_scheduler(switched, monkeypatch):
    """There a second setting of the option would print an error."""
    monkeypatch.setattr(machine_scheduler, 'KNOWN', ())
    with statements_in_order(LONG + 1):
        pass
    assert switched == []


def test_the_order_of_machine_code_changes_no_bit(monkeypatch):
    """Only the order of instructions differs, not what they compute."""
    model = Robot.from_urdf(example('franka_like')).model
    q, qd, qdd = np.random.default_rng(4).uniform(-1.0, 1.0, (3, model.nv))
    found = {}
    for longest in (0, 10**9):
        monkeypatch.setattr(machine_scheduler, 'LONG', longest)
        one = specialise(model, NAME, DERIVATIVES[NAME]).one
        vars(one)['_code'] = None  # neither from the cache nor into it
        found[longest] = np.empty((3, model.nv, model.nv))
        assert one(q, qd, qdd, *found[longest]) == 0
    np.testing.assert_array_equal(found[0], found[10**9])
