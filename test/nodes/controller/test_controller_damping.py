# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The law of decoupled damping in the controller: a pushed arm stays where it went."""

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from support.nodes.node_harness import JOINTS, TWO_LINK

pytestmark = pytest.mark.ros
pytest_plugins = ['robodyn_ros.testing.fixtures']


def test_a_pushed_arm_comes_to_rest_where_it_is(controlled_robot):
    rates = {f'gains__{joint}__d': 6.0 for joint in JOINTS}
    arm = controlled_robot(
        TWO_LINK,
        {'law': 'diagonal_damping', **rates},
        update_rate=200,
        initial_position=[-0.9, 0.6],
    )
    arm.advance(0.1)
    assert arm.status.startswith('ACTIVE')
    start = arm.position
    arm.push('tool0', force=(15.0, 0.0, 15.0), duration=0.2)
    arm.advance(0.2)
    assert np.abs(arm.velocity).max() > 0.1
    arm.advance(2.0)
    came = arm.position
    assert np.abs(arm.velocity).max() < 1e-3
    assert np.abs(came - start).max() > 0.02
    arm.advance(0.5)
    assert np.abs(arm.position - came).max() < 1e-3
    assert arm.status.startswith('ACTIVE')
