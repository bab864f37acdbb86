# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A robot put on a free base from its arrays: the one that its description makes."""

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.errors import ModelError
from robodyn_ros.model.extended.free_base import with_free_base
from robodyn_ros.model.layout import MASS
from support.robots.families import GRAVITY, describe
from support.robots.geared_arm import ARM, ROTORS

TREE = describe('free_tree', 7, kinds=('revolute', 'prismatic'), branching=3, trunk=True)


@pytest.mark.parametrize(
    ('description', 'options'), [(TREE, {}), (ARM, {'rotors': ROTORS})], ids=('tree', 'rotors')
)
def test_it_is_the_robot_built_with_a_free_base(description, options):
    """Tables bit for bit, names, frames and limits; also with bodies that follow others."""
    fixed = Robot.from_description(description, gravity=GRAVITY, **options)
    expected = Robot.from_description(description, gravity=GRAVITY, free_base=True, **options)
    found = with_free_base(fixed.model)
    assert np.array_equal(found.constants, expected.model.constants)
    assert np.array_equal(found.topology, expected.model.topology)
    for name in ('joint_names', 'position_names', 'all_joint_names', 'all_position_names'):
        assert getattr(found, name) == getattr(expected.model, name)
    assert found.body_names == expected.model.body_names
    assert {name: frame.body for name, frame in found.frames.items()} == {
        name: frame.body for name, frame in expected.model.frames.items()
    }
    assert np.array_equal(found.limits.upper, expected.limits.upper)


def test_a_load_on_the_base_is_felt_by_a_free_base():
    fixed = Robot.from_description(TREE)
    loaded = fixed.with_payload(fixed.model.body_names[0], 2.0, (0.1, 0.0, 0.3), 0.1 * np.eye(3))
    assert np.array_equal(loaded.model.constants, fixed.model.constants)
    expected = Robot.from_description(TREE, free_base=True).with_payload(
        fixed.model.body_names[0], 2.0, (0.1, 0.0, 0.3), 0.1 * np.eye(3)
    )
    found = loaded.extended.with_free_base().model.constants
    assert np.array_equal(found, expected.model.constants)
    assert found[6, MASS] > with_free_base(fixed.model).constants[6, MASS] > 0.0


def test_a_base_that_is_free_already_is_refused():
    free = Robot.from_description(TREE, free_base=True)
    with pytest.raises(ModelError, match="has a link or joint 'free_base' already; expected none"):
        with_free_base(free.model)
