# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The simulated robot: plant, drives, stops, sensors and faults; seeded, without ROS.

command -> drives (limits, brake, time-out)
        -> step (forward dynamics, friction, integrator, stops) -> sensor -> state

layout.py        columns of the joint table and rows of the work array
settings.py      what a plant is told, validated
stops.py         position stops: inelastic, unilateral, never a source of energy
integrators.py   semi-implicit Euler and classical Runge-Kutta
step.py          one compiled step: drives, substeps, containment of blow-ups
drives.py        whose command a joint follows
plant.py         the plant with its clock, commands and external wrenches
sensor.py        noise and quantisation
faults.py        what can be broken on purpose
perturb.py       a robot that differs from the one its controller believes in
runner.py        a plant in steps of one length, with its sensor and a clock

plant = Plant(robot, PlantSettings(integrator='rk4'))
plant.step(robot.gravity_torque(plant.q))
"""

from robodyn_ros.simulation.faults import Faults
from robodyn_ros.simulation.perturbation import Perturbation, perturbed
from robodyn_ros.simulation.plant import Plant
from robodyn_ros.simulation.plant_settings import PlantSettings
from robodyn_ros.simulation.runner import Runner
from robodyn_ros.simulation.sensor import Sensor, SensorSettings

__all__ = [
    'Faults',
    'Perturbation',
    'Plant',
    'PlantSettings',
    'Runner',
    'Sensor',
    'SensorSettings',
    'perturbed',
]
