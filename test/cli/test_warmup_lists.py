# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a build compiles, against what the nodes load at their first start."""

import pytest

from robodyn_ros.cli.warmup import for_any_robot
from robodyn_ros.control.laws.law_registry import BUILT_IN
from robodyn_ros.model.contacts import Contacts
from robodyn_ros.simulation.plant_settings import PlantSettings

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from robodyn_ros.ros.common.session_kernels import controller_kernels
from robodyn_ros.ros.simulator.simulated_plant import plant_kernels
from robodyn_ros.ros.transport import checked_messages

pytestmark = pytest.mark.ros


@pytest.fixture(scope='module')
def built():
    return {*for_any_robot(BUILT_IN.values())}


@pytest.mark.parametrize('law', BUILT_IN)
def test_the_build_compiles_every_kernel_of_the_controller(built, law):
    kernels = {*controller_kernels(BUILT_IN[law])}
    assert kernels and not kernels - built


@pytest.mark.parametrize('flexible', ['', 'links.yaml'])
@pytest.mark.parametrize('contacts', [None, Contacts], ids=['free', 'contacts'])
@pytest.mark.parametrize('integrator', [PlantSettings.integrator, 'semi_implicit_euler'])
def test_the_build_compiles_every_kernel_of_the_simulator(built, integrator, contacts, flexible):
    values = {'integrator': integrator, 'flexible_links_path': flexible}
    kernels = {*plant_kernels(values, contacts), *checked_messages.KERNELS}
    assert not kernels - built
