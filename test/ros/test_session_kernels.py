# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The kernels of the nodes: no start compiles what the build of the package could have."""

import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')

from robodyn_ros import Robot
from robodyn_ros.cli.warmup import for_any_robot
from robodyn_ros.control.laws.law_registry import BUILT_IN, law_class
from robodyn_ros.ros.common.session_kernels import controller_kernels
from robodyn_ros.ros.transport import checked_messages
from robodyn_ros.simulation.contact import plant_kernels
from robodyn_ros.simulation.plant_settings import PlantSettings
from support.processes import ROOT

HAND = ROOT / 'config' / 'mechanisms' / 'gripper.urdf'


def test_the_build_compiles_what_both_nodes_load():
    built = set(for_any_robot(tuple(BUILT_IN.values())))
    needed = {*checked_messages.KERNELS, *plant_kernels.kernels_of(PlantSettings().method)}
    for law in BUILT_IN.values():
        needed |= set(controller_kernels(law))
    assert sorted(kernel.name for kernel in needed - built) == []


@pytest.mark.parametrize('law', ['gravity_compensation', 'pd_gravity', 'computed_torque'])
def test_the_build_compiles_what_both_nodes_load_for_grippers(law):
    """Some fingers follow others."""
    robot, built = Robot.from_urdf(HAND), set(for_any_robot(tuple(BUILT_IN.values())))
    assert robot.model.is_embedded
    needed = {*plant_kernels.kernels_of(PlantSettings().method), *law_class(law).kernels}
    inside = [robot.linked(kernel) for kernel in needed]
    inside = [kernel for twin in inside if twin not in needed for kernel in twin.in_place.values()]
    assert len(set(inside)) > 5
    assert sorted(kernel.name for kernel in needed.union(inside) - built) == []
