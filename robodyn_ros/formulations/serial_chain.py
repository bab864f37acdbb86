# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A serial chain in frames at the far end of its links, as Angeles, Turney and Spong write them.

Frame F_(i+1) is fixed to link i at O_(i+1), its z axis along joint i+1 (standard DH). Turney and
Spong number it i. Q_i turns components in F_(i+1) into components in F_i. The books write
Q_i = [[c, -lam s, mu s], [s, lam c, -mu c], [0, mu, lam]]. Here it is Rz(theta_i) times the fixed
rotation of the robot. So any serial chain will do, with DH parameters or without.
"""

from dataclasses import dataclass

import numpy as np

from robodyn_ros.errors import ModelError
from robodyn_ros.formulations.arm import links_of, model_of, rotation_z, states
from robodyn_ros.model.arithmetic import product
from robodyn_ros.model.canonical import without_rounding

Z = np.array([0.0, 0.0, 1.0])  # e_i in F_i


@dataclass(frozen=True, eq=False)
class Links:
    """A serial chain at one posture; link i in the axes of its own F_(i+1), base to tip.

    Q (n, 3, 3) : F_(i+1) to F_i. a, rho (n, 3) : O_i -> O_(i+1) and O_i -> C_i [m], delta = a -
    rho. If the joint slides, O_i has slid with the link. b (n,) : that slide [m], or 0. m (n,)
    [kg], I (n, 3, 3) [kg m2] about C_i. g (3,) [m/s2] in F_1. rotor (n,). base (3, 3) : F_1 to
    base axes. order (n,) : which entry of q each joint has.
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

    @property
    def n(self):
        """Number of joints."""
        return len(self.m)

    @property
    def delta(self):
        """C_i -> O_(i+1), (n, 3)."""
        return self.a - self.rho

    def base_axes(self):
        """Rotations (n, 3, 3) from F_(i+1) to base axes."""
        R, rotations = self.base, []
        for Q in self.Q:
            R = R @ Q
            rotations.append(R)
        return np.array(rotations)

    def joint_order(self, values):
        """Return the values per link, base to tip, put in the order of q."""
        ordered = np.empty_like(np.asarray(values))
        ordered[self.order] = values
        return ordered


def links_at(robot, q):
    """Return the Links of a serial Robot or RobotModel at q (nv,); ModelError if it branches.

    The last link has no next joint: its far frame is put at its own joint, a_n = 0.
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
        I=np.array([R.T @ link.I @ R for link, (R, _) in zip(chain, far)]),
        g=chain[0].R.T @ model.gravity,
        rotor=np.array([link.rotor for link in chain]),
        base=chain[0].R,
        order=order,
    )
