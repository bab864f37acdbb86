# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The state of the simulated robot that a request sets."""

from sensor_msgs.msg import JointState, MultiDOFJointState

from robodyn_ros.errors import ShapeError, UnknownNameError, shorten
from robodyn_ros.ros.common.independent_joints import independent_joints
from robodyn_ros.ros.common.joint_messages import MAX_NAMES
from robodyn_ros.ros.common.multi_dof_messages import multi_dof_joints
from robodyn_ros.ros.simulator.state_publisher import scalar_joints


def named_state(joints: JointState, poses: MultiDOFJointState, plant):
    """Return the state of the plant with the requested joints replaced.

    `joints`: joints of one degree of freedom.
    `poses`: joints of several degrees of freedom.
    `plant` (Plant or SpringPlant): the plant, which stays unchanged.
    Returns `position` (nq,): positions [rad or m], and quaternions.
    Returns `velocity` (nv,): velocities [rad/s or m/s].
    Raises ShapeError: if arrays have the wrong size.
    Raises UnknownNameError: if a joint is unknown, or named twice.
    Raises ParameterError: if a joint cannot take its pose or twist.
    """
    model = plant.model
    joints = independent_joints(joints, model)
    position, velocity = plant.q.copy(), plant.qd.copy()
    if joints.name or not poses.joint_names:
        where = {model.joint_names[k]: k for k in scalar_joints(model)}
        rows = _located(
            joints.name, where, 'joints', positions=joints.position, velocities=joints.velocity
        )
        if joints.position:
            position[model.coordinates[rows]] = joints.position
        if joints.velocity:
            velocity[rows] = joints.velocity
    if poses.joint_names:
        several = {joint.name: joint for joint in multi_dof_joints(model)}
        named = _located(
            poses.joint_names,
            several,
            'joints of several degrees of freedom',
            transforms=poses.transforms,
            twists=poses.twist,
        )
        for joint, pose in zip(named, poses.transforms):
            joint.put_pose(_numbers(pose.translation), _numbers(pose.rotation), position)
        for joint, twist in zip(named, poses.twist):
            joint.put_twist(
                (*_numbers(twist.linear), *_numbers(twist.angular)), position, velocity
            )
    return position, velocity


def _located(names, where, what, **values):
    """Return the entries of `where` for the requested names; refuse a malformed request."""
    size = len(names)
    if not 1 <= size <= MAX_NAMES:
        raise ShapeError(f'The state names {size} {what}; expected 1 to {MAX_NAMES}.')
    if any(len(given) not in (0, size) for given in values.values()):
        counts = ' and '.join(f'{len(given)} {field}' for field, given in values.items())
        raise ShapeError(
            f'The state has {size} names, {counts}; expected as many of each, or none.'
        )
    if any(name not in where for name in names) or len(set(names)) != size:
        raise UnknownNameError(
            f'The state names the {what} {shorten(list(names))}; expected '
            f'each at most once, of {", ".join(where) or "none"}.'
        )
    return [where[name] for name in names]


def _numbers(message):
    """Return the numbers of a Vector3 or a Quaternion."""
    return [getattr(message, field) for field in message.get_fields_and_field_types()]
