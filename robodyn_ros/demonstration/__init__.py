# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Shared parts of the demonstrations: experiments, motions, reports, plots.

May import: everything but cli; ROS only in experiment.py.
"""
