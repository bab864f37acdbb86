# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The step of the plant compiled for one robot, and its comparison with the generic step."""

import numpy as np

from robodyn_ros.codegen import linker
from robodyn_ros.codegen.verification import ROUNDING, TOLERANCE
from robodyn_ros.compile import warm_up
from robodyn_ros.errors import KernelError
from robodyn_ros.robot.robot import Robot
from robodyn_ros.simulation.contact.contact_step import step_of as contact_step_of
from robodyn_ros.simulation.contact.plant_kernels import has_contact_step
from robodyn_ros.simulation.integrators.names import ENERGY_RK4, ENERGY_ROSENBROCK, METHODS
from robodyn_ros.simulation.plant import Plant
from robodyn_ros.simulation.plant_settings import PlantSettings
from robodyn_ros.simulation.step import step_of

STATES = 5
STEP = 1e-4  # [s] short, so that rounding is not amplified
BALANCED = ENERGY_RK4, ENERGY_ROSENBROCK  # integrators that correct the energy
ENERGY_ROUNDING = 1e-14  # [-] rounding of the energies that BALANCED integrators subtract


def specialised_step(
    model, integrator=PlantSettings.integrator, progress=None, contacts=None, led_joints=False
):
    """Compile and verify the step for one robot, for `Plant.replace_kernel`.

    It is verified for all integrators that share the kernel.

    `integrator`: integrator, as in `PlantSettings`.
    `progress` (callable): as in `robodyn_ros.compile.warm_up`.
    `contacts` (Contacts): contacts of the plant.
    Returns the specialised kernel.
    Raises KernelError: if a state differs from that of the generic step.
    """
    touches = has_contact_step(model, contacts, led_joints)
    steps = contact_step_of if touches else step_of
    general = steps(METHODS[integrator])
    linked_step = linker.linked(general, model)
    warm_up([linked_step], progress)
    names = [name for name, method in METHODS.items() if steps(method) is general]
    _examine(Robot(model), linked_step, names, contacts, led_joints)
    return linked_step


def _examine(robot, linked_step, integrators, contacts, led_joints):
    """Raise KernelError if a step with the specialised kernel differs from the generic one."""
    rng = np.random.default_rng(0)
    for integrator in integrators:
        settings = PlantSettings(integrator=integrator)
        for _ in range(STATES):
            q = robot.configuration.random(rng, reach=2.0)
            qd, effort = rng.uniform(-1.0, 1.0, (2, robot.nv))
            effort[[robot.joint_names.index(each.joint) for each in robot.model.springs]] = np.nan
            expected, got = (Plant(robot, settings, q, qd, contacts, led_joints) for _ in range(2))
            got.replace_kernel(linked_step)
            for plant in (expected, got):
                plant.step(effort, STEP)
            slack = TOLERANCE + ROUNDING * np.linalg.cond(robot.mass_matrix(q))
            change = np.abs(expected.qd - qd).max()
            allowed = slack * max(change, STEP)
            if settings.method in BALANCED:
                kinetic, potential = robot.energy(q, qd)
                share = (kinetic + abs(potential)) / kinetic
                allowed += ENERGY_ROUNDING * share * np.abs(qd).max()
            error = np.abs(got.qd - expected.qd).max()
            if got.fault != expected.fault or not error <= allowed:
                raise KernelError(
                    f'robot {robot.name!r}: the specialised step of the plant differs from the '
                    f'generic one by {error:.2g} of {change:.2g} at q = {q.tolist()}, qd = '
                    f'{qd.tolist()}; use the generic one, and report this'
                )
