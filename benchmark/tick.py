"""The control cycle without ROS: the kernel of computed torque, and the supervisor's tick."""
import time

import numpy as np

from benchmark import table
from robodyn_ros import Robot
from robodyn_ros.cli.demo import GAINS, URDF, find
from robodyn_ros.control.computed_torque import ComputedTorque
from robodyn_ros.control.law import TERMS
from robodyn_ros.control.settings import Settings
from robodyn_ros.control.supervisor import Supervisor

CYCLES = 20_000
KERNEL_GOAL, TICK_GOAL = 30.0, 100.0  # [us] p99 of the kernel, p50 of the whole tick


def _percentiles(call):
    """p50, p99 and largest time [us] of call(k), one at a time, as a loop would make it."""
    times = np.empty(CYCLES)
    for k in range(CYCLES):
        begin = time.perf_counter_ns()
        call(k)
        times[k] = time.perf_counter_ns() - begin
    return {name: float(value) * 1e-3 for name, value in
            zip(('p50', 'p99', 'max'), np.percentile(times, (50, 99, 100)))}


def measure():
    """Times of one cycle over varied states."""
    robot = Robot.from_urdf(find(URDF))
    n, rng = robot.nv, np.random.default_rng(0)
    law = ComputedTorque(robot)
    middle = 0.5 * (robot.limits.lower + robot.limits.upper)
    states = np.clip(middle + 0.2 * rng.normal(size=(CYCLES, n)),
                     robot.limits.lower + 0.05, robot.limits.upper - 0.05)
    rates = 0.1 * rng.normal(size=(CYCLES, n))
    reference, terms = rng.normal(size=(3, n)), np.zeros((6, n))
    gains = np.array([[GAINS['p']] * n, [GAINS['d']] * n])
    kernel = _percentiles(
        lambda k: law.torques(states[k], rates[k], reference, gains, terms))
    supervisor = Supervisor(robot, law, Settings(
        period=1e-3, gains=gains, enabled=[True] * len(TERMS), effort_limits=robot.limits.effort,
        effort_rate=np.full(n, 1000.0), velocity_limits=robot.limits.velocity,
        lower=robot.limits.lower, upper=robot.limits.upper, stop_damping=np.zeros(n),
        robot_compensates_gravity=False))
    supervisor.measure(middle, np.zeros(n), 0.0)
    supervisor.tick(0.0)
    refusal = supervisor.activate(0.0)
    if refusal:
        raise RuntimeError(refusal)

    def cycle(k):
        now = 1e-3 * (k + 1)
        supervisor.measure(middle, rates[k], now)
        supervisor.tick(now)
    return {'robot': robot.name, 'kernel_us': kernel, 'cycle_us': _percentiles(cycle),
            'goals_us': {'kernel_p99': KERNEL_GOAL}}


def show(result):
    """Print the table."""
    table.show(f'Control cycle of {result["robot"]}, {CYCLES} cycles, from Python [us]',
               ('', 'p50', 'p99', 'max'),
               [(name, *(f'{value:.1f}' for value in result[key].values())) for name, key in
                (('computed-torque kernel (goal: p99 <= 30)', 'kernel_us'),
                 ('measure + guarded tick', 'cycle_us'))])
