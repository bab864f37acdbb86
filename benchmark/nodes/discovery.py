# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Discovery of a participant whose endpoints come and go, with our profile and without.

All participants are in one process, like the nodes of a test. One that is not found within the
deadline is not found later either.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from benchmark import table
from robodyn_ros.middleware.fast_dds import PROFILES
from robodyn_ros.testing.domain import move_to_own_domain

ROUNDS, PARTICIPANTS = 4, 10  # rounds of each variant in turn, participants of a round
DEADLINE = 10.0  # [s], three periods of announcements
SETTLED = 0.3  # [s] in which endpoints come and go
WAYS = 'without', 'with'
EMPTY = '<dds xmlns="http://www.eprosima.com/XMLSchemas/fastRTPS_Profiles"></dds>\n'


def measure():
    """Return {variant: {found, of, median_s, longest_s}}."""
    times = {way: [] for way in WAYS}
    with tempfile.NamedTemporaryFile('w', suffix='.xml') as empty:
        empty.write(EMPTY)
        empty.flush()
        profiles = {'without': {PROFILES: empty.name}, 'with': {}}
        for _ in range(ROUNDS):
            for way in WAYS:
                output = subprocess.check_output(
                    [sys.executable, '-m', 'benchmark.nodes.discovery'],
                    env={**os.environ, **profiles[way]},
                )
                times[way] += json.loads(output)
    return {
        way: {
            'found': sum(each is not None for each in values),
            'of': len(values),
            'median_s': statistics.median(each or DEADLINE for each in values),
            'longest_s': max(each or DEADLINE for each in values),
        }
        for way, values in times.items()
    }


def show(result):
    """Print both variants as a table."""
    table.show(
        'New participants that find the endpoints of another in their process',
        ('profile', 'found', 'median [s]', 'longest [s]'),
        [
            (
                way,
                f'{result[way]["found"]} of {result[way]["of"]}',
                f'{result[way]["median_s"]:.2f}',
                f'{result[way]["longest_s"]:.2f}',
            )
            for way in WAYS
        ],
    )


def _discover():
    """Return the time [s] that each new participant takes, or None."""
    move_to_own_domain()
    import rclpy
    from std_msgs.msg import Float64

    from robodyn_ros.testing.context import end_context, new_context

    old = rclpy.create_node('old', context=new_context())
    times = []
    for number in range(PARTICIPANTS):
        # a gap in the sequence of announcements of the old participant
        kept = [old.create_publisher(Float64, f'/kept_{number}_{k}', 1) for k in range(3)]
        old.destroy_publisher(kept.pop(1))
        settled = threading.Event()
        visitor = threading.Thread(target=_come_and_go, args=(old, Float64, settled))
        visitor.start()
        begin = time.monotonic()
        context = new_context()
        new = rclpy.create_node('new', context=context)
        found = None
        while time.monotonic() - begin < DEADLINE:
            if time.monotonic() - begin > SETTLED:
                settled.set()
            if found is None and all(new.count_publishers(each.topic_name) for each in kept):
                found = time.monotonic() - begin
            if found is not None and settled.is_set():
                break
            time.sleep(0.002)
        visitor.join()
        times.append(found)
        new.destroy_node()
        end_context(context)
        for each in kept:
            old.destroy_publisher(each)
    return times


def _come_and_go(node, kind, settled):
    number = 0
    while not settled.is_set():
        publisher = node.create_publisher(kind, f'/visit_{number}', 1)
        number += 1
        time.sleep(0.001)
        node.destroy_publisher(publisher)


if __name__ == '__main__':
    print(json.dumps(_discover()), flush=True)
    os._exit(0)  # the threads of the middleware need no shutdown
