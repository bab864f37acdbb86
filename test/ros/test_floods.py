# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Floods cost little: they are refused by their size, and logged once a second."""

import numpy as np
import pytest

rclpy = pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from builtin_interfaces.msg import Duration  # noqa: E402
from rclpy.serialization import serialize_message  # noqa: E402
from std_msgs.msg import String  # noqa: E402
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint  # noqa: E402

from robodyn_ros.errors import ShapeError, shorten  # noqa: E402
from robodyn_ros.model.xml_text import MOST_BYTES  # noqa: E402
from robodyn_ros.nodes.controller import Controller  # noqa: E402
from robodyn_ros.nodes.simulator import Simulator  # noqa: E402
from robodyn_ros.ros.controller import reference_messages  # noqa: E402
from robodyn_ros.ros.controller.reference_messages import TrajectoryReader  # noqa: E402
from robodyn_ros.ros.simulator import simulator_session as session  # noqa: E402


def octets(message):
    """Return a message as it comes over the wire."""
    return np.frombuffer(serialize_message(message), np.uint8)


def test_a_target_of_many_points_is_refused_before_it_is_converted(monkeypatch):
    """The count alone decides: no point is read."""
    points = [JointTrajectoryPoint(positions=[0.0], time_from_start=Duration())] * 1000
    data = octets(JointTrajectory(joint_names=['a'], points=points))
    assert len(TrajectoryReader(['a']).read_bytes(data, 0).times) == 1000
    monkeypatch.setattr(reference_messages, 'read_points', None)
    with pytest.raises(ShapeError, match='1000 points; expected one, the target'):
        TrajectoryReader(['a']).read_bytes(data, 0, most=1)


@pytest.mark.parametrize(
    'rate, substeps, most',
    [(1000, 1, 60_000), (5000, 1, 300_000), (5000, 1000, 300), (10, 1, 600), (5000, 10**6, 1)],
)
def test_steps_at_once_are_bounded_with_their_parts(rate, substeps, most):
    """Simulated time, and how often the dynamics are computed."""
    assert session.most_steps(rate, substeps) == most
    assert most <= session.LONGEST_STEP * rate
    assert most * substeps <= max(session.MOST_SUBSTEPS, substeps)


def test_what_is_cut_is_not_written_out():
    """The names of a message may be a million."""

    class Untold:
        def __repr__(self):
            raise AssertionError('written out')

    assert shorten(['joint'] * 20 + [Untold()] * 10**6, length=15) == "['joint', 'join..."


@pytest.fixture(params=[Controller, Simulator])
def node(request):
    """Return a node that no executor runs."""
    context = rclpy.Context()
    rclpy.init(context=context)
    made = request.param(context=context)
    yield made
    made.destroy_node()
    rclpy.shutdown(context=context)


def test_descriptions_of_a_running_node_are_reported_once_a_second(node, capfd):
    node.phase = 'active'
    for k in range(100):
        node.source._receive(octets(String(data=f'<robot name="{k}"/>')))
    node.phase = 'unconfigured'
    assert capfd.readouterr().err.count('Another robot description has come') == 1


def test_refusals_of_descriptions_are_reported_ten_times_then_once_a_second(node, capfd):
    for k in range(100):
        node.source._receive(octets(String(data=f'<link name="{k}"/>' + 'a' * k)))
        node.complain(f'Cannot configure: {k}')
    assert node.complaint == 'Cannot configure: 99'
    assert capfd.readouterr().err.count('Cannot configure') in (10, 11)


def test_a_description_that_is_too_large_is_not_kept(node, capfd):
    node.source._subscription._judge(np.full(2 * MOST_BYTES, ord('<'), np.uint8))
    assert not node.source.available
    assert f'it has {2 * MOST_BYTES} bytes' in capfd.readouterr().err
