# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A serial chain in frames at the far end of its links, as Angeles, Turney and Spong write them.

Frame F_(i+1) is fixed to link i at O_(i+1), its z axis along joint i+1 (standard DH). Turney and
Spong number it i. Q_i turns components in F_(i+1) into components in F_i. The books write
Q_i = [[c, -lam s, mu s], [s, lam c, -mu c], [0, mu, lam]]. Here it is Rz(theta_i) times the fixed
rotation of the robot. This holds for any serial chain, with DH parameters or without.
"""

from dataclasses import dataclass

import numpy as np

from robodyn_ros.errors import ModelError, short_repr
from robodyn_ros.formulations.posture import links_of, model_of, rotation_z, states
from robodyn_ros.model.arithmetic import product
from robodyn_ros.model.canonical import without_rounding

Z = np.array([0.0, 0.0, 1.0])  # e_i in F_i


@dataclass(frozen=True, eq=False)
class Links:
    """A serial chain at one posture; link i in the axes of its own F_(i+1), from base to tip.

    At a prismatic joint, O_i slides with the link.

    `revolute`: whether each joint is revolute.
    `Q`: rotations from F_(i+1) to F_i.
    `a`: from O_i to O_(i+1) [m].
    `rho`: from O_i to C_i [m].
    `b`: travel of each prismatic joint, else 0 [m].
    `m`: masses [kg].
    `I`: inertia tensors about C_i [kg m2].
    `g`: acceleration of free fall, in F_1 [m/s2].
    `rotor`: inertia of the drives, reflected to the joints [kg m2 or kg].
    `base`: rotation from F_1 to base axes.
    `order`: entry of q of each joint.
    """

    revolute: np.ndarray
    Q: np.ndarray
    a: np.ndarray
    rho: np.ndarray
    b: np.ndarray
    m: np.ndarray
    I: np.ndarray  # noqa: E741
    g: np.ndarray
    rotor: np.ndarray
    base: np.ndarray
    order: np.ndarray

    __repr__ = short_repr

    @property
    def n(self):
        """Number of joints."""
        return len(self.m)

    @property
    def delta(self):
        """From C_i to O_(i+1), (n, 3) [m]."""
        return self.a - self.rho

    def base_axes(self):
        """Return the rotations from F_(i+1) to base axes."""
        R, rotations = self.base, []
        for Q in self.Q:
            R = R @ Q
            rotations.append(R)
        return np.array(rotations)

    def joint_order(self, values):
        """Return values per link in the order of q.

        `values` ((n, ...) array_like): values from base to tip.
        """
        ordered = np.empty_like(np.asarray(values))
        ordered[self.order] = values
        return ordered


def links_at(robot, q):
    """Return a serial robot at given coordinates.

    The last link has no next joint, so its far frame is at its own joint: a_n = 0.

    `q` ((nv,) array_like): coordinates, real or complex [rad, m].
    Raises ModelError: if the robot branches.
    """
    model = model_of(robot)
    (q,) = states(robot, q)
    chain = links_of(robot)
    for before, link in zip(chain, chain[1:]):
        if link.parent != before.joint:
            name = model.body_names[chain.index(link) + 1]
            raise ModelError(
                f'robot {model.name!r}: link {name!r} starts a branch; expected a '
                'serial chain for this formulation'
            )
    order = np.array([link.joint for link in chain])
    q = q[order]
    revolute = np.array([link.revolute for link in chain])
    far = [(link.R, link.p) for link in chain[1:]] + [(np.eye(3), np.zeros(3))]
    return Links(
        revolute=revolute,
        Q=np.array(
            [rotation_z(angle) @ R for angle, (R, _) in zip(np.where(revolute, q, 0.0), far)]
        ),
        a=np.array([without_rounding(product(R.T, p)) for R, p in far]),
        rho=np.array([R.T @ link.rho for link, (R, _) in zip(chain, far)]),
        b=np.where(revolute, 0.0, q),
        m=np.array([link.m for link in chain]),
        I=np.array([without_rounding(R.T @ link.I @ R) for link, (R, _) in zip(chain, far)]),
        g=chain[0].R.T @ model.gravity,
        rotor=np.array([link.rotor for link in chain]),
        base=chain[0].R,
        order=order,
    )
