# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
from setuptools import setup

setup(
    name='arm_holder',
    version='0.1.0',
    packages=['arm_holder'],
    data_files=[
        ('share/ament_index/resource_index/packages', ['resource/arm_holder']),
        ('share/arm_holder', ['package.xml']),
    ],
    install_requires=['setuptools'],
    entry_points={'console_scripts': ['holder = arm_holder.holder:main']},
)
