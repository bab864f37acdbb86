# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Requests are bounded by their bytes, and their entries, before they cost the loop a cycle."""

import time

import pytest

rclpy = pytest.importorskip('rclpy', reason='rclpy is not installed')

from rcl_interfaces.srv import (
    GetParameters,
    ListParameters,
    SetParameters,  # noqa: E402
    SetParametersAtomically,
)
from rclpy.executors import SingleThreadedExecutor  # noqa: E402
from rclpy.parameter import Parameter  # noqa: E402

from robodyn_ros.ros.common.parameter_services import (  # noqa: E402
    MOST_OCTETS,
    MOST_PARAMETERS,
    BoundedParameterService,
)
from robodyn_ros.ros.transport import bounded_service  # noqa: E402
from support.patience import PATIENCE  # noqa: E402


class Bench:
    """A node with bounded parameters, and a client of its services."""

    def __init__(self):
        self.context = rclpy.Context()
        rclpy.init(context=self.context)
        self.node = rclpy.create_node(
            'bench', context=self.context, start_parameter_services=False
        )
        self.node.declare_parameter('gain', 1.0)
        self.node.declare_parameter('text', '')
        BoundedParameterService(self.node)
        self.asker = rclpy.create_node('asker', context=self.context)
        self.executor = SingleThreadedExecutor(context=self.context)
        for node in (self.node, self.asker):
            self.executor.add_node(node)

    def call(self, kind, name, **fields):
        client = self.asker.create_client(kind, f'bench/{name}')
        deadline = time.monotonic() + PATIENCE
        while not client.service_is_ready() and time.monotonic() < deadline:
            self.executor.spin_once(timeout_sec=0.05)
        future = client.call_async(kind.Request(**fields))
        while not future.done() and time.monotonic() < deadline:
            self.executor.spin_once(timeout_sec=0.05)
        return future.result()

    def close(self):
        self.executor.shutdown()
        for node in (self.node, self.asker):
            node.destroy_node()
        rclpy.shutdown(context=self.context)


@pytest.fixture(params=['its own functions', 'rclpy'])
def bench(request, monkeypatch):
    """A bench whose services take by themselves, and one whose services rclpy takes for."""
    if request.param == 'rclpy':
        monkeypatch.setattr(bounded_service, 'service_functions', lambda: None)
    made = Bench()
    yield made
    made.close()


def settings(count, **values):
    return [
        Parameter(name, value=value).to_parameter_msg()
        for name, value in (values or {'gain': 2.0}).items()
    ] * count


def test_parameters_are_served_as_rclpy_does(bench):
    results = bench.call(
        SetParameters, 'set_parameters', parameters=settings(1, gain=3.0, text='ü')
    ).results
    assert [result.successful for result in results] == [True, True]
    values = bench.call(GetParameters, 'get_parameters', names=['gain', 'text']).values
    assert (values[0].double_value, values[1].string_value) == (3.0, 'ü')
    assert 'gain' in bench.call(ListParameters, 'list_parameters').result.names
    wrong = bench.call(
        SetParametersAtomically, 'set_parameters_atomically', parameters=settings(1, gain='wrong')
    )
    assert not wrong.result.successful and wrong.result.reason


SETTING = pytest.mark.parametrize(
    ('kind', 'name'),
    [(SetParameters, 'set_parameters'), (SetParametersAtomically, 'set_parameters_atomically')],
)


@SETTING
def test_row_26_a_value_of_no_type_is_refused_with_a_sentence(bench, kind, name):
    """rclpy raises, so the client would wait for ever."""
    wrong = settings(2)
    wrong[1].value.type = 108
    response = bench.call(kind, name, parameters=wrong)
    result = response.result if hasattr(response, 'result') else response.results[0]
    assert not result.successful and "'gain' has the type 108" in result.reason
    assert bench.node.get_parameter('gain').value == 1.0


@SETTING
@pytest.mark.parametrize('count', [MOST_PARAMETERS + 1, 20_000])
def test_row_57_too_many_parameters_are_refused_and_none_is_set(bench, kind, name, count):
    response = bench.call(kind, name, parameters=settings(count))
    result = response.result if hasattr(response, 'result') else response.results[0]
    assert not result.successful and 'at most' in result.reason
    assert bench.node.get_parameter('gain').value == 1.0


def test_row_58_a_huge_request_is_refused_before_python_decodes_it(monkeypatch):
    bench, decoded = Bench(), []
    true = bounded_service.deserialize_message
    monkeypatch.setattr(
        bounded_service,
        'deserialize_message',
        lambda data, kind: decoded.append(len(data)) or true(data, kind),
    )
    try:
        for size, accepted in ((100, True), (MOST_OCTETS, False), (5_000_000, False)):
            result = bench.call(
                SetParameters, 'set_parameters', parameters=settings(1, text='x' * size)
            ).results[0]
            assert result.successful == accepted
            assert accepted or f'at most {MOST_OCTETS}' in result.reason
        assert len(bench.node.get_parameter('text').value) == 100
        assert len(decoded) == 1 and max(decoded) <= MOST_OCTETS
    finally:
        bench.close()


def test_row_57_requests_beyond_a_bounded_queue_get_busy():
    """All waiting requests are taken together: the first get results, the others BUSY at once."""
    from std_srvs.srv import Trigger

    bench, answered = Bench(), []

    def answer(_, response):
        answered.append(1)
        response.success = True
        return response

    def refuse(response, sentence):
        response.message = sentence

    bounded_service.BoundedService(bench.node, Trigger, 'bench/slow', answer, refuse, waiting=2)
    assert bench.call(Trigger, 'slow').success
    client = bench.asker.create_client(Trigger, '/bench/slow')
    while not client.service_is_ready():
        bench.executor.spin_once(timeout_sec=0.05)
    bench.executor.remove_node(bench.node)
    futures = [client.call_async(Trigger.Request()) for _ in range(6)]
    deadline, taken = time.monotonic() + PATIENCE, []
    while len(taken) < 6 and time.monotonic() < deadline:
        taken += next(
            w for w in bench.node.waitables if getattr(w, '_waiting', 0) == 2
        ).take_data()
    busy = next(w for w in bench.node.waitables if getattr(w, '_waiting', 0) == 2)
    with pytest.raises(StopIteration):
        busy.execute(taken).send(None)
    while not all(future.done() for future in futures) and time.monotonic() < deadline:
        bench.executor.spin_once(timeout_sec=0.05)
    results = [future.result() for future in futures]
    assert sorted(result.success for result in results) == [False] * 4 + [True] * 2
    assert sum(result.message.startswith('BUSY') for result in results) == 4
    assert len(answered) == 3
    bench.close()
