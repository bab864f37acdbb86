# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Computed torque under valid references and 1 % of garbage."""

import time

from rclpy.serialization import serialize_message
from trajectory_msgs.msg import JointTrajectory

from tools.fuzz import mutated
from tools.soak.growth import Growth
from tools.soak.log_lines import LogLines
from tools.soak.watcher import NAME

MOST_GROWTH = 1.0  # [MB] in an hour


def traffic(arm, count):
    """Run computed torque for `count` seconds under valid references and 1 % of garbage."""
    topic = f'{NAME}/joint_trajectory'
    settled, sent, end = None, 0, time.monotonic() + count
    lines = LogLines(arm.nodes)
    begin = time.monotonic()
    while time.monotonic() < end:
        message = arm.trajectory(arm.rng.randrange(1, 30))
        if arm.rng.random() < 0.01:
            message = mutated(arm.rng, serialize_message(message))
        arm.watcher.send(JointTrajectory, topic, message)
        sent += 1
        time.sleep(0.05)
        if settled is None and time.monotonic() - begin > min(30.0, 0.25 * count):
            settled = Growth(arm.nodes)
    grown = settled.judge(arm.expect, MOST_GROWTH)
    figures = arm.watcher.figures
    return (
        f'{sent} references in {count:.0f} s; memory {grown}; {lines.judge(arm.expect)}; '
        f'{arm.watcher.efforts} efforts, {arm.watcher.beyond} beyond a limit, '
        f'{arm.watcher.leaps} beyond the rate; cycles '
        f'{figures.get("cycles", "?")}, missed {figures.get("missed", "?")}'
    )
