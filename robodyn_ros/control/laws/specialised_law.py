# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The kernels of a control law for one robot, verified against the generic ones before use."""

import numpy as np

from robodyn_ros.codegen import linker
from robodyn_ros.codegen.verification import TOLERANCE
from robodyn_ros.compile import warm_up
from robodyn_ros.control.laws.braking import Braking
from robodyn_ros.control.laws.law import TERMS
from robodyn_ros.errors import KernelError
from robodyn_ros.robot.robot import Robot

STATES = 5


def specialised_kernels(model, law, progress=None):
    """Return the kernels of a law for one robot, for its Supervisor; compiled and verified.

    `law` (type): the ControlLaw class.
    `progress` (callable): as in robodyn_ros.compile.warm_up.
    Raises KernelError: if a torque term differs from that of the generic kernels.
    """
    laws = (law, Braking)  # the second one gives the safe torque
    found = {}
    for each in laws:
        found |= linker.linked_kernels(each.kernels, each.model_of_kernels(model))
    warm_up(found.values(), progress)
    for each in laws:
        _examine(each, Robot(model), found)
    return found


def _examine(law, robot, found):
    """Raise KernelError if a law with these kernels differs from the generic one."""
    rng, options = np.random.default_rng(0), law.trial_options(robot)
    either = law(robot, **options), law(robot, **options)
    either[1].replace_kernels(found)
    for k in range(STATES):
        q, qd = rng.uniform(-1.5, 1.5, (2, robot.nv))
        reference = rng.uniform(-1.5, 1.5, (3, robot.nv))
        gains = rng.uniform(1.0, 100.0, (2, robot.nv))
        expected, got = np.zeros((2, len(TERMS), robot.nv))
        for each, terms in zip(either, (expected, got)):
            each.reset(q, qd)
            if each.task is not None:
                each.task.led = k % 2 == 1
            each.torques(q, qd, reference, gains, terms)
        error, size = np.abs(got - expected).max(), np.abs(expected).max()
        if not error <= TOLERANCE * max(size, 1.0):
            raise KernelError(
                f'robot {robot.name!r}: the specialised kernel of law {law.name} differs from the '
                f'generic one by {error:.2g} of {size:.2g} at q = {q.tolist()}, qd = '
                f'{qd.tolist()}; use the generic one, and report this'
            )
