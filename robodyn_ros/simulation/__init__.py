# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The simulated robot: plant, drives, stops, sensors and faults; seeded, without ROS.

command -> drives (limits, brake, time-out)
        -> step (forward dynamics, friction, integrator, stops) -> sensor -> state

plant = Plant(robot, PlantSettings(integrator='rk4'))
plant.step(robot.gravity_torque(plant.q))

May import: robot, codegen, compile, algorithms, model, spatial.
"""

from robodyn_ros.simulation.command_modes import Command
from robodyn_ros.simulation.faults import Faults
from robodyn_ros.simulation.loops.grasping_plant import GraspingPlant
from robodyn_ros.simulation.loops.loop_plant import LoopPlant
from robodyn_ros.simulation.perturbation import Perturbation, perturbed
from robodyn_ros.simulation.plant import Plant
from robodyn_ros.simulation.plant_settings import PlantSettings
from robodyn_ros.simulation.runner import Runner
from robodyn_ros.simulation.sensors.encoders import Sensor, SensorSettings

__all__ = [
    'Command',
    'Faults',
    'GraspingPlant',
    'LoopPlant',
    'Perturbation',
    'Plant',
    'PlantSettings',
    'Runner',
    'Sensor',
    'SensorSettings',
    'perturbed',
]
