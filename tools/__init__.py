# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Generators of documents and checks, for developers of the package; not installed.

    python -m tools.pages.parameter_tables   # doc/nodes/*.md, from the tables of the nodes
    python -m tools.pages.operation_counts   # doc/code/operation_counts.md
    python -m tools.books                    # doc/books/*.md
    python -m tools.docstrings               # checks docstrings and sentences
    python -m tools.text_files               # checks the form of text files

Tests compare the committed pages with the output of these commands.
"""
