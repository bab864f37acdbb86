from pathlib import Path

from setuptools import find_packages, setup

NAME = 'robodyn_ros'


def installed(folder, pattern='**/*'):
    """Return data_files entries that keep the layout of `folder` under share/robodyn_ros."""
    files = sorted(path for path in Path(folder).glob(pattern) if path.is_file())
    parents = sorted({path.parent for path in files})
    return [(f'share/{NAME}/{parent.as_posix()}',
             [path.as_posix() for path in files if path.parent == parent]) for parent in parents]


DEMO = ['matplotlib>=3.5', 'psutil>=5.9', 'rich>=12']

setup(
    name=NAME,
    version='0.1.0',
    description='Rigid-body dynamics for robot arms as a ROS 2 package',
    license='Apache-2.0',
    maintainer='robodyn_ros maintainers',
    maintainer_email='maintainers@example.com',
    python_requires='>=3.10',
    packages=find_packages(include=[NAME, f'{NAME}.*']),
    data_files=[
        ('share/ament_index/resource_index/packages', [f'resource/{NAME}']),
        (f'share/{NAME}', ['package.xml']),
        *installed('launch', '*.launch.py'),
        *installed('config'),
    ],
    zip_safe=True,
    install_requires=['setuptools', 'numba>=0.59', 'numpy>=1.26'],
    extras_require={
        'urdf-safe': ['defusedxml>=0.7'],
        'benchmark': ['casadi>=3.6', 'drake>=1.30', 'mujoco>=3.1', 'pin>=3.0',
                      'roboticstoolbox-python>=1.1'],
        'demo': DEMO,
        'identification': ['matplotlib>=3.5', 'rich>=12', 'rosbags>=0.10', 'scipy>=1.10'],
        'test': [
            *DEMO,
            'defusedxml>=0.7',
            'example-robot-data>=4.1',
            'hypothesis>=6.80',
            'mujoco>=3.1',
            'pin>=3.0',
            'pytest>=7.4',
            'pytest-rerunfailures>=13.0',
            'pytest-xdist>=3.3',
            'PyYAML>=5.4',
            'rosbags>=0.10',
            'scipy>=1.10',
            'xacro>=2.0',
        ],
    },
    entry_points={
        'console_scripts': [
            'robodyn_ros = robodyn_ros.__main__:main',
            'controller = robodyn_ros.nodes.controller:main',
            'simulator = robodyn_ros.nodes.simulator:main',
            'demo = robodyn_ros.cli.demo:main',
            'warmup = robodyn_ros.cli.warmup:main',
            'report = robodyn_ros.cli.report:main',
            'check = robodyn_ros.cli.check:main',
            'identify = robodyn_ros.cli.identify:main',
            'info = robodyn_ros.cli.info:main',
        ],
        'robodyn_ros.control_laws': [
            'gravity_compensation = robodyn_ros.control.gravity_compensation:GravityCompensation',
            'pd = robodyn_ros.control.pd:PD',
            'pd_gravity = robodyn_ros.control.pd:PDGravity',
            'computed_torque = robodyn_ros.control.computed_torque:ComputedTorque',
            'passivity = robodyn_ros.control.passivity:Passivity',
            'adaptive_computed_torque = robodyn_ros.control.adaptive:AdaptiveComputedTorque',
            'operational_space = robodyn_ros.control.operational_space:OperationalSpace',
        ],
    },
)
