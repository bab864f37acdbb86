# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A skew arm of five joints, four of which have rotors, and Jain's picture of it."""

from dataclasses import replace

import numpy as np

from robodyn_ros.formulations.jain.body_tree import tree_at
from robodyn_ros.formulations.jain.gears.geared_chain import chain_of
from robodyn_ros.model.rotors import Rotor, with_rotors
from robodyn_ros.robot.robot import Robot
from support.robots.families import GRAVITY, describe

ARM = describe('geared_chain', 5, welds=0.0)
ROTORS = {
    'joint1': Rotor(2e-4, 80.0, mass=0.3, position=(0.1, 0.0, 0.2), across=1e-4),
    'joint2': Rotor(1e-4, -50.0, axis=(0.0, 0.6, 0.8), mass=0.2, across=6e-5),
    'joint4': Rotor(3e-5, 120.0),
    'joint5': Rotor(2e-5, 30.0, axis=(1.0, 0.0, 0.0)),
}


def chain_at(every):
    """Return Jain's GearedChain of the arm with rotors: its tree with nothing geared.

    every : {name: (position, velocity)} of joints and rotors.
    """
    described = with_rotors(ARM, ROTORS)
    loose = replace(
        described, joints=tuple(replace(joint, mimic='') for joint in described.joints)
    )
    free = Robot.from_description(loose, gravity=GRAVITY)
    at = np.array([every[name] for name in free.joint_names])
    tree = tree_at(free, at[:, 0])
    rates, pairs, mu = np.zeros(tree.N), [], []
    for k in range(5, 0, -1):  # from tip to base, as Jain counts
        rotor = ROTORS.get(f'joint{k}')
        motor = tree.names.index(f'joint{k}_rotor') if rotor else None
        pairs.append((motor, tree.names.index(f'link{k}')))
        mu.append(rotor.gear_ratio if rotor else 0.0)
    for body, name in enumerate(tree.names):
        rates[tree.slices[body]] = every[name.replace('link', 'joint')][1]
    return chain_of(tree, rates, pairs, np.array(mu))
