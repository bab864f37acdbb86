# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Compare every formulation of the books on one robot, and check properties of its dynamics.

    robodyn_ros check arm.urdf

It prints torque, mass matrix and acceleration by each formulation, with the differences. The state
is random within the joint ranges. Then it checks the properties of Spong's section 6.5:

    skew symmetry of Ddot - 2 C, passivity, bounds of the inertia matrix,
    linearity in the parameters.

A robot with closed loops or mimic joints is compared only by the methods of Jain's chapters 11 and
15. The state is then near the posture in which its loops were closed.
"""

import argparse
import sys

import numpy as np

from robodyn_ros import RobodynError, Robot
from robodyn_ros.console.robot_arguments import RobotParser, add_robot, model_of, refuse, within
from robodyn_ros.formulations import compare
from robodyn_ros.formulations.jain.embedding.closed_robot import compare_closed
from robodyn_ros.formulations.spong.properties import check, report

AGREEMENT = 1e-10  # relative to the largest entry
NEARBY = 0.1  # [rad or m] of joints from the posture in which loops were closed


def main(args=None):
    """Print comparison and checks.

    Returns the exit code: 1 if a check fails or the description is refused, else 0.
    """
    parser = RobotParser(
        prog='robodyn_ros check',
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_robot(parser)
    parser.add_argument(
        '--seed', type=within(int, 0), default=0, help='seed of the random states (%(default)s)'
    )
    options = parser.parse_args(args)
    try:
        robot = Robot(model_of(options))
        robot.model.refuse_quaternions('the comparison of formulations')
        rng = np.random.default_rng(options.seed)
        qd, qdd = rng.uniform(-2.0, 2.0, (2, robot.nv))
        if robot.model.is_embedded:
            q = robot.model.closed_posture if robot.model.has_loops else np.zeros(robot.nq)
            q = q + rng.uniform(-NEARBY, NEARBY, robot.nq)
            return int(not compare_closed(robot, q, qd, qdd).worst <= AGREEMENT)
        found = compare(robot, rng.uniform(*robot.model.ranges), qd, qdd)
        checks = check(robot, seed=options.seed)
    except (RobodynError, OSError) as error:
        return refuse(error)
    print(f'\n{report(checks)}')
    return int(not (found.worst <= AGREEMENT and all(each.holds for each in checks)))


if __name__ == '__main__':
    sys.exit(main())
