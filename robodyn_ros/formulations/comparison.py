# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""All formulations side by side for one robot in one state."""

from dataclasses import dataclass

import numpy as np

from robodyn_ros.errors import ModelError, short_repr
from robodyn_ros.formulations.index import FORMULATIONS
from robodyn_ros.formulations.posture import model_of, states
from robodyn_ros.robot.robot import Robot

PACKAGE = 'Robot'


@dataclass(frozen=True, eq=False)
class Comparison:
    """Results of each formulation by its name; 'Robot' is the package's own algorithm.

    Parameters
    ----------
    robot : str
        Name of the robot.
    joints : tuple of str
        Names of the joints.
    torque : dict of (nv,) ndarray
        Torques of the motion [N m, N].
    mass : dict of (nv, nv) ndarray
        Mass matrices.
    acceleration : dict of (nv,) ndarray
        Forward dynamics of the torque that Robot found [rad/s2, m/s2].
    skipped : dict of str
        Reason for each formulation that cannot express the robot.
    """

    robot: str
    joints: tuple
    torque: dict
    mass: dict
    acceleration: dict
    skipped: dict

    __repr__ = short_repr

    @property
    def worst(self):
        """Largest difference from Robot, relative to its largest entry."""
        return max(
            _difference(values[name], values[PACKAGE])
            for values in (self.torque, self.mass, self.acceleration)
            for name in values
        )

    def __str__(self):
        lines = [f'{self.robot}: largest relative difference {self.worst:.1e}']
        lines += _table('torque', self.joints, self.torque)
        for i, joint in enumerate(self.joints):
            rows = {name: matrix[i] for name, matrix in self.mass.items()}
            lines += _table(f'mass matrix, {joint}', self.joints, rows)
        lines += _table('acceleration of that torque', self.joints, self.acceleration)
        lines += [f'skipped  {name}: {why}' for name, why in self.skipped.items()]
        return '\n'.join(lines)


def compare(robot, q, qd, qdd):
    """Print torque and mass matrix of every formulation with their differences, and return them.

    A formulation may be unable to express a robot, such as one that branches or is not planar. It
    is then listed as skipped, with the reason.

    Parameters
    ----------
    robot : Robot or RobotModel
        The robot.
    q : (nv,) array_like
        Joint coordinates [rad, m].
    qd : (nv,) array_like
        Joint velocities [rad/s, m/s].
    qdd : (nv,) array_like
        Joint accelerations [rad/s2, m/s2].

    Returns
    -------
    Comparison
        The results.

    Raises
    ------
    ShapeError
        If a state has another shape.
    """
    q, qd, qdd = states(robot, q, qd, qdd)
    robot = Robot(model_of(robot))
    tau = robot.inverse_dynamics(q, qd, qdd)
    torque, mass = {PACKAGE: tau}, {PACKAGE: robot.mass_matrix(q)}
    acceleration, skipped = {PACKAGE: robot.forward_dynamics(q, qd, tau)}, {}
    for form in FORMULATIONS:
        for results, function, state in (
            (torque, form.torque, (q, qd, qdd)),
            (mass, form.mass, (q,)),
            (acceleration, form.forward, (q, qd, tau)),
        ):
            if function is None:
                continue
            try:
                results[form.name] = function(robot, *state)
            except ModelError as error:
                skipped[form.name] = str(error)
    found = Comparison(robot.name, robot.joint_names, torque, mass, acceleration, skipped)
    print(found)
    return found


def _difference(value, reference):
    """Return the largest difference relative to the largest entry of the reference."""
    return np.abs(value - reference).max() / max(np.abs(reference).max(), 1e-12)


def _table(title, joints, rows):
    """Return the lines of a table with a row per formulation."""
    width = max(12, *(len(joint) for joint in joints)) + 1
    head = ''.join(f'{joint:>{width}}' for joint in joints)
    lines = ['', f'{title:<40}{head}  difference']
    for name, values in rows.items():
        off = '' if name == PACKAGE else f'{_difference(values, rows[PACKAGE]):12.1e}'
        lines.append(f'{name:<40}' + ''.join(f'{x:{width}.6f}' for x in values) + off)
    return lines
