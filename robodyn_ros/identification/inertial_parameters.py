# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The identifiable parameters of a robot: names, values, columns of the regressor.

tau = Y(q, qd, qdd) theta (Spong, eq. 6.122). theta has ten numbers for each moving body, as in its
row of the model. They are m, m c, and the inertia about the body's origin in its axes. For each
joint it has rotor inertia (times qdd), viscous friction (times qd) and Coulomb friction (times
sign(qd)).
"""

import numpy as np

from robodyn_ros.model.layout import DAMPING, FRICTION, INERTIA, MASS, OFFSET, PARENT, ROTOR
from robodyn_ros.robot.robot import Robot

OF_BODY = ('m', 'hx', 'hy', 'hz', 'Ixx', 'Ixy', 'Ixz', 'Iyy', 'Iyz', 'Izz')
OF_JOINT = {'rotor': ROTOR, 'damping': DAMPING, 'friction': FRICTION}
WEIGHT = 9.81  # [m/s^2]


def typical(model):
    """Return {name of a parameter: its size for a typical body of a robot}.

    m is the mean mass of the bodies, and l their mean length from joint to joint or to the centre
    of mass. Sizes are m, m l, m l^2, and for friction a tenth of the torque m 9.81 l.
    """
    masses, parents = model.constants[1:, MASS], model.topology[1:, PARENT]
    lengths = np.linalg.norm(
        np.vstack((model.constants[1:, OFFSET : OFFSET + 3][parents > 0], model.centres()[1:])),
        axis=1,
    )
    m, length = (_mean_of_positive(values) for values in (masses, lengths))
    size = {'m': m, 'h': m * length, 'I': m * length * length}
    joint = {'rotor': size['I'], **dict.fromkeys(('damping', 'friction'), WEIGHT * size['h'] / 10)}
    return {name: size[name[0]] for name in OF_BODY} | joint


def _mean_of_positive(values):
    """Return the mean of the positive values, 1 where there is none."""
    return values[values > 0.0].mean() if (values > 0.0).any() else 1.0


class Parameters:
    """The parameters of one robot: bodies first, then one joint constant after the other.

    Other constants keep the value of the model.

    Parameters
    ----------
    robot : Robot
        The robot.
    rotors, friction : bool
        Whether rotor inertias, and viscous and Coulomb friction, are included.

    Attributes
    ----------
    names : tuple of str
        Such as 'link2.Ixx' and 'joint2.damping'.
    nominal : (p,) ndarray
        Values of the model.
    sizes : (p,) ndarray
        What each parameter is of a typical body of the robot, see `typical`.
    bodies : int
        Number of moving bodies, with ten parameters each.

    Raises
    ------
    ModelError
        If a joint has a quaternion.
    """

    def __init__(self, robot, rotors=False, friction=True):
        robot.model.refuse_quaternions('identification')
        self.robot = robot
        self.bodies = len(robot.model.body_names) - 1
        self.of_joint = (('rotor',) if rotors else ()) + (
            ('damping', 'friction') if friction else ()
        )
        self.names = tuple(
            f'{body}.{name}' for body in robot.model.body_names[1:] for name in OF_BODY
        )
        self.names += tuple(
            f'{joint}.{name}' for name in self.of_joint for joint in robot.joint_names
        )
        self.nominal = np.concatenate(
            (
                robot.inertial_parameters(),
                *(robot.model.joint_values(OF_JOINT[name]) for name in self.of_joint),
            )
        )
        size = typical(robot.model)
        self.sizes = np.array([size[name.rpartition('.')[2]] for name in self.names])

    def regressor(self, q, qd, qdd):
        """Return W (k, nv, p) with W theta = tau of k states.

        Parameters
        ----------
        q, qd, qdd : (k, nv) array_like
            States [rad or m, and their rates].
        """
        columns = {'rotor': qdd, 'damping': qd, 'friction': np.sign(qd)}
        spread = np.eye(self.robot.nv)
        return np.concatenate(
            (
                self.robot.regressor(q, qd, qdd),
                *(columns[name][:, :, None] * spread for name in self.of_joint),
            ),
            axis=2,
        )

    def known_torque(self, qdd):
        """Return the torque (k, nv) of rotors that are not parameters.

        Parameters
        ----------
        qdd : (k, nv) array_like
            Accelerations [rad/s^2 or m/s^2].
        """
        known = 'rotor' not in self.of_joint
        return qdd * self.robot.model.joint_values(ROTOR) if known else np.zeros_like(qdd)

    def applied(self, theta):
        """Return a new Robot with other parameters in its model.

        Parameters
        ----------
        theta : (p,) array_like
            The parameters.

        Raises
        ------
        ModelError
            For a negative constant of a joint.
        """
        model = self.robot.model
        constants = model.constants.copy()
        constants[1:, MASS : INERTIA + 6] = theta[: 10 * self.bodies].reshape(-1, 10)
        model = model.with_constants(constants)
        for name, values in zip(
            self.of_joint, theta[10 * self.bodies :].reshape(-1, self.robot.nv)
        ):
            model = model.with_joint_values(OF_JOINT[name], values)
        return Robot(model)
