# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Flexible links: uniform beams, as chains of rigid pieces and springs.

    k = EI / ds,  d = damping k,  ds = length / pieces

This is the lumped form of a flexible body (Jain 2011, section 13.1), as its smallest tree. Half a
piece is clamped at the joint. Each spring is in the middle of its share of the beam. So the error
of the frequencies falls with the square of the number of pieces. The joints of the springs are
joints of the robot, and every recursion runs as it is. Unlike modes, which are linear in the
deformation, a chain of pieces stiffens as it spins.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf, isfinite
from types import MappingProxyType

import numpy as np

from robodyn_ros.errors import ModelError, require_names, short_repr
from robodyn_ros.model.arithmetic import dot, norm, product
from robodyn_ros.model.description import Inertial, Placement
from robodyn_ros.model.extended.elastic_joints import without_limits
from robodyn_ros.model.extended.rows import read_only
from robodyn_ros.model.layout import (
    CONSTANT_COLUMNS,
    DOF,
    INERTIA,
    KIND,
    MASS,
    OFFSET,
    PARENT,
    REVOLUTE,
    ROTATION,
    TOPOLOGY_COLUMNS,
    Q,
    V,
)
from robodyn_ros.model.rigid_body import add_rigid_body
from robodyn_ros.model.robot_model import Frame, RobotModel, Spring
from robodyn_ros.model.rotation_matrix import unit_axis, z_to_axis

#: Names of the joints of spring k of a link: about the beam, and about two axes normal to it.
AXES = ('twist', 'bend_y', 'bend_z')


@dataclass(frozen=True, eq=False)
class FlexibleLink:
    """A link that is a uniform beam from its joint to a point.

    `end`: end of the beam in the frame of the link [m]. Bodies mounted there move with it.
    `bending`: EI about the two axes normal to the beam [N m^2]; inf for an axis that does not
      bend.
    `torsion`: GJ [N m^2]; inf, the default, for a beam that does not twist.
    `up`: second axis of bending in axes of the link; its part normal to the beam counts.
    `pieces`: number of springs along the beam.
    `damping`: damping of each spring over its stiffness [s].
    `mass`: mass of the beam [kg]; by default that of the link, whose inertia it replaces.
    `gyration`: radius of gyration about its own axis [m]; above 0 for a beam that twists.
    """

    end: np.ndarray
    bending: float | tuple[float, float]
    torsion: float = inf
    up: np.ndarray | tuple[float, float, float] = (0.0, 0.0, 1.0)
    pieces: int = 8
    damping: float = 0.0
    mass: float | None = None
    gyration: float = 0.0

    __repr__ = short_repr


@dataclass(frozen=True, eq=False)
class _Beam:
    """A beam in the frame of its body: origin, axes as columns, and its description."""

    origin: np.ndarray
    axes: np.ndarray
    length: float
    mass: float
    stiffness: tuple
    link: FlexibleLink

    @property
    def springs(self):
        """Distances of the springs from the origin [m]."""
        return (np.arange(self.link.pieces) + 0.5) * self.length / self.link.pieces

    @property
    def moving(self):
        """Indices of AXES about which the beam moves."""
        return [k for k, stiffness in enumerate(self.stiffness) if stiffness < inf]

    def at(self, point):
        """Return how many springs are between the origin and a point of the body's frame."""
        along = dot(point - self.origin, self.axes[:, 0])
        return int(np.sum(self.springs < along - 1e-9 * self.length))

    def piece(self, k):
        """Return the Inertial of piece k, in axes of the beam from its origin."""
        ends = np.concatenate(([0.0], self.springs, [self.length]))[[k, k + 1]]
        length = ends[1] - ends[0]
        mass = self.mass * length / self.length
        across = mass * length * length / 12.0 + 0.5 * mass * self.link.gyration**2
        inertia = np.diag([mass * self.link.gyration**2, across, across])
        return Inertial(mass, np.array([ends.mean(), 0.0, 0.0]), inertia)


def with_flexible_links(model: RobotModel, links: Mapping[str, FlexibleLink]) -> RobotModel:
    """Return the robot with links that bend and twist.

    `links`: by name of the link, which a joint moves.
    Returns the joints of `model`, in the same order. Then those of the springs,
      `<link>_<axis>_<k>` with an axis of AXES, from root to end. Frames are on the piece at their
      place.
    Raises UnknownNameError: for a link that does not exist, or that no joint moves.
    Raises ModelError: for an impossible beam, and a robot with dependent joints or springs.
    """
    model.refuse_loops('flexible links')
    if model.is_embedded or model.springs:
        raise ModelError(
            f'robot {model.name!r} has dependent joints or springs; expected none beside '
            'flexible links'
        )
    beams = {_row(model, name): (name, _beam(model, name, link)) for name, link in links.items()}
    tables = _Tables(model)
    for row in range(1, len(model.topology)):
        tables.add(row)
        if row in beams:
            tables.bend(row, *beams[row])
    return tables.model(model)


class _Tables:
    """The rows of the new robot, while they are made.

    `model` (RobotModel): the robot with rigid links.
    """

    def __init__(self, model):
        self._from, self._beams = model, {}
        self.topology, self.constants = [model.topology[0]], [model.constants[0]]
        self.bodies, self.springs = [model.body_names[0]], []
        #: By row of the robot: new row, rotation and origin of each piece in the body's frame.
        self.pieces = {0: [(0, np.eye(3), np.zeros(3))]}

    def add(self, row):
        """Add a row of the robot as it is, on the piece of its parent at its place."""
        topology, constants = self._from.topology[row].copy(), self._from.constants[row].copy()
        parent = int(topology[PARENT])
        turn = constants[ROTATION : ROTATION + 9].reshape(3, 3)
        place = constants[OFFSET : OFFSET + 3].copy()
        topology[PARENT], turn, place = self.on_piece(parent, turn, place)
        constants[ROTATION : ROTATION + 9], constants[OFFSET : OFFSET + 3] = turn.ravel(), place
        self.pieces[row] = [(len(self.topology), np.eye(3), np.zeros(3))]
        self._append(topology, constants, self._from.body_names[row])

    def on_piece(self, row, turn, place):
        """Return (new row, rotation, place) of a frame that is fixed to a row of the robot."""
        beam = self._beams.get(row)
        new, axes, origin = self.pieces[row][beam.at(place) if beam else 0]
        return new, product(axes.T, turn), product(axes.T, place - origin)

    def bend(self, row, name, beam):
        """Replace the inertia of the row added last by the pieces of a beam."""
        self._beams[row] = beam
        constants = self.constants[-1]
        constants[MASS : INERTIA + 6] = 0.0
        whole = Placement(beam.axes, beam.origin)
        add_rigid_body(constants, whole, beam.piece(0))
        for k, distance in enumerate(beam.springs):
            origin = beam.origin + distance * beam.axes[:, 0]
            for axis in beam.moving:
                self._spring(row, f'{name}_{AXES[axis]}_{k + 1}', beam, axis, origin)
            turn, place = self.pieces[row][-1][1:]
            here = Placement(product(turn.T, beam.axes), product(turn.T, beam.origin - place))
            add_rigid_body(self.constants[-1], here, beam.piece(k + 1))

    def _spring(self, row, joint, beam, axis, origin):
        """Add a massless body that turns about an axis of the beam, with its spring."""
        last, turn, place = self.pieces[row][-1]
        axes = z_to_axis(beam.axes[:, axis])
        nq, nv = (size + len(self.springs) for size in (self._from.nq, self._from.nv))
        topology = np.zeros(TOPOLOGY_COLUMNS, dtype=np.int64)
        topology[[PARENT, KIND, Q, V, DOF]] = last, REVOLUTE, nq, nv, 1
        constants = np.zeros(CONSTANT_COLUMNS)
        constants[ROTATION : ROTATION + 9] = product(turn.T, axes).ravel()
        constants[OFFSET : OFFSET + 3] = product(turn.T, origin - place)
        new = (len(self.topology), axes, origin)
        same = np.array_equal(origin, place) and len(self.pieces[row]) > 1
        self.pieces[row][-1:] = [new] if same else [self.pieces[row][-1], new]
        stiffness = beam.stiffness[axis] * beam.link.pieces / beam.length
        self.springs.append(Spring(joint, stiffness, beam.link.damping * stiffness))
        self._append(topology, constants, joint)

    def _append(self, topology, constants, body):
        """Append a row, and the name of its body."""
        self.topology.append(topology)
        self.constants.append(constants)
        self.bodies.append(body)

    def model(self, model):
        """Return the RobotModel of the rows."""
        added = tuple(spring.joint for spring in self.springs)
        frames = {
            name: Frame(row, read_only(np.eye(3)), read_only(np.zeros(3)))
            for row, name in enumerate(self.bodies)
            if name in added
        }
        for name, frame in model.frames.items():
            body, turn, place = self.on_piece(frame.body, frame.rotation, frame.translation)
            frames[name] = replace(
                frame, body=body, rotation=read_only(turn), translation=read_only(place)
            )
        return replace(
            model,
            joint_names=model.joint_names + added,
            position_names=model.position_names + added,
            nq=model.nq + len(added),
            nv=model.nv + len(added),
            body_names=tuple(self.bodies),
            frames=MappingProxyType(frames),
            topology=read_only(np.array(self.topology)),
            constants=read_only(np.array(self.constants)),
            limits=without_limits(model.limits, len(added)),
            all_joint_names=model.all_joint_names + added,
            all_position_names=model.all_position_names + added,
            springs=tuple(self.springs),
        )


def _row(model, name):
    """Return the row of a link."""
    rows = {body: row for row, body in enumerate(model.body_names) if row}
    require_names(f'robot {model.name!r}', 'flexible link', [name], rows)
    return rows[name]


def _beam(model, name, link):
    """Return the _Beam of a link, after checking it."""
    where = f'robot {model.name!r}: flexible link {name!r}'
    frame, row = model.frame(name), model.constants[_row(model, name)]
    end = np.array(link.end, float)
    if end.shape != (3,) or not (np.isfinite(end).all() and norm(end) > 0.0):
        raise ModelError(f'{where} has the end {link.end}; expected three numbers, not all zero')
    along = unit_axis(end)
    up = np.array(link.up, float)
    up = up - along * dot(along, up)
    if not norm(up) > 1e-3:
        raise ModelError(f'{where} has up {link.up}, along the beam; expected another direction')
    up = unit_axis(up)
    stiffness = (link.torsion, *np.broadcast_to(np.array(link.bending, float), 2))
    mass = float(row[MASS]) if link.mass is None else link.mass
    if not all(each > 0.0 for each in stiffness) or min(stiffness) == inf:
        raise ModelError(
            f'{where} has bending {link.bending} and torsion {link.torsion:g}; expected numbers '
            'above 0, not all of them infinite'
        )
    if not (isinstance(link.pieces, int) and 1 <= link.pieces <= 100):
        raise ModelError(f'{where} has {link.pieces} pieces; expected 1 to 100')
    for what, value in (('damping', link.damping), ('gyration', link.gyration)):
        if not (isfinite(value) and value >= 0.0):
            raise ModelError(f'{where} has {what} {value:g}; expected a finite number, 0 or more')
    if not 0.0 < mass < inf:
        raise ModelError(f'{where} has mass {mass:g}; expected a finite one above 0')
    if link.torsion < inf and link.gyration == 0.0:
        raise ModelError(f'{where} twists and has gyration 0; expected a radius above 0')
    axes = product(frame.rotation, np.column_stack((along, np.cross(up, along), up)))
    return _Beam(np.array(frame.translation), axes, norm(end), mass, stiffness, link)
