# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
import os
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.develop import develop
from setuptools.command.install_lib import install_lib

NAME = 'robodyn_ros'
KERNELS = Path(NAME, '__kernels__')
#: CMake packages in folders of this one, where colcon and rosdep do not look.
INNER = ('robodyn_msgs', 'robodyn_control')


def install_inner_packages(command):
    """Build and install the INNER packages beside this one, as part of a setuptools command.

    One that the environment has from elsewhere stays as it is. Without ROS there are none.
    """
    prefix = Path(command.get_finalized_command('install').install_data).resolve()
    base = Path(command.get_finalized_command('build').build_base).resolve()
    folders = os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep)
    prefixes = [Path(folder) for folder in folders if folder]
    if not prefixes:
        return
    for name in INNER:
        mark = Path('share/ament_index/resource_index/packages', name)
        others = [each for each in prefixes if each.resolve() != prefix]
        if not Path(name).is_dir() or any((each / mark).exists() for each in others):
            continue
        build = base / name
        chosen = [f'-DCMAKE_INSTALL_PREFIX={prefix}', f'-DPython3_EXECUTABLE={sys.executable}']
        chosen += ['-DBUILD_TESTING=OFF', '-DCMAKE_BUILD_TYPE=Release']
        for arguments in (
            ['-S', name, '-B', build, *chosen],
            ['--build', build, '--parallel', str(os.cpu_count() or 1)],
            ['--install', build],
        ):
            subprocess.run(['cmake', *map(str, arguments)], check=True)


def compile_kernels(place):
    """Compile the kernels for any robot beside the package in the folder `place`."""
    path = os.pathsep.join(filter(None, (str(place), os.environ.get('PYTHONPATH'))))
    command = [sys.executable, '-m', 'robodyn_ros', 'warmup', '--build']
    environment = {**os.environ, 'PYTHONPATH': path}
    if subprocess.run(command, cwd=place, env=environment, check=False).returncode:
        print('The kernels are not compiled yet: run `robodyn_ros warmup --build` once.')


class DevelopWithKernels(develop):
    """Add the INNER packages and the kernels, as for `colcon build --symlink-install`."""

    def run(self):
        install_inner_packages(self)
        super().run()
        if not getattr(self, 'uninstall', False):  # newer setuptools cannot
            compile_kernels(Path(NAME).resolve().parent)  # colcon links the sources


class InstallWithKernels(install_lib):
    """Add the INNER packages, and the kernels for any robot compiled, as for `colcon build`.

    A wheel has neither: it may go to another machine.
    """

    def run(self):
        super().run()
        if self.distribution.get_command_obj('bdist_wheel', create=False):
            return
        install_inner_packages(self)
        place = Path(self.install_dir).resolve()
        if KERNELS.is_dir():  # of the same sources: `make setup` has compiled them here
            shutil.copytree(KERNELS, place / KERNELS, dirs_exist_ok=True)
        compile_kernels(place)


def installed(folder, pattern='**/*'):
    """Return data_files entries that keep the layout of `folder` under share/robodyn_ros."""
    files = sorted(path for path in Path(folder).glob(pattern) if path.is_file())
    parents = sorted({path.parent for path in files})
    return [
        (
            f'share/{NAME}/{parent.as_posix()}',
            [path.as_posix() for path in files if path.parent == parent],
        )
        for parent in parents
    ]


DEMO = ['matplotlib>=3.5', 'rich>=12', 'rosbags>=0.10']
VIEW = ['pycollada>=0.8', 'trimesh>=4.6', 'viser>=1.1.1']

#: What `ros2 run robodyn_ros` starts. They lie in lib/robodyn_ros, where colcon installs them; pip
#: would put such names on the PATH, and installs `robodyn_ros` alone.
EXECUTABLES = [
    f'{name} = robodyn_ros.__main__:named'
    for name in (
        'arm',
        'check',
        'controller',
        'demo',
        'emit',
        'identify',
        'info',
        'play',
        'report',
        'simulator',
        'terms',
        'view',
        'warmup',
    )
]
if not {'install', 'develop'} & set(sys.argv):
    EXECUTABLES = []

setup(
    name=NAME,
    version='0.2.0',
    description='Rigid-body dynamics for robot arms as a ROS 2 package',
    license='Apache-2.0',
    maintainer='robodyn_ros maintainers',
    maintainer_email='maintainers@example.com',
    python_requires='>=3.10',
    packages=find_packages(include=[NAME, f'{NAME}.*']),
    package_data={NAME: ['py.typed', 'middleware/fast_dds_localhost.xml']},
    data_files=[
        ('share/ament_index/resource_index/packages', [f'resource/{NAME}']),
        (f'share/{NAME}', ['package.xml']),
        *installed('launch', '*.launch.py'),
        *installed('config'),
    ],
    zip_safe=False,  # type checkers read py.typed from a folder
    cmdclass={'install_lib': InstallWithKernels, 'develop': DevelopWithKernels},
    # The upper bound of numba is the newest version that the tests have run with.
    install_requires=['llvmlite>=0.42', 'numba>=0.59,<0.69', 'numpy>=1.26'],
    extras_require={
        'benchmark': [
            'casadi>=3.6',
            'cmeel-eigen>=3.4',
            'drake>=1.30',
            'dynibo>=0.5',
            'mujoco>=3.1',
            'pin>=3.0',
            'roboticstoolbox-python>=1.1',
        ],
        # Numba imports it wherever it is, at each start of a node.
        'coverage': ['coverage>=7.10', 'pytest-cov>=7.0'],
        'demo': DEMO,
        'descriptions': ['robot_descriptions>=1.10'],
        'docs': ['furo>=2024.5', 'myst-parser>=3.0', 'sphinx>=7.3', 'sphinx-copybutton>=0.5'],
        'identification': ['matplotlib>=3.5', 'rich>=12', 'rosbags>=0.10', 'scipy>=1.10'],
        'lint': [
            'deptry>=0.20',
            'mypy>=1.11',
            'numpydoc>=1.8',
            'pre-commit>=3.7',
            'ruff>=0.17,<0.18',
        ],
        'mjcf': ['mujoco>=3.3.2'],
        'test': [
            *DEMO,
            *VIEW,
            'example-robot-data==6.0.0',
            'hypothesis>=6.80',
            'jsonschema>=4.18',
            'mujoco>=4.0',  # the first with all contents that the tests of MJCF have
            'pin>=3.0',
            'psutil>=5.9',
            'pytest>=7.4',
            'pytest-xdist>=3.7',
            'PyYAML>=5.4',
            'scipy>=1.10',
            'xacro>=2.0',
        ],
        'view': VIEW,
        'xacro': ['xacro>=2.0'],
        'yaml': ['PyYAML>=5.4'],
    },
    entry_points={
        'console_scripts': ['robodyn_ros = robodyn_ros.__main__:main', *EXECUTABLES],
        'robodyn_ros.control_laws': [
            'gravity_compensation = robodyn_ros.control.laws.gravity_compensation:GravityCompensation',  # noqa: E501
            'pd = robodyn_ros.control.laws.pd:PD',
            'pd_gravity = robodyn_ros.control.laws.pd:PDGravity',
            'computed_torque = robodyn_ros.control.laws.computed_torque:ComputedTorque',
            'passivity = robodyn_ros.control.laws.passivity:Passivity',
            'adaptive_computed_torque = robodyn_ros.control.laws.adaptive:AdaptiveComputedTorque',
            'operational_space = robodyn_ros.control.laws.operational_space:OperationalSpace',
            'diagonal_damping = robodyn_ros.control.laws.diagonal_damping:DiagonalDamping',
            'underactuated_computed_torque = robodyn_ros.control.laws.underactuated:UnderactuatedComputedTorque',  # noqa: E501
            'underactuated_operational_space = robodyn_ros.control.laws.underactuated_task:UnderactuatedOperationalSpace',  # noqa: E501
            'elastic_joint = robodyn_ros.control.laws.elastic_joint:ElasticJointLaw',
            'floating_base_computed_torque = robodyn_ros.control.laws.floating_base:FloatingBaseComputedTorque',  # noqa: E501
        ],
    },
)
