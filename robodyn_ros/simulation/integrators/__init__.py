# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Schemes that advance the state of a plant by one substep.

names.py                 names of the schemes, and their numbers in kernels
euler.py                 semi-implicit Euler, with friction and stops
runge_kutta.py           the classical Runge-Kutta scheme
rosenbrock.py            linearly implicit, for stiff drives and dampers
diagonal_runge_kutta.py  classical Runge-Kutta in velocities of a mass matrix 1
events.py                any scheme from one change of friction to the next
energy_balance.py        projection of a step on the balance of energy
momentum_balance.py      projection of a step on the momentum of a free flyer
adaptive_steps.py        as many substeps as a tolerance needs
"""
