# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A file beside the robot that a node may not read: a line in the log, and it runs on."""

import builtins
import errno

import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from robodyn_ros.ros.common.lifecycle_node import UNCONFIGURED
from support.nodes.node_harness import COLD, SIMULATED, TWO_LINK, wait_until

pytestmark = pytest.mark.ros

USES = {'controller': SIMULATED, 'simulator': {'urdf_path': str(TWO_LINK)}}
SHARED = ('rotors_path', 'joint_friction_path', 'closures_path')
FILES = {
    'controller': SHARED,
    'simulator': (*SHARED, 'contacts_path', 'elastic_joints_path', 'flexible_links_path'),
}


@pytest.mark.parametrize(
    ('name', 'parameter'), [(name, parameter) for name in FILES for parameter in FILES[name]]
)
def test_a_file_that_may_not_be_read_is_named_and_the_node_runs_on(
    monkeypatch, graph, host, tmp_path, name, parameter
):
    """It waits unconfigured, and starts once the file is not asked for any more."""
    path = tmp_path / 'locked.yaml'
    path.write_text('{}')
    usual = open

    def refusing(file, *arguments, **options):  # the mode of a file stops no superuser
        if str(file) == str(path):
            raise PermissionError(errno.EACCES, 'Permission denied')
        return usual(file, *arguments, **options)

    monkeypatch.setattr(builtins, 'open', refusing)
    node = host(name, **USES[name], **{parameter: str(path)})
    node.wait_for_output('Permission denied', COLD)
    (line,) = (each for each in node.output.split('\n') if 'Permission denied' in each)
    assert 'Cannot configure' in line and str(path)[:50] in line and 'defect' not in line
    assert node.running and node.node.phase == UNCONFIGURED
    assert graph.set_parameters(f'/robodyn_{name}', **{parameter: ''}).successful
    node.node.start_again()
    wait_until(lambda: node.node.phase != UNCONFIGURED, 'its configuration', COLD)
