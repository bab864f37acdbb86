# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A robot whose links bend by modes, as arrays for the recursions of algorithms.flexible."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from robodyn_ros.errors import ModelError, require_names, short_repr
from robodyn_ros.model.arithmetic import product
from robodyn_ros.model.extended.elastic_joints import without_limits
from robodyn_ros.model.extended.modal_link import ModalLink, shifted
from robodyn_ros.model.extended.rows import read_only
from robodyn_ros.model.layout import (
    ALL_ROOM,
    CONSTANT_COLUMNS,
    FIRST_MODE,
    FIRST_NODE,
    FIRST_POSITION,
    FIRST_VELOCITY,
    FLEXIBLE_TOPOLOGY_COLUMNS,
    INERTIA,
    MASS,
    MODES,
    MOMENT,
    MOUNT,
    MOUNT_ROOM,
    NODES,
    OFFSET,
    PARENT,
    ROOM,
    SHAPE,
    TOPOLOGY_COLUMNS,
)
from robodyn_ros.model.rigid_body import pack
from robodyn_ros.model.robot_model import Frame, RobotModel, Spring

#: Sizes in the tables, as in algorithms.flexible.modal_storage.
NODE, MOTIONS = 13, 12


@dataclass(frozen=True, eq=False)
class FlexibleModel(RobotModel):
    """A robot whose links bend by modes; only a plant and the recursions for modes accept it.

    Modes are joints behind those of the robot, `<link>_mode_<k>`, each with its spring. External
    wrenches on frames of flexible links have rows behind those on the bodies.

    `on_links`: frames on flexible links, in the order of their rows.
    `rigid`: the robot with rigid links.
    `links`: flexible links by row of the body, in its axes and with its payloads.
    """

    rigid: RobotModel = field(repr=False, kw_only=True)
    links: Mapping[int, ModalLink] = field(repr=False, kw_only=True)
    on_links: tuple[str, ...] = field(repr=False, default=())

    __repr__ = short_repr

    @property
    def is_embedded(self):
        """Return False: no joint depends on others."""
        return False

    @property
    def coordinates(self):
        """Return the index in q of each velocity, (nv,); see RobotModel."""
        return np.concatenate((self.rigid.coordinates, np.arange(self.rigid.nq, self.nq)))

    @property
    def slides(self):
        """Return whether each velocity is linear, (nv,); those of modes count as linear."""
        return np.concatenate((self.rigid.slides, np.ones(self.nv - self.rigid.nv, dtype=bool)))

    def joint_values(self, column):
        """Return a column of the constants in joint order; zero for modes.

        `column`: a column of the layout, such as layout.DAMPING.
        """
        values = self.rigid.joint_values(column)
        return np.concatenate((values, np.zeros(self.nv - self.rigid.nv)))

    def with_inertia(self, frame, mass, com, inertia):
        """Return the robot with a rigid body on a frame; see RobotModel.with_inertia.

        `com` ((3,) array_like): centre of mass in the axes of the frame [m].
        `inertia` ((3, 3) array_like): inertia about the centre of mass, in these axes [kg m^2].
        """
        checked = self.rigid.with_inertia(frame, mass, com, inertia)  # refuses impossible bodies
        place = self.rigid.frame(frame)
        if place.body not in self.links:
            return _assembled(checked, self.links)
        R = place.rotation
        arm = product(R, np.asarray(com, float))
        link = self.links[place.body]
        shape = shape_at(self.rigid, link, place, f'frame {frame!r}')
        heavier = link.with_rigid_body(
            place.translation + arm,
            shifted(shape, arm),
            float(mass),
            product(product(R, np.asarray(inertia, float)), R.T),
        )
        return _assembled(checked, {**self.links, place.body: heavier})

    def node_of(self, frame):
        """Return the shape of a frame on a flexible link, in axes of its body.

        Returns rotation and displacement by each mode; None on a rigid link.
        """
        place = self.rigid.frame(frame)
        link = self.links.get(place.body)
        return None if link is None else link.points(place.translation)

    def largest_turn(self, eta):
        """Return the largest rotation of a mount or frame by the modes.

        `eta` (modes,): positions of the modes.
        """
        found, first = 0.0, 0
        for row, link in self.links.items():
            own, first = eta[first : first + link.n], first + link.n
            mounts = self.rigid.constants[
                self.rigid.topology[:, PARENT] == row, OFFSET : OFFSET + 3
            ]
            on = [self.rigid.frame(name) for name in self.on_links]
            for place in (*mounts, *(frame.translation for frame in on if frame.body == row)):
                found = max(found, float(np.linalg.norm(link.points(place)[:3] @ own)))
        return found

    @property
    def mode_names(self):
        """Return the names of the modes."""
        return self.joint_names[self.rigid.nv :]


def with_modal_links(model, links):
    """Return the FlexibleModel of a robot with rigid links.

    `links` (mapping of str to ModalBeam, ModalNodes, CraigBampton or ModalLink): by name of the
      link, which a joint moves. Its numbers replace the inertia of the link and of all that is
      fixed to it.
    Raises UnknownNameError: for a link that does not exist, or that no joint moves.
    Raises ModelError: for an impossible link, and a robot with dependent joints or springs. Also
      for a joint on the link where its modes are not known.
    """
    if model.is_embedded or model.springs:
        raise ModelError(
            f'robot {model.name!r} has dependent joints or springs; expected none beside '
            'flexible links'
        )
    found = {}
    for name, link in links.items():
        where = f'robot {model.name!r}: flexible link {name!r}'
        row = _row(model, name)
        frame = model.frame(name)
        if np.linalg.norm(frame.translation) > 0.0:
            raise ModelError(
                f'{where} has its frame {frame.translation.tolist()} away from its joint; '
                'expected the child link of a joint that moves'
            )
        modal_link = link if isinstance(link, ModalLink) else link.link(model, row, where)
        found[row] = modal_link.in_axes(frame.rotation).uncoupled(where)
    return _assembled(model, dict(sorted(found.items())))


def shape_at(model, link, place, what):
    """Return the shape of a frame on a flexible link.

    `place` (Frame): the frame.
    `what`: what it is, for messages.
    Raises ModelError: if the modes are not known there.
    """
    shape = link.points(place.translation)
    if shape is None:
        raise ModelError(
            f'robot {model.name!r}: {what} is at {np.round(place.translation, 6).tolist()} m on '
            f'the flexible link {model.body_names[place.body]!r}; expected it at {link.known}'
        )
    return shape


def _row(model, name):
    """Return the row of a link that a joint moves."""
    rows = {body: row for row, body in enumerate(model.body_names) if row and body in model.frames}
    require_names(f'robot {model.name!r}', 'flexible link', [name], rows)
    return rows[name]


def _assembled(model, links):
    """Return the FlexibleModel of a robot and its links by row."""
    nb = len(model.topology)
    topology = np.zeros((nb, FLEXIBLE_TOPOLOGY_COLUMNS), dtype=np.int64)
    topology[:, :TOPOLOGY_COLUMNS] = model.topology
    bodies, numbers, room = model.constants.copy(), [], 0
    start = nb * CONSTANT_COLUMNS
    names, springs = [], []
    topology[1:, SHAPE] = start

    def add(values):
        place = start + len(numbers)
        numbers.extend(np.ravel(values))
        return place

    for row, link in links.items():
        topology[row, [MODES, FIRST_MODE, ROOM]] = link.n, len(names), room
        room += link.n**2 + 17 * link.n
        topology[row, SHAPE] = add(_numbers(link))
        bodies[row, MASS] = link.mass
        bodies[row, MOMENT : MOMENT + 3] = link.moment
        bodies[row, INERTIA : INERTIA + 6] = pack(link.inertia)
        for k in range(link.n):
            name = f'{model.body_names[row]}_mode_{k + 1}'
            names.append(name)
            springs.append(Spring(name, float(link.stiffness[k, k]), float(link.damping[k, k])))
    for row in range(1, nb):
        link = links.get(int(model.topology[row, PARENT]))
        if link is not None:
            there = Frame(
                int(model.topology[row, PARENT]), np.eye(3), bodies[row, OFFSET : OFFSET + 3]
            )
            shape = shape_at(model, link, there, f'joint of {model.body_names[row]!r}')
            topology[row, MOUNT], topology[row, MOUNT_ROOM] = add(shape.T), room
            room += MOTIONS + 6 * link.n
    frames, on_links = dict(model.frames), []
    first = start + len(numbers)
    for name, frame in model.frames.items():
        link = links.get(frame.body)
        shape = None if link is None else link.points(frame.translation)
        if shape is not None and np.linalg.norm(frame.translation) > 0.0:
            add([frame.body, *frame.translation, *frame.rotation.ravel()])
            add(shape.T)
            frames[name] = Frame(nb + len(on_links), read_only(np.eye(3)), read_only(np.zeros(3)))
            on_links.append(name)
    topology[0, [FIRST_POSITION, FIRST_VELOCITY]] = model.nq, model.nv
    topology[0, [NODES, FIRST_NODE, ALL_ROOM]] = len(on_links), first, room
    rows = np.zeros((-(-len(numbers) // CONSTANT_COLUMNS), CONSTANT_COLUMNS))
    rows.ravel()[: len(numbers)] = numbers
    names = tuple(names)
    same = {
        each: getattr(model, each)
        for each in ('name', 'multi_dof_joints', 'gravity', 'report', 'held', 'base_inertia')
    }
    return FlexibleModel(
        **same,
        joint_names=model.joint_names + names,
        position_names=model.position_names + names,
        nq=model.nq + len(names),
        nv=model.nv + len(names),
        body_names=model.body_names + tuple(on_links),
        frames=MappingProxyType(frames),
        topology=read_only(topology),
        constants=read_only(np.ascontiguousarray(np.vstack((bodies, rows)))),
        limits=without_limits(model.limits, len(names)),
        all_joint_names=model.all_joint_names + names,
        all_position_names=model.all_position_names + names,
        springs=tuple(springs),
        rigid=model,
        links=MappingProxyType(links),
        on_links=tuple(on_links),
    )


def _numbers(link):
    """Return the constants of a link in the order of algorithms.flexible.modal_storage."""
    return np.concatenate(
        [
            np.ravel(each)
            for each in (
                link.modal_mass,
                link.linear,
                link.angular,
                [pack(each) for each in link.inertia_slope],
                link.angular_slope,
                [[pack(each) for each in row] for row in link.inertia_curve],
            )
        ]
    )
