# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Elastic joints: a motor, and a spring and a damper between it and its link.

    q = theta + delta,   T_link = -k delta - d deltadot          theta of the motor, q of the link

Each becomes two joints in series. The first is that of the motor, with a massless body. The second
is the deflection delta of the spring. In these coordinates the springs are diagonal, and every
recursion runs as it is. If a rotor is a body of its own, it follows theta. Then this is Jain's
tree of links and motors without the gear (Jain 2011, section 12.1). With the motor inertia at
theta alone it is the model of Spong 1987 (Spong, Hutchinson and Vidyasagar, section 6.4).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf, nan
from types import MappingProxyType

import numpy as np

from robodyn_ros.errors import ModelError, UnknownNameError, short_repr
from robodyn_ros.model.extended.rows import embedded_again, read_only, simple_topology
from robodyn_ros.model.layout import JOINT_FRICTION, OFFSET, PARENT, ROTATION, ROTOR, ZERO, Q, V
from robodyn_ros.model.robot_model import JointLimits, RobotModel, Spring

#: Ends of the names of the coordinate of a spring, and of the body of a motor.
DEFLECTION, MOTOR = '_deflection', '_motor'


@dataclass(frozen=True)
class ElasticJoint:
    """A spring and a damper between the motor of a joint and its link.

    `stiffness`: stiffness of the spring, seen at the link [N m/rad or N/m].
    `damping`: damping of the damper beside it [N m s/rad or N s/m].
    `motor_inertia`: inertia of the motor, seen at the link: gear_ratio^2 J [kg m^2 or kg]. By
      default it is the rotor inertia of the robot. It is 0 if the rotor is a body of its own.
    """

    stiffness: float
    damping: float = 0.0
    motor_inertia: float | None = None

    __repr__ = short_repr


def with_elastic_joints(model: RobotModel, joints: Mapping[str, ElasticJoint]) -> RobotModel:
    """Return the robot with a spring behind the motor of each joint named.

    `model`: the robot with rigid joints. Friction, damping, limits and followers of a joint go to
      its motor.
    `joints`: by name of the joint, of one degree of freedom.
    Returns the joints of `model` are those of the motors, in the same order. Behind them are the
      springs, `<joint>_deflection`, in the order of the joints. The body of a motor is
      `<joint>_motor`.
    Raises UnknownNameError: for a joint that does not exist.
    Raises ModelError: for an impossible spring or motor, or a joint of several degrees of freedom.
      For a robot with loops, or with springs.
    """
    _check(model, joints)
    rows = dict(zip(model.joint_names, map(int, model.joint_rows())))
    elastic = {rows[name]: name for name in model.joint_names if name in joints}
    order = [row for row in range(len(model.topology)) for _ in range(1 + (row in elastic))]
    last = {row: place for place, row in enumerate(order)}  # the row of the link, not the motor
    topology, constants = simple_topology(model)[order], model.constants[order]
    topology[:, PARENT] = [last[row] for row in topology[:, PARENT]]
    for k, (row, name) in enumerate(elastic.items()):
        _split(topology, constants, last[row], joints[name])
        topology[last[row], [Q, V]] = model.nq + k, model.nv + k
    topology, constants = embedded_again(model, order, topology, constants)
    return _renamed(model, joints, elastic, order, topology, constants)


def _check(model, joints):
    """Refuse joints that cannot have springs."""
    robot = f'robot {model.name!r}'
    model.refuse_loops('elastic joints')
    if model.springs:
        raise ModelError(
            f'{robot} has springs already, at {", ".join(each.joint for each in model.springs)}'
            '; expected all elastic joints at once'
        )
    several = {
        name for joint in model.multi_dof_joints for name in model.joint_names[joint.velocities]
    }
    for name, joint in joints.items():
        where = f'{robot}: elastic joint {name!r}'
        if name not in model.joint_names:
            raise UnknownNameError(
                f'{where} does not exist; valid: {", ".join(model.joint_names)}'
            )
        if name in several:
            raise ModelError(
                f'{where} is a velocity of a joint of several degrees of freedom; expected a '
                'joint of one'
            )
        if not 0.0 < joint.stiffness < inf:
            raise ModelError(
                f'{where} has stiffness {joint.stiffness:g}; expected a finite one above 0'
            )
        for what, value in (('damping', joint.damping), ('motor inertia', joint.motor_inertia)):
            if value is not None and not 0.0 <= value < inf:
                raise ModelError(f'{where} has {what} {value:g}; expected 0 or more')
        if _motor_inertia(model, name, joint) == 0.0:
            raise ModelError(
                f'{where} has a motor without inertia; expected one above 0, or a rotor'
            )


def _motor_inertia(model, name, joint):
    """Return the inertia of a motor; nan if a body with inertia follows the joint."""
    row = model.joint_rows()[model.joint_names.index(name)]
    if row in model.leading:
        return nan
    return model.constants[row, ROTOR] if joint.motor_inertia is None else joint.motor_inertia


def _split(topology, constants, link, joint):
    """Turn rows link - 1 and link, equal so far, into those of the motor and of the spring."""
    motor = link - 1
    topology[motor, PARENT], topology[link, PARENT] = topology[link, PARENT], motor
    kept = [ROTOR, *JOINT_FRICTION]
    shared = constants[link].copy()
    constants[motor, OFFSET + 3 : ROTOR] = 0.0  # a massless body
    constants[motor, kept] = shared[kept]
    if joint.motor_inertia is not None:
        constants[motor, ROTOR] = joint.motor_inertia
    constants[link, ROTATION : ROTATION + 9] = np.eye(3).ravel()
    constants[link, OFFSET : OFFSET + 3] = 0.0
    constants[link, [*kept, ZERO]] = 0.0


def _renamed(model, joints, elastic, order, topology, constants):
    """Return the model over the new tables, with names, frames, limits and springs."""
    last = {row: place for place, row in enumerate(order)}
    added = tuple(name + DEFLECTION for name in elastic.values())
    return replace(
        model,
        joint_names=model.joint_names + added,
        position_names=model.position_names + added,
        nq=model.nq + len(added),
        nv=model.nv + len(added),
        body_names=tuple(
            model.body_names[row] if place == last[row] else elastic[row] + MOTOR
            for place, row in enumerate(order)
        ),
        frames=MappingProxyType(
            {name: replace(frame, body=last[frame.body]) for name, frame in model.frames.items()}
        ),
        topology=read_only(topology),
        constants=read_only(constants),
        limits=without_limits(model.limits, len(added)),
        all_joint_names=_with_springs(model, model.all_joint_names, elastic),
        all_position_names=_with_springs(model, model.all_position_names, elastic),
        springs=tuple(
            Spring(name + DEFLECTION, joints[name].stiffness, joints[name].damping)
            for name in elastic.values()
        ),
    )


def _with_springs(model, names, elastic):
    """Return names with those of the deflections: last, or in row order with dependent joints."""
    elastic = set(elastic.values())
    if not model.is_embedded:
        return names + tuple(name + DEFLECTION for name in model.joint_names if name in elastic)
    return tuple(
        each
        for name in names
        for each in ((name, name + DEFLECTION) if name in elastic else (name,))
    )


def without_limits(limits, count):
    """Return the limits of a robot with more joints, which have none.

    `limits` (JointLimits): limits of the other joints.
    `count`: number of further joints.
    """
    none = {'lower': -inf, 'upper': inf, 'velocity': inf, 'effort': nan}
    return JointLimits(
        *(
            read_only(np.append(getattr(limits, name), np.full(count, value)))
            for name, value in none.items()
        )
    )
