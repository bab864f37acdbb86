# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Imported for its effect: the kernels of both nodes are in memory, and so in every fork."""

from robodyn_ros.compile import warm_up
from robodyn_ros.control.laws.law_registry import law_class
from robodyn_ros.ros.common.session_kernels import controller_kernels
from robodyn_ros.simulation.contact.plant_kernels import kernels_of
from robodyn_ros.simulation.plant_settings import PlantSettings

warm_up((*controller_kernels(law_class('computed_torque')), *kernels_of(PlantSettings().method)))
