# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Arguments and result of a rollout, and what stops its plants: blow-ups, dead centres."""

from typing import NamedTuple

import numpy as np

from robodyn_ros.algorithms.core.expand_joints import expand_joints
from robodyn_ros.errors import ParameterError, ShapeError, short_repr
from robodyn_ros.simulation.step import BEYOND_REACH, DEAD_CENTRE, LARGEST_EFFORT, SWIFT
from robodyn_ros.spatial.primitive import unfused

BAD_COMMAND = 2 * BEYOND_REACH  # status less a joint whose command is out of range
NO_TORQUE = -BEYOND_REACH  # status of a step whose law failed


class Rollout(NamedTuple):
    """States of k plants after 0, n, 2 n, ... of m steps; l of them after the initial one.

    `position`: positions [rad or m].
    `velocity`: velocities [rad/s or m/s].
    `effort`: efforts of the motors in the step before each of the later states [N m or N], as
      `Plant.effort`; 0 after a blow-up.
    `blown_up`: step of the blow-up, or before a dead centre of closed loops, after which the plant
      stands still; -1 without one.
    `faults`: what stopped the plant, as `Plant.fault`; '' without a blow-up.
    """

    position: np.ndarray
    velocity: np.ndarray
    effort: np.ndarray
    blown_up: np.ndarray
    faults: tuple[str, ...]

    def __repr__(self):
        return short_repr(self)


def checked_states(checked, states):
    """Check one state, or each of several.

    `checked` (callable): check of one state.
    """
    return checked(states) if states.ndim < 2 else [checked(state) for state in states]


def checked_numbers(name, what, values, shape):
    """Return values as an array whose last axes have that shape, with at most one more axis.

    `name`, `what`: robot and values, for the error message.
    `shape` (tuple of int or 'm'): the last axes; 'm' is of any length.
    Raises ShapeError, ParameterError: for another shape, and for values that are not finite or too
      large.
    """
    try:
        values = np.array(values, dtype=np.float64, order='C')
    except (TypeError, ValueError):
        raise ShapeError(
            f'{name}: {what} of a rollout are {values!r:.80}; expected numbers of shape {shape}'
        ) from None
    found = values.shape[values.ndim - len(shape) :] if values.ndim >= len(shape) else ()
    fits = len(found) == len(shape) and all(
        wanted in (size, 'm') for size, wanted in zip(found, shape)
    )
    if not fits or values.ndim > len(shape) + 1:
        raise ShapeError(
            f'{name}: {what} of a rollout have shape {values.shape}; expected {shape}, or '
            f'{("k", *shape)}'
        )
    if not np.all(np.abs(values) <= LARGEST_EFFORT):
        raise ParameterError(
            f'{name}: {what} of a rollout hold a number that is not finite or too large; '
            f'expected at most {LARGEST_EFFORT:g}'
        )
    return values


@unfused
def look_at_loops(topology, constants, work, q, qd, places, embedding):
    """Return whether loops are open, or a dependent joint is much faster than the others.

    `q`, `qd` (nq,): state [rad or m, rad/s or m/s].
    `places`, `embedding` (m,): memory for the positions of all joints, and the embedding matrix E.
    Returns BEYOND_REACH if the loops do not close. DEAD_CENTRE if one may be ahead, else 0.
    """
    expand_joints(topology, constants, work, q, places, embedding)
    for i in range(places.shape[0]):
        if not abs(places[i]) < np.inf:
            return BEYOND_REACH
    fastest = 0.0
    for k in range(qd.shape[0]):
        fastest = max(fastest, abs(qd[k]))
    for i in range(embedding.shape[0]):
        rate = 0.0
        for k in range(qd.shape[0]):
            rate += embedding[i, k] * qd[k]
        if abs(rate) > SWIFT * fastest:
            return DEAD_CENTRE
    return 0


def stop_before_dead_centres(plant, swift, position, velocity, effort, blown_up, status):
    """Let plants stand still from the first step after which a dead centre is ahead.

    `plant` (Plant): the plant that is copied.
    `swift` ((k, m) or (0, 0) ndarray): not 0 for the steps after which one may be ahead.
    `position`, `velocity` ((k, m + 1, nq) and (k, m + 1, nv) ndarray): states [rad or m, rad/s or
      m/s], updated.
    `effort` (k, m, nv): efforts of the motors in each step [N m or N], updated.
    `blown_up`, `status` (k,): step of the blow-up, and its status, updated.
    """
    for row in np.flatnonzero(swift.any(axis=1)):
        steps = np.flatnonzero(swift[row])
        found = np.flatnonzero(plant.dead_centres.are_ahead(position[row], steps))
        if found.size:
            blown_up[row], status[row] = steps[found[0]], DEAD_CENTRE
            after = blown_up[row] + 2
            position[row, after:], velocity[row, after:] = position[row, after - 1], 0.0
            effort[row, after - 1 :] = 0.0


def sentences(plant, final, blown_up, status, dt):
    """Return a sentence about each blow-up, '' without one.

    `plant` (Plant): the plant that is copied.
    `final` (k, nq): positions after all steps [rad or m], which are those of the
      blow-up.
    `blown_up`, `status` (k,): step of the blow-up, -1 without one; and its status.
    `dt`: length of a step [s].
    """
    return tuple(
        '' if step < 0 else _fault(plant, row, step, status[row], final[row], dt)
        for row, step in enumerate(blown_up.tolist())
    )


def _fault(plant, row, step, status, q, dt):
    """Return the sentence about the blow-up of one plant."""
    model, status = plant.model, int(status)
    if status <= BAD_COMMAND:
        joint = model.joint_names[BAD_COMMAND - status]
        reason = f'the command of joint {joint!r} is not finite or beyond {LARGEST_EFFORT:g}'
    elif status == NO_TORQUE:
        reason = 'the control law gave no torque'
    else:
        reason = plant.reason(status, q)
    return (
        f'robot {model.name!r}: in rollout {row} {reason} after step {step}, at t = '
        f'{(step + 1) * dt:.6g} s; it stands still in the last valid state'
    )
