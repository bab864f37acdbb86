# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Recursions over links that bend by modes: Jain 2011, chapter 13.

Each function has the name and the arguments of the one over rigid links, so kernels run with
either. The modes of a link are clamped at its frame. Their coordinates come behind those of the
joints in q, qd, torques and the mass matrix. Springs and dampers of modes belong to the simulated
plant, as those of joints do.

modal_storage.py     constants of modes, and their memory
deformation.py       mounts of bodies on deformed links, and how the mounts move
forward_dynamics.py  articulated bodies in two stages; the inverse of the mass matrix
inverse_dynamics.py  inverse dynamics and gravity torque
energy.py            kinetic and potential energy
manifold.py          integration of positions

May import: spatial, model.layout, algorithms.core.
"""
