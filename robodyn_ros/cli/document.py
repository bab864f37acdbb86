"""Write the tables of parameters into the README, from the tables that the nodes declare.

    python -m robodyn_ros.cli.document README.md
"""
import sys
from pathlib import Path

from robodyn_ros.cli.markdown import renewed
from robodyn_ros.control.adaptive import AdaptiveComputedTorque
from robodyn_ros.control.computed_torque import ComputedTorque
from robodyn_ros.control.operational_space import OperationalSpace
from robodyn_ros.ros.controller_parameters import (
    CONTROLLER_PARAMETERS, gain_parameters, own_parameters)
from robodyn_ros.ros.managed_node import NODE_PARAMETERS
from robodyn_ros.ros.parameters import render
from robodyn_ros.ros.simulator_parameters import SIMULATOR_PARAMETERS

TABLES = {
    'controller': (*NODE_PARAMETERS, *CONTROLLER_PARAMETERS,
                   *gain_parameters(('<joint>',), ComputedTorque),
                   *own_parameters(AdaptiveComputedTorque), *own_parameters(OperationalSpace)),
    'simulator': (*NODE_PARAMETERS, *SIMULATOR_PARAMETERS)}


def documented(text):
    """The text with each table between its marker and the next end marker made anew."""
    for node, table in TABLES.items():
        text = renewed(text, f'<!-- parameters of the {node} -->', render(table))
    return text


def main(args=None):
    """Rewrite the files named on the command line."""
    for name in sys.argv[1:] if args is None else args:
        path = Path(name)
        path.write_text(documented(path.read_text()))


if __name__ == '__main__':
    main()
