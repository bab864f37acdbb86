# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The kernels of a plant, with contacts and without."""

from robodyn_ros.simulation import drives, step
from robodyn_ros.simulation.contact import contact_step
from robodyn_ros.simulation.contact.led_joints import table_of
from robodyn_ros.simulation.integrators.names import ENERGY_ROSENBROCK, SEMI_IMPLICIT_EULER


def kernels_of(method, has_contacts=False):
    """Return the kernels of a Plant.

    `method`: number of the integrator; see `PlantSettings.method`.
    `has_contacts`: whether the bodies may touch obstacles.
    Returns the step, the kernel that accepts commands, and those that the step calls.
    """
    of_contacts = contact_step.CALLED if has_contacts else ()
    steps = contact_step if has_contacts else step
    called = *step.called_of(method), *of_contacts
    return steps.step_of(method), drives.accept_command, *called


def has_contact_step(model, contacts, led_joints, damped=()):
    """Return whether a Plant takes the steps of contact; arguments as of a Plant.

    `contacts` (Contacts or None): shapes and obstacles.
    `led_joints`: whether dependent joints have their friction and stops.
    `damped` (sequence of str): joints that get damping.
    """
    return contacts is not None or (led_joints and table_of(model, damped=damped)[0].size > 0)


#: Kernels of plants with the two most used integrators.
KERNELS = tuple(
    dict.fromkeys(
        kernel
        for method in (SEMI_IMPLICIT_EULER, ENERGY_ROSENBROCK)
        for kernel in kernels_of(method, has_contacts=True) + kernels_of(method)
    )
)
