# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Control laws compute torque terms, by name, from a state and a reference.

May import: robot, compile, codegen, control.reference, control.supervisor.guards.
"""
