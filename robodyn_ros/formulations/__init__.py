# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Classical formulations of robot dynamics, to be read with the book open.

They are referees of the fast recursions: numpy only, the symbols of the book, one formulation per
file. Where the print is wrong, the docstring has the correction. A folder per book, and `jain` for
the spatial operators. `index` has all by name, `comparison` puts them side by side, `count` counts
their operations. Each takes a Robot or a RobotModel, and states in the order of its joints.

May import: model, robot; scipy for the solvers of `angeles.angeles_simulation`.
"""

from robodyn_ros.formulations.comparison import Comparison, compare
from robodyn_ros.formulations.index import FORMULATIONS, Formulation

__all__ = ['FORMULATIONS', 'Comparison', 'Formulation', 'compare']
