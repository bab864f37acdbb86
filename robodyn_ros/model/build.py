"""Description to frozen arrays: joints chosen, rigid links merged, frames normalised."""

from types import MappingProxyType

import numpy as np

from robodyn_ros.model import doubts, refusals
from robodyn_ros.model.description import MOVING_TYPES, Placement
from robodyn_ros.model.inertia import add_rigid_body
from robodyn_ros.model.layout import (
    CONSTANT_COLUMNS, DAMPING, FRICTION, OFFSET, PRISMATIC, REVOLUTE, ROTATION, ROTOR, WORLD)
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
    locked : joint name -> angle [rad] or travel [m] at which it is held; joints left out of given
        `joints` are held at 0. Links beyond fixed and held joints are merged with their inertia.

    Raises ModelError for an impossible robot, UnknownNameError for an unknown joint or link and
    ShapeError for a gravity that is not three finite numbers.
    """
    root, ordered = base_to_tip(description, base)
    commanded, held = choose(description.name, ordered, joints, locked)
    assembly = _Assembly(description, root, commanded, held)
    left_out = len(description.joints) - len(ordered)
    if left_out:
        assembly.findings.append(Finding(NOTE, f'link {root!r}', f'is the base; {left_out} joints '
                                         'that are not below it are left out'))
    for joint in ordered:
        assembly.add(joint)
    constants = np.array(assembly.constants)
    topology = np.array(assembly.topology, dtype=np.int64)
    refusals.idle_joints(description.name, assembly.body_names, topology, constants)
    assembly.findings += doubts.massless_bodies(assembly.body_names, constants)
    return RobotModel(
        name=description.name,
        joint_names=commanded,
        nq=len(commanded),
        nv=len(commanded),
        body_names=tuple(assembly.body_names),
        frames=MappingProxyType(assembly.link_frames | assembly.joint_frames()),
        topology=_read_only(topology),
        constants=_read_only(constants),
        gravity=finite_array(gravity, (3,), 'gravity', description.name),
        limits=_limits(commanded, ordered),
        report=ModelReport(description.name, tuple(assembly.findings)))


class _Assembly:
    """The rows of the model while they grow from base to tip."""

    def __init__(self, description, root, commanded, held):
        self.robot = description.name
        self.inertials = {link.name: link.inertial for link in description.links}
        self.commanded = commanded
        self.held = held
        self.carried = {}  # joint name -> name of the link it carries
        self.body_names = [root]
        self.topology = [(0, WORLD, 0, 0, 0)]
        self.constants = [_row(Placement())]
        self.link_frames = {root: _frame(0, Placement())}
        self.findings = []
        self._add_inertia(root, 0, Placement())

    def add(self, joint):
        """Add a joint and the link it carries, as a body of its own or as part of its parent's."""
        refusals.placement(f'robot {self.robot!r}: joint {joint.name!r}', joint.placement)
        if joint.type in MOVING_TYPES:
            refusals.joint(self.robot, joint)
        parent = self.link_frames[joint.parent]
        body = parent.body
        placement = Placement(parent.rotation, parent.translation) @ joint.placement
        if joint.name in self.commanded:
            self.findings += doubts.joint(joint)
            placement = self._add_body(joint, body, placement)
            body = len(self.body_names) - 1
        elif joint.name in self.held:
            value = self.held[joint.name]
            self.findings += doubts.held_joint(joint, value, self.commanded)
            placement = placement @ _displacement(joint, value)
        self.link_frames[joint.child] = _frame(body, placement)
        self.carried[joint.name] = joint.child
        self._add_inertia(joint.child, body, placement)

    def _add_body(self, joint, parent, placement):
        """Append the rows of a moving joint; return its link's placement in the new body."""
        R_LB = z_to_axis(unit_axis(joint.axis))
        row = _row(placement @ Placement(R_LB))
        row[[ROTOR, DAMPING, FRICTION]] = joint.rotor_inertia, joint.damping, joint.friction
        kind = PRISMATIC if joint.type == 'prismatic' else REVOLUTE
        first = self.commanded.index(joint.name)
        self.constants.append(row)
        self.topology.append((parent, kind, first, first, 1))
        self.body_names.append(joint.child)
        return Placement(R_LB.T)

    def _add_inertia(self, link, body, placement):
        """Add a link's inertia to its body; what does not move has none that matters."""
        inertial = self.inertials[link]
        if inertial is None:
            return
        where = f'robot {self.robot!r}: link {link!r}'
        refusals.mass(where, inertial.mass)
        refusals.length(where, 'centre of mass', inertial.com)
        if body == 0:
            self.findings += doubts.resting_inertial(link, inertial, link == self.body_names[0])
        else:
            refusals.inertia(where, inertial.inertia)
            self.findings += doubts.inertial(link, inertial)
            add_rigid_body(self.constants[body], placement, inertial)

    def joint_frames(self):
        """Return the frames of the joints whose name is not also a link's."""
        return {joint: self.link_frames[link] for joint, link in self.carried.items()
                if joint not in self.link_frames}


def _row(placement):
    row = np.zeros(CONSTANT_COLUMNS)
    row[ROTATION:ROTATION + 9] = placement.rotation.ravel()
    row[OFFSET:OFFSET + 3] = placement.translation
    return row


def _frame(body, placement):
    return Frame(body, _read_only(placement.rotation.copy()),
                 _read_only(placement.translation.copy()))


def _displacement(joint, value):
    """Return where a held joint puts its link: turned by an angle or slid along its axis."""
    if value == 0.0:
        return Placement()
    axis = unit_axis(joint.axis)
    if joint.type == 'prismatic':
        return Placement(translation=value * axis)
    return Placement(about_axis(axis, value))


def _limits(commanded, ordered):
    limits = {joint.name: joint.limit for joint in ordered}
    return JointLimits(*(
        _read_only(np.array([getattr(limits[name], what) for name in commanded]))
        for what in ('lower', 'upper', 'velocity', 'effort')))


def _read_only(array):
    array.flags.writeable = False
    return array
