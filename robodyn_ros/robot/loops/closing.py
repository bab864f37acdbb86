# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Assemble the loops of a tree: find a closed posture and the independent joints.

Newton's method of least motion finds the posture from a given one. The independent joints are
those nearest the base that determine the others (Jain 2011, section 11.3).
"""

from collections.abc import Mapping, Sequence

import numpy as np

from robodyn_ros.errors import ModelError, require_names
from robodyn_ros.model.dependent.closures import (
    Closure,
    on_loops,
    refuse_coupled_to,
    with_closures,
)
from robodyn_ros.model.robot_model import RobotModel
from robodyn_ros.model.validate import idle_joints
from robodyn_ros.robot.loops.equations import SMALLEST, LoopEquations

# smallest singular value of a choice, as a share of the best one
SHARES = (0.3, 0.1, 0.03, 1e-2, 1e-3, 1e-4)


def close_loops(
    model: RobotModel,
    closures: Sequence[Closure],
    independent: Sequence[str] | None = None,
    near: Mapping[str, float] | None = None,
) -> RobotModel:
    """Return the robot over independent coordinates whose loops are closed.

    Parameters
    ----------
    model : RobotModel
        The tree.
    closures : sequence of Closure
        Its closures.
    independent : sequence of str, optional
        Independent joints of the loops; by default the nearest to the base that are possible.
    near : mapping of str to float, optional
        Initial guess of a closed posture [rad or m]; by default zero, or the limit nearest to it.

    Returns
    -------
    RobotModel

    Raises
    ------
    ModelError
        If the loops cannot be closed or the closed posture is singular. If the choice of
        independent joints is singular or has another number. If a joint, or all joints of a loop,
        move no inertia. The message names the joints.
    UnknownNameError
        For a joint or frame that does not exist.
    """
    closures = tuple(closures)
    _check_names(model, closures, [*(independent or ()), *(near or {})])
    loops = on_loops(model, closures)
    depth = {k: place for loop in loops for k, place in loop.items()}
    joined = sorted(depth, key=lambda k: (depth[k], k))
    names = [model.joint_names[k] for k in joined]
    for name in independent or ():
        if name not in names:
            raise ModelError(
                f'robot {model.name!r}: joint {name!r} is chosen to be independent, and is in no '
                f'loop; expected some of {", ".join(names)}'
            )
    loose = LoopEquations(with_closures(model, closures, joined, _zeros(model)))
    start = loose.start(model, near or {})
    posture = loose.assembled(start)
    if posture is None:
        raise ModelError(
            f'robot {model.name!r}: no posture was found in which '
            f'{", ".join(each.name for each in closures)} close; {loose.gap(start)} where the '
            f'search began; expected near={{joint: position}} of {", ".join(names)} close to one'
        )
    order = loose.velocities(model)
    J = loose.equations(posture)[:, [order.index(k) for k in joined]]
    rank = _rank(J)
    if rank < _rank(loose.nearby_equations(posture)):
        raise ModelError(
            f'robot {model.name!r}: the posture in which the loops close is singular; expected '
            f'near={{joint: position}} of {", ".join(names)} close to another one'
        )
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
    idle_joints(found.name, found.body_names, found.topology, found.constants)
    return found


def _check_names(model, closures, names):
    robot, purpose = f'robot {model.name!r}', ' of its own coordinate'
    require_names(robot, 'joint', names, model.joint_names, purpose)
    named = [closure.name for closure in closures]
    if len(set(named)) < len(named):
        raise ModelError(
            f'robot {model.name!r} has closures of the names {", ".join(named)}; expected another '
            'name for each'
        )


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
