# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Run a launch file where `launch` is not importable: as much of it as our launch files use.

    python -m support.nodes.launch_runner launch/simulated_arm.launch.py law:=pd_gravity

Every action and substitution that is not known here is an error. SIGINT goes to all processes. The
exit code is the first of theirs that is not zero, or 1 if an `on_exit` raises.
"""

import json
import re
import signal
import subprocess
import sys
import time
import types
from pathlib import Path

from ament_index_python.packages import get_package_prefix


class Context(dict):
    """The values of launch arguments, and the processes to start."""

    is_shutdown = False

    def __init__(self, given=()):
        super().__init__(given)
        self.commands = []  # with what is called when the process has ended


class LaunchDescription(list):
    """Actions in their order."""

    def __init__(self, actions):
        super().__init__(actions)


class DeclareLaunchArgument:
    """An argument, its default, and what it may be."""

    def __init__(self, name, default_value, description, choices=None):
        self.name, self.default, self.choices = name, default_value, choices

    def visit(self, context):
        """Take the default, and refuse what is not among the choices."""
        value = context.setdefault(self.name, self.default)
        if self.choices and value not in self.choices:
            raise ValueError(f'{self.name}: got {value!r}, expected one of {self.choices}')


class OpaqueFunction:
    """A function of the context that gives actions."""

    def __init__(self, function):
        self.function = function

    def visit(self, context):
        """Visit what the function gives."""
        visit(self.function(context) or (), context)


class IncludeLaunchDescription:
    """Another launch file, with arguments for it."""

    def __init__(self, path, launch_arguments=()):
        self.path, self.given = path, dict(launch_arguments)

    def visit(self, context):
        """Visit its actions; what it declares stays with it, as our files rely on nothing else."""
        inner = Context({**context, **{key: text(v, context) for key, v in self.given.items()}})
        visit(described(self.path), inner)
        context.commands += inner.commands


class Node:
    """A ROS node as a process."""

    def __init__(
        self,
        package,
        executable,
        name='',
        namespace='',
        parameters=(),
        arguments=(),
        ros_arguments=(),
        output='',
        on_exit=None,
    ):
        self.place, self.name, self.namespace = (package, executable), name, namespace
        self.parameters, self.arguments, self.ros = parameters, arguments, ros_arguments
        self.on_exit = on_exit

    def visit(self, context):
        """Add the command that starts it."""
        package, executable = self.place
        path = Path(get_package_prefix(package)) / 'lib' / package / executable
        command = [str(path), *(text(part, context) for part in self.arguments), '--ros-args']
        command += [text(part, context) for part in self.ros]
        for key, value in (('__node', self.name), ('__ns', text(self.namespace, context))):
            if value:
                command += ['-r', f'{key}:={"/" * (key == "__ns" and value[0] != "/")}{value}']
        for entry in self.parameters:
            if isinstance(entry, dict):
                for key, value in entry.items():
                    command += ['-p', f'{key}:={parameter(value, context)}']
            else:
                command += ['--params-file', text(entry, context)]
        context.commands.append((command, self.on_exit))


class ParameterValue:
    """A value with a type."""

    def __init__(self, value, value_type):
        self.value, self.type = value, value_type


class LaunchConfiguration:
    """The value of an argument."""

    def __init__(self, name):
        self.name = name

    def perform(self, context):
        """Return the value."""
        return context[self.name]


def text(value, context):
    """Return a text, of a substitution what it stands for."""
    return value.perform(context) if hasattr(value, 'perform') else str(value)


def parameter(value, context):
    """Return a parameter as the command line takes it: YAML, texts in quotes."""
    if isinstance(value, ParameterValue):
        found = text(value.value, context)
        return json.dumps(found) if value.type is str else found.lower()
    return json.dumps(
        value if isinstance(value, (bool, int, float, list)) else text(value, context)
    )


MODULES = {
    'launch': {'LaunchDescription': LaunchDescription},
    'launch.actions': {
        'DeclareLaunchArgument': DeclareLaunchArgument,
        'IncludeLaunchDescription': IncludeLaunchDescription,
        'OpaqueFunction': OpaqueFunction,
    },
    'launch.substitutions': {'LaunchConfiguration': LaunchConfiguration},
    'launch_ros': {},
    'launch_ros.actions': {'Node': Node},
    'launch_ros.parameter_descriptions': {'ParameterValue': ParameterValue},
}


def described(path):
    """Return the actions of a launch file."""
    space = {'__file__': str(path), '__name__': 'launch_file'}
    exec(compile(Path(path).read_text(), str(path), 'exec'), space)
    return space['generate_launch_description']()


def visit(actions, context):
    """Visit actions in their order."""
    for action in actions:
        action.visit(context)


def loaded(path, given):
    """Return the context of a launch file after its actions, with the processes to start."""
    for name, content in MODULES.items():
        sys.modules[name] = types.ModuleType(name)
        vars(sys.modules[name]).update(content)
    context = Context(given)
    visit(described(path), context)
    return context


def commands(path, given):
    """Return the commands of the processes that a launch file starts."""
    return [command for command, _ in loaded(path, given).commands]


def main():
    """Start what the launch file says, and wait until all of it has ended."""
    path, *rest = sys.argv[1:]
    given = dict(re.fullmatch(r'(\w+):=(.*)', argument).groups() for argument in rest)
    context = loaded(path, given)
    running = [(subprocess.Popen(command), on_exit) for command, on_exit in context.commands]
    processes = [process for process, _ in running]

    def interrupt(*_):
        context.is_shutdown = True
        for process in processes:
            process.send_signal(signal.SIGINT)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, interrupt)
    print(f'{len(processes)} processes', flush=True)
    codes = []
    while running:
        time.sleep(0.02)
        for process, on_exit in [each for each in running if each[0].poll() is not None]:
            running.remove((process, on_exit))
            codes.append(process.returncode)
            event = types.SimpleNamespace(
                process_name=process.args[0], returncode=process.returncode
            )
            try:
                visit((on_exit(event, context) if on_exit else None) or (), context)
            except RuntimeError as error:
                print(error, file=sys.stderr)
                codes.insert(0, 1)
                interrupt()
    return next((code for code in codes if code), 0)


if __name__ == '__main__':
    sys.exit(main())
