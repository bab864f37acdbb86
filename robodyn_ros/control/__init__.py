"""What to command: control laws, references, guards. Pure: arrays and seconds, no ROS.

A `ControlLaw` turns a state and a reference into torque terms by name; a `Trajectory` becomes
the reference; a `Supervisor` stands between the two and the joints, and answers for every
torque that leaves the controller.
"""
from robodyn_ros.control.law import TERMS, ControlLaw, LawOption, LawParameter
from robodyn_ros.control.registry import law_class, law_names
from robodyn_ros.control.settings import Settings
from robodyn_ros.control.states import Reason, State
from robodyn_ros.control.statistics import Histogram
from robodyn_ros.control.supervisor import Supervisor
from robodyn_ros.control.task_target import TaskTarget
from robodyn_ros.control.trajectory import Trajectory

__all__ = [
    'TERMS', 'ControlLaw', 'Histogram', 'LawOption', 'LawParameter', 'Reason', 'Settings',
    'State', 'Supervisor', 'TaskTarget', 'Trajectory', 'law_class', 'law_names',
]
