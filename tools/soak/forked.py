# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Imports of the fork server: both nodes, with loaded kernels. Each child process runs one of
them.

Otherwise a thousand starts would take the processor time of a thousand imports.
"""

import os
import sys

from robodyn_ros.compile import warm_up
from robodyn_ros.control.laws.law_registry import law_class
from robodyn_ros.nodes import controller, simulator
from robodyn_ros.ros.common.session_kernels import controller_kernels
from robodyn_ros.simulation.contact.plant_kernels import KERNELS

warm_up((*controller_kernels(law_class('computed_torque')), *KERNELS))


def run(name, arguments, log, environment):
    """Run a node in this process, with its output in a file; end with its exit code."""
    for stream in (1, 2):
        with open(log, 'ab') as file:
            os.dup2(file.fileno(), stream)
    os.environ.update(environment)
    sys.argv = [name]
    sys.exit({'controller': controller, 'simulator': simulator}[name].main(arguments))
