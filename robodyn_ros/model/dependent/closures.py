# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Closures of loops, and the tables of a robot with closed loops.

A URDF is a tree. A closure names two of its frames, and the relative motions that it constrains.
The other joints of the loops then depend on the independent ones (Jain 2011, sections 11.3 and
15.1).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from robodyn_ros.errors import ModelError, short_repr, shorten
from robodyn_ros.model.dependent.aggregates import write_aggregates
from robodyn_ros.model.dependent.embedding import embed, reduced_tree, write_ratios
from robodyn_ros.model.description import Placement
from robodyn_ros.model.joint_types import JointCoordinates
from robodyn_ros.model.layout import (
    AT,
    BALL_X,
    BALL_Y,
    BALL_Z,
    BODY_A,
    BODY_B,
    CLOSED_CONSTANT_COLUMNS,
    CLOSED_TOPOLOGY_COLUMNS,
    CLOSURES,
    COORDINATE,
    COUNT,
    DAMPING,
    DISTANCE,
    DOF,
    EMBEDDED_TOPOLOGY_COLUMNS,
    FIRST,
    FIRST_LEADER,
    FIRST_UNKNOWN,
    FRAME_A,
    FRAME_B,
    FRICTION,
    GROUP_ROWS,
    GROUP_UNKNOWNS,
    KIND,
    LAST_CLOSURE,
    LEADERS,
    LENGTH,
    PARENT,
    RATIOS,
    REDUCED,
    REFERENCE,
    STOPPED_ROWS,
    STOPS,
    TOPOLOGY_COLUMNS,
    UNKNOWNS,
    Q,
    V,
)
from robodyn_ros.model.model_report import NOTE, WARNING, Finding
from robodyn_ros.model.robot_model import JointLimits, RobotModel
from robodyn_ros.model.validate import LARGEST_LENGTH

#: Relative motions of B that a closure can constrain: along the axes of A, and about them.
MOTIONS = ('x', 'y', 'z', 'rx', 'ry', 'rz')
#: Motions constrained by each type; the free axis of the types 'hinge' and 'slider' is z.
TYPES: dict[str, tuple[str, ...]] = {
    'weld': MOTIONS,
    'ball': ('x', 'y', 'z'),
    'hinge': ('x', 'y', 'z', 'rx', 'ry'),
    'slider': ('x', 'y', 'rx', 'ry', 'rz'),
    'plane': ('z',),
    'distance': (),
}


@dataclass(frozen=True, eq=False)
class Closure:
    """A joint that closes a loop of the tree.

    `name`: name of the closure.
    `a`, `b`: links or joints to which its two frames are fixed.
    `type`: which motions it constrains. A weld constrains all, a hinge all but the rotation about
      z, a slider all but the translation along z. A ball constrains the translations, a plane the
      translation along z, and a distance that of the two origins.
    `stops`: constrained motions of B in axes of A, in place of those of the type. The number of
      rotations is 0, 2 or 3, because a single one is not a constraint on positions.
    `place_a`, `place_b`: placements of the frames on their links.
    `distance`: distance of the origins, for type 'distance' [m].
    """

    name: str
    a: str
    b: str
    type: str = 'weld'
    stops: tuple[str, ...] | None = None
    place_a: Placement = field(default_factory=Placement)
    place_b: Placement = field(default_factory=Placement)
    distance: float | None = None

    __repr__ = short_repr


def constrained_motions(robot: str, closure: Closure) -> tuple[str, ...]:
    """Return the motions that a closure constrains, 'distance' for its distance.

    `robot`: name for messages.
    Raises ModelError: if the closure is not valid; the message names it.
    """
    where = f'robot {robot!r}: closure {closure.name!r}'
    if closure.type not in TYPES:
        raise ModelError(
            f'{where} has type {shorten(closure.type)}; expected one of {", ".join(TYPES)}'
        )
    if closure.stops is None and closure.type == 'distance':
        length = closure.distance
        if length is None or not 0.0 < length <= LARGEST_LENGTH:
            raise ModelError(f'{where} keeps the distance {length}; expected one above 0 [m]')
        return ('distance',)
    names = TYPES[closure.type] if closure.stops is None else tuple(closure.stops)
    turns = [name for name in names if name.startswith('r')]
    if not names or len(set(names)) < len(names) or not set(names) <= set(MOTIONS):
        raise ModelError(
            f'{where} stops {shorten(names)}; expected some of {", ".join(MOTIONS)}, each once'
        )
    if len(turns) == 1:
        raise ModelError(
            f'{where} stops the turn {turns[0]} alone; expected none, two or three turns, or '
            'another joint of the tree'
        )
    return names


def on_loops(model: RobotModel, closures: Iterable[Closure]) -> list[dict[int, int]]:
    """Return for each closure the velocities of the tree on its loop.

    Returns for each closure: indices in joint_names, with the number of bodies from the base to
      each.
    Raises ModelError: for a loop without joints, or with a spherical joint.
    """
    found, first = [], FIRST if model.is_embedded else V
    for closure in closures:
        paths = [_path(model, model.frame(name).body) for name in (closure.a, closure.b)]
        rows = sorted(set(paths[0]) ^ set(paths[1]))
        where = f'robot {model.name!r}: closure {closure.name!r}'
        for row in rows:
            if row in model.coupled:
                name = model.all_joint_names[model.topology[row, V]]
                raise ModelError(
                    f'{where} has joint {name!r} in its loop, which follows several others; '
                    'expected joints there that follow one at most'
                )
            if model.topology[row, KIND] in (BALL_X, BALL_Y, BALL_Z):
                name = model.joint_names[model.topology[row, first]].rpartition('.')[0]
                raise ModelError(
                    f'{where} has joint {name!r} in its loop, which turns freely; expected joints '
                    'of one axis there, and a closure of type ball'
                )
        if not rows:
            raise ModelError(
                f'{where} is between {closure.a!r} and {closure.b!r}, which no joint moves apart; '
                'expected two bodies'
            )
        found.append(
            {int(model.topology[row, first]): len(_path(model, row)) for row in reversed(rows)}
        )
    return found


def _path(model, body):
    """Return the rows from a body to the base."""
    rows = []
    while body > 0:
        rows.append(body)
        body = model.topology[body, PARENT]
    return rows


def refuse_coupled_to(model: RobotModel, unknown: Iterable[int]):
    """Refuse coupled joints that follow dependent joints of loops: their ratios would vary.

    `unknown`: dependent velocities of the tree.
    Raises ModelError: the message names both joints.
    """
    for row, leaders in model.coupled.items():
        for leader in leaders:
            k = int(model.topology[leader, FIRST])
            if k in unknown:
                name = model.all_joint_names[model.topology[row, V]]
                raise ModelError(
                    f'robot {model.name!r}: joint {name!r} follows {model.joint_names[k]!r}, '
                    'which depends on a closed loop; expected the joints that it follows among '
                    "'independent', in Python or in the file of closures"
                )


def with_closures(
    model: RobotModel,
    closures: tuple[Closure, ...],
    unknown: Iterable[int],
    reference: Mapping[str, float],
) -> RobotModel:
    """Return the robot with closures, described by its independent joints.

    `model`: the tree, possibly with mimic joints.
    `unknown`: dependent velocities of the tree, determined by the other ones of their loops.
    `reference`: positions of all joints in which the loops are closed, by `all_position_names`.
    Raises ModelError: as of `stopped` and `on_loops`, and for more closures than joints.
    """
    stops = [constrained_motions(model.name, closure) for closure in closures]
    loops, wanted = on_loops(model, closures), set(unknown)
    groups = _groups(loops, wanted)
    unknown = [k for _, joints in groups for k in sorted(joints & wanted)]
    order = [k for numbers, _ in groups for k in numbers]
    closures, stops = tuple(closures[k] for k in order), [stops[k] for k in order]
    nb = len(model.topology)
    if len(closures) >= nb:
        raise ModelError(
            f'robot {model.name!r} has {len(closures)} closures; expected at most one for each of '
            f'its {nb - 1} joints'
        )
    kept = [k for k in range(model.nv) if k not in unknown]
    gone = set(model.coordinates[unknown])
    positions = [k for k in range(model.nq) if k not in gone]
    topology, constants, names, position_names = _wide(model)
    old = topology[:, FIRST].copy()
    new = {k: place for place, k in enumerate(kept)}
    at = {k: place for place, k in enumerate(positions)}
    joined, coupled = {k for loop in loops for k in loop}, model.coupled
    spans = [_span(joints, new) for _, joints in groups]
    led_by = {k: span for (_, joints), span in zip(groups, spans) for k in joints & wanted}
    for row in range(1, nb):
        k = int(old[row])
        topology[row, COORDINATE] = -1
        if row in coupled:
            ratios = [
                ratio
                for step, ratio in enumerate(model.constants[row, RATIOS:])
                if step < topology[row, COUNT] and k + step in new
            ]
            write_ratios(topology, constants, row, ratios)
            topology[row, FIRST], topology[row, AT] = new.get(k, 0), at.get(topology[row, AT], 0)
        elif k in new:
            topology[row, FIRST], topology[row, AT] = new[k], at[topology[row, AT]]
            topology[row, COORDINATE] = new[k] if k in joined else -1
        else:
            topology[row, DOF], topology[row, AT] = 0, 0
            topology[row, FIRST], topology[row, COUNT] = led_by[k]
            topology[row, COORDINATE] = len(kept) + unknown.index(k)
        if topology[row, KIND] not in (BALL_X, BALL_Y, BALL_Z):
            constants[row, REFERENCE] = reference[position_names[topology[row, Q]]]
    topology[0, [FIRST, COUNT]] = len(kept), max(1, topology[1:, COUNT].max())
    topology[0, [CLOSURES, UNKNOWNS, STOPPED_ROWS]] = (
        len(closures),
        len(unknown),
        sum(map(len, stops)),
    )
    for row, closure in enumerate(closures, start=1):
        write_closure(model, closure, topology[row], constants[row])
    first = before = 0
    for (numbers, joints), span in zip(groups, spans):
        rows, own = slice(first + 1, first + 1 + len(numbers)), len(joints & wanted)
        topology[rows, LAST_CLOSURE] = first + len(numbers)
        topology[rows, GROUP_ROWS] = sum(map(len, stops[first : first + len(numbers)]))
        topology[rows, FIRST_UNKNOWN], topology[rows, GROUP_UNKNOWNS] = before, own
        topology[rows, FIRST_LEADER], topology[rows, LEADERS] = span
        first, before = first + len(numbers), before + own
    if kept:
        tree = reduced_tree(topology)
        topology[: len(tree), REDUCED : REDUCED + TOPOLOGY_COLUMNS] = tree
    write_aggregates(topology, constants)
    return replace(
        model,
        joint_names=tuple(model.joint_names[k] for k in kept),
        position_names=tuple(model.position_names[k] for k in positions),
        nq=len(positions),
        nv=len(kept),
        multi_dof_joints=tuple(_moved(joint, at, new) for joint in model.multi_dof_joints),
        topology=_read_only(topology),
        constants=_read_only(constants),
        limits=_limits_of(model, kept),
        opened=(model, closures),
        led_limits=_led_limits(model, topology, old, len(kept)),
        report=replace(
            model.report,
            findings=(*model.report.findings, *_findings(model, constants, old, unknown)),
        ),
        all_joint_names=tuple(names),
        all_position_names=tuple(position_names),
        closures=tuple(closure.name for closure in closures),
        springs=tuple(
            spring for spring in model.springs if model.joint_names.index(spring.joint) in kept
        ),
    )


def write_closure(
    model: RobotModel, closure: Closure, topology: np.ndarray, constants: np.ndarray
):
    """Write the entries of a closure in the tables of a robot with loops.

    `topology`, `constants`: a row of each table: bodies, stopped motions, frames and distance are
      written.
    Raises ModelError: if the closure is not valid; the message names it.
    Raises UnknownNameError: for a link that does not exist.
    """
    names = constrained_motions(model.name, closure)
    bits = [DISTANCE if name == 'distance' else MOTIONS.index(name) for name in names]
    topology[STOPS] = sum(1 << bit for bit in bits)
    for body, start, frame, place in (
        (BODY_A, FRAME_A, model.frame(closure.a), closure.place_a),
        (BODY_B, FRAME_B, model.frame(closure.b), closure.place_b),
    ):
        placed = Placement(frame.rotation, frame.translation) @ place
        topology[body] = frame.body
        constants[start : start + 9] = placed.rotation.ravel()
        constants[start + 9 : start + 12] = placed.translation
    constants[LENGTH] = closure.distance or 0.0


def _limits_of(model, velocities):
    """Return the limits of some velocities of the tree."""
    return JointLimits(
        *(
            _read_only(getattr(model.limits, what)[velocities])
            for what in ('lower', 'upper', 'velocity', 'effort')
        )
    )


def _led_limits(model, topology, old, nv):
    """Return the limits of the dependent joints; those of followers are in their leaders'."""
    led = np.flatnonzero(topology[1:, COORDINATE] >= nv) + 1
    found = _limits_of(model, old[led])
    follows = np.isin(led, [*model.followed])
    lower, upper = np.where(follows, -np.inf, found.lower), np.where(follows, np.inf, found.upper)
    return replace(found, lower=_read_only(lower), upper=_read_only(upper))


def _wide(model):
    """Return the tables widened by the columns of loops, and all joint names in row order."""
    names, position_names = list(model.all_joint_names), list(model.all_position_names)
    topology, constants = model.topology, model.constants
    if not model.is_embedded:
        rows = topology[1:]
        names = [model.joint_names[k] for k in rows[:, V]]
        position_names = [
            name
            for row in rows
            if row[KIND] not in (BALL_Y, BALL_Z)
            for name in model.position_names[row[Q] : row[Q] + (4 if row[KIND] == BALL_X else 1)]
        ]
        topology, constants = embed(topology, constants, {})
    wide = np.zeros((len(topology), CLOSED_TOPOLOGY_COLUMNS), dtype=np.int64)
    values = np.zeros((len(topology), max(CLOSED_CONSTANT_COLUMNS, constants.shape[1])))
    wide[:, :EMBEDDED_TOPOLOGY_COLUMNS] = topology
    values[:, : constants.shape[1]] = constants
    wide[:, REDUCED:EMBEDDED_TOPOLOGY_COLUMNS] = 0
    return wide, values, names, position_names


def _groups(loops, unknown):
    """Return the groups of loops that share dependent joints: their numbers, and all their joints.

    Loops of a group are solved together, and depend on all of its joints.
    """
    groups: list[tuple[list[int], set[int]]] = []
    for number, loop in enumerate(loops):
        numbers, joints, apart = [number], set(loop), []
        for group in groups:
            if group[1] & joints & unknown:
                numbers, joints = group[0] + numbers, joints | group[1]
            else:
                apart.append(group)
        groups = [*apart, (sorted(numbers), joints)]
    return sorted(groups, key=lambda group: group[0])


def _span(joints, new):
    """Return the first of the independent velocities of joints, and their number."""
    own = [new[k] for k in joints if k in new]
    return (min(own), max(own) - min(own) + 1) if own else (0, 0)


def _moved(joint, at, new):
    """Return a joint of several velocities with its new indices."""
    positions, velocities = (
        slice(table[part.start], table[part.start] + part.stop - part.start)
        for table, part in ((at, joint.positions), (new, joint.velocities))
    )
    return JointCoordinates(joint.joint, positions, velocities)


def _findings(model, constants, old, unknown):
    """Return the findings about dependent joints of loops."""
    sprung = {spring.joint for spring in model.springs}
    for k in unknown:
        subject = f'joint {model.joint_names[k]!r}'
        yield Finding(
            NOTE, subject, 'depends on a closed loop; only a simulated robot has its limits'
        )
        if model.joint_names[k] in sprung:
            yield Finding(WARNING, subject, 'depends on a closed loop; its spring is left out')
        (row, *_) = np.flatnonzero(old[1:] == k) + 1
        if constants[row, DAMPING] or constants[row, FRICTION]:
            yield Finding(
                WARNING,
                subject,
                'depends on a closed loop; only a simulated robot has its damping and friction',
            )


def _read_only(array):
    """Make an array read-only, and return it."""
    array.flags.writeable = False
    return array
