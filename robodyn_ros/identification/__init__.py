# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The dynamic parameters of a robot, from a recorded motion.

Parameters -> base_parameters -> excite -> (the robot moves) -> Recording -> identify

identification.py has all steps in sequence. Each other file has one step. May import:
robot, model.
"""

from robodyn_ros.identification.base_parameters import BaseParameters, base_parameters
from robodyn_ros.identification.consistency import Consistent, consistent, is_possible
from robodyn_ros.identification.excitation import Excitation, Fourier, excite, with_slow_passages
from robodyn_ros.identification.identification import Identification, identify, recording_defects
from robodyn_ros.identification.inertial_parameters import Parameters
from robodyn_ros.identification.least_squares import Estimate, fit
from robodyn_ros.identification.recording import (
    Recording,
    read_csv,
    resampled,
    write_csv,
    write_table,
)
from robodyn_ros.identification.recording_defects import Defect

__all__ = [
    'BaseParameters',
    'Consistent',
    'Defect',
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
    'recording_defects',
    'resampled',
    'with_slow_passages',
    'write_csv',
    'write_table',
]
