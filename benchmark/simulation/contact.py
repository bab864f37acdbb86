# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Cost of a step with contacts, beside MuJoCo: bodies at rest on a floor, in one run.

k free boxes would be k robots. So a chain lies on the floor, with a sphere on each link. MuJoCo
takes the same chain and floor, with its pyramidal cone and Newton's method.
"""

import os
import time

import numpy as np

from benchmark import table
from robodyn_ros import Robot
from robodyn_ros.model.contacts import Contacts, Obstacle, sphere
from robodyn_ros.simulation.plant import Plant
from robodyn_ros.simulation.plant_settings import PlantSettings

STEP, STEPS, ROUNDS = 1e-3, 4000, 5
LINKS, LENGTH, RADIUS = 6, 0.3, 0.05
CONTACTS = (0, 1, 2, 4, 6)


def chain(touching):
    """Return URDF and MJCF of a planar chain on the floor with that many spheres."""
    links, joints = [], []
    body, end = '', ''
    for k in range(LINKS):
        links.append(
            f'<link name="l{k}"><inertial><origin xyz="{LENGTH / 2} 0 0"/><mass value="1"/>'
            '<inertia ixx="0.002" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>'
            '</link>'
        )
        parent, place = ('world', f'0 0 {RADIUS}') if k == 0 else (f'l{k - 1}', f'{LENGTH} 0 0')
        joints.append(
            f'<joint name="j{k}" type="continuous"><parent link="{parent}"/>'
            f'<child link="l{k}"/><origin xyz="{place}"/><axis xyz="0 1 0"/></joint>'
        )
        geom = f'<geom type="sphere" size="{RADIUS}" pos="{LENGTH} 0 0"/>' if k < touching else ''
        body += (
            f'<body pos="{place}"><joint type="hinge" axis="0 1 0"/>'
            f'<inertial mass="1" pos="{LENGTH / 2} 0 0" diaginertia="0.002 0.01 0.01"/>{geom}'
        )
        end += '</body>'
    urdf = f'<robot name="chain"><link name="world"/>{"".join(links + joints)}</robot>'
    mjcf = (
        f'<mujoco><option timestep="{STEP}" cone="pyramidal" solver="Newton" '
        'gravity="0 0 -9.81"><flag eulerdamp="disable"/></option><worldbody>'
        f'<geom type="plane" size="5 5 1" friction="0.6"/>{body}{end}</worldbody></mujoco>'
    )
    return urdf, mjcf


def measure():
    """Return microseconds per step with k contacts, ours and MuJoCo's in turns, best round."""
    rows = {}
    for touching in CONTACTS:
        urdf, mjcf = chain(touching)
        runs = {'ours_us': _ours(urdf, touching)}
        peer = _mujoco(mjcf)
        if peer is not None:
            runs['mujoco_us'] = peer
        best = dict.fromkeys(runs, np.inf)
        for _ in range(ROUNDS):
            for name, run in runs.items():
                begin = time.perf_counter()
                run()
                best[name] = min(best[name], 1e6 * (time.perf_counter() - begin) / STEPS)
        rows[touching] = best | {'points': runs['ours_us'].points()}
    return {'links': LINKS, 'contacts': rows, 'load_average': os.getloadavg()}


class _Ours:
    """Steps of our plant from Python."""

    def __init__(self, urdf, touching):
        robot = Robot.from_urdf(urdf)
        shapes = [sphere(f'l{k}', RADIUS, (LENGTH, 0.0, 0.0)) for k in range(touching)]
        contacts = Contacts(shapes, [Obstacle.plane(friction=0.6)]) if shapes else None
        settings = PlantSettings(no_command='free' if touching else 'hold')
        self._plant = Plant(robot, settings, contacts=contacts)
        self()

    def __call__(self):
        for _ in range(STEPS):
            self._plant.step(None, STEP)

    def points(self):
        """Return the number of touching points."""
        return len(self._plant.contacts)


_ours = _Ours


def _mujoco(mjcf):
    """Return a function that steps MuJoCo, None if it is not installed."""
    try:
        import mujoco
    except ModuleNotFoundError:
        return None
    model = mujoco.MjModel.from_xml_string(mjcf)
    data = mujoco.MjData(model)

    def run():
        for _ in range(STEPS):
            mujoco.mj_step(model, data)

    run()
    return run


def show(result):
    """Print the table."""
    names = ('ours_us', 'mujoco_us')
    table.show(
        f'Step of a chain of {result["links"]} links on a floor, from Python [us]',
        ('contacts', *names),
        [
            (f'{row["points"]}', *(f'{row[name]:.1f}' if name in row else '-' for name in names))
            for row in result['contacts'].values()
        ],
    )
