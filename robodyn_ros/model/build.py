"""From a description to the frozen arrays: joints chosen, rigid links merged, frames normalised."""

from types import MappingProxyType

import numpy as np

from robodyn_ros.errors import ModelError
from robodyn_ros.model.checks import check_inertial, check_joint, check_movable
from robodyn_ros.model.description import Placement
from robodyn_ros.model.inertia import add_rigid_body
from robodyn_ros.model.layout import (
    CONSTANT_COLUMNS, DAMPING, DOF, FRICTION, KIND, OFFSET, PARENT, PRISMATIC, Q, REVOLUTE,
    ROTATION, ROTOR, TOPOLOGY_COLUMNS, V, WORLD)
from robodyn_ros.model.report import NOTE, Finding, ModelReport
from robodyn_ros.model.robot_model import Frame, JointLimits, RobotModel, finite_array
from robodyn_ros.model.rotation import about_axis, unit_axis, z_to_axis
from robodyn_ros.model.selection import choose
from robodyn_ros.model.tree import base_to_tip


def build(description, joints=None, base=None, gravity=(0.0, 0.0, -9.81), locked=None):
    """Turn a robot's description into the arrays that every recursion reads.

    description : RobotDescription, from urdf.parse or dh.describe.
    joints : names of the joints to command, in the order of q; None means all that are not locked.
    base : link held fixed, None for the root; links that are not below it are left out.
    gravity : (3,) acceleration [m/s2] in base axes.
    locked : joint name -> angle [rad] or travel [m] at which it is held; joints left out of a given
        `joints` are held at 0. Fixed and held joints are merged with the inertia beyond them.

    Raises ModelError for an impossible robot and UnknownNameError for an unknown joint or link.
    """
    root, ordered = base_to_tip(description, base)
    commanded, held, findings = choose(description.name, ordered, joints, locked)
    assembly = _Assembly(description, root, commanded)
    for joint in ordered:
        assembly.add(joint, held)
    constants = np.array(assembly.constants)
    topology = np.array(assembly.topology, dtype=np.int64)
    findings += assembly.findings
    findings += check_movable(description.name, assembly.body_names, topology, constants)
    return RobotModel(
        name=description.name,
        joint_names=commanded,
        nq=len(commanded),
        nv=len(commanded),
        body_names=tuple(assembly.body_names),
        frames=MappingProxyType(assembly.frames | assembly.joint_frames()),
        topology=_read_only(topology),
        constants=finite_array(constants, constants.shape, 'constants', description.name),
        gravity=finite_array(gravity, (3,), 'gravity', description.name),
        limits=_limits(commanded, ordered),
        report=ModelReport(description.name, tuple(findings)))


class _Assembly:
    """The rows of the model while they grow from base to tip."""

    def __init__(self, description, root, commanded):
        self.robot = description.name
        self.inertials = {link.name: link.inertial for link in description.links}
        self.index = {name: i for i, name in enumerate(commanded)}
        self.body_names = [root]
        self.topology = [[0, WORLD, 0, 0, 0]]
        self.constants = [_row(Placement())]
        self.frames = {root: Frame(0, *_frozen(Placement()))}
        self.tips = {}
        self.findings = []
        if self.inertials[root] is not None:
            self.findings.append(Finding(NOTE, f'link {root!r}', 'is the fixed base; its inertia '
                                         'has no effect'))

    def add(self, joint, held):
        """Add a joint and the link it carries, as a body of its own or as part of its parent's."""
        parent = self.frames[joint.parent]
        placement = Placement(parent.rotation, parent.translation) @ joint.placement
        body = parent.body
        if joint.name in self.index:
            self.findings += check_joint(self.robot, joint)
            placement = self._add_body(joint, body, placement)
            body = len(self.body_names) - 1
        elif held.get(joint.name, 0.0) != 0.0:
            placement = placement @ _displaced(self.robot, joint, held[joint.name])
        self.frames[joint.child] = Frame(body, *_frozen(placement))
        self.tips[joint.name] = joint.child
        self._add_inertia(joint.child, body, placement)

    def _add_body(self, joint, parent, placement):
        """Append the rows of a moving joint; returns its child link's placement in the new body."""
        R_LB = z_to_axis(unit_axis(joint.axis))
        row = _row(placement @ Placement(R_LB))
        row[[ROTOR, DAMPING, FRICTION]] = joint.rotor_inertia, joint.damping, joint.friction
        kind = PRISMATIC if joint.type == 'prismatic' else REVOLUTE
        first = self.index[joint.name]
        self.constants.append(row)
        self.topology.append([parent, kind, first, first, 1])
        self.body_names.append(joint.child)
        return Placement(R_LB.T)

    def _add_inertia(self, link, body, placement):
        inertial = self.inertials[link]
        if inertial is None:
            return
        self.findings += check_inertial(f'link {link!r}', inertial)
        if body > 0:
            add_rigid_body(self.constants[body], placement, inertial)

    def joint_frames(self):
        """Frames of the joints whose name is not also a link's."""
        return {joint: self.frames[link] for joint, link in self.tips.items()
                if joint not in self.frames}


def _row(placement):
    row = np.zeros(CONSTANT_COLUMNS)
    row[ROTATION:ROTATION + 9] = placement.rotation.ravel()
    row[OFFSET:OFFSET + 3] = placement.translation
    return row


def _displaced(robot, joint, value):
    """Placement of a held joint's child: turned by an angle, or moved by a travel."""
    check_joint(robot, joint)
    axis = unit_axis(joint.axis)
    if joint.type == 'prismatic':
        return Placement(translation=value * axis)
    return Placement(about_axis(axis, value))


def _limits(commanded, ordered):
    joints = {joint.name: joint for joint in ordered}
    rows = [(limit.lower, limit.upper, limit.velocity, limit.effort)
            for limit in (joints[name].limit for name in commanded)]
    return JointLimits(*(_read_only(np.array(column)) for column in zip(*rows)))


def _frozen(placement):
    return _read_only(placement.rotation.copy()), _read_only(placement.translation.copy())


def _read_only(array):
    array.flags.writeable = False
    return array
