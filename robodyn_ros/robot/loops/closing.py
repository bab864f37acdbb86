# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Assemble the loops of a tree: find a closed posture and the independent joints.

Newton's method of least motion finds the posture from a given one. The independent joints are
those nearest the base that determine the others (Jain 2011, section 11.3).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from robodyn_ros.errors import ModelError, OpenError, require_names
from robodyn_ros.model.build import with_dynamics_checked
from robodyn_ros.model.dependent.closures import (
    Closure,
    on_loops,
    refuse_coupled_to,
    with_closures,
)
from robodyn_ros.model.description import RobotDescription
from robodyn_ros.model.model_report import NOTE, WARNING, Finding, ModelReport
from robodyn_ros.model.robot_model import RobotModel
from robodyn_ros.robot.loops.equations import SMALLEST, LoopEquations

# of initial guesses, if the loops do not close from zero, or are singular there [rad or m]
GUESSES = (0.5, 1.0, 1.5, 0.2, 0.1)
# smallest singular value of a choice, as a share of the best one
SHARES = (0.3, 0.1, 0.03, 1e-2, 1e-3, 1e-4)


def close_loops(
    model: RobotModel,
    closures: Sequence[Closure],
    independent: Sequence[str] | None = None,
    near: Mapping[str, float] | None = None,
) -> RobotModel:
    """Return the robot over independent coordinates whose loops are closed.

    `independent`: independent joints of the loops; by default the nearest to the base that are
      possible.
    `near`: initial guess of a closed posture [rad or m]. By default zero, or the limit nearest to
      it. Others if the loops do not close from there, or are singular.
    Raises ModelError: if the loops cannot be closed or the closed posture is singular. If the
      choice of independent joints is singular or has another number. The message names the joints.
    Raises UnknownNameError: for a joint or frame that does not exist.
    """
    closures = tuple(closures)
    _check_names(model, closures, [*(independent or ()), *(near or {})])
    loops = on_loops(model, closures)
    depth = {k: place for loop in loops for k, place in loop.items()}
    joined = sorted(depth, key=lambda k: (depth[k], k))
    names = [model.joint_names[k] for k in joined]
    # joints in no loop are independent anyway
    independent = [name for name in independent or () if name in names] or None
    loose = LoopEquations(with_closures(model, closures, joined, _zeros(model)))
    posture, J, guess = _regular_posture(loose, model, joined, names, near)
    rank = _rank(J)
    if rank == 0:  # such as between joints that follow one another
        return with_dynamics_checked(_with_finding(model, NOTE, closures, 'stop no motion'))
    unknown = (
        _chosen(J, rank)
        if independent is None
        else _given(model.name, J, rank, names, independent)
    )
    dependent = [joined[k] for k in unknown]
    refuse_coupled_to(model, dependent)
    found = with_closures(
        model, closures, dependent, dict(zip(loose.model.all_position_names, posture))
    )
    if guess is not near:
        at = dict(zip(loose.model.all_position_names, posture))
        places = ', '.join(f'{name} {at[name]:.3g}' for name in names)
        sentence = (
            f'do not close from zero, or are singular there; closed at {places}. `near` chooses '
            'another assembly mode'
        )
        found = _with_finding(found, WARNING, closures, sentence)
    return with_dynamics_checked(found)


def marked_independent(description: RobotDescription, model: RobotModel) -> tuple[str, ...] | None:
    """Return the joints that a description marks as independent, of those that the model moves.

    `description`: the robot as described.
    """
    return tuple(each for each in description.independent if each in model.joint_names) or None


def _check_names(model, closures, names):
    robot, purpose = f'robot {model.name!r}', ' of its own coordinate'
    require_names(robot, 'joint', names, model.joint_names, purpose)
    named = [closure.name for closure in closures]
    if len(set(named)) < len(named):
        raise ModelError(
            f'robot {model.name!r} has closures of the names {", ".join(named)}; expected another '
            'name for each'
        )


def _regular_posture(loose, model, joined, names, near):
    """Return a closed posture that is not singular, its equations, and the guess that led to it.

    Without a given guess these are zero, and others if the loops do not close from there, or are
    singular.
    """
    order = loose.velocities(model)
    columns = [order.index(k) for k in joined]
    is_closed = False
    for guess in [near] if near else [near, *_guesses(names)]:
        posture = loose.assembled(loose.start(model, guess or {}))
        if posture is not None:
            is_closed = True
            J = loose.equations(posture)[:, columns]
            if _rank(J) == _rank(loose.nearby_equations(posture)):
                return posture, J, guess
    where = f'robot {model.name!r}: '
    if is_closed:
        raise OpenError(
            f'{where}the posture in which the loops close is singular; expected one close to '
            'another, ',
            names,
        )
    raise OpenError(
        f'{where}no posture was found in which {", ".join(loose.model.closures)} close; '
        f'{loose.gap(loose.start(model, near or {}))} where the search began; expected one close '
        'to it, ',
        names,
    )


def _with_finding(model, severity, closures, sentence):
    """Return a model with a finding about its closures."""
    subject = f'closures {", ".join(each.name for each in closures)}'
    findings = (*model.report.findings, Finding(severity, subject, sentence))
    return replace(model, report=ModelReport(model.name, findings))


def _guesses(names):
    """Yield other initial guesses than zero, where loops often are singular [rad or m]."""
    for size in GUESSES:
        yield dict(zip(names, size * np.sin(1.0 + 2.0 * np.arange(len(names)))))


def _zeros(model):
    return dict.fromkeys((*model.position_names, *model.all_position_names), 0.0)


def _rank(J):
    sizes = np.linalg.svd(J, compute_uv=False)
    return int(np.count_nonzero(sizes > SMALLEST * max(sizes[0], 1e-300)))


def _smallest(J, rank):
    """Return singular value number `rank`."""
    return np.linalg.svd(J, compute_uv=False)[rank - 1]


def _chosen(J, rank):
    """Return the dependent columns: the last ones that keep the rank, well conditioned."""
    best = _smallest(J, rank)
    for share in SHARES:
        unknown = list(range(J.shape[1]))
        for k in range(J.shape[1]):
            rest = [each for each in unknown if each != k]
            if len(rest) >= rank and _smallest(J[:, rest], rank) >= share * best:
                unknown = rest
        if len(unknown) == rank:
            return unknown
    return unknown


def _given(robot, J, rank, names, independent):
    """Return the columns that depend on chosen ones; ModelError if they do not."""
    free = J.shape[1] - rank
    if len(set(independent)) != free:
        raise ModelError(
            f'robot {robot!r}: joints {", ".join(independent)} are chosen to be independent; '
            f'expected {free} of {", ".join(names)}, as the closures stop {rank} motions of them'
        )
    unknown = [k for k, name in enumerate(names) if name not in independent]
    if rank and _smallest(J[:, unknown], rank) < SMALLEST * _smallest(J, 1):
        other = [name for k, name in enumerate(names) if k not in _chosen(J, rank)]
        raise ModelError(
            f'robot {robot!r}: joints {", ".join(names[k] for k in unknown)} do not follow from '
            f'{", ".join(independent)} where the loops close; expected others to be independent, '
            f'such as {", ".join(other)}'
        )
    return unknown
