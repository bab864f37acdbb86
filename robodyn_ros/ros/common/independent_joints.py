# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Remove dependent joints from received messages."""

from sensor_msgs.msg import JointState

from robodyn_ros.model.robot_model import RobotModel


def independent_joints(message: JointState, model: RobotModel) -> JointState:
    """Return a message without its dependent joints; the independent joints determine these.

    `message`: message, which stays unchanged.
    `model`: robot that has the dependent joints.
    """
    dependent = {*model.all_joint_names} - {*model.joint_names}
    kept = [k for k, name in enumerate(message.name) if name not in dependent]
    if not kept or len(kept) == len(message.name):
        return message
    fields = {
        field: [values[k] for k in kept] if len(values) == len(message.name) else values
        for field in ('name', 'position', 'velocity', 'effort')
        for values in (getattr(message, field),)
    }
    return JointState(header=message.header, **fields)
