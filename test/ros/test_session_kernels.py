# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The kernels of the nodes: no start compiles what the build of the package could have."""

import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')

from robodyn_ros.cli.warmup import for_any_robot
from robodyn_ros.control.laws.law_registry import BUILT_IN
from robodyn_ros.ros.common.session_kernels import serving
from robodyn_ros.ros.transport import readable
from robodyn_ros.simulation import plant
from robodyn_ros.simulation.plant_settings import PlantSettings


def test_the_build_compiles_what_both_nodes_load():
    built = set(for_any_robot(tuple(BUILT_IN.values())))
    needed = {*readable.KERNELS, *plant.kernels_of(PlantSettings().method)}
    for law in BUILT_IN.values():
        needed |= set(serving(law))
    assert sorted(kernel.name for kernel in needed - built) == []
