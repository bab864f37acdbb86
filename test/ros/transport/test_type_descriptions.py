# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""~/get_type_description answers what is no hash, and the middleware logs nothing about it."""

import pytest

rclpy = pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('rclpy.type_description_service', reason='this rclpy has no such service')

from robodyn_ros.ros.transport.type_descriptions import guard_type_descriptions  # noqa: E402


@pytest.fixture(scope='module')
def answer():
    """Return what answers the requests of a guarded node."""
    context = rclpy.Context()
    rclpy.init(context=context)
    node = rclpy.create_node('described', context=context)
    guard_type_descriptions(node)
    [service] = [each for each in node.services if 'get_type_description' in each.srv_name]
    yield lambda **fields: service.callback(
        service.srv_type.Request(**fields), service.srv_type.Response()
    )
    node.destroy_node()
    rclpy.shutdown(context=context)


@pytest.mark.parametrize('text', ['', 'joint1', 'RIHS01_', 'RIHS01_' + 'g' * 64, 'x' * 10_000])
def test_row_75_what_is_no_hash_is_refused_without_a_word_of_the_middleware(answer, text, capfd):
    response = answer(type_name='std_msgs/msg/Bool', type_hash=text)
    assert not response.successful and 'expected RIHS01_' in response.failure_reason
    assert len(response.failure_reason) < 200
    assert capfd.readouterr().err == ''


def test_a_hash_is_judged_by_the_middleware(answer):
    response = answer(type_name='std_msgs/msg/Bool', type_hash='RIHS01_' + '0' * 64)
    assert not response.successful and 'expected RIHS01_' not in response.failure_reason
