# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A controller_manager in a process of its own, asked through its services."""

from pathlib import Path

from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from rclpy.duration import Duration
from std_msgs.msg import String

from robodyn_ros.testing.participant import LATCHED, wait_until
from support.nodes.node_harness import PATH, StartedNode

MANAGER = '/controller_manager'
START = 60.0  # [s] for a start on a busy machine


def missing(packages):
    """Return those of some ROS packages that are not installed."""
    absent = []
    for name in packages:
        try:
            get_package_prefix(name)
        except PackageNotFoundError:
            absent.append(name)
    return absent


class ControllerManager:
    """A ros2_control_node with a description and parameters.

    Args:
      graph: our participant in the ROS graph.
      description: text that is published latched, as robot_state_publisher does.
      parameters: path of the YAML file.
      folder: for its output.

    """

    def __init__(self, graph, description, parameters, folder):
        from controller_manager_msgs import srv

        self._graph, self._srv = graph, srv
        self.description = graph.node.create_publisher(String, '/robot_description', LATCHED)
        self.description.publish(String(data=description))
        program = Path(get_package_prefix('controller_manager'), 'lib', 'controller_manager')
        self.node = StartedNode(
            [program / 'ros2_control_node', '--ros-args', '--params-file', parameters],
            folder,
            PATH,
        )

    def _ask(self, kind, name, /, again=False, **fields):
        request = kind.Request(**fields)
        return self._graph.call(kind, f'{MANAGER}/{name}', request, timeout=START, again=again)

    def load(self, name):
        """Load and configure a controller; return whether it was.

        A request may go to a manager that was killed just now, so it is repeated.
        """
        self._ask(self._srv.LoadController, 'load_controller', again=True, name=name)
        return name in self.states() and self.configure(name)

    def configure(self, name):
        """Configure a controller; return whether it was."""
        return self._ask(self._srv.ConfigureController, 'configure_controller', name=name).ok

    def switch(self, start=(), stop=()):
        """Activate and deactivate controllers together; return whether all were."""
        kind = self._srv.SwitchController
        return self._ask(
            kind,
            'switch_controller',
            activate_controllers=list(start),
            deactivate_controllers=list(stop),
            strictness=kind.Request.STRICT,
            timeout=Duration(seconds=10.0).to_msg(),
        ).ok

    def states(self):
        """Return the state of each controller, {name: state}."""
        listed = self._ask(self._srv.ListControllers, 'list_controllers').controller
        return {each.name: each.state for each in listed}

    def wait_for(self, text):
        """Wait until it has printed a text."""
        wait_until(lambda: text in self.node.output, f'{text!r} of the controller manager', START)

    def close(self):
        """End the process."""
        self.node.close()
        self._graph.node.destroy_publisher(self.description)
