# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The identifiable parameters of a robot: names, values, columns of the regressor.

tau = Y(q, qd, qdd) theta (Spong, eq. 6.122). theta has ten numbers for each moving body, as in its
row of the model. They are m, m c, and the inertia about the body's origin in its axes. For each
joint it has rotor inertia (times qdd), viscous friction (times qd) and Coulomb friction (times
sign(qd)). Where the model has a Stribeck velocity, it has static friction beyond Coulomb friction.
Where it has a wavenumber, it has the amplitudes of a wave (model.extended.joint_friction).
"""

import numpy as np

from robodyn_ros.errors import listed
from robodyn_ros.model.extended.joint_friction import friction_parts
from robodyn_ros.model.layout import (
    COSINE,
    DAMPING,
    FRICTION,
    INERTIA,
    MASS,
    OFFSET,
    PARENT,
    ROTOR,
    SINE,
    STICTION,
    STRIBECK_VELOCITY,
    WAVENUMBER,
)
from robodyn_ros.robot.robot import Robot

OF_BODY = ('m', 'hx', 'hy', 'hz', 'Ixx', 'Ixy', 'Ixz', 'Iyy', 'Iyz', 'Izz')
OF_JOINT = {
    'rotor': ROTOR,
    'damping': DAMPING,
    'friction': FRICTION,
    'stiction': STICTION,
    'cosine': COSINE,
    'sine': SINE,
}
FRICTIONAL = tuple(OF_JOINT)[1:]
#: The constant that a joint needs to have the parameter.
NEEDS = {'stiction': STRIBECK_VELOCITY, 'cosine': WAVENUMBER, 'sine': WAVENUMBER}
WEIGHT = 9.81  # [m/s^2]


def typical_sizes(model):
    """Return {name of a parameter: its size for a typical body of a robot}.

    m is the mean mass of the bodies. l is their mean length, from joint to joint or to the centre
    of mass. Sizes are m, m l, m l^2, and for friction a tenth of the torque m 9.81 l.
    """
    masses, parents = model.constants[1:, MASS], model.topology[1:, PARENT]
    lengths = np.linalg.norm(
        np.vstack((model.constants[1:, OFFSET : OFFSET + 3][parents > 0], model.centres()[1:])),
        axis=1,
    )
    m, length = (_mean_of_positive(values) for values in (masses, lengths))
    size = {'m': m, 'h': m * length, 'I': m * length * length}
    joint = {'rotor': size['I'], **dict.fromkeys(FRICTIONAL, WEIGHT * size['h'] / 10)}
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
        Whether rotor inertias, and friction, are included.

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
    of_joint : dict of str to (j,) ndarray of int
        Names of the constants of joints, and which joints have them, in the order of theta.

    Raises
    ------
    ModelError
        If a joint has a quaternion.
    """

    def __init__(self, robot, rotors=False, friction=True):
        robot.model.refuse_quaternions('identification')
        self.robot = robot
        self.bodies = len(robot.model.body_names) - 1
        sought = (('rotor',) if rotors else ()) + (FRICTIONAL if friction else ())
        self.of_joint = {name: self._joints_with(name) for name in sought}
        self.names = tuple(
            f'{body}.{name}' for body in robot.model.body_names[1:] for name in OF_BODY
        )
        self.names += tuple(
            f'{robot.joint_names[k]}.{name}'
            for name, joints in self.of_joint.items()
            for k in joints
        )
        self.nominal = np.concatenate(
            (
                robot.links.inertial_parameters(),
                *(
                    robot.model.joint_values(OF_JOINT[name])[joints]
                    for name, joints in self.of_joint.items()
                ),
            )
        )
        size = typical_sizes(robot.model)
        self.sizes = np.array([size[name.rpartition('.')[2]] for name in self.names])

    def __repr__(self):
        return f'<Parameters of {self.robot.name!r}, {len(self.names)}: {listed(self.names, 3)}>'

    def _joints_with(self, name):
        """Return the indices of the joints that have a parameter."""
        model = self.robot.model
        needed = model.joint_values(NEEDS[name]) if name in NEEDS else np.ones(model.nv)
        return np.flatnonzero(needed > 0.0)

    def joint_places(self, name):
        """Return {joint: index in theta} of a constant of joints.

        Parameters
        ----------
        name : str
            One of OF_JOINT.
        """
        at = 10 * self.bodies
        for each, joints in self.of_joint.items():
            if each == name:
                return dict(zip(joints.tolist(), range(at, at + len(joints))))
            at += len(joints)
        return {}

    def regressor(self, q, qd, qdd):
        """Return W (k, nv, p) with W theta = tau of k states.

        Parameters
        ----------
        q, qd, qdd : (k, nv) array_like
            States [rad or m, and their rates].
        """
        columns = {ROTOR: qdd} | friction_parts(self.robot.model, q, qd)
        spread = np.eye(self.robot.nv)
        return np.concatenate(
            (
                self.robot.links.regressor(q, qd, qdd),
                *(
                    columns[OF_JOINT[name]][:, :, None] * spread[:, joints]
                    for name, joints in self.of_joint.items()
                ),
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
        for name in self.of_joint:
            places, values = self.joint_places(name), model.joint_values(OF_JOINT[name])
            values[[*places]] = theta[[*places.values()]]
            model = model.with_joint_values(OF_JOINT[name], values)
        return Robot(model)
