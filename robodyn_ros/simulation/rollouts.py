# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rollouts: many plants stepped at once, without the GIL and on all cores."""

import numpy as np

from robodyn_ros.algorithms.core import working_memory
from robodyn_ros.codegen.parallel_rows import parallel_for
from robodyn_ros.compile.call import provide
from robodyn_ros.compile.kernel import Kernel
from robodyn_ros.errors import ParameterError, ShapeError
from robodyn_ros.simulation.contact.arrays import Contact, allocate, with_own_memory
from robodyn_ros.simulation.contact.closure_rows import is_open
from robodyn_ros.simulation.contact.contact_step import (
    by_euler_in_contact,
    by_runge_kutta_in_contact,
)
from robodyn_ros.simulation.integrators.events import copy_vector
from robodyn_ros.simulation.integrators.names import SEMI_IMPLICIT_EULER
from robodyn_ros.simulation.joint_table import work_rows
from robodyn_ros.simulation.rolled_law import add_law_torque, rolled_law
from robodyn_ros.simulation.rollout_data import (
    BAD_COMMAND,
    NO_TORQUE,
    Rollout,
    checked_numbers,
    checked_states,
    look_at_loops,
    sentences,
    stop_before_dead_centres,
)
from robodyn_ros.simulation.step import (
    BEYOND_REACH,
    DEAD_CENTRE,
    LARGEST_EFFORT,
    by_euler,
    by_runge_kutta,
)
from robodyn_ros.spatial.primitive import unfused
from robodyn_ros.spatial.types import (
    Block,
    Boolean,
    Constant,
    Integer,
    Matrix,
    Scalar,
    Stack,
    Table,
    Topology,
    Vector,
    Work,
)

ROWS_OF_A_PART = 8  # plants for each thread; each takes many steps, so few are enough


@unfused
def feed_back(gains, target, q, qd, command):
    """Add Kp (q_r - q) + Kd (qd_r - qd) to the command.

    `gains` (2, nv): Kp and Kd.
    `target` (2, nv): positions q_r and velocities qd_r.
    """
    for k in range(qd.shape[0]):
        command[k] += gains[0, k] * (target[0, k] - q[k]) + gains[1, k] * (target[1, k] - qd[k])


@unfused
def first_beyond(command):
    """Return the first joint whose command no plant takes, or -1.

    `command` (nv,): efforts [N m or N].
    """
    for k in range(command.shape[0]):
        if not abs(command[k]) <= LARGEST_EFFORT:
            return k
    return -1


@unfused
def advance(
    topology,
    constants,
    gravity,
    joints,
    work,
    joint_work,
    command,
    f_ext,
    dt,
    substeps,
    method,
    stribeck,
    largest_speed,
    q,
    qd,
    effort,
    touches,
    contact,
):
    """Take one step with the scheme of the method.

    `q`, `qd`, `effort`: state, updated, and efforts, written; as of `step.by_euler`.
    `touches`: whether the step is that of contact.
    `contact`: tables and memory of contacts, updated.
    Returns status, as of `step.by_euler`.
    """
    if method == SEMI_IMPLICIT_EULER:
        if touches:
            return by_euler_in_contact(
                topology,
                constants,
                gravity,
                joints,
                work,
                joint_work,
                command,
                f_ext,
                dt,
                substeps,
                method,
                stribeck,
                largest_speed,
                q,
                qd,
                effort,
                contact,
            )
        return by_euler(
            topology,
            constants,
            gravity,
            joints,
            work,
            joint_work,
            command,
            f_ext,
            dt,
            substeps,
            method,
            stribeck,
            largest_speed,
            q,
            qd,
            effort,
        )
    if touches:
        return by_runge_kutta_in_contact(
            topology,
            constants,
            gravity,
            joints,
            work,
            joint_work,
            command,
            f_ext,
            dt,
            substeps,
            method,
            stribeck,
            largest_speed,
            q,
            qd,
            effort,
            contact,
        )
    return by_runge_kutta(
        topology,
        constants,
        gravity,
        joints,
        work,
        joint_work,
        command,
        f_ext,
        dt,
        substeps,
        method,
        stribeck,
        largest_speed,
        q,
        qd,
        effort,
    )


def rollouts(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    joints: Matrix,
    work: Work,
    joint_work: Matrix,
    f_ext: Matrix,
    dt: Scalar,
    substeps: Integer,
    method: Integer,
    stribeck: Scalar,
    largest_speed: Scalar,
    q: Vector,
    qd: Vector,
    effort: Vector,
    command: Vector,
    law_code: Integer,
    law_topology: Topology,
    law_constants: Table,
    law_gravity: Constant,
    law_work: Work,
    law_rows: Matrix,
    law_terms: Matrix,
    touches: Boolean,
    contact: Contact,
    looped: Boolean,
    places: Vector,
    embedding: Matrix,
    efforts: Stack,
    gains: Stack,
    targets: Block,
    every: Integer,
    position: Stack,
    velocity: Stack,
    applied: Stack,
    final: Matrix,
    last_q: Vector,
    last_qd: Vector,
    blown_up: Vector,
    status_of: Vector,
    swift: Matrix,
    first: Integer,
    last: Integer,
):
    """Step the plants first to last, each with its own commands and targets.

    `q`, `qd`, `effort`, `command`: memory for the plant at hand, overwritten.
    `law_code`, `law_topology`, `law_constants`, `law_gravity`, `law_work`, `law_rows`,
      `law_terms`: the fields of a RolledLaw.
    `looped`: whether the robot has closed loops over independent coordinates.
    `places`, `embedding`: memory for the positions of all joints, and the embedding matrix.
    `efforts`: commands of all steps [N m or N]. One row serves all plants, also of what follows.
    `gains`: feedback gains Kp and Kd.
    `targets`: positions and velocities to follow; with a law accelerations, too. Of length 0
      without feedback.
    `every`: steps from one recorded state to the next.
    `position`, `velocity`: recorded states, written. The first entry of each plant holds its
      initial state.
    `applied`: efforts of the motors in the steps to these states, written.
    `final`: positions after all steps, written.
    `last_q`, `last_qd`: memory for the state before a step.
    `blown_up`: step of the blow-up, -1 without one; written.
    `status_of`: its status, as of `step.by_euler`, or one of this file; written.
    `swift`: 1.0 for a step after which a dead centre may be ahead, else 0.0; written for loops.
    `first`, `last`: range of the plants, the last excluded.
    """
    for row in range(first, last):
        copy_vector(position[row, 0], q)
        copy_vector(velocity[row, 0], qd)
        blown_up[row], status_of[row] = -1.0, 0.0
        for step in range(efforts.shape[1]):
            if blown_up[row] >= 0.0:
                for k in range(qd.shape[0]):
                    qd[k] = effort[k] = 0.0
            else:
                copy_vector(q, last_q)
                copy_vector(qd, last_qd)
                copy_vector(efforts[row % efforts.shape[0], step], command)
                status = 0
                if law_terms.shape[0] > 0:
                    status = add_law_torque(
                        law_code,
                        law_topology,
                        law_constants,
                        law_gravity,
                        law_work,
                        law_rows,
                        law_terms,
                        q,
                        qd,
                        targets[row % targets.shape[0], step],
                        gains[row % gains.shape[0]],
                        command,
                    )
                    if status != 0:
                        status = NO_TORQUE
                elif targets.shape[0] > 0:
                    feed_back(
                        gains[row % gains.shape[0]],
                        targets[row % targets.shape[0], step],
                        q,
                        qd,
                        command,
                    )
                beyond = first_beyond(command)
                if status == 0 and beyond >= 0:
                    status = BAD_COMMAND - beyond
                if status == 0:
                    status = advance(
                        topology,
                        constants,
                        gravity,
                        joints,
                        work,
                        joint_work,
                        command,
                        f_ext,
                        dt,
                        substeps,
                        method,
                        stribeck,
                        largest_speed,
                        q,
                        qd,
                        effort,
                        touches,
                        contact,
                    )
                if status == 0 and touches and is_open(contact.closing):
                    status = BEYOND_REACH
                if status == 0 and looped:
                    seen = look_at_loops(topology, constants, work, q, qd, places, embedding)
                    swift[row, step] = 1.0 if seen == DEAD_CENTRE else 0.0
                    if seen == BEYOND_REACH:
                        status = BEYOND_REACH
                if status == BEYOND_REACH:
                    copy_vector(last_q, q)
                    copy_vector(last_qd, qd)
                if status != 0:
                    blown_up[row], status_of[row] = step, status
            if (step + 1) % every == 0:
                place = (step + 1) // every
                copy_vector(q, position[row, place])
                copy_vector(qd, velocity[row, place])
                copy_vector(effort, applied[row, place - 1])
        copy_vector(q, final[row])


kernel = Kernel(rollouts, nogil=True)


def rollout(
    plant,
    joints,
    f_ext,
    options,
    touching,
    position,
    velocity,
    efforts,
    dt,
    gains,
    targets,
    law,
    every,
):
    """Return the Rollout of k plants like `plant`, in O(k m n), on all cores.

    `Plant.rollout` calls it. The plants have the robot, settings, faults and wrenches of `plant`.

    `plant` (Plant): the plant that is copied.
    `joints`, `f_ext` (ndarray): joint table and external wrenches; as of `step.by_euler`.
    `options` (tuple): substeps, method, Stribeck velocity and largest speed.
    `touching` (ContactState or None): contacts of the plant.
    `position`, `velocity` (array_like): initial states; see `Plant.rollout`.
    `efforts` ((k, m, nv) or (m, nv) array_like): commands [N m or N].
    `dt`: length of a step [s].
    `gains`, `targets` (array_like or None): feedback or reference; see `Plant.rollout`.
    `law` (ControlLaw or None): a law whose torque is added to the efforts.
    `every`: steps from one recorded state to the next.
    Raises ShapeError: if an array has another shape.
    Raises ParameterError: for a state beyond a stop, a plant with a latency, or an effort out of
      range. For a law with a state.
    """
    model, name = plant.model, f'robot {plant.model.name!r}'
    if plant.settings.latency:
        raise ParameterError(
            f'{name}: a rollout of a plant whose commands take '
            f'{plant.settings.latency} steps; expected latency 0, and efforts '
            'shifted by these steps'
        )
    if not 0.0 < dt <= 1.0:
        raise ParameterError(f'{name}: a step of {dt} s; expected above 0 and at most 1')
    efforts = checked_numbers(name, 'efforts', efforts, ('m', model.nv))
    position = checked_numbers(name, 'position', position, (model.nq,))
    velocity = checked_numbers(name, 'velocity', velocity, (model.nv,))
    if (gains is None) != (targets is None) or (gains is None and law is not None):
        raise ParameterError(
            f'{name}: a rollout with gains or targets alone, or a law without them; expected '
            'both, or none of them'
        )
    with_memory = rolled_law(law, model)
    if gains is None:
        gains, targets = np.zeros((2, model.nv)), np.zeros((0, 0, 2, model.nv))
    else:
        if model.nq != model.nv:
            raise ParameterError(
                f'{name} has joints whose positions cannot be subtracted; '
                'expected a rollout without gains'
            )
        gains = checked_numbers(name, 'gains', gains, (2, model.nv))
        rows = 2 if law is None else 3
        targets = checked_numbers(name, 'targets', targets, (efforts.shape[-2], rows, model.nv))
    counts = {
        len(x)
        for x, axes in ((position, 1), (velocity, 1), (efforts, 2), (gains, 2), (targets, 3))
        if x.ndim > axes and x.size
    }
    if len(counts) > 1:
        raise ShapeError(
            f'{name}: positions, velocities, efforts, gains and targets of {sorted(counts)} '
            'plants; expected as many of each, or one for all'
        )
    k, m = counts.pop() if counts else 1, efforts.shape[-2]
    if not 1 <= every <= max(m, 1) or every != int(every):
        raise ParameterError(
            f'{name}: every is {every!r} of {m} steps; expected a whole number from 1 to {m}'
        )
    efforts, gains, targets = (
        x if x.ndim > axes else x[None] for x, axes in ((efforts, 2), (gains, 2), (targets, 3))
    )
    looped = model.has_loops
    kept = 1 if looped else int(every)  # dead centres are looked for between all steps
    states = np.empty((k, m // kept + 1, model.nq)), np.empty((k, m // kept + 1, model.nv))
    applied, final = np.empty((k, m // kept, model.nv)), np.empty((k, model.nq))
    states[0][:, 0] = checked_states(plant.checked_position, position)
    states[1][:, 0] = checked_states(plant.checked_velocity, velocity)
    blown_up, status, swift = np.empty(k), np.empty(k), np.zeros((k, m) if looped else (0, 0))
    contact = allocate(model, None) if touching is None else touching.arrays
    step = plant.linked(kernel)
    provide([plant.kernel])
    has_code = isinstance(with_memory().code, int)
    run = step.compiled if has_code else step.python

    def run_part(first, last):
        own = working_memory.allocate(model.topology), np.zeros((work_rows(model.nv), model.nq))
        state = np.empty(model.nq), *np.empty((3, model.nv))
        rates = np.empty((len(model.all_joint_names), model.nv))
        run(
            model.topology,
            model.constants,
            model.gravity,
            joints,
            *own,
            f_ext,
            dt,
            *options,
            *state,
            *with_memory(),
            touching is not None,
            with_own_memory(contact),
            looped,
            np.empty(len(model.all_position_names)),
            rates,
            efforts,
            gains,
            targets,
            kept,
            *states,
            applied,
            final,
            np.empty(model.nq),
            np.empty(model.nv),
            blown_up,
            status,
            swift,
            first,
            last,
        )

    parallel_for(k, run_part, ROWS_OF_A_PART)
    blown_up = blown_up.astype(np.int64)
    if looped:
        stop_before_dead_centres(plant, swift, *states, applied, blown_up, status)
        final = states[0][:, -1]
        states, applied = [x[:, ::every] for x in states], applied[:, every - 1 :: every]
    return Rollout(*states, applied, blown_up, sentences(plant, final, blown_up, status, dt))
