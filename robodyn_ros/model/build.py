# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Build frozen arrays from a description: choose joints, merge rigid links, normalise frames."""

from dataclasses import replace
from types import MappingProxyType

import numpy as np

from robodyn_ros.errors import ModelError
from robodyn_ros.model import joint_types, lint, validate
from robodyn_ros.model.dependent.embedding import embed
from robodyn_ros.model.dependent.mimic import common_limit
from robodyn_ros.model.description import ONE_AXIS, Placement, on_free_base
from robodyn_ros.model.layout import (
    BALL_X,
    BALL_Y,
    BALL_Z,
    CONSTANT_COLUMNS,
    DAMPING,
    FRICTION,
    HELICAL,
    INERTIA,
    MASS,
    OFFSET,
    PITCH,
    ROTATION,
    ROTOR,
    WORLD,
)
from robodyn_ros.model.model_report import NOTE, WARNING, Finding, ModelReport
from robodyn_ros.model.rigid_body import add_rigid_body
from robodyn_ros.model.robot_model import Frame, JointLimits, RobotModel, Spring, finite_array
from robodyn_ros.model.rotors import EXACT, with_rotors
from robodyn_ros.model.selection import split_joints
from robodyn_ros.model.tree import base_to_tip


def build(
    description,
    joints=None,
    base=None,
    gravity=None,
    locked=None,
    free_base=False,
    rotors=None,
    rotor_model=EXACT,
    in_loops=False,
):
    """Build the arrays that every recursion reads.

    Parameters
    ----------
    description : RobotDescription
        From `urdf.parse` or `dh.describe`, or written in Python.
    joints : sequence of str, optional
        Joints to command, in the order of q; None for all that are not locked. Floating and planar
        joints must be named or locked.
    base : str, optional
        Link fixed to the ground; the root by default. Links that are not below it are left out.
    gravity : (3,) array_like, optional
        Acceleration of gravity [m/s^2] in base axes; that of the description by default.
    locked : mapping of str to float or sequence, optional
        Positions of locked joints: an angle [rad], a travel [m], or one number for each position
        of the joint. Joints that are not in given `joints` are locked at 0, where their links
        coincide. Links beyond fixed and locked joints are merged with their inertia.
    free_base : bool
        Whether the base link moves freely. It is then on a floating joint 'free_base' below a link
        'world', and its coordinates come first.
    rotors : mapping of str to Rotor, optional
        Rotors of geared motors by driven joint, in place of those described.
    rotor_model : {'exact', 'reflected'}
        Rotors as spinning bodies on their mounts, or as inertia at their joints alone.
    in_loops : bool
        Whether closures follow, after which links without inertia are looked for.

    Returns
    -------
    RobotModel
        Arrays of the robot.

    Raises
    ------
    ModelError
        For an impossible robot.
    UnknownNameError
        For an unknown joint or link.
    ShapeError
        For a gravity that is not three finite numbers.
    """
    description = with_rotors(description, rotors, rotor_model)
    root, ordered = base_to_tip(description, base)
    left_out = len(description.joints) - len(ordered)
    if free_base:
        description, free, base = on_free_base(description, root, ordered)
        joints = None if joints is None else (free, *joints)
        _, ordered = base_to_tip(description, base)
    commanded, led, held = split_joints(description.name, ordered, joints, locked)
    assembly = _Assembly(description, ordered[0].parent if ordered else root, commanded, led, held)
    if left_out:
        assembly.findings.append(
            Finding(
                NOTE,
                f'link {root!r}',
                f'is the base; {left_out} joints that are not below it are left out',
            )
        )
    for joint in ordered:
        assembly.add(joint)
    several = tuple(
        moving
        for moving in assembly.moving.values()
        if moving.velocities.stop - moving.velocities.start > 1
    )
    constants = np.array(assembly.constants)
    topology = np.array(assembly.topology, dtype=np.int64)
    if assembly.following:
        topology, constants = embed(topology, constants, assembly.following)
    frames = set(assembly.link_frames) - assembly.rotors - assembly.between_joints
    assembly.findings += lint.massless_bodies(assembly.body_names, constants, frames)
    velocities = [name for joint in commanded for name in joint_types.velocity_names(joint)]
    positions = [name for joint in commanded for name in joint_types.position_names(joint)]
    limits = _limits(commanded, [joint for joint in ordered if joint.name in led], led, assembly)
    every = (assembly.velocity_names, assembly.position_names) if led else (velocities, positions)
    model = RobotModel(
        name=description.name,
        joint_names=tuple(velocities),
        position_names=tuple(positions),
        nq=len(positions),
        nv=len(velocities),
        body_names=tuple(assembly.body_names),
        multi_dof_joints=several,
        frames=MappingProxyType(assembly.link_frames | assembly.joint_frames()),
        topology=_read_only(topology),
        constants=_read_only(constants),
        gravity=finite_array(
            description.gravity if gravity is None else gravity, (3,), 'gravity', description.name
        ),
        limits=limits,
        report=ModelReport(description.name, tuple(assembly.findings)),
        all_joint_names=tuple(every[0]),
        all_position_names=tuple(every[1]),
        held=MappingProxyType({name: at[0] for name, at in held.items() if len(at) == 1}),
        springs=tuple(
            Spring(joint.name, joint.stiffness, 0.0, joint.spring_rest)
            for joint in commanded
            if joint.stiffness
        ),
        base_inertia=_read_only(assembly.base[MASS : INERTIA + 6].copy()),
        unknown_inertias=tuple(assembly.unknown),
    )
    model = with_friction_checked(model)
    return model if in_loops else with_dynamics_checked(model)


def with_friction_checked(model):
    """Return a model with a warning of each joint that its dry friction holds.

    Parameters
    ----------
    model : RobotModel
        The robot.

    Returns
    -------
    RobotModel
        The robot; such warnings of other friction are gone.
    """
    others = (each for each in model.report.findings if 'has dry friction' not in each.sentence)
    report = replace(model.report, findings=(*others, *lint.dry_friction(model)))
    return replace(model, report=report)


def with_dynamics_checked(model):
    """Return a model with a warning if it has no dynamics, in place of one for each link.

    Parameters
    ----------
    model : RobotModel
        The robot, with its loops closed.

    Returns
    -------
    RobotModel
        The robot.
    """
    model = model.with_dynamics_checked()
    reason = model.dynamics_fault
    if not reason:
        return model
    where, _, sentence = reason.partition(' has ')
    finding = Finding(WARNING if model.nv else NOTE, where, f'has {sentence}')
    others = (each for each in model.report.findings if each.sentence != lint.MASSLESS)
    return replace(model, report=replace(model.report, findings=(*others, finding)))


class _Assembly:
    """The rows of the model, assembled from base to tip."""

    def __init__(self, description, root, commanded, led, held):
        self.robot = description.name
        self.inertials = {link.name: link.inertial for link in description.links}
        self.rotors = {link.name for link in description.links if link.is_rotor}
        self.between_joints = {link.name for link in description.links if link.is_between_joints}
        self.moving = _coordinates(commanded)
        self.led = led
        self.held = held
        self.following = {}  # row of a dependent body -> ratios, shift
        self.velocity_names, self.position_names = [], []
        self.carried = {}  # joint name -> name of the link it carries
        self.body_names = [root]
        self.topology = [(0, WORLD, 0, 0, 0)]
        self.constants = [_row(Placement())]
        self.base = _row(Placement())
        self.link_frames = {root: _frame(0, Placement())}
        self.findings = [*description.findings]
        self.described = {link.name: link for link in description.links}
        self.unknown = []  # moving links whose inertia is
        self._add_inertia(root, 0, Placement())

    def add(self, joint):
        """Add a joint and its child link, as a separate body or merged with the parent body."""
        validate.placement(f'robot {self.robot!r}: joint {joint.name!r}', joint.placement)
        position = self.held.get(joint.name)
        if (
            joint.name in self.moving
            or joint.name in self.led
            or joint.type in ONE_AXIS
            or (position is not None and position != joint_types.neutral(joint))
        ):
            validate.joint(self.robot, joint)
        parent = self.link_frames[joint.parent]
        body = parent.body
        placement = Placement(parent.rotation, parent.translation) @ joint.placement
        if joint.name in self.moving or joint.name in self.led:
            if joint.child not in self.rotors:
                self.findings += lint.joint(joint)
            placement = self._add_bodies(joint, body, placement)
            body = len(self.body_names) - 1
        elif position is not None:
            self.findings += lint.held_joint(joint, position, self.moving)
            placement = placement @ joint_types.displacement(joint, position)
        self.link_frames[joint.child] = _frame(body, placement)
        self.carried[joint.name] = joint.child
        self._add_inertia(joint.child, body, placement)

    def _add_bodies(self, joint, parent, placement):
        """Append the rows of a moving joint; return its link's placement in the last of them."""
        following = self.led.get(joint.name)
        names = following.ratios if following else [joint.name]
        leaders = [self.moving[name] for name in names]
        at_position = min(moving.positions.start for moving in leaders)
        at_velocity = min(moving.velocities.start for moving in leaders)
        if following:
            ratios = self._ratios(joint, following)
            self.following[len(self.topology)] = ratios, following.shift
        self.velocity_names += joint_types.velocity_names(joint)
        self.position_names += joint_types.position_names(joint)
        for name, (kind, axes) in zip(
            joint_types.velocity_names(joint), joint_types.elements(joint)
        ):
            # a spherical joint's rotation comes between the placement and its first axis
            row = _row(placement if kind == BALL_X else placement @ Placement(axes))
            row[[ROTOR, DAMPING, FRICTION]] = joint.rotor_inertia, joint.damping, joint.friction
            row[PITCH] = joint.pitch if kind == HELICAL else 0.0
            self.constants.append(row)
            self.topology.append((parent, kind, at_position, at_velocity, 1))
            self.body_names.append(name)
            parent, placement = len(self.topology) - 1, Placement(axes.T)
            at_velocity += 1
            at_position += kind not in (BALL_X, BALL_Y, BALL_Z)  # which share their quaternion
        self.body_names[-1] = joint.child
        return placement

    def _ratios(self, joint, following):
        """Return the ratio of a following joint to each velocity from its first leader on."""
        leaders = {name: self.moving[name] for name in following.ratios}
        places = {name: moving.velocities.start for name, moving in leaders.items()}
        first, last = min(places, key=places.__getitem__), max(places, key=places.__getitem__)
        between = leaders[last].positions.start - leaders[first].positions.start
        if between != places[last] - places[first]:
            raise ModelError(
                f'robot {self.robot!r}: joint {joint.name!r} follows {first!r} and {last!r}, '
                'which have a joint with a quaternion between them; expected joints in another '
                'order'
            )
        ratios = [0.0] * (between + 1)
        for name, ratio in following.ratios.items():
            ratios[places[name] - places[first]] = ratio
        return ratios

    def _add_inertia(self, link, body, placement):
        """Add a link's inertia to its body; links that do not move need none."""
        inertial = self.inertials[link]
        if body and self.described[link].has_unknown_inertia:
            self.unknown.append(link)
        if inertial is None:
            return
        where = f'robot {self.robot!r}: link {link!r}'
        validate.mass(where, inertial.mass)
        validate.length(where, 'centre of mass', inertial.com)
        if body == 0:
            add_rigid_body(self.base, placement, inertial)
            self.findings += lint.resting_inertial(link, inertial, link == self.body_names[0])
        else:
            validate.inertia(where, inertial.inertia)
            if link not in self.rotors:
                self.findings += lint.inertial(f'link {link!r}', inertial)
            add_rigid_body(self.constants[body], placement, inertial)

    def joint_frames(self):
        """Return the frames of the joints whose name is not also a link's."""
        return {
            joint: self.link_frames[link]
            for joint, link in self.carried.items()
            if joint not in self.link_frames
        }


def _row(placement):
    """Return a row of the constants with a placement and no inertia."""
    row = np.zeros(CONSTANT_COLUMNS)
    row[ROTATION : ROTATION + 9] = placement.rotation.ravel()
    row[OFFSET : OFFSET + 3] = placement.translation
    return row


def _frame(body, placement):
    """Return a read-only frame on a body."""
    return Frame(
        body, _read_only(placement.rotation.copy()), _read_only(placement.translation.copy())
    )


def _coordinates(commanded):
    """Return {joint name: Joint} with consecutive coordinates."""
    coordinates, position, velocity = {}, 0, 0
    for joint in commanded:
        positions = slice(position, position + len(joint_types.position_names(joint)))
        velocities = slice(velocity, velocity + len(joint_types.velocity_names(joint)))
        coordinates[joint.name] = joint_types.JointCoordinates(joint, positions, velocities)
        position, velocity = positions.stop, velocities.stop
    return coordinates


def _limits(commanded, followers, led, assembly):
    """Return the JointLimits of the commanded joints, including those of their followers."""
    limits = []
    for joint in followers:
        assembly.findings += lint.following_joint(joint, led[joint.name])
    for joint in commanded:
        own = [each for each in followers if [*led[each.name].ratios] == [joint.name]]
        if not own:
            limits += joint_types.limits(joint)
            continue
        (limit,) = joint_types.limits(joint)
        ranges = [
            (led[each.name].ratios[joint.name], led[each.name].shift, *joint_types.limits(each))
            for each in own
        ]
        limit, apart = common_limit(limit, ranges)
        limits.append(limit)
        assembly.findings += [
            Finding(
                WARNING,
                f'joint {own[k].name!r}',
                f'has a range that leaves {joint.name!r} no position; taken as unlimited',
            )
            for k in apart
        ]
    return JointLimits(
        *(
            _read_only(np.array([getattr(limit, what) for limit in limits]))
            for what in ('lower', 'upper', 'velocity', 'effort')
        )
    )


def _read_only(array):
    """Make an array read-only, and return it."""
    array.flags.writeable = False
    return array
