# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What is recorded for a robot is a property of the robot, not of the machine that records it."""

import pytest

from robodyn_ros.codegen.registry import RECIPES
from robodyn_ros.codegen.specialise import record
from tools import recordings

PAGE = recordings.read(recordings.PAGE)


@pytest.mark.sensitive
@pytest.mark.parametrize('name', recordings.ROBOTS)
def test_recorded_text_is_the_same_everywhere(name):
    """`python -m tools.recordings` prints the page anew, for a change that is meant."""
    assert recordings.digest(recordings.ROBOTS[name]()) == PAGE[name]


def test_every_checksum_is_of_a_robot():
    """No line is left over, also where the package of makers' robots is not installed."""
    assert PAGE.keys() == recordings.robots('anywhere').keys()


def test_a_last_bit_of_a_constant_does_not_change_what_is_recorded():
    """Constants a bit apart merge, so counts of operations do not hang on how they are summed."""
    model = recordings.ROBOTS['config/urdf/ur_like.urdf']()
    for column in (12, 13, 16):
        constants = model.constants.copy()
        constants[1:, column] *= 1.0 + 2.0**-52
        for name in ('mass_matrix', 'inverse_dynamics'):
            assert operations(model.with_constants(constants), name) == operations(model, name)


def operations(model, name):
    """Return how many operations one call takes."""
    return record(name, RECIPES[name], model).counts()
