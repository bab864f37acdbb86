# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Jain, Robot and Multibody Dynamics (2011), chapters 1 to 17, A and B.

numpy only, the symbols of the book, one subject per file. doc/books/jain.md lists every item of
the book, and its counterpart here and among the fast recursions.
"""
