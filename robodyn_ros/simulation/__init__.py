# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The simulated robot: plant, drives, stops, sensors and faults; seeded, without ROS.

command -> drives (limits, brake, time-out)
        -> step (forward dynamics, friction, integrator, stops) -> sensor -> state

joint_table.py   columns of the joint table and rows of the work array
plant_settings.py  behaviour of a plant, validated
friction.py      dry friction: its level, and which joints slide or stick stops.py         position
stops as bounds on the velocity impulses.py      friction and inelastic stops of all joints, solved
together integrators.py   semi-implicit Euler, explicit midpoint rule and classical Runge-Kutta
energy_balance.py  projection of a step on the energy balance events.py        Runge-Kutta from one
change of friction to the next
step.py          one compiled step: drives, substeps, containment of blow-ups
drives.py        drive mode of each joint plant.py         the plant with its clock, commands and
external wrenches sensor.py        noise and quantisation faults.py        faults that can be
injected perturbation.py  a robot that differs from its controller's model runner.py a plant with a
fixed step, a sensor and a clock

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
