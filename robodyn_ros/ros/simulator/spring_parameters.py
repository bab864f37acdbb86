# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parameters of elastic joints and flexible links of the simulator."""

from robodyn_ros.ros.common.parameter_table import ParamSpec
from robodyn_ros.simulation.elastic.elastic_plant import LINK, SIDES

SPRING_PARAMETERS = (
    ParamSpec(
        'elastic_joints',
        'string[]',
        (),
        '',
        'Joints with a spring between motor and link, each as `joint=stiffness damping '
        'motor_inertia`: N m/rad, N m s/rad and kg m^2, seen at the link. The last two may be '
        'left out. In place of those of the file.',
    ),
    ParamSpec(
        'elastic_joints_path',
        'string',
        '',
        '',
        'YAML file of elastic joints, by its path or as `package://<name>/<path>` (see '
        'doc/robots/joints.md). Empty: none.',
    ),
    ParamSpec(
        'encoders',
        'string',
        LINK,
        '',
        'Side of elastic joints whose position and velocity are measured.',
        choices=SIDES,
    ),
    ParamSpec(
        'publish_other_side',
        'bool',
        False,
        '',
        'Whether joint states also have the other side of elastic joints, without noise: '
        '`<joint>_motor`, or `<joint>_link` with the joint torque as its effort.',
    ),
    ParamSpec(
        'flexible_links_path',
        'string',
        '',
        '',
        'YAML file of links that bend by modes, by its path or as `package://<name>/<path>` (see '
        'doc/robots/flexible_links.md). Empty: none.',
    ),
    ParamSpec(
        'publish_modes',
        'bool',
        False,
        '',
        'Whether joint states also have the modes of flexible links, without noise: '
        '`<link>_mode_<k>` with its amplitude, rate, and spring force.',
    ),
)
