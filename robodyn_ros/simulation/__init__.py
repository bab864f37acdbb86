# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The simulated robot: plant, drives, stops, sensors and faults; seeded, without ROS.

command -> drives (limits, brake, time-out)
        -> step (forward dynamics, friction, integrator, stops) -> sensor -> state

joint_table.py     columns of the joint table and rows of the work array
plant_settings.py  behaviour of a plant, validated
dry_friction.py    joints that slide or stick, and the level of dry friction
stops.py           position stops as bounds on the velocity
impulses.py        friction and inelastic stops of all joints, solved together
integrators/       schemes that advance the state by one substep
servo.py           drives that follow a position or a velocity, by feedback or kinematically
step.py            one compiled step: drives, substeps, containment of blow-ups
command_modes.py   the quantities of commands: effort, position, velocity
drives.py          the command that a joint follows, and its mode
plant.py           the plant with its clock, commands and external wrenches
sensors/           encoders, and sensors on links, with errors
faults.py          defects for tests of controllers
perturbation.py    a robot that differs from its controller's model
runner.py          a plant in steps of one length, with its sensor and a clock

plant = Plant(robot, PlantSettings(integrator='rk4'))
plant.step(robot.gravity_torque(plant.q))
"""

from robodyn_ros.simulation.command_modes import Command
from robodyn_ros.simulation.faults import Faults
from robodyn_ros.simulation.perturbation import Perturbation, perturbed
from robodyn_ros.simulation.plant import Plant
from robodyn_ros.simulation.plant_settings import PlantSettings
from robodyn_ros.simulation.runner import Runner
from robodyn_ros.simulation.sensors.encoders import Sensor, SensorSettings

__all__ = [
    'Command',
    'Faults',
    'Perturbation',
    'Plant',
    'PlantSettings',
    'Runner',
    'Sensor',
    'SensorSettings',
    'perturbed',
]
