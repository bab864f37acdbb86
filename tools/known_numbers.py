# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Dynamics of two robots, computed on one machine and compared on another.

    python -m tools.known_numbers --write FILE
    python -m tools.known_numbers --check FILE

They are computed by compiled kernels for any robot, and by code for one robot. Results may differ
by TOLERANCE of their largest entry: rounding of fused products, times the condition of a mass
matrix.
"""

import argparse
import json
from pathlib import Path

import numpy as np

from robodyn_ros import Robot
from robodyn_ros.codegen.registry import RECIPES
from robodyn_ros.codegen.specialise import specialise

FOLDER = Path(__file__).resolve().parents[1] / 'config' / 'urdf'
ROBOTS = 'franka_like.urdf', 'ur_like.urdf'
OWN_CODE = 'inverse_dynamics'  # the shortest code for one robot with all terms
TOLERANCE = 1e-13


def numbers():
    """Return {robot and quantity: list of numbers}."""
    found = {}
    for name in ROBOTS:
        robot = Robot.from_urdf(FOLDER / name)
        rng = np.random.default_rng(0)
        q, qd, third = rng.integers(-1000, 1000, (3, robot.nv)) / 1024.0
        results = {
            'inverse dynamics': robot.inverse_dynamics(q, qd, third),
            'forward dynamics': robot.forward_dynamics(q, qd, third),
            'mass matrix': robot.mass_matrix(q),
        }
        if name == ROBOTS[0]:
            own = specialise(robot.model, OWN_CODE, RECIPES[OWN_CODE])
            results['inverse dynamics, code for it'] = _called(own, q, qd, third)
        found |= {f'{name}, {what}': np.ravel(each).tolist() for what, each in results.items()}
    return found


def _called(own, *given):
    found = np.empty_like(given[0])
    own.one(*given, found)
    return found


def differences(expected, found):
    """Return {robot and quantity: largest difference, as a share of the largest entry}."""
    return {
        name: float(np.abs(np.subtract(found[name], values)).max() / np.abs(values).max())
        for name, values in expected.items()
    }


def main():
    """Write the numbers, or compare them; return exit code 1 if one differs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument('--write', type=Path, metavar='FILE')
    parser.add_argument('--check', type=Path, metavar='FILE')
    options = parser.parse_args()
    if options.write:
        options.write.write_text(json.dumps(numbers(), indent=1) + '\n')
    if not options.check:
        return 0
    shares = differences(json.loads(options.check.read_text()), numbers())
    for name, share in shares.items():
        print(f'{name}: {share:.1e}', flush=True)
    return int(not max(shares.values()) <= TOLERANCE)


if __name__ == '__main__':
    raise SystemExit(main())
