# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The dynamic parameters of a robot, from a recorded motion.

Parameters -> base_parameters -> excite -> (the robot moves) -> Recording -> identify

inertial_parameters.py  names and values of the parameters, columns of the regressor
base_parameters.py      the least number of combinations that determine all torques
excitation.py           a motion that excites them, within limits
recording.py            samples of a motion, from a CSV file
signals.py              filters without delay, derivatives
least_squares.py        estimates, standard deviations, condition number
consistency.py          the nearest physically consistent parameters
identification.py       all steps in sequence
"""

from robodyn_ros.identification.base_parameters import BaseParameters, base_parameters
from robodyn_ros.identification.consistency import Consistent, consistent, is_possible
from robodyn_ros.identification.excitation import Excitation, Fourier, excite
from robodyn_ros.identification.identification import Identification, identify
from robodyn_ros.identification.inertial_parameters import Parameters
from robodyn_ros.identification.least_squares import Estimate, fit
from robodyn_ros.identification.recording import (
    Recording,
    read_csv,
    resampled,
    write_csv,
    write_table,
)

__all__ = [
    'BaseParameters',
    'Consistent',
    'Estimate',
    'Excitation',
    'Fourier',
    'Identification',
    'Parameters',
    'Recording',
    'base_parameters',
    'consistent',
    'excite',
    'fit',
    'identify',
    'is_possible',
    'read_csv',
    'resampled',
    'write_csv',
    'write_table',
]
