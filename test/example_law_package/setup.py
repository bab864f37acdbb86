# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A package of its own that adds a control law to robodyn_ros, and nothing else."""

from setuptools import setup

setup(
    name='example_law_package',
    version='0.1.0',
    description='A control law for robodyn_ros from outside',
    py_modules=['example_law'],
    install_requires=['robodyn_ros'],
    entry_points={'robodyn_ros.control_laws': ['hand_guiding = example_law:HandGuiding']},
)
