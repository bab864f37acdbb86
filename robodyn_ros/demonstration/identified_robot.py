# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The identified robot as files for both nodes, and its torques on another motion."""

import numpy as np

from robodyn_ros.identification import signals
from robodyn_ros.identification.recorded_equations import slowest
from robodyn_ros.model import urdf_writer
from robodyn_ros.model.extended.joint_friction import friction_of
from robodyn_ros.model.rotors import REFLECTED
from robodyn_ros.robot.robot import Robot

URDF, ROTORS, FRICTION, PARAMETERS = FILES = (
    'identified.urdf',
    'identified_rotors.yaml',
    'identified_friction.yaml',
    'identified.yaml',
)


def write(found, source, results):
    """Write the FILES of an identification.

    Rotors and friction have a file only if the robot has them.

    `source`: URDF text of the robot.
    `results` (ResultFolder): the folder.
    Returns the written files.
    """
    model, folder = found.robot().model, results.path.resolve()
    rotors, friction = urdf_writer.rotor_file(model), urdf_writer.friction_file(model)
    parameters = urdf_writer.parameter_file(
        model,
        folder / URDF,
        folder / ROTORS if rotors else '',
        folder / FRICTION if friction else '',
    )
    urdf = urdf_writer.with_parameters(source, model)
    texts = dict(zip(FILES, (urdf, rotors, friction, parameters)))
    texts = {name: text for name, text in texts.items() if text}
    for name, text in texts.items():
        results.write(name, text)
    return [folder / name for name in texts]


def robot_of(folder, model):
    """Return the robot of the files.

    `folder` (path): folder of the files.
    `model` (RobotModel): has the joints, locked joints, base and gravity of the robot.
    Raises ModelError: if the description is not valid.
    """
    rotors, friction = folder / ROTORS, folder / FRICTION
    robot = Robot.from_urdf(
        folder / URDF,
        joints=model.joint_names,
        base=model.body_names[0],
        gravity=model.gravity,
        locked=dict(model.held),
        rotors=rotors if rotors.exists() else None,
        rotor_model=REFLECTED,
    )
    return robot.extended.with_joint_friction(friction) if friction.exists() else robot


def errors(robot, recording, cutoff):
    """Return torque errors of a robot on a recorded motion, and the size of the torques.

    Both are root mean squares of filtered samples at which the joint moves.

    `recording` (Recording): the motion.
    `cutoff`: cut-off frequency of the filter [Hz].
    Returns `error, torque` (nv,): root mean squares [N m or N].
    """
    rate = recording.rate
    states = signals.differentiated(recording.q, rate, cutoff)
    keep = signals.thinned(rate, cutoff, len(recording.q))
    friction = friction_of(robot.model, *states[:2])
    tau, expected = (
        signals.lowpass(each, rate, cutoff)[keep]
        for each in (robot.inverse_dynamics(*states) + friction, recording.tau)
    )
    used = signals.steady(states[1], rate, cutoff, slowest(states[1]))[keep]
    return tuple(
        np.sqrt(np.mean(each**2, axis=0, where=used)) for each in (tau - expected, expected)
    )


def verification(found, folder, recording, cutoff):
    """Read the files, compile the robot, and yield sentences about its torques on a recording.

    `folder` (path): folder of the files.
    `recording` (Recording): another motion than that of the identification.
    `cutoff`: cut-off frequency of the filter [Hz].
    Yields a sentence.
    """
    described = found.parameters.robot
    identified = robot_of(folder, described.model).specialised()
    yield 'On the second motion, by code compiled for the robot of the files:'
    before, _ = errors(described, recording, cutoff)
    after, torque = errors(identified, recording, cutoff)
    for joint, *values in zip(described.joint_names, after, before, torque):
        yield '{}: torque error {:.3g} (as identified), {:.3g} (as described), of {:.3g}'.format(
            joint, *values
        )
