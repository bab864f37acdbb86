# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Who publishes simulated time when several would."""

import random
from threading import Lock

import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')

from robodyn_ros.ros.simulator.clock_source import ClockSource  # noqa: E402


class Graph:
    """The publishers that nodes see in the graph, as of its last update."""

    def __init__(self):
        self.publishers, self.told = [], 0

    def create_publisher(self, *_):
        self.publishers.append(object())
        return self.publishers[-1]

    def destroy_publisher(self, publisher):
        self.publishers.remove(publisher)

    def count_publishers(self, _):
        return self.told

    def update(self):
        self.told = len(self.publishers)


def test_a_source_leaves_the_clock_to_another_node_as_long_as_that_is_there():
    graph = Graph()
    foreign = graph.create_publisher()
    graph.update()
    source = ClockSource(graph, Lock())
    assert 'time has one source' in source.start_or_yield() and not source.active
    graph.destroy_publisher(foreign)
    graph.update()
    assert source.start_or_yield() == '' and source.active
    graph.update()
    assert source.start_or_yield() == '' and source.active


@pytest.mark.parametrize('seed', range(10))
def test_sources_that_see_each_other_at_once_agree(seed):
    """All begin at once, before the graph shows the publishers of the others."""
    graph, draws = Graph(), random.Random(seed)
    sources = [ClockSource(graph, Lock(), draws.randrange) for _ in range(3)]
    for _ in range(100):
        for source in sources:
            source.start_or_yield()
        graph.update()
    assert sum(source.active for source in sources) == 1
    keeper = next(source for source in sources if source.active)
    for _ in range(10):
        for source in sources:
            assert bool(source.start_or_yield()) == (source is not keeper)
        graph.update()
