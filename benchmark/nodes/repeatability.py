# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A hundred runs of a ten-line test with a node of its own: one hash, and how long they take.

The node sends a seven-joint arm to the next of three postures when it sees it reach the last one.
 Meanwhile 30 % of the states are lost for a while, and a push comes from outside. The hash
is that of every hundredth state of 3 s at 1 kHz.
"""

import contextlib
import hashlib
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from benchmark import table
from robodyn_ros.testing.domain import move_to_own_domain

ARM = Path(__file__).resolve().parents[2] / 'config' / 'urdf' / 'franka_like.urdf'
POSTURES = (
    (0.3, -0.2, 0.2, -1.5, 0.1, 1.2, 0.2),
    (-0.1, 0.1, 0.0, -1.2, 0.0, 1.0, 0.0),
    (0.1, 0.2, 0.1, -1.3, 0.3, 0.8, 0.4),
)
REACHED = 0.02  # [rad] from a posture at which the next one is sent
RUNS, SIDE_BY_SIDE = 100, 4  # runs of each kind; processes at a time, as many as of pytest-xdist
WAYS = 'alone', 'beside busy processors', 'four at a time'


def measure():
    """Return {way: {runs, hashes, median_s, longest_s, processor_s}}, and wrong counts."""
    results = {'wrong_counts': []}
    for way in WAYS:
        count = SIDE_BY_SIDE if way == WAYS[2] else 1
        with _busy_processors() if way == WAYS[1] else contextlib.nullcontext():
            command = [sys.executable, '-m', __name__, str(RUNS // count)]
            pipes = {'stdout': subprocess.PIPE, 'stderr': subprocess.DEVNULL}  # without the log
            runs = [subprocess.Popen(command, **pipes) for _ in range(count)]
            found = [run for each in runs for run in json.loads(each.communicate()[0])]
        hashes, times, processor = zip(*found)
        results[way] = {
            'runs': len(found),
            'hashes': len(set(hashes)),
            'median_s': statistics.median(times),
            'longest_s': max(times),
            'processor_s': statistics.median(processor),
        }
        if len(set(hashes)) != 1:
            sentence = f'{way}: {len(set(hashes))} hashes in {len(found)} runs; expected 1'
            results['wrong_counts'].append(sentence)
    return results


def show(result):
    """Print one row for each way."""
    table.show(
        'A test of ten lines with a node of its own',
        ('', 'runs', 'hashes', 'median [s]', 'longest [s]', 'processor time [s]'),
        [
            (
                way,
                result[way]['runs'],
                result[way]['hashes'],
                *(f'{result[way][key]:.2f}' for key in ('median_s', 'longest_s', 'processor_s')),
            )
            for way in WAYS
        ],
    )


@contextlib.contextmanager
def _busy_processors():
    loops = [
        subprocess.Popen([sys.executable, '-c', 'while True: pass'])
        for _ in range(os.cpu_count() or 1)
    ]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def _runs(count):
    """Return hash, wall time [s] and processor time [s] of each run."""
    move_to_own_domain()
    import rclpy
    from rclpy.node import Node
    from sensor_msgs.msg import JointState
    from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

    from robodyn_ros.testing.robots import ControlledRobot

    class Commander(Node):
        def __init__(self):
            super().__init__('commander')
            self.sent = 0
            self.create_subscription(JointState, 'joint_states', self.look, 10)
            self.trajectories = self.create_publisher(
                JointTrajectory, 'robodyn_controller/joint_trajectory', 10
            )

        def look(self, state):
            near = self.sent and np.allclose(
                state.position, POSTURES[self.sent - 1], rtol=0.0, atol=REACHED
            )
            if self.sent == 0 or (near and self.sent < len(POSTURES)):
                point = JointTrajectoryPoint(positions=POSTURES[self.sent], velocities=[0.0] * 7)
                point.time_from_start.sec = 1
                names = list(state.name)
                self.trajectories.publish(JointTrajectory(joint_names=names, points=[point]))
                self.sent += 1

    def run():
        digest = hashlib.sha256()
        arm = ControlledRobot(ARM)
        rclpy.init()
        commander = arm.spin(Commander())
        arm.lose_states(0.3, 0.4, 0.6)
        arm.at(1.5, lambda: arm.push(arm.joint_names[-1], (0.0, 5.0, 0.0), duration=0.1))
        for _ in range(30):
            digest.update(np.concatenate(arm.advance(0.1)[1:]).tobytes())
        assert commander.sent == len(POSTURES), commander.sent
        arm.close()
        rclpy.shutdown()
        return digest.hexdigest()

    found = []
    for _ in range(count):
        wall, processor = time.perf_counter(), time.process_time()
        digest = run()
        found.append((digest, time.perf_counter() - wall, time.process_time() - processor))
    return found


if __name__ == '__main__':
    print(json.dumps(_runs(int(sys.argv[1]))), flush=True)
    os._exit(0)  # the threads of the middleware need no shutdown
