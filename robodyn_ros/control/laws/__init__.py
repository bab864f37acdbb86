# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Control laws: from a state and a reference to torque terms by name.

May import: robot, compile, codegen, control.reference, control.supervisor.guards.
"""
