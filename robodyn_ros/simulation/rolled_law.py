# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The control law of a rollout: its kernel, called by the compiled loop over the steps."""

from typing import Any, Callable, NamedTuple

import numpy as np

from robodyn_ros.codegen.linker import code_and_topology
from robodyn_ros.compile.machine_call import argument_types, by_address
from robodyn_ros.errors import ParameterError
from robodyn_ros.spatial.primitive import unfused
from robodyn_ros.spatial.types import Constant, Matrix, Table, Topology, Vector, Work
from robodyn_ros.spatial.work import WORK


class RolledLaw(NamedTuple):
    """A law as the loop takes it: its code, and arrays of the robot that it knows.

    `code`: address of the machine code, or a plain function where there is none.
    `topology`, `constants`, `gravity`: arrays of the robot that the law knows.
    `work`, `rows`: memory; see KernelLaw.
    `terms`: memory for the torque terms. Of length 0 without a law.
    """

    code: Any
    topology: np.ndarray
    constants: np.ndarray
    gravity: np.ndarray
    work: np.ndarray
    rows: np.ndarray
    terms: np.ndarray


@by_address
def law_terms(
    code: Callable,
    topology: Topology,
    constants: Table,
    gravity: Constant,
    work: Work,
    rows: Matrix,
    q: Vector,
    qd: Vector,
    reference: Matrix,
    gains: Matrix,
    terms: Matrix,
):
    """Call the kernel of a law.

    `code`, `topology`, `constants`, `gravity`, `work`, `rows`: fields of a RolledLaw.
    Returns status of the kernel.
    """
    return code(topology, constants, gravity, work, rows, q, qd, reference, gains, terms)


@unfused
def add_law_torque(
    code, topology, constants, gravity, work, rows, terms, q, qd, reference, gains, command
):
    """command += the sum of all terms of the law.

    `code`, `topology`, `constants`, `gravity`, `work`, `rows`, `terms`: fields of a RolledLaw.
    Returns status of the kernel.
    """
    for i in range(terms.shape[0]):
        for k in range(terms.shape[1]):
            terms[i, k] = 0.0
    status = law_terms(
        code, topology, constants, gravity, work, rows, q, qd, reference, gains, terms
    )
    for k in range(terms.shape[1]):
        torque = terms[0, k]
        for i in range(1, terms.shape[0]):
            torque += terms[i, k]
        command[k] += torque
    return status


def rolled_law(law, model):
    """Return a function that makes a RolledLaw with working memory, for each thread one.

    `model` (RobotModel): the robot that it moves.
    Raises ParameterError: for a law that is more than one kernel, or one for other joints.
    """
    if law is None:
        nothing, work = np.zeros((0, model.nv)), np.zeros(0, WORK)
        none = RolledLaw(0, model.topology, model.constants, model.gravity, work, nothing, nothing)
        return lambda: none
    known, whole = law.robot.model, law.whole_kernel()
    if whole is None:
        raise ParameterError(
            f'robot {model.name!r}: a rollout under the law {law.name!r}; expected one that is a '
            'single kernel without a state: pd, pd_gravity, computed_torque or passivity'
        )
    if known.joint_names != model.joint_names:
        raise ParameterError(
            f'robot {model.name!r}: a rollout under a law for the joints '
            f'{", ".join(known.joint_names)}; expected {", ".join(model.joint_names)}'
        )
    kernel, _ = whole
    kinds = argument_types(law_terms)
    code, topology = code_and_topology(law.robot.linked(kernel), known, kinds)

    def with_memory():
        _, (_, *arrays) = law.whole_kernel()
        return RolledLaw(code, topology, *arrays)

    return with_memory
