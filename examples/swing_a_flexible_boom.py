# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A flexible boom keeps swinging after a fast motion, and hardly after a slow one.

    python examples/swing_a_flexible_boom.py

The drives follow a polynomial without a jump in acceleration. After the joints have arrived, the
boom swings at its first frequency. After a motion longer than its period it hardly swings.
"""

from math import inf

import numpy as np

from robodyn_ros import Robot, example
from robodyn_ros.model.extended.modal_sources import ModalBeam
from robodyn_ros.simulation import PlantSettings
from robodyn_ros.simulation.flexible.flexible_plant import FlexiblePlant

START, TURN = np.array([0.2, -0.4]), np.array([0.3, 0.0])
STEP = 1e-3  # [s]


def swing(duration):
    """Return the swing of the end of the boom after a motion, from peak to peak [m].

    Parameters
    ----------
    duration : float
        Length of the motion [s].
    """
    settings = PlantSettings(
        integrator='dop853',  # damps no vibrations, and keeps the drives of a soft arm stable
        command_modes=('position',),
        command_timeout=inf,
        stiffness=(4e3,),
        rate_gain=(200.0,),
    )
    boom = ModalBeam((1.0, 0.0, 0.0), bending=2000.0, modes=(2, 2, 0))
    plant = FlexiblePlant(Robot.from_urdf(example('two_link')), {'link1': boom}, settings, START)
    seen = []
    while plant.t < duration + 0.6:
        s = min((plant.t + STEP) / duration, 1.0)
        plant.step(START + TURN * s**3 * (10.0 - 15.0 * s + 6.0 * s * s), STEP)
        if plant.t > duration + 0.2:
            seen.append(plant.pose('link2')[:3, 3])
    return float(np.ptp(seen, axis=0).max())


def main():
    """Print and return the swings after a fast and a slow motion, {duration [s]: swing [m]}."""
    found = {duration: swing(duration) for duration in (0.3, 1.0)}
    for duration, left in found.items():
        print(f'a motion of {duration:.1f} s leaves {1e3 * left:.3f} mm')
    return found


if __name__ == '__main__':
    main()
