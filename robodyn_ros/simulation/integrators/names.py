# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Names of the integrators, and their numbers in kernels."""

SEMI_IMPLICIT_EULER, ROSENBROCK, ENERGY_ROSENBROCK, RK4, ENERGY_RK4, DOP853 = range(6)
METHODS = {
    'semi_implicit_euler': SEMI_IMPLICIT_EULER,
    'rosenbrock': ROSENBROCK,
    'energy_rosenbrock': ENERGY_ROSENBROCK,
    'rk4': RK4,
    'energy_rk4': ENERGY_RK4,
    'dop853': DOP853,
}
EVENT = -1  # the friction of a joint changed between sliding and sticking within the substep
COARSE = -2  # the estimated error is too large
TOO_LONG = -(10**9) - 2  # status of a step that keeps no balance of energy; see simulation/step.py
