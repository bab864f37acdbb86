# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The plug-ins for ros2_control take the parameters of the node."""

import pytest

from robodyn_ros.ros.controller.controller_parameters import CONTROLLER_PARAMETERS
from robodyn_ros.ros.controller.law_parameters import ACCELERATION_GAINS
from support.processes import ROOT

yaml = pytest.importorskip('yaml')  # comes with ROS

#: Of the plug-ins alone.
OWN = {'joints', 'dynamics_library', 'dynamics_prefix', 'gains', 'compensate'}


def test_names_and_defaults_are_those_of_the_node():
    """Every parameter but those that name the printed dynamics; gains and terms too."""
    path = ROOT / 'robodyn_control' / 'plugins' / 'controller_parameters.yaml'
    plugin = yaml.safe_load(path.read_text())['controller_parameters']
    node = {spec.name: spec.default for spec in CONTROLLER_PARAMETERS}
    for name, told in plugin.items():
        if name not in OWN:
            default = node[name]
            default = list(default) if isinstance(default, (tuple, list)) else default
            assert told['default_value'] == default, name
    for term, told in plugin['compensate'].items():
        assert told['default_value'] == node[f'compensate.{term}']
    gains = plugin['gains']['__map_joints']
    assert {kind: told['default_value'] for kind, told in gains.items()} == ACCELERATION_GAINS
