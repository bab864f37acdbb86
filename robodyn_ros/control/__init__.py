# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Control laws, references and guards. Only arrays and seconds, no ROS.

A `ControlLaw` turns a state and a reference into torque terms by name. The reference is sampled
from a `Trajectory`. A `Supervisor` runs both, and checks every torque that leaves the controller.
"""

from robodyn_ros.control.laws.law import TERMS, ControlLaw, KernelLaw, LawOption, LawParameter
from robodyn_ros.control.laws.law_registry import law_class, law_names
from robodyn_ros.control.reference.task_target import TaskTarget
from robodyn_ros.control.reference.trajectory import Trajectory
from robodyn_ros.control.supervisor.control_settings import Settings
from robodyn_ros.control.supervisor.controller_states import Reason, State
from robodyn_ros.control.supervisor.supervisor import Supervisor
from robodyn_ros.realtime.histogram import Histogram

__all__ = [
    'TERMS',
    'ControlLaw',
    'Histogram',
    'KernelLaw',
    'LawOption',
    'LawParameter',
    'Reason',
    'Settings',
    'State',
    'Supervisor',
    'TaskTarget',
    'Trajectory',
    'law_class',
    'law_names',
]
