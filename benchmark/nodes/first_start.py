# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""First start of both nodes for a user without a cache, until the controller holds the arm.

Once with the kernels that the build has compiled, once without them, in turn. Also measured is the
first call of a Robot in a process that has loaded the package.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmark import table
from robodyn_ros.testing.domain import reserve_domain

URDF = Path(__file__).resolve().parents[2] / 'config' / 'urdf' / 'franka_like.urdf'
STARTS = {'built': 9, 'not built': 1}  # of each variant
NODES = {
    'simulator': ('-p', f'urdf_path:={URDF}'),
    'controller': ('-p', f'urdf_path:={URDF}', '-p', "robot_compensates_gravity:='no'"),
}
DEADLINE = 300.0  # [s]
CALL = """
import json, sys, time
import numpy as np
from robodyn_ros import Robot
robot = Robot.from_urdf(sys.argv[1])
begin = time.perf_counter()
robot.inverse_dynamics(*np.ones((3, robot.nv)))
print(json.dumps(time.perf_counter() - begin))
"""


def measure():
    """Return {variant: {hold_s, call_s}}, each with median and maximum of `of` starts."""
    domain, lock = reserve_domain()
    times = {way: ([], []) for way in STARTS}
    for number in range(max(STARTS.values())):
        for way, count in STARTS.items():
            if number < count:
                with tempfile.TemporaryDirectory() as home:
                    environment = _environment(way, home, domain)
                    times[way][0].append(_until_hold(environment, home))
                with tempfile.TemporaryDirectory() as home:
                    call = [sys.executable, '-c', CALL, URDF]
                    output = subprocess.check_output(call, env=_environment(way, home, domain))
                    times[way][1].append(json.loads(output))
    lock.close()
    return {
        way: {
            name: {'median': statistics.median(values), 'longest': max(values), 'of': len(values)}
            for name, values in zip(('hold_s', 'call_s'), pair)
        }
        for way, pair in times.items()
    }


def show(result):
    """Print both variants as a table."""
    table.show(
        'First start of both nodes until HOLD, and first call of a Robot [s]',
        ('kernels', 'starts', 'HOLD', 'longest', 'first call', 'longest'),
        [
            (
                way,
                str(hold['of']),
                f'{hold["median"]:.2f}',
                f'{hold["longest"]:.2f}',
                f'{call["median"]:.3f}',
                f'{call["longest"]:.3f}',
            )
            for way in STARTS
            for hold, call in [(result[way]['hold_s'], result[way]['call_s'])]
        ],
    )


def _environment(way, home, domain):
    """Return the environment of a user who has never used the package."""
    ours = {'HOME': home, 'ROS_DOMAIN_ID': str(domain), 'PYTHONUNBUFFERED': '1'}
    if way == 'not built':
        ours['ROBODYN_BUILT_KERNELS'] = ''
    of_us = ('ROBODYN_', 'XDG_', 'ROS_LOG_DIR')
    return {k: v for k, v in os.environ.items() if not k.startswith(of_us)} | ours


def _until_hold(environment, home):
    """Start both nodes at once; return the time until the controller reports HOLD [s]."""
    log = Path(home) / 'controller.txt'
    begin, processes = time.monotonic(), []
    try:
        for name, parameters in NODES.items():
            with open(Path(home) / f'{name}.txt', 'w') as output:
                command = [sys.executable, '-m', f'robodyn_ros.nodes.{name}', '--ros-args']
                processes.append(
                    subprocess.Popen(
                        [*command, *parameters],
                        env=environment,
                        stdout=output,
                        stderr=subprocess.STDOUT,
                    )
                )
        while 'HOLD: ' not in log.read_text():
            if time.monotonic() - begin > DEADLINE or any(each.poll() for each in processes):
                raise RuntimeError(f'the controller does not hold:\n{log.read_text()}')
            time.sleep(0.01)
        return time.monotonic() - begin
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait()
