"""How much faster than real time the plant runs by itself, at 1 kHz."""
import time

import numpy as np

from benchmark import table
from robodyn_ros import Robot
from robodyn_ros.cli.demo import URDF, find
from robodyn_ros.simulation.plant import Plant
from robodyn_ros.simulation.settings import PlantSettings

STEP, STEPS = 1e-3, 20_000
GOAL = 100.0  # times real time
SCHEMES = (('semi_implicit_euler', 1), ('semi_implicit_euler', 4), ('rk4', 1))


def measure():
    """Simulated over elapsed time of each scheme, best of three runs."""
    robot = Robot.from_urdf(find(URDF))
    result = {'robot': robot.name, 'goal': GOAL, 'schemes': {}}
    for integrator, substeps in SCHEMES:
        plant = Plant(robot, PlantSettings(integrator=integrator, substeps=substeps))
        effort = robot.gravity_torque(plant.q)
        plant.step(effort, STEP)
        best = np.inf
        for _ in range(3):
            begin = time.perf_counter()
            for _ in range(STEPS):
                plant.step(effort, STEP)
            best = min(best, time.perf_counter() - begin)
        result['schemes'][f'{integrator}, {substeps} substeps'] = {
            'times_real_time': STEP * STEPS / best, 'step_us': 1e6 * best / STEPS}
    return result


def show(result):
    """Print the table."""
    table.show(f'Plant of {result["robot"]} at 1 kHz (goal: {result["goal"]:.0f} times real time)',
               ('scheme', 'times real time', 'one step [us]'),
               [(name, f'{row["times_real_time"]:.0f}', f'{row["step_us"]:.2f}')
                for name, row in result['schemes'].items()])
