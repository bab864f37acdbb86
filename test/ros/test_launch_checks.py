# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A launch starts nothing in vain, and fails where one of its nodes does."""

from types import SimpleNamespace

import pytest

pytest.importorskip('ament_index_python', reason='ament_index_python is not installed')

from robodyn_ros.ros.launching.launch_files import fail_with_node, require_packages


def test_missing_packages_are_named_with_what_needs_them_and_how_to_get_them(monkeypatch):
    monkeypatch.setenv('ROS_DISTRO', 'jazzy')
    require_packages({'robodyn_ros': 'everything'})
    with pytest.raises(RuntimeError) as refusal:
        require_packages({'robodyn_ros': 'all', 'no_such_viewer': 'rviz:=true'})
    assert str(refusal.value) == (
        'Nothing was started: rviz:=true needs no_such_viewer, which is not installed '
        '(sudo apt install ros-jazzy-no-such-viewer).'
    )


@pytest.mark.parametrize('code, ending', [(0, False), (0, True), (1, True), (-9, True)])
def test_a_clean_end_and_a_requested_end_are_no_failures(code, ending):
    event = SimpleNamespace(returncode=code, process_name='controller-1')
    assert fail_with_node(event, SimpleNamespace(is_shutdown=ending)) is None


@pytest.mark.parametrize('code', [1, 2, -9])
def test_a_node_that_fails_ends_the_launch_with_an_error(code):
    event = SimpleNamespace(returncode=code, process_name='controller-1')
    with pytest.raises(RuntimeError, match=f'controller-1 has ended with code {code}'):
        fail_with_node(event, SimpleNamespace(is_shutdown=False))
