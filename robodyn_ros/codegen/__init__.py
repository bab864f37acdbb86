# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Code for one robot: a recursion is recorded once and emitted as straight-line code.

    registry -> tape -> specialise -> partition -> emit_python, emit_llvm -> linker, verification

May import: compile, realtime, algorithms, spatial, model.
"""
